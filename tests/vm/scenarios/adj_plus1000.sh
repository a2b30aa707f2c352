# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# oom_score_adj +1000: always first, whatever its size.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "adj +1000: s has next to nothing and goes before t with +500"
cg_make /job memory.max=120M
fill - 40M /job
launch t /job 500 anon=30M
launch s /job 1000
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=s
foresee --pid "$pid_c"
compare
finish
