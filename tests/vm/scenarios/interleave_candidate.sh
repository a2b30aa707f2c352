# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A candidate that interleaves is not bound. Kernels before 5.14 took it for bound to its nodes.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "interleave candidate: d interleaves over nodes 2 and 3 while c, bound to node 1, runs out"
fill 1 75
launch d / 0 policy=interleave:2-3 "anon=$(part 2 60)"
launch a / 0 "anon=$(part 0 55)@0"
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 useful=false
if version_at_least 5.14; then expect victim=d then=a; else expect victim=a then=c skipped=d:mempolicy; fi
foresee --pid "$pid_c"
compare
finish
