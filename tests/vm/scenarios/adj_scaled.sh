# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# oom_score_adj is in thousandths of the domain: the same value outweighs more in a larger one.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "adj scaled: +400 in a cgroup of 120 MiB adds 48 MiB to b: not enough"
cg_make /job memory.max=120M
launch a /job 0 anon=68M
launch b /job 400 anon=12M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a
foresee --pid "$pid_c"
also_takes b --system
compare

scene "adj scaled: +400 of a node of 160 MiB or more adds 64 MiB or more: enough"
fill 1 70
launch a / 0 anon=68M@0
launch b / 400 anon=12M@0
launch c / -500 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=b then=a
foresee --pid "$pid_c"
compare
finish
