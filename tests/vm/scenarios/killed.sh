# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol is killed at every system call that changes something, and cgpol undo then brings back every file of every
# cgroup, byte for byte, its owner and its mark, the machine's settings, and where processes are.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol strace

bad=0 points=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# Everything that the commands below may change.
snapshot() {
	find $cg -type d | sort | while read -r dir; do
		stat -c '%n %u:%g %a' "$dir" "$dir"/cgroup.procs "$dir"/cgroup.subtree_control
		for file in "$dir"/*; do
			case ${file##*/} in
			*.pressure|*.peak|memory.reclaim|cgroup.kill) continue ;;
			cgroup.procs|cgroup.threads) echo "$file $(sort -n "$file" 2>/dev/null | tr '\n' ' ')" ;;
			*.effective|*.isolated|cgroup.type|cgroup.events) echo "$file $(cat "$file" 2>/dev/null)" ;;
			*) [ $(($(stat -c %a "$file") / 100 & 2)) = 0 ] || echo "$file $(cat "$file" 2>/dev/null)" ;;
			esac
		done
	done
	cgpol list --raw -n -o CGROUP,KIND
	for key in overcommit_memory overcommit_ratio overcommit_kbytes swappiness; do
		echo "$key $(cat /proc/sys/vm/$key)"
	done
	for pid in $sleepers; do
		echo "$pid $(cat "/proc/$pid/oom_score_adj") $(grep Cpus_allowed_list "/proc/$pid/status")"
	done
}
# The processes of a shell command come and go: only those of the cgroups below.
compare() {
	snapshot | grep -v "^$cg/cgroup\.\(procs\|threads\) " >after
	diff before after >difference || { wrong "$*"; head -n 20 difference; }
}
changes="write mkdir mkdirat rmdir unlinkat setxattr fsetxattr lsetxattr removexattr fchownat"
changes="$changes sched_setaffinity pidfd_send_signal"
# take_back WHEN: after a kill there may be nothing to undo yet.
take_back() {
	cgpol undo --last >out 2>err || grep -q 'nothing to undo' err || wrong "undo $*: $(cat out err)"
	compare "$*"
}
# Lets cgpol ARGUMENT... through once, and then kills it before each of the calls that it made.
kills() {
	snapshot | grep -v "^$cg/cgroup\.\(procs\|threads\) " >before
	strace -o calls -e trace="$(echo "$changes" | tr " " ,)" cgpol "$@" >out 2>err || wrong "$*: $(cat err)"
	take_back "after cgpol $*"
	for call in $changes; do
		made=$(grep -c "^$call(" calls)
		n=0
		while [ $n -lt "$made" ] && [ $bad -lt 10 ]; do
			n=$((n + 1)) points=$((points + 1))
			strace -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" cgpol "$@" >out 2>err
			[ $? = 137 ] || wrong "not killed at $call $n of $*"
			take_back "after $call $n of $made of cgpol $*"
		done
	done
}

rm -rf /run/cgpol
echo "+cpuset +memory +pids +cpu" >$cg/cgroup.subtree_control
mkdir -p $cg/x $cg/y $cg/tree/in/ner $cg/p
for _ in 1 2 3; do
	sleep 100000 &
	sleepers="$sleepers $!"
	echo 0 >/proc/$!/oom_score_adj
	echo $! >$cg/x/cgroup.procs
done
for pid in $sleepers; do first=$pid; break; done
echo 100M >$cg/x/memory.high
echo 0-1 >$cg/x/cpuset.mems
echo 0-2 >$cg/x/cpuset.cpus
echo "50000 100000" >$cg/x/cpu.max
echo "+memory +pids" >$cg/tree/cgroup.subtree_control
echo 300M >$cg/tree/memory.max
echo 77 >$cg/tree/in/pids.max

say "create"
kills create /k/a/b --set memory.high=64M --set cpuset.mems=1 --set pids.max=50 --delegate 1000:1000
say "set, on one that has values, with processes"
kills set /x memory.high=120M memory.max=200M memory.oom.group=1 cpuset.mems=0-2 cpuset.cpus=1 cpu.max="60000 100000"
say "set, on several"
kills set /x /y /tree/in pids.max=500
say "settings of the machine"
kills set vm.overcommit_kbytes=4000000 vm.swappiness=11
say "settings of processes"
kills set --pid "$first" oom_score_adj=300
kills set /x --tasks affinity=1 oom_score_adj=200
say "move"
kills move --from /x --to /y
say "delete"
kills delete /tree --recursive
say "partition"
kills partition /p root --cpus 3
say "freeze"
kills freeze /y

echo "killed $points times"
[ $points -gt 100 ] && [ $bad = 0 ]
