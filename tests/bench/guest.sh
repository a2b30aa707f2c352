# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest's part of tests/bench/start: measures each way and prints "name value". $WHAT is cost or latency.
# shellcheck source=tests/vm/lib/guest.sh disable=SC2154
. /lib/cgpol-test/guest.sh

# As every way has it: one cpu, and the same command, which does nothing.
taskset -p 1 $$ >/dev/null
echo 0 >/proc/sys/kernel/randomize_va_space
n=${N:-25}
echo "+memory +cpuset" >"$cg/cgroup.subtree_control"
mkdir "$cg/bench"
echo "+memory +cpuset" >"$cg/bench/cgroup.subtree_control"
mkdir "$cg/bench/there"

way() { printf '%s %s\n' "$1" "$(shift; "$@")" >>/out/"$WHAT"; }
own_of_libcgroup() {
	cat >/tmp/own <<'S'
#!/bin/sh
cgcreate -g memory,cpuset:bench/own || exit 1
cgset -r memory.max=104857600 -r memory.high=94371840 -r memory.oom.group=1 -r cpuset.mems=0 bench/own || exit 1
cgexec -g memory,cpuset:bench/own /bin/nothing || exit 1
cgdelete -g memory,cpuset:bench/own
S
	chmod +x /tmp/own
}

mkdir -p /out
: >/out/"$WHAT"
if [ "$WHAT" = cost ]; then
	way direct spawn cost "$n" /bin/nothing
	way shim spawn cost "$n" /bin/shim /bin/nothing
	way into spawn into "$n" "$cg"/bench/there /bin/nothing
	way cgpol spawn cost "$n" cgpol run --cgroup /bench/there /bin/nothing
	way cgexec spawn cost "$n" cgexec -g memory:bench/there /bin/nothing
	way cgpol_policy spawn cost "$n" cgpol run --cgroup /bench/there -m 0 /bin/nothing
	way numactl spawn cost "$n" numactl -m 0 /bin/nothing
	way cgpol_own spawn cost "$n" cgpol run --cgroup /bench/own --memory-max 104857600 --memory-high 94371840 --oom-group \
		--mems 0 /bin/nothing
	way bare_own spawn bare "$n" "$cg"/bench/own /bin/nothing
	own_of_libcgroup
	way libcgroup_own spawn cost "$n" /tmp/own
	way sh spawn cost "$n" /bin/sh -c /bin/nothing
else
	way direct spawn latency "$n" 80 /bin/nothing
	way cgpol spawn latency "$n" 80 cgpol run --cgroup /bench/there /bin/nothing
	way cgexec spawn latency "$n" 80 cgexec -g memory:bench/there /bin/nothing
fi
cat /out/"$WHAT"
