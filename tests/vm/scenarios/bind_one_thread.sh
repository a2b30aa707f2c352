# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# One thread whose policy meets the nodes makes the whole process a candidate.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "bind in one thread: d's leader is bound to node 2, its thread to nodes 1 and 3; e is bound away altogether"
fill 1 75
launch d / 0 policy=bind:2 "anon=$(part 2 40)" thread policy=bind:1,3 ready
launch e / 0 policy=bind:0 "anon=$(part 0 65)" thread policy=bind:3 ready
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=d then=c useful=false skipped=e:mempolicy
foresee --pid "$pid_c"
compare
finish
