# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A task under MPOL_BIND fills its node: all are candidates but those whose policy binds them elsewhere.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "bind: c is bound to node 1 and fills it; a dies first, then c; d is bound to node 2"
fill 1 57
launch a / 0 "anon=$(part 0 55)@0" anon=256K@1
launch b / 0 "anon=$(part 1 13)@1"
launch d / 0 policy=bind:2 "anon=$(part 2 55)"
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect certainty=certain constraint=memory_policy nodes=1 victim=a then=c useful=false skipped=d:mempolicy
foresee --pid "$pid_c"
compare
finish
