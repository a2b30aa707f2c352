# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A full node where nobody may be killed is a dead machine.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "panic: all who could use node 1 are at -1000"
cg_make /job cpuset.mems=1
fill 1 80
launch c /job -1000 cpu=1 ready go grow
foresee --pid "$pid_c"
expect_panic
