#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol freeze: what it would do with a capture, and what it refuses. On a kernel: tests/vm/scenarios/freeze.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m" '/sys/fs/cgroup/group/one/cgroup.freeze=0\n' '/sys/fs/cgroup/group/two/cgroup.freeze=1\n'

expect 'no cgroup' 2 '' 'no cgroup is named' --root "$m" freeze
expect 'two cgroups' 2 '' 'unexpected argument "/b"' --root "$m" freeze /a /b
expect 'a bad name' 2 '' '"\.\."' --root "$m" freeze /a/..
expect 'a bad time' 2 '' 'not a length of time' --root "$m" freeze --timeout -1 /a
expect 'the root' 4 '' 'the root cgroup cannot be frozen' --root "$m" freeze --dry-run /
expect 'one that is not there' 1 '' 'no such cgroup' --root "$m" freeze --dry-run /none
expect 'a kernel that cannot' 5 '' 'came with 5\.2' --root "$m" freeze --dry-run /group
expect 'a dry run prints the command' 3 '^echo 1 > /sys/fs/cgroup/group/one/cgroup.freeze$' '' \
	--root "$m" freeze --dry-run group/one
expect 'one that is frozen' 0 '' '' --root "$m" freeze --dry-run /group/two
expect 'a capture is not changed' 4 '' 'a capture cannot be changed' --root "$m" freeze /group/one
run --root "$m" freeze --dry-run --json /group/one
check 'json: exit 3' test "$code" -eq 3
valid 'json: one valid document' freeze
run --root "$m" freeze --json /none
valid 'failed with --json: one valid document' error
expect 'its help' 0 'Usage: cgpol freeze' '' freeze --help
finish
