#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol explain-key: the table, single settings, names of cgroup v1, and slips. What the table says is held against
# kernels in tests/vm/scenarios/keys.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

# shellcheck disable=SC2317 # called through check
# holds EXPRESSION: on the last run's document d.
holds() { python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$scratch/out" "$1"; }
# key NAME: the row of it, as an expression.
key() { echo "[k for k in d['keys'] if k['key'] == '$1'][0]"; }

m=$scratch/machine
machine "$m"

# ---- the table ----

run explain-key
check 'the table: status' test "$code" -eq 0
check 'the table: headings' grep -q '^KEY  *CONTROLLER  *TYPE  *SINCE  *HELP' "$scratch/out"
for name in memory.max 'hugetlb\.\*\.rsvd\.max' cpuset.cpus.partition cgroup.freeze mempolicy home_node oom_score_adj affinity \
	vm.overcommit_memory vm.overcommit_ratio vm.overcommit_kbytes vm.user_reserve_kbytes vm.admin_reserve_kbytes \
	vm.panic_on_oom vm.oom_kill_allocating_task vm.swappiness vm.zone_reclaim_mode kernel.numa_balancing \
	'weighted_interleave\.node\*' weighted_interleave.auto; do
	check "the table has $name" grep -q "^$name " "$scratch/out"
done
expect 'columns' 0 $'cpuset.mems nodes empty no\n' '' explain-key -rno KEY,TYPE,INITIAL,ROOT
expect 'more columns' 0 'UNITS.*vm.overcommit_ratio .* percent' '' explain-key -o +UNITS
expect 'ranges and words' 0 'io.prio.class no-change,promote-to-rt.*vm.swappiness 0\.\.200' '' explain-key -rno KEY,RANGE
expect 'an unknown column' 2 '' 'SINCE' explain-key -o SINC
expect 'an unknown column with a key too' 2 '' 'SINCE' explain-key -o SINC memory.max
run explain-key --json
valid 'the table as JSON: one valid document' explain-key
check 'all scopes are there' holds "{k['scope'] for k in d['keys']} == {'cgroup', 'task', 'host'}"
check 'a number has a range' holds "$(key vm.swappiness)['max'] == 200 and $(key vm.swappiness)['min'] == 0"
check 'a size has none' holds "$(key memory.max)['max'] is None and $(key memory.max)['units'] == 'bytes'"
check 'words' holds "$(key cpuset.cpus.partition)['words'] == ['member', 'root', 'isolated']"
check 'nothing of the machine is read' holds "all(k['available'] is None for k in d['keys'])"
run --root "$scratch/nowhere" explain-key
check 'the table needs no machine' test "$code" -eq 0

# ---- one setting ----

expect 'a number' 0 'vm.swappiness: .*of +the whole machine.*value +a whole number: 0 to 200.*at first +60' '' explain-key vm.swappiness
expect 'a size' 0 'controller +memory.*value +bytes, with K.*at first +max.*root cgroup does not have the file' '' \
	--root "$m" explain-key memory.max
expect 'words for numbers' 0 'value +a whole number: 0 to 2, heuristic, always, never' '' explain-key vm.overcommit_memory
expect 'since when' 0 'since +6\.8.*root cgroup has the file too' '' --root "$m" explain-key memory.zswap.writeback
expect 'of the root cgroup only' 0 'has the file, and no other cgroup has' '' --root "$m" explain-key io.cost.qos
expect 'of a process' 0 "of +a process or thread.*at first +as its parent's.*here +yes: this kernel" '' explain-key oom_score_adj
expect 'a size of huge pages' 0 '^hugetlb.2MB.max: ' '' --root "$m" explain-key hugetlb.2MB.max
expect 'the pattern itself' 0 '^hugetlb.\*.max: ' '' --root "$m" explain-key 'hugetlb.*.max'
expect 'the weight of a node' 0 '1 to 255; in pages' '' --root "$m" explain-key weighted_interleave.node3
expect 'several' 0 $'^memory.max: .*\n\ncpu.weight: ' '' --root "$m" explain-key memory.max cpu.weight
run --root "$m" explain-key --json memory.max tasks devices.allow cgroup.procs
valid 'several as JSON: one valid document' explain-key
check 'a name of v1 has its v2' holds "$(key tasks)['v2'] == 'cgroup.procs' and $(key tasks)['scope'] is None"
check 'or none' holds "$(key devices.allow)['v2'] is None and 'BPF' in $(key devices.allow)['reason']"
check 'no setting' holds "'who is in' in $(key cgroup.procs)['reason']"

# ---- is it here? ----

topology=$here/../roots/topology/one-node-6.1
expect 'a kernel that is too old' 0 'here +no: this kernel \(6.1\) is too old: it came with 6.9' '' \
	--root "$topology" explain-key weighted_interleave.node0
run --root "$topology" explain-key --json weighted_interleave.node0 oom_score_adj
check 'the same as JSON' holds "$(key weighted_interleave.node0)['available'] is False and $(key oom_score_adj)['available'] is True"
if [[ -e /proc/sys/vm/swappiness ]]; then
	expect 'a file of this machine' 0 'here +yes: /proc/sys/vm/swappiness' '' explain-key vm.swappiness
else
	skip 'a file of this machine' 'no /proc/sys/vm here'
fi

# ---- cgroup v1, slips ----

expect 'a limit of v1' 0 '^memory.limit_in_bytes: of cgroup v1; in cgroup v2 the file is memory.max.memory.max: hard limit' '' \
	--root "$m" explain-key memory.limit_in_bytes
expect 'advice' 0 'in cgroup v2 the file is cpu.weight; 1024 shares are weight 100' '' --root "$m" explain-key cpu.shares
expect 'nothing does the same' 0 '^memory.swappiness: of cgroup v1; not in cgroup v2; use' '' explain-key memory.swappiness
expect 'a slip is met with a guess' 2 '' '"memory.mx" is no setting.*did you mean memory.max\?' explain-key memory.mx
expect 'a slip behind a good name tells nothing' 2 '' 'did you mean vm.swappiness\?' explain-key memory.max vm.swapiness
expect 'nothing like it' 2 '' '"cgpol explain-key" lists them' explain-key something.else
expect 'an empty name' 2 '' 'is no setting' explain-key ''
expect 'a name with odd bytes' 2 '' '"hugetlb.\\x1b\[31m.max" is no setting' explain-key $'hugetlb.\x1b[31m.max'
run explain-key --json memory.mx
valid 'a slip as JSON: one valid document' error
expect 'its help' 0 'Usage: cgpol explain-key \[OPTION\.\.\.\] \[KEY\.\.\.\]' '' explain-key --help
finish
