# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# MPOL_BIND to every node that has memory constrains nothing, and then nobody's policy is looked at.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "bind to all: c is bound to nodes 0-3; d, bound to node 2, is a candidate"
for node in 0 1 2 3; do fill $node 65; done
launch d / 0 policy=bind:2 "anon=$(part 2 30)"
launch b / 0 "anon=$(part all 20)"
launch c / -100 policy=bind:0-3 cpu=1 ready go grow
expect constraint=none victim=b useful=true
foresee --pid "$pid_c"
compare
finish
