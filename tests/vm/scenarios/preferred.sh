# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A preferred node is no constraint: the task goes on to other nodes, and the whole machine fills up.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "preferred: c prefers node 1, and runs out only when every node is full"
for node in 0 1 2 3; do fill $node 65; done
launch a / 0 "anon=$(part all 18)"
launch b / 0 "anon=$(part all 4)"
launch c / 0 policy=prefer:1 cpu=1 ready go grow
expect constraint=none victim=a useful=true
foresee --pid "$pid_c"
compare
finish
