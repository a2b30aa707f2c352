#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol get over captures: values, reasons, what is not there, JSON. On a kernel: tests/vm/scenarios/get.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
c=/sys/fs/cgroup
machine "$m" $c/group/one/cpuset.mems='1\n' $c/group/one/cpuset.mems.effective='1\n' \
	$c/group/one/cgroup.controllers='memory\n' $c/c/cpuset.cpus='0-1\n' $c/c/cpuset.cpus.effective='0\n' \
	/sys/devices/system/cpu/online='0\n' $c/c/cpuset.cpus.partition='root invalid (Parent is not a partition root)\n' \
	/proc/398/numa_maps= /proc/398/task/398/numa_maps=

# asserts NAME PYTHON-EXPRESSION over d, the last document
asserts() {
	check "$1" python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
		"$scratch/out" "$2"
}

expect 'the lowest limit above, by name' 0 'memory.max max +300M +memory.max of cgroup /group is 314572800' '' --root "$m" get /group/one memory.max
expect 'an OOM group above' 0 'memory.oom.group 0 +1 +cgroup /group has it' '' --root "$m" get group/one memory.oom.group
expect 'an offline cpu' 0 'cpuset.cpus 0-1 +0 +cpu 1 is offline' '' --root "$m" get /c cpuset.cpus
expect 'an invalid partition' 0 'root +root invalid Parent is not' '' --root "$m" get /c cpuset.cpus.partition
expect 'bytes' 0 '314572800 314572800' '' --root "$m" get -b /group memory.max
expect 'a file of several lines' 0 'memory.stat - +anon [0-9]+ +-.*memory.stat - +file 0' '' --root "$m" get /group memory.stat
expect 'values as the file has them' 0 $'^max\nanon [0-9]+\nfile 0' '' --root "$m" get --values /group/one memory.max memory.stat
expect 'columns' 0 '^memory.max ancestor /group$' '' --root "$m" get -n -r -o KEY,BY,FROM /group/one memory.max
expect 'what a new cgroup would not have' 0 $'^memory.max\nmemory.oom.group$' '' --root "$m" get -n -r -o KEY /group
expect 'everything' 0 'memory.swap.max' '' --root "$m" get -a /group
expect 'a setting of the machine' 0 '^60$' '' --root "$m" get --values vm.swappiness
expect 'a setting of the machine beside a cgroup' 0 $'^max\n60$' '' --root "$m" get --values /c memory.max vm.swappiness
expect 'a controller that is off' 5 '' 'controller cpuset is not enabled in.*/group' --root "$m" get /group/one cpuset.cpus
expect 'one that fails leaves the others to show' 5 'memory.max' 'cpuset' --root "$m" get /group/one cpuset.cpus memory.max
expect 'a cgroup that is not there' 1 '' '"/none" does not exist' --root "$m" get /none
expect 'a name of v1' 2 '' 'in v2 it is memory.max' --root "$m" get /group memory.limit_in_bytes
expect 'a name that nearly is one' 5 '' 'did you mean memory.max' --root "$m" get /group memory.mx
expect 'a way out' 2 '' 'is no file of a cgroup' --root "$m" get /group ../../../../etc/passwd
expect 'no cgroup' 2 '' 'no cgroup is given' --root "$m" get
expect 'a setting of processes' 2 '' 'cgpol get --pid PID oom_score_adj' --root "$m" get /group oom_score_adj
expect 'a setting of the machine, then none' 2 '' 'is no setting of the machine' --root "$m" get vm.swappiness memory.max

expect 'a process, and where it is told' 0 '399 oom_score_adj 0 +oom_score_adj.*mempolicy +default +numa_maps.*mems_allowed +0-1' '' --root "$m" get --pid 399
expect 'a policy that cannot be read is unknown' 0 '398 mempolicy unknown' '' --root "$m" get --pid 398 mempolicy
expect 'a home node is never known' 0 'unknown.*does not tell' '' --root "$m" get --pid 399 home_node
expect 'a process that is gone' 1 '' 'process 77 does not exist' --root "$m" get --pid 77
expect 'one of two that is gone' 1 '399' 'process 77 does not exist' --root "$m" get --pid 77,399
expect 'no setting of a process' 2 '' 'no setting of a process' --root "$m" get --pid 399 memory.max

run --root "$m" get -J /group/one memory.max memory.stat cpuset.cpus
check 'JSON with one missing: exit 5' test "$code" -eq 5
valid 'JSON with one missing: valid' get
asserts 'JSON: the row' "d['settings'][0] == {'key': 'memory.max', 'requested': 'max', 'effective': '314572800', 'by': 'ancestor', 'from': '/group', 'reason': 'memory.max of cgroup /group is 314572800'}"
asserts 'JSON: nobody asks for a file that is only read' "d['settings'][1]['requested'] is None and d['settings'][1]['effective'].startswith('anon ')"
asserts 'JSON: the error' "d['error']['code'] == 5 and d['error']['file'] == 'cpuset.cpus'"
run --root "$m" get -J /group
valid 'JSON of all: valid' get
run --root "$m" get -J --pid 399
valid 'JSON of a process: valid' get
asserts 'JSON of a process: its sources' "[s['source'] for s in d['settings']][0] == 'oom_score_adj' and d['cgroup'] is None"
run --root "$m" get -J /none memory.max
check 'JSON of nothing: exit 1' test "$code" -eq 1
valid 'JSON of nothing: valid' get
expect 'its help' 0 'Usage: cgpol get ' '' get --help
finish
