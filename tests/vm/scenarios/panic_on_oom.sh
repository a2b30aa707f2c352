# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# vm.panic_on_oom: 1 spares the machine when only a part of it is full, 2 does not.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "panic_on_oom=1: an OOM by policy is dealt with as usual"
echo 1 >/proc/sys/vm/panic_on_oom
fill 1 75
launch a / 0 "anon=$(part 0 50)@0"
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=a then=c
foresee --pid "$pid_c"
compare
[ "$broken" -eq 0 ] || finish

scene "panic_on_oom=2: a full cgroup takes the machine with it"
echo 2 >/proc/sys/vm/panic_on_oom
cg_make /job memory.max=60M
launch c /job 0 cpu=1 ready go grow
foresee --pid "$pid_c"
expect_panic
