#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol list over captures: marks, and that a capture has no journals. On a kernel: tests/vm/scenarios/tree.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

expect 'nothing is marked' 0 '' '' --root "$m" list
run --root "$m" list -J
valid 'nothing is marked: valid JSON' list
check 'nothing is marked: an empty list' grep -q '"cgroups": *\[\]' "$scratch/out"

# A mark lies in the manifest, as no file has it.
python3 - "$m/manifest.json" <<'P'
import json, sys
doc = json.load(open(sys.argv[1]))
doc["xattrs"] = {"user.cgpol:/sys/fs/cgroup/c": "kept", "user.cgpol:/sys/fs/cgroup/group/one": "run 77 5 6"}
json.dump(doc, open(sys.argv[1], "w"))
P
run --root "$m" list -n -r -o CGROUP,KIND,PID,PROCS
if [[ $code -eq 0 && -n $out ]]; then
	check 'marked cgroups' test "$out" = $'/c kept - 1\n/group/one run 77 1'
	run --root "$m" list -J
	valid 'marked cgroups: valid JSON' list
else
	not_ok 'marked cgroups' "exit $code: $out $err"
fi
expect 'a capture has no journals' 0 '*' '' --root "$m" --state /nonexistent list
expect 'no words' 2 '' 'unexpected argument' --root "$m" list /a
expect 'an unknown column' 2 '' 'unknown column' --root "$m" list -o FROB
if grep -q ' - cgroup2 ' /proc/self/mountinfo; then
	expect 'this machine, without a place for journals' 0 '*' '' --state "$scratch/none" list
	run --state "$scratch/none" list -J
	valid 'this machine: valid JSON' list
	check 'looking makes no directory' test ! -e "$scratch/none"
else
	skip 'this machine' 'no cgroup2 is mounted here'
fi
expect 'its help' 0 'Usage: cgpol list ' '' list --help
finish
