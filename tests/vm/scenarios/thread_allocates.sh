# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The policy that counts is the allocating thread's, not the leader's.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "a thread allocates: c's leader has no policy, the thread that grows is bound to nodes 1"
fill 1 75
launch a / 0 "anon=$(part 0 50)@0"
launch d / 0 policy=bind:2 "anon=$(part 2 55)"
launch c / 0 thread policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=a then=c skipped=d:mempolicy
foresee --pid "$tid_c"
compare
finish
