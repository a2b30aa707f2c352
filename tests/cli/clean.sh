#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol clean: what it refuses, and that a dry run works on any machine. With marks on a kernel:
# tests/vm/scenarios/clean.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

expect 'a capture is refused' 4 '' 'cgpol: a capture cannot be changed' --root "$m" clean --dry-run
expect 'a capture is refused without a dry run too' 4 '' 'live machine only|a capture cannot be changed' --root "$m" clean
run --root "$m" clean --json
check 'refused with --json: the status' test "$code" -eq 4
valid 'refused with --json: one valid document' error
expect 'two cgroups are too many' 2 '' 'unexpected argument "/b"' clean --dry-run /a /b
expect 'a bad name' 2 '' '"\.\."' clean --dry-run /a/../b
expect 'an unknown option' 2 '' 'unknown option' clean --dry
expect 'its help' 0 'Usage: cgpol clean \[OPTION\.\.\.\] \[CGROUP\]' '' clean --help

# Only reading: what this machine has is not known.
if grep -q ' - cgroup2 ' /proc/self/mountinfo; then
	expect 'a cgroup that is not there is told' 1 '' 'there is no cgroup /cgpol/no/such/cgroup' \
		clean --dry-run /cgpol/no/such/cgroup
	run clean --dry-run --json
	check 'all of this machine: done or something to do' test "$code" -eq 0 -o "$code" -eq 3
	valid 'all of this machine: one valid document' clean
else
	expect 'no cgroup2 is told' 5 '' 'no cgroup2 file system is mounted' clean --dry-run
	skip 'a dry run on this machine' 'no cgroup2 is mounted here'
fi
finish
