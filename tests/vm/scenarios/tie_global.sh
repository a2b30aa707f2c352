# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Equal points outside of memory cgroups: the youngest is taken.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "tie: x, y and z are equal, z is the youngest"
fill 1 85
launch x / 0 anon=48M@0
launch y / 0 anon=48M@2
launch z / 0 anon=48M@3
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect certainty=ambiguous constraint=memory_policy nodes=1 victim=z
foresee --pid "$pid_c"
compare
finish
