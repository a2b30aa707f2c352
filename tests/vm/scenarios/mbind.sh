# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A mapping's own policy decides where its pages come from. Candidates are judged by their task policy alone.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "mbind: c's mapping is bound to node 1; e has only a mapping bound to node 2, so it is a candidate, d is not"
fill 1 75
launch d / 0 policy=bind:2 "anon=$(part 2 40)"
launch e / 0 mbind=bind:2 "anon=$(part 2 35)"
launch c / 0 mbind=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=e then=c useful=false skipped=d:mempolicy
foresee --pid "$pid_c" --policy bind:1
compare
finish
