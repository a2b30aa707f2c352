# shellcheck shell=sh disable=SC2154 # guest.sh sets cg
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol run: what is set on the cgroup is there when the command starts, and an OOM kill is told with its reason.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol load jq
failures=0

bad() { echo "FAIL: $*"; failures=$((failures + 1)); }

# holds FILE VALUE OPTION...: what the command finds in its cgroup /lim
holds() {
	file=$1 want=$2
	shift 2
	got=$(cgpol run --cgroup /lim "$@" -- cat "$cg/lim/$file" 2>err)
	[ "$got" = "$want" ] || bad "$*: $file has \"$got\", not \"$want\": $(cat err)"
	[ ! -d "$cg/lim" ] || bad "$*: /lim is left"
}

say "settings"
holds memory.max 67108864 --memory-max 64M
holds memory.max max --memory-max infinity
holds memory.high 50331648 --memory-high 48MiB
holds memory.swap.max 0 --swap-max 0
holds memory.oom.group 1 --oom-group
holds memory.low 1048576 --set memory.low=1M
holds pids.max 50 --set pids.max=50
holds cpuset.cpus.effective 1-2 --cpus 1-2
holds cpuset.mems.effective 1,3 --mems 1,3
holds cpuset.cpus.effective 3 --cpus 3 --mems 0 --memory-max 50M --memory-high 40M --oom-group
total=$(awk '/^MemTotal:/ { print $2 * 1024 }' /proc/meminfo)
node=$(awk '/MemTotal:/ { print $4 * 1024 }' /sys/devices/system/node/node1/meminfo)
page() { echo $(($1 / 4096 * 4096)); }
holds memory.max "$(page $((total / 2)))" --memory-max 50%
holds memory.max "$(page $((node / 4)))" --memory-max '25% of nodes:1'
cg_make /par memory.max=100M
got=$(cgpol run --cgroup /par/kid --memory-max 50% -- cat "$cg/par/kid/memory.max")
[ "$got" = 52428800 ] || bad "50% of the parent's 100M is $got"

say "inside from the first instruction, and cgpol stays outside"
[ "$(cgpol run --cgroup /lim cat /proc/self/cgroup | sed -n 's/^0:://p')" = /lim ] || bad "not in /lim"
got=$(cgpol run cat /proc/self/cgroup | sed -n 's/^0:://p')
echo "$got" | grep -qx '/cgpol/cat-[0-9]*' || bad "its own cgroup is $got"
got=$(cgpol run sh -c "cat $cg/cgpol/*/cgroup.procs | wc -l")
[ "$got" = 3 ] || bad "$got processes in the cgroup of sh, cat and wc"

say "a cgroup that is there already is used, and stays as it was set"
cg_make /mine memory.max=90M
cgpol run --cgroup /mine --memory-max 80M true || bad "reuse"
[ "$(cat "$cg/mine/memory.max")" = 83886080 ] || bad "/mine was not set"
cgpol run --cgroup /kept --keep --memory-max 70M true || bad "--keep"
[ "$(cat "$cg/kept/memory.max")" = 73400320 ] || bad "/kept is not there"
rmdir "$cg/kept"

# killed STATUS PATTERN OPTION...: the line on standard error
killed() {
	want_status=$1 want=$2
	shift 2
	rm -f report
	cgpol run --oom-score-adj 500 --report report "$@" 2>err
	status=$?
	[ $status -eq "$want_status" ] || bad "$*: status $status: $(cat err)"
	[ "$(grep -c '^cgpol: the OOM killer' err)" = 1 ] || bad "$*: not one line: $(cat err)"
	grep -qE -e "$want" err || bad "$*: not \"$want\": $(cat err)"
}

say "OOM kills are told"
killed 137 'killed load \(pid [0-9]+\): /oom reached its memory.max of 30M$' --cgroup /oom --memory-max 30M load grow
jq -e '.status == 137 and .signal == 9 and .oom.constraint == "memcg" and .oom.oom_memcg == "/oom" and
	.oom.limit == 31457280 and .oom.comm == "load" and .oom.pid == .pid and .effective.memory_max == 31457280' report >/dev/null ||
	bad "report: $(cat report)"
killed 137 'killed load \(pid [0-9]+\): /par reached its memory.max of 100M$' --cgroup /par/kid load grow
killed 137 'no memory is left on the nodes of its cpuset \(1\)$' --mems 1 load grow
jq -e '.oom.constraint == "cpuset" and .oom.nodes == "1"' report >/dev/null || bad "report: $(cat report)"
killed 137 'no memory is left on the nodes of its memory policy \(2\)$' -m 2 load grow
killed 0 'killed load \(pid [0-9]+\): /oom reached its memory.max of 20M$' --cgroup /oom --memory-max 20M sh -c 'load grow; exit 0'
killed 137 'reached its memory.max of 20M$' --cgroup /oom --memory-max 20M --oom-group sh -c 'load grow; exit 0'
killed 137 'killed load .*probably /oom|killed load .*: /oom reached' --cgroup /oom --memory-max 20M load grow
cgpol run -q --oom-score-adj 500 --memory-max 20M load grow 2>err
{ [ $? -eq 137 ] && [ ! -s err ]; } || bad "-q: $(cat err)"
cgpol run --memory-max 50M sh -c 'kill -9 $$' 2>err
{ [ $? -eq 137 ] && [ ! -s err ]; } || bad "a plain SIGKILL: $(cat err)"
[ ! -d "$cg/oom" ] || bad "/oom is left"

say "without the kernel's log the counters tell"
echo 1 >/proc/sys/kernel/dmesg_restrict
adduser -D -H -u 1000 user 2>/dev/null || echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
mkdir "$cg/deleg"
chown 1000 "$cg/deleg" "$cg/deleg/cgroup.procs" "$cg/deleg/cgroup.subtree_control"
chmod 777 .
(
	mkdir "$cg/deleg/sh"
	echo 0 >"$cg/deleg/sh/cgroup.procs"
	echo 500 >/proc/self/oom_score_adj
	su user -c 'cgpol run --memory-max 20M load grow' 2>err
)
grep -qE 'killed load \(pid [0-9]+\): /deleg/cgpol/load-[0-9]+ reached its memory.max of 20M$' err || bad "no log: $(cat err)"

say "a difference is an error before the start"
# a size is in whole pages: that is no difference
holds memory.low 4096 --set memory.low=4097
# The reason is the kernel's own, but of 5.10, which has no isolated partition and takes the word for nonsense.
case $(uname -r) in
5.10.*) why='cannot set cpuset\.cpus\.partition of cgroup /lim to "isolated"' ;;
*) why='cannot be a cpuset partition: cpuset\.cpus (is|and cpuset\.cpus\.exclusive are) empty' ;;
esac
cgpol run --set cpuset.cpus.partition=isolated --cgroup /lim sh -c 'echo started' >out 2>err
status=$?
{ [ $status -eq 125 ] && [ ! -s out ] && grep -qE "$why" err; } ||
	bad "a partition without cpus: status $status: $(cat out err)"
[ ! -d "$cg/lim" ] || bad "/lim is left"
for wrong in '--memory-max 5X' '--memory-max -1' '--mems 9' '--cpus 9' '--set cpuset.cpus.partition=wrong' '--set memory.max='; do
	# shellcheck disable=SC2086 # words
	cgpol run --cgroup /lim $wrong touch never 2>err
	[ $? -eq 125 ] || bad "$wrong: $(cat err)"
	{ [ ! -e never ] && [ ! -d "$cg/lim" ]; } || bad "$wrong leaves something"
done
cgpol run --cgroup /lim --memory-max '50% of nodes:0,9' touch never 2>err
{ [ $? -eq 125 ] && [ ! -e never ] && grep -q 'node 9 is not possible' err; } || bad "50% of a node that is not there: $(cat err)"
[ $failures -eq 0 ] || fail "$failures checks"
