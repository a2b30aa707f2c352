# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Swapped memory counts like resident memory, and swap that the cgroup may use is part of the scale of oom_score_adj.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

need_swap
scene "swap: most of a is in swap, and still it is the largest"
cg_make /job memory.max=140M memory.swap.max=52M
launch a /job 0 anon=30M anon=50M pageout
launch b /job 0 anon=60M
launch s /job 100 anon=20M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a useful=true
foresee --pid "$pid_c"
compare
finish
