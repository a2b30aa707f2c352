#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol delete: what it would do with a capture, and what it refuses. On a kernel: tests/vm/scenarios/delete.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m" '/sys/fs/cgroup/group/cgroup.events=populated 1\nfrozen 0\n' '/sys/fs/cgroup/group/cgroup.procs=\n' \
	'/sys/fs/cgroup/group/one/cgroup.events=populated 1\nfrozen 0\n' \
	'/sys/fs/cgroup/e.slice/cgroup.events=populated 0\nfrozen 0\n' '/sys/fs/cgroup/e.slice/cgroup.procs=\n'

expect 'no cgroup' 2 '' 'no cgroup is named' --root "$m" delete
expect 'two ways for the processes' 2 '' 'exclude each other' --root "$m" delete --kill --move-to /a /b
expect 'a bad name' 2 '' '"\.\."' --root "$m" delete /a/../b
expect 'a second bad name' 2 '' 'begin with "-"' --root "$m" delete -- /a -b
expect 'a bad time' 2 '' 'not a length of time' --root "$m" delete --timeout 1.x /a
expect 'one that is not there' 1 '' 'no such cgroup' --root "$m" delete --dry-run /none
expect 'the root' 4 '' 'the root cgroup cannot be deleted' --root "$m" delete --dry-run -R --kill /
expect 'children are named' 4 '' 'cgroups below it: one, two' --root "$m" delete --dry-run /group
expect 'processes are named' 4 '' '401 \(one\)' --root "$m" delete --dry-run /group/one
expect 'processes below are named' 4 '' '402 \(two\)' --root "$m" delete --dry-run -R /group
expect 'ended first' 3 '^echo 1 > /sys/fs/cgroup/group/cgroup.kill.*rmdir /sys/fs/cgroup/group$' '' \
	--root "$m" delete --dry-run -R --kill /group
expect 'moved first' 3 '^echo 40[12] > /sys/fs/cgroup/cgroup.procs.*rmdir /sys/fs/cgroup/group$' '' \
	--root "$m" delete --dry-run -R --move-to / /group
expect 'moved to where it is deleted' 2 '' 'is deleted itself' --root "$m" delete --dry-run -R --move-to group/one /group
expect 'an empty one' 3 '^rmdir /sys/fs/cgroup/e.slice$' '' --root "$m" delete --dry-run e.slice
expect 'a capture is not changed' 4 '' 'a capture cannot be changed' --root "$m" delete /e.slice
run --root "$m" delete --dry-run --json -R --kill /group
check 'json: exit 3' test "$code" -eq 3
valid 'json: one valid document' delete
check 'json: children first, and the kill is for good' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert [c["cgroup"] for c in d["cgroups"]] == ["/group/two", "/group/one", "/group"]
assert {c["result"] for c in d["cgroups"]} == {"would_remove"}
assert [s["op"] for s in d["steps"] if s["irreversible"]] == ["kill"]' "$scratch/out"
run --root "$m" delete --json /group
valid 'refused with --json: one valid document' error
machine "$m" '/run/systemd/system/x=1' '/sys/fs/cgroup/e.slice/cgroup.procs=\n'
expect 'a unit of systemd' 6 '' 'is a unit of systemd.*systemctl stop e.slice' --root "$m" delete --dry-run /e.slice
expect 'a unit of systemd by force' 3 '^rmdir' '' --root "$m" delete --dry-run --force /e.slice
expect 'its help' 0 'Usage: cgpol delete' '' delete --help
finish
