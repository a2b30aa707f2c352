# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# oom_score_adj +500: half of the domain's memory more.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "adj +500: s, the smallest, gets half of the limit added"
cg_make /job memory.max=120M
fill - 40M /job
launch h /job 0 anon=45M
launch s /job 500 anon=4M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=s
foresee --pid "$pid_c"
compare
finish
