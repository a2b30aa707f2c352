#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol set on captures: what it plans, what it refuses and in which words. With a kernel: tests/vm/scenarios/set.sh,
# tasks.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"
python3 "$here/forest.py" "$m" 3 forest/w2/memory.max=1048576 forest/w2/cpuset.cpus=1 \
	forest/w2/cpuset.cpus.effective=1 group/cgroup.procs= group/cgroup.type=domain group/cpuset.cpus.effective=0-1
cg=/sys/fs/cgroup

# plans NAME LINES ARGUMENT...: exit 3, and just these lines of shell
plans() {
	local name=$1 want=$2
	shift 2
	run --root "$m" --dry-run "$@"
	if [[ $code -eq 3 && $out == "$want" ]]; then ok "$name"; else not_ok "$name" "exit $code: $out$err"; fi
}

# ---- one way for all scopes ----

plans 'a limit' "echo 1048576 > $cg/forest/w1/memory.max" set /forest/w1 memory.max=1M
plans 'without a slash it is the same cgroup' "echo 1048576 > $cg/forest/w1/memory.max" set forest/w1 memory.max=1M
plans 'several cgroups and several settings' "echo 1 > $cg/forest/w0/cpuset.cpus
echo 1 > $cg/forest/w1/cpuset.cpus
echo 1048576 > $cg/forest/w0/memory.max
echo 1048576 > $cg/forest/w1/memory.max" set /forest/w0 /forest/w1 memory.max=1M cpuset.cpus=1
plans 'a setting of the machine' 'echo 10 > /proc/sys/vm/swappiness' set vm.swappiness=10
plans 'a process' 'echo -500 > /proc/398/oom_score_adj' set --pid 398 oom_score_adj=-500
plans 'the affinity of a process' 'taskset -pc 1 398 > /dev/null' set --pid 398 affinity=1
plans 'all tasks of a cgroup' 'echo 7 > /proc/401/oom_score_adj || :
echo 7 > /proc/402/oom_score_adj || :' set /group --tasks oom_score_adj=7
plans 'a cgroup, the machine and a process are one change' "echo 1048576 > $cg/forest/w1/memory.max
echo 10 > /proc/sys/vm/swappiness
echo 5 > /proc/398/oom_score_adj" set /forest/w1 memory.max=1M vm.swappiness=10 --pid 398 oom_score_adj=5
plans 'all cpus for threads that have fewer' 'taskset -pc 1 401 > /dev/null || :
taskset -pc 1 402 > /dev/null || :' set /group --tasks affinity=1
expect 'and none where they have all' 0 '' '' --root "$m" --dry-run set /group --reset-affinity
plans 'an empty list' "echo > $cg/forest/w2/cpuset.cpus" set /forest/w2 cpuset.cpus= cpuset.mems=

# ---- lists ----

plans 'a list by what it is not' "echo 1 > $cg/forest/w1/cpuset.mems" set /forest/w1 'cpuset.mems=!0'
plans 'a list with strides' "echo 0 > $cg/forest/w1/cpuset.cpus" set /forest/w1 cpuset.cpus=0-1:1/2
plans 'cpus of nodes' "echo 0-1 > $cg/forest/w1/cpuset.cpus" set /forest/w1 cpuset.cpus=nodes:0,1
plans 'cut down to what the parent has' "echo 1 > $cg/forest/w1/cpuset.cpus" set /forest/w1 'cpuset.cpus=1-3&all'

# ---- zero writes ----

expect 'what is so already is no step' 0 '' '' --root "$m" --dry-run set /forest/w2 memory.max=1M
expect 'and is told so' 0 '^nothing to change$' '' --root "$m" set /forest/w2 memory.max=1M
expect 'but not with -q' 0 '' '' -q --root "$m" set /forest/w2 memory.max=1M
expect 'a capture is never changed' 4 '' 'a capture cannot be changed' --root "$m" set /forest/w1 memory.max=1M
check 'and it is not' grep -qx max "$m$cg/forest/w1/memory.max"

# ---- documents ----

run --root "$m" --dry-run --json set /forest/w0 /forest/w1 memory.max=1M pids.max=5 vm.swappiness=60 --pid 398 oom_score_adj=5
check 'as JSON: exit 3' test "$code" -eq 3
valid 'as JSON: one valid document' set
check 'each setting has its result' jq -e '[.settings[] | [.target, .key, .result]] == [
	["/forest/w0", "memory.max", "planned"], ["/forest/w1", "memory.max", "planned"], ["/forest/w0", "pids.max", "planned"],
	["/forest/w1", "pids.max", "planned"], ["machine", "vm.swappiness", "planned"], ["pid 398", "oom_score_adj", "planned"]]' "$scratch/out"
check 'nothing was changed' jq -e '.changed == false and .id == null' "$scratch/out"
check 'the old values are there' jq -e '[.steps[] | select(.file == "memory.max") | .old] == ["max", "max"]' "$scratch/out"
run --root "$m" --json set /forest/w2 memory.max=1M
valid 'nothing to change: one valid document' set
check 'nothing to change: it says so' jq -e '.changed == false and .steps == [] and .settings[0].result == "planned"' "$scratch/out"
run --root "$m" --json set /forest/w1 memory.max=KB
valid 'a mistake: one valid document' error

# ---- who is asked for ----

expect 'no cgroup' 2 '' 'a setting of a cgroup is given, and no cgroup' --root "$m" set memory.max=1M
expect 'no setting' 2 '' 'there is nothing to set' --root "$m" set /forest/w1
expect 'nothing at all' 2 '' 'there is nothing to set' --root "$m" set
expect 'no process' 2 '' 'and no process.*--pid PID names some, --tasks takes all' --root "$m" set /forest/w1 oom_score_adj=5
expect 'processes and no setting of them' 2 '' 'no setting of processes is given' --root "$m" set --pid 398 vm.swappiness=1
expect '--tasks wants a cgroup' 2 '' 'want a cgroup' --root "$m" set --tasks oom_score_adj=5
expect 'a cgroup with only settings of the machine' 2 '' 'a cgroup is named, and nothing to set on it' \
	--root "$m" set /forest/w1 vm.swappiness=1
expect 'an affinity, and to reset it' 2 '' 'exclude each other' --root "$m" set /group --tasks affinity=1 --reset-affinity
expect 'a cgroup that is not there' 1 '' 'cgroup /forest/none does not exist.*cgpol create makes it' \
	--root "$m" --dry-run set /forest/none memory.max=1M
expect 'a process that is not there' 1 '' 'process 4000 does not exist' --root "$m" --dry-run set --pid 4000 oom_score_adj=1
expect 'a bad name' 2 '' '"\.\."' --root "$m" set /a/../b memory.max=1

# ---- keys and values, before anything is read ----

expect 'an unknown key' 2 '' 'memroy\.max.*did you mean memory\.max' --root "$m" set /forest/w1 memroy.max=1
expect 'an unknown key of the machine' 2 '' 'did you mean vm\.swappiness' --root "$m" set vm.swapiness=1
expect 'a key of cgroup v1 (P20)' 2 '' 'is of cgroup v1.*memory\.max' --root "$m" set /forest/w1 memory.limit_in_bytes=1
expect 'a key of cgroup v1 without a successor (P20)' 2 '' 'memory\.high' --root "$m" set /forest/w1 memory.oom_control=1
expect 'a unit of two meanings' 2 '' 'KB' --root "$m" set /forest/w1 memory.max=5KB
expect 'a command is no setting' 2 '' 'memory\.reclaim' --root "$m" set /forest/w1 memory.reclaim=1
expect 'a word that is neither' 1 '' 'cgroup /memory\.max does not exist|nothing to set' --root "$m" --dry-run set memory.max pids.max=1
expect 'a number out of range' 2 '' 'oom_score_adj' --root "$m" set --pid 398 oom_score_adj=1001
expect 'a memory policy of a running process' 5 '' 'no system call.*cpuset\.mems' --root "$m" --dry-run set --pid 398 mempolicy=bind:1

# ---- file, value, reason, hint (P12, P16-P19) ----

for cpus in 900 0-900; do
	run --root "$m" --dry-run set /forest/w1 "cpuset.cpus=$cpus"
	check "cpu 900 is told for $cpus, be it an end or inside (P17, P19)" grep -q '900' "$scratch/err"
	check "and $cpus is no success" test "$code" -ge 2
done
run --root "$m" --json --dry-run set /forest/w1 cpuset.mems=7
check 'a node that does not exist: no success' test "$code" -ge 2
valid 'a node that does not exist: one valid document' error
check 'with the file and the value (P12)' jq -e '.error.file == "cpuset.mems" and .error.value == "7" and .error.code > 0' "$scratch/out"
check 'without any pid 0 (P18)' test -z "$(grep -E 'pid 0|process 0' "$scratch/err")"
expect 'an affinity outside of the cpuset' 4 '' 'cpu 3 is not in the cpuset of cgroup /, which has 0-1' \
	--root "$m" --dry-run set --pid 398 affinity=1,3
expect 'a limit below what is in use' 4 '' 'memory\.max of cgroup /forest/w1.*4K are in use' --root "$m" --dry-run set /forest/w1 memory.max=0
plans 'unless forced' "echo 0 > $cg/forest/w1/memory.max" set /forest/w1 memory.max=0 --force

# ---- overcommit by its keys ----

mkdir -p "$m/proc/sys/vm"
for setting in memory=0 ratio=50 kbytes=0; do
	echo "${setting#*=}" >"$m/proc/sys/vm/overcommit_${setting%=*}"
done
printf 'CommitLimit:    1048576 kB\nCommitted_AS:    700000 kB\n' >>"$m/proc/meminfo"
plans 'the mode by its name' 'echo 1 > /proc/sys/vm/overcommit_memory' set vm.overcommit_memory=always
expect 'the mode never with more committed than the limit' 4 '' 'committed' --root "$m" --dry-run set vm.overcommit_memory=never vm.overcommit_kbytes=4
expect 'unless forced' 3 'overcommit_kbytes' 'more are committed than the limit allows' \
	--root "$m" --dry-run set --force vm.overcommit_memory=never vm.overcommit_kbytes=4
expect 'two limits' 2 '' 'exclude each other' --root "$m" set vm.overcommit_ratio=50 vm.overcommit_kbytes=4

# ---- the door ----

# accesses N: how often the door is used for a change of the first N cgroups
accesses() {
	local i names=()
	for ((i = 0; i < $1; i++)); do names+=("/forest/w$i"); done
	"$cgpol" -v --root "$scratch/large" --dry-run set "${names[@]}" memory.high=1G 2>&1 >/dev/null | wc -l
}
machine "$scratch/large"
python3 "$here/forest.py" "$scratch/large" 400
few=$(accesses 100) many=$(accesses 400)
check "planning is linear: $few accesses for 100 cgroups, $many for 400" test "$many" -le $((few * 4)) -a "$few" -gt 100

expect 'its help' 0 'Usage: cgpol set \[OPTION\.\.\.\] \[CGROUP\.\.\.\] KEY=VALUE' '' set --help
finish
