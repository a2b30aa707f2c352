#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol tree over captures. On a kernel: tests/vm/scenarios/tree.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
c=/sys/fs/cgroup
machine "$m" $c/group/cgroup.type='domain\n' "$c/odd\\x1bname/cgroup.procs"='1\n2\n'

# asserts NAME PYTHON-EXPRESSION over d, the last document
asserts() {
	check "$1" python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' \
		"$scratch/out" "$2"
}

run --root "$m" tree -n -o NAME
check 'the lines of the tree' diff -u - "$scratch/out" <<'T'
/
|-c
|-group
| |-one
| `-two
`-odd\x1bname
T
expect 'the root is labelled' 0 '^/ +root ' '' --root "$m" tree -n
expect 'below one cgroup' 0 $'^/group\n/group/one\n/group/two$' '' --root "$m" tree -n -r -o CGROUP /group
expect 'no deeper than asked' 0 $'^/group$' '' --root "$m" tree -n -r -o CGROUP --depth 0 /group
expect 'an OOM group above is named' 0 $'^/group 1\n/group/one /group\n' '' --root "$m" tree -n -r -o CGROUP,OOM.GROUP /group
expect 'limits, rounded' 0 '300M' '' --root "$m" tree -o MAX /group
expect 'limits in bytes' 0 $'^/group 314572800\n/group/one max\n' '' --root "$m" tree -b -n -r -o CGROUP,MAX /group
expect 'a cgroup that is not there' 1 '' '"/none" does not exist' --root "$m" tree /none
expect 'a bad name' 2 '' '"\.\."' --root "$m" tree /a/../b
expect 'a bad depth' 2 '' '-1 is no number of levels' --root "$m" tree --depth -1
expect 'an unknown column' 2 '' 'unknown column "MX"' --root "$m" tree -o MX
expect 'two cgroups are too many' 2 '' 'unexpected argument' --root "$m" tree /a /b
run --root "$m" tree -J
valid 'JSON: valid' tree
asserts 'JSON: the order' "[r['cgroup'] for r in d['cgroups']][:5] == ['/', '/c', '/group', '/group/one', '/group/two']"
asserts 'JSON: numbers, max and null' "[(r['max'], r['oom_group'], r['oom_group_from'], r['depth']) for r in d['cgroups'] if r['cgroup'] in ('/', '/group', '/group/one')] == [(None, None, None, 0), (314572800, True, None, 1), ('max', False, '/group', 2)]"
for capture in 5.10 6.1 6.12 6.18; do
	run --root "$top/tests/roots/captures/$capture" tree -J
	check "a capture of $capture" test "$code" -eq 0
	valid "a capture of $capture: valid JSON" tree
done
if grep -q ' - cgroup2 ' /proc/self/mountinfo; then
	expect 'this machine' 0 '^NAME .*/ ' '' tree
	rm -rf "$scratch/rec"
	"$cgpol" --record "$scratch/rec" tree -J -o NAME,MARK >"$scratch/live" 2>&1
	"$cgpol" --root "$scratch/rec" tree -J -o NAME,MARK >"$scratch/replay" 2>&1
	check 'a replay of this machine' cmp "$scratch/live" "$scratch/replay"
else
	expect 'no cgroup2 is told' 5 '' 'no cgroup2 file system is mounted' tree
	skip 'a replay of this machine' 'no cgroup2 is mounted here'
fi
expect 'its help' 0 'Usage: cgpol tree ' '' tree --help
finish
