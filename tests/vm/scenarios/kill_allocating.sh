# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# vm.oom_kill_allocating_task: who asks is taken, if a candidate at all, and never in a cgroup's OOM.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

echo 1 >/proc/sys/vm/oom_kill_allocating_task
scene "kill allocating: c is taken although a is larger, and its -900 does not help"
fill 1 75
launch a / 0 "anon=$(part 0 50)@0"
launch c / -900 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=c outcome=kill_allocating_task useful=true
foresee --pid "$pid_c"
compare

scene "kill allocating: c's mapping is bound to node 1, its policy to node 2: no candidate, so the largest goes"
fill 1 55
# What a's death gives back is enough for c: else the kernel would run out of candidates, and panic.
launch a / 0 "anon=$(part 0 40)@0" "anon=$(part 1 20)@1"
launch b / 0 "anon=$(part 0 20)@0"
launch c / 0 policy=bind:2 mbind=bind:1 cpu=1 ready go "grow=$(part 1 35)"
expect constraint=memory_policy nodes=1 victim=a useful=true skipped=c:mempolicy
foresee --pid "$pid_c" --policy bind:1
compare

scene "kill allocating: not in a cgroup's OOM"
cg_make /job memory.max=120M
launch a /job 0 anon=70M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a
foresee --pid "$pid_c"
compare
finish
