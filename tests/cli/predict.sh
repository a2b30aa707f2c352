#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol predict for people: the sentence in its variants, questions that contradict, the table.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

# says NAME SENTENCE ARGUMENT...: the first line exactly
says() {
	local name=$1 want=$2
	shift 2
	run "$@"
	if [[ $code -eq 0 && $(head -n1 "$scratch/out") == "$want" ]]; then
		ok "$name"
	else
		not_ok "$name" "exit $code, says: $(head -n1 "$scratch/out") $err"
	fi
}

useless='the kernel kills a (pid 398): 510 MiB on node 0, nothing on node 1. That does not help; c dies next.'
says 'the scenario under a cpuset' "If c (pid 412) runs out of memory on node 1, $useless" --root "$m" predict --pid 412
says 'a pid alone is the question' "If c (pid 412) runs out of memory on node 1, $useless" --root "$m" predict 412
machine "$scratch/bind" constraint=bind
says 'the scenario under a binding policy' "If c (pid 412) runs out of memory on node 1, $useless" \
	--root "$scratch/bind" predict --pid 412
says 'a mapping with its own policy' "If b (pid 399) runs out of memory on node 1, ${useless/; c dies/; c (pid 412) dies}" \
	--root "$m" predict --pid 399 --policy bind:1
says 'a memcg with oom.group' \
	'If a task of /group/one reaches memory.max of /group, the kernel kills one (pid 401) and 1 more by memory.oom.group of /group: 180 MiB on node 0.' \
	--root "$m" predict --cgroup group/one
says 'a task that grows in the memcg' \
	'If two (pid 402) reaches memory.max of /group, the kernel kills two (pid 402) itself and 1 more by memory.oom.group of /group: 240 MiB on node 0, 60 MiB on node 1.' \
	--root "$m" predict 402
says 'the whole machine' 'If an unrestricted task runs out of memory on all nodes, the kernel kills a (pid 398): 510 MiB on node 0.' \
	--root "$m" predict --system
machine "$scratch/panic" panic=2
says 'a panic by sysctl' 'If c (pid 412) runs out of memory on node 1, the kernel panics, because vm.panic_on_oom is 2.' \
	--root "$scratch/panic" predict 412
machine "$scratch/nobody" /proc/398/oom_score_adj=-1000 /proc/399/oom_score_adj=-1000 /proc/401/oom_score_adj=-1000 \
	/proc/402/oom_score_adj=-1000 /proc/412/oom_score_adj=-1000
says 'a panic because nobody is left' \
	'If an unrestricted task runs out of memory on all nodes, the kernel panics, because there is no process that it may kill.' \
	--root "$scratch/nobody" predict --system
says 'nobody in a memcg' \
	'If a task of /group/one reaches memory.max of /group, there is nobody that the kernel may kill: the allocation fails, or waits for ever.' \
	--root "$scratch/nobody" predict --cgroup /group/one
machine "$scratch/self" /proc/sys/vm/oom_kill_allocating_task=1
says 'the allocating task by sysctl' \
	'If b (pid 399) runs out of memory on all nodes, the kernel kills b (pid 399) itself, because vm.oom_kill_allocating_task is set: 177 MiB on node 0, 177 MiB on node 1.' \
	--root "$scratch/self" predict 399
machine "$scratch/blind" /proc/398/numa_maps= /proc/398/task/398/numa_maps=
run --root "$scratch/blind" predict 412
check 'nodes that cannot be read are admitted' grep -q '^If c .* kills a (pid 398): about 510 MiB, on which nodes is not known\. Whether that helps is not known' "$scratch/out"
check 'and the row has a dash' grep -q ' / *-$' "$scratch/out"

expect 'no question' 2 '' $'who allocates\ngive one of' --root "$m" predict
expect 'two questions' 2 '' 'exclude each other' --root "$m" predict --system --pid 412
expect 'three questions' 2 '' 'exclude each other' --root "$m" predict --system --pid 412 --cgroup /c
expect 'a pid twice' 2 '' 'more than once' --root "$m" predict --pid 412 --pid 398
expect 'a pid as option and as word' 2 '' 'two are named' --root "$m" predict --pid 412 398
expect 'a policy without a process' 2 '' '--policy .* needs --pid' --root "$m" predict --system --policy bind:1
expect 'a kind without a process' 2 '' '--kind .* needs --pid' --root "$m" predict --cgroup /c --kind kernel
expect 'a policy of kernel memory' 2 '' 'belongs to no mapping' --root "$m" predict 412 --kind kernel --policy bind:1
expect 'nodes of no constraint' 2 '' '--nodes does not go' --root "$m" predict 412 --constraint none --nodes 1
expect 'an unknown constraint' 2 '' 'did you mean cpuset\?' --root "$m" predict 412 --constraint cpuste
expect 'a forced constraint' 0 '^If c .*runs out of memory on all nodes, ' '' --root "$m" predict 412 --constraint none
expect 'a pid that is gone' 1 '' 'cgpol: .*77' --root "$m" predict 77
expect 'raw output is only the candidates' 0 '^RANK PID NAME' '' --root "$m" predict -r 412
check 'one line each and the headings' test "$(wc -l <"$scratch/out")" -eq 6
expect 'columns' 0 '^1 a$' '' --root "$m" predict -rno RANK,NAME --top 1 412
expect 'bytes of nodes' 0 '0:534773760' '' --root "$m" predict -b 412
expect 'an unknown column' 2 '' 'did you mean POINTS\?' --root "$m" predict 412 -o POINT
expect 'skipped tasks on request' 0 'guard \(pid 403\) oom_score_adj' '' --root "$m" predict --all 412
expect 'a hint when not all are shown' 0 '2 of 5 candidates; --top 0 shows all' '' --root "$m" predict --top 2 412

run predict --system
check 'this machine has a forecast' test "$code" -eq 0
check 'it begins with the sentence' grep -q '^If an unrestricted task runs out of memory' "$scratch/out"
run predict $$
check 'this shell has a forecast' test "$code" -eq 0

finish
