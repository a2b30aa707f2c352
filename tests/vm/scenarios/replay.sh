# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# What a command prints from a capture is what it printed when the capture was made, byte for byte.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
scene "replay: every question, live and from its own capture"
cg_make /job memory.max=120M cpuset.mems=1-2
cg_make /job/x memory.oom.group=1
cg_make /job/y
launch a / 0 "anon=$(part 0 40)@0" anon=1M@1
launch p /job/x 0 policy=bind:1 anon=20M ready clonevm ready:q
launch z /job/x 100 thread policy=interleave:1-2 shm=8M leaderexit ready
launch v /job/y 0 mbind=bind:2 anon=5M ready vfork ready:w
launch c /job/y -1 thread policy=bind:1 anon=3M ready

# Twice: the capture must hold what its own run read.
same_again() {
	rm -rf capture
	cgpol --record capture "$@" >live 2>live.err
	status=$?
	cgpol --root capture "$@" >replayed 2>replayed.err
	replayed=$?
	if [ $status -ne $replayed ] || ! cmp -s live replayed || ! cmp -s live.err replayed.err; then
		echo "  WRONG: cgpol $*: status $status, replayed $replayed"
		diff live replayed | sed 's/^/    /' | head -n 20
		diff live.err replayed.err | sed 's/^/    /' | head -n 20
		broken=$((broken + 1))
	elif [ ! -s live ]; then
		echo "  WRONG: cgpol $*: prints nothing"
		broken=$((broken + 1))
	else
		echo "  the same: cgpol $* ($(wc -c <live) bytes, $(find capture -type f | wc -l) files)"
	fi
}

same_again predict --pid "$tid_c"
same_again predict --json --all --top 0 --pid "$tid_c"
same_again predict --pid "$pid_a" --policy bind:1
same_again predict --system --all
same_again predict --json --cgroup /job/x
same_again predict --json --pid "$pid_z"
same_again predict --json --pid 1999999
same_again stat
same_again stat --json --pid "$pid_p" --pid "$pid_v"
same_again stat --json --cgroup /job
finish
