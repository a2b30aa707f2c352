#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol thaw: what it would do with a capture, and what it refuses. On a kernel: tests/vm/scenarios/freeze.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m" '/sys/fs/cgroup/group/cgroup.freeze=1\n' '/sys/fs/cgroup/group/one/cgroup.freeze=1\n' \
	'/sys/fs/cgroup/group/two/cgroup.freeze=0\n'

expect 'no cgroup' 2 '' 'no cgroup is named' --root "$m" thaw
expect 'the root' 4 '' 'root cgroup' --root "$m" thaw --dry-run /
expect 'one that is not there' 1 '' 'no such cgroup' --root "$m" thaw --dry-run /none
expect 'a dry run prints the command' 3 '^echo 0 > /sys/fs/cgroup/group/cgroup.freeze$' '' --root "$m" thaw --dry-run /group
expect 'what keeps it frozen is named' 3 '^echo 0' '/group above it is frozen.*cgpol thaw /group' \
	--root "$m" thaw --dry-run /group/one
expect 'also when it is thawed itself' 3 '' '/group above it is frozen' --root "$m" thaw --dry-run /group/two
expect 'a capture is not changed' 4 '' 'a capture cannot be changed' --root "$m" thaw /group
run --root "$m" thaw --dry-run --json /group/one
valid 'json: one valid document' thaw
check 'json: held by' grep -q '"held_by": *"/group"' "$scratch/out"
expect 'its help' 0 'Usage: cgpol thaw' '' thaw --help
finish
