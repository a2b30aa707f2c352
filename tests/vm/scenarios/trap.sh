# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The trap: a cpuset does not protect from an OOM by policy, and cgpol warns of it; a policy of one's own does.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

# warned TEXT, not_warned: what the last prediction says of the trap.
warned() {
	! has_cgpol || case $p_warnings in *"$1"*) ;; *) wrong "no warning with \"$1\" in: $p_warnings" ;; esac
}
not_warned() {
	! has_cgpol || case $p_warnings in *"by its cpuset"*) wrong "warns of a trap: $p_warnings" ;; esac
}

scene "trap: a may use node 0 only, by its cpuset; c is bound to node 1; a dies, and it was warned of that"
cg_make /safe cpuset.mems=0
cg_make /job cpuset.mems=0-1
fill 1 75
launch a /safe 0 "anon=$(part 0 50)"
launch c /job 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=a then=c useful=false
foresee --pid "$pid_c"
warned "a (pid $pid_a) may use node 0 only, by its cpuset, and still is a candidate"
warned "(cgpol run -m 0 ...)"
compare

scene "trap: a policy of a's own makes it ineligible, with or without the cpuset; c dies"
cg_make /safe cpuset.mems=0
cg_make /job cpuset.mems=0-1
fill 1 75
launch a /safe 0 policy=bind:0 "anon=$(part 0 50)"
launch c /job 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=c useful=true skipped=a:mempolicy
foresee --pid "$pid_c"
not_warned
compare

scene "trap: where c is confined by its cpuset instead, a's cpuset does protect; c dies"
cg_make /safe cpuset.mems=0
cg_make /job cpuset.mems=1
fill 1 75
launch a /safe 0 "anon=$(part 0 50)"
launch c /job 0 cpu=1 ready go grow
expect constraint=cpuset nodes=1 victim=c useful=true skipped=a:cpuset
foresee --pid "$pid_c"
not_warned
compare

scene "trap: b has no cpuset, holds part of node 1 and is larger than c; it dies, and no trap is told"
cg_make /job cpuset.mems=0-1
fill 1 55
launch b / 0 "anon=$(part 1 25)@1"
launch c /job 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=b useful=true
foresee --pid "$pid_c"
not_warned
compare
finish
