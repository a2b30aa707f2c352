#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016,SC1003 # single quotes on purpose: code for another shell
# With --json stdout is exactly one document, whatever happens, and it fits its schema.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

# asserts NAME PYTHON-EXPRESSION over d, the last document
asserts() {
	check "$1" python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
		"$scratch/out" "$2"
}

# fails NAME CODE ERRNO ARGUMENT...
fails() {
	local name=$1 want=$2 errno=$3
	shift 3
	run "$@"
	check "$name: exit $want" test "$code" -eq "$want"
	valid "$name: one valid document" error
	asserts "$name: code and errno" "d['error']['code'] == $want and d['error']['errno'] == $errno"
	check "$name: the sentence is on stderr" test -n "$err"
}

fails 'no command' 2 '"EINVAL"' --json
fails 'an unknown command' 2 '"EINVAL"' frob -J
fails 'an unknown option before it' 2 '"EINVAL"' stat --frob --json
fails 'an unknown option behind it' 2 '"EINVAL"' stat --json --frob
fails 'an unknown global option' 2 '"EINVAL"' --frob stat --json
fails 'no question' 2 '"EINVAL"' --root "$m" predict --json
fails 'a pid that is gone' 1 '"ESRCH"' --root "$m" predict --json 77
fails 'a pattern without a match, alone' 2 '"EINVAL"' --root "$m" stat --json '('
fails 'a cgroup that is gone' 1 '"ENOENT"' --root "$m" stat --json --cgroup /none
fails 'a bad cgroup' 2 '"EINVAL"' --root "$m" predict --json --cgroup /a/../b
fails 'no capture' 2 '"ENOENT"' --root "$scratch" stat --json
fails 'an unknown column' 2 '"EINVAL"' --root "$m" stat --json -o FROB
asserts 'the offending value is in the document' "d['error']['value'] == 'FROB'"
fails 'a value that is no UTF-8' 2 '"EINVAL"' --json $'\xff'
asserts 'its bytes are beside it' "d['error']['value'] == '\\ufffd' and d['error']['value_hex'] == 'ff'"

run --root "$m" stat --json
valid 'stat of all' stat
asserts 'stat has every process with memory' "sorted(p['pid'] for p in d['processes']) == [1, 398, 399, 401, 402, 403, 412]"
asserts 'sizes are bytes' "[p['nodes']['0']['anon'] for p in d['processes'] if p['pid'] == 398] == [510 << 20]"
asserts 'nodes are the sum of the processes' "all(n['total'] == sum(p['nodes'][str(n['node'])]['total'] for p in d['processes']) for n in d['nodes']) and len(d['nodes']) == 2"
asserts 'a process is the sum of its nodes' "all(p['total'] == sum(n['total'] for n in p['nodes'].values()) for p in d['processes'])"
asserts 'it is complete' "d['complete'] is True and d['vanished'] == 0 and d['unreadable'] == 0"
run --root "$m" stat --json 398 77
check 'a missing one is exit 1' test "$code" -eq 1
valid 'stat with one missing' stat
asserts 'the others are shown with the error' "d['processes'][0]['pid'] == 398 and d['error']['errno'] == 'ESRCH' and d['complete'] is False"
run --root "$m" stat --json frob
check 'no match is exit 1' test "$code" -eq 1
valid 'stat without a match' stat
asserts 'the lists are there when they are empty' "d['processes'] == [] and d['cgroups'] == [] and d['nodes'] == [] and d['error']['code'] == 1"
run --root "$m" stat --json --cgroup /group
valid 'stat of a cgroup' stat
asserts 'parents come first' "[c['cgroup'] for c in d['cgroups']] == ['/group', '/group/one', '/group/two'] and d['processes'] == []"

for question in '412' '--system' '--cgroup /group/one' '--cgroup /c' '412 --kind kernel' '412 --policy bind:1' \
	'--system --constraint cpuset --nodes 0' '399 --top 1 --all' '--cgroup group --constraint memcg'; do
	# shellcheck disable=SC2086
	run --root "$m" predict --json $question
	check "predict $question: exit 0" test "$code" -eq 0
	valid "predict $question: valid, points are the sum of their terms" predict
done
run --root "$m" predict --json 412
asserts 'the kernel kills a' "d['victim'] == {'pid': 398, 'comm': 'a', 'points': d['candidates'][0]['points']} and d['outcome'] == 'kill'"
asserts 'which frees nothing on node 1, and c dies next' "d['useful'] is False and d['frees'] == {'bytes': 510 << 20, 'nodes': {'0': 510 << 20}} and d['then'][0]['pid'] == 412"
asserts 'constraint and nodes' "d['constraint'] == 'cpuset' and d['nodes'] == '1' and d['oom_memcg'] is None"
asserts 'totalpages are the pages present on node 1' "d['totalpages'] == 262144"
asserts 'the trigger' "d['trigger'] == {'pid': 412, 'comm': 'c', 'tid': 412, 'cgroup': '/c', 'mems_allowed': '1', 'policy': 'default'}"
asserts 'only the trigger grows' "[c['pid'] for c in d['candidates'] if c['grow_pages']] == [412]"
asserts 'who was skipped' "[(s['pid'], s['reason']) for s in d['skipped']] == [(1, 'init'), (403, 'oom_score_adj')]"
run --root "$m" predict --json --cgroup /group/one
asserts 'a memcg kill takes the group' "[(k['pid'], k['why']) for k in d['kills']] == [(401, 'victim'), (402, 'oom_group')] and d['oom_memcg'] == '/group' and d['trigger'] is None"
asserts 'those outside are counted, not listed' "d['skipped_count']['outside_memcg'] == 4 and not [s for s in d['skipped'] if s['reason'] == 'outside_memcg']"
run --root "$m" predict --json --cgroup /group/one --all
asserts 'with --all they are listed' "len([s for s in d['skipped'] if s['reason'] == 'outside_memcg']) == 4"
run --root "$m" predict --json --system --top 2
asserts 'top limits the candidates and says so' "len(d['candidates']) == 2 and d['candidates_total'] == 5"
run --root "$m" predict --json --system --top 0
asserts 'top 0 is all' "len(d['candidates']) == d['candidates_total'] == 5"

machine "$scratch/raw" 'comm=\xff\x1b\n"\\'
run --root "$scratch/raw" stat --json 398
valid 'a name of hostile bytes' stat
asserts 'is replaced, with its bytes beside' "d['processes'][0]['comm'] == '\\ufffd\\x1b\\n\"\\\\' and d['processes'][0]['comm_hex'] == 'ff1b0a225c'"
run --root "$scratch/raw" predict --json --system
valid 'and in a forecast' predict
check 'no byte beyond ASCII is written' bash -c '! grep -qP "[^\\x20-\\x7e\\n]" "$1"' - "$scratch/out"

# This machine, whatever it is.
run stat --json
check 'stat of this machine' test "$code" -eq 0
valid 'stat of this machine is valid' stat
run predict --json --system
check 'predict of this machine' test "$code" -eq 0
valid 'predict of this machine is valid' predict
run predict --json $$
valid 'predict of this shell is valid' predict
run predict --json --cgroup /
case $code in
0) valid 'predict of the root cgroup' predict ;;
*) valid 'predict of the root cgroup' error ;;
esac

finish
