# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# oom_score_adj -1000: never.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "adj -1000: h is the largest by far and never taken"
cg_make /job memory.max=140M
launch h /job -1000 anon=70M
launch a /job 0 anon=40M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a useful=true skipped=h:oom_score_adj
foresee --pid "$pid_c"
compare
finish
