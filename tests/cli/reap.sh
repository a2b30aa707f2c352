#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol reap: what it refuses, and that a dry run works on any machine. With marks on a kernel:
# tests/vm/scenarios/reap.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

expect 'a capture is refused' 4 '' 'cgpol: a capture cannot be changed' --root "$m" reap --dry-run
expect 'a capture is refused without a dry run too' 4 '' 'live machine only|a capture cannot be changed' --root "$m" reap
run --root "$m" reap --json
check 'refused with --json: the status' test "$code" -eq 4
valid 'refused with --json: one valid document' error
expect 'a recording is refused' 4 '' 'live machine only|a capture cannot be changed' --record "$scratch/record" reap
expect 'two cgroups are too many' 2 '' 'unexpected argument "/b"' reap --dry-run /a /b
expect 'a bad name' 2 '' '"\.\."' reap --dry-run /a/../b
expect 'an unknown option' 2 '' 'unknown option' reap --dry
expect 'its help' 0 'Usage: cgpol reap \[OPTION\.\.\.\] \[CGROUP\]' '' reap --help

# Only reading: what this machine has is not known.
if grep -q ' - cgroup2 ' /proc/self/mountinfo; then
	expect 'a cgroup that is not there is nothing' 0 '' '' reap --dry-run /cgpol/no/such/cgroup
	run reap --dry-run --json /cgpol/no/such/cgroup
	valid 'nothing: one valid document' reap
	check 'nothing: an empty list' grep -q '"cgroups": *\[\]' "$scratch/out"
	run reap --dry-run --json
	check 'all of this machine: done or something to do' test "$code" -eq 0 -o "$code" -eq 3
	valid 'all of this machine: one valid document' reap
else
	expect 'no cgroup2 is told' 5 '' 'no cgroup2 file system is mounted' reap --dry-run
	skip 'a dry run on this machine' 'no cgroup2 is mounted here'
fi
finish
