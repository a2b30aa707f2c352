#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol move: what it would do with a capture, and what it refuses. On a kernel: tests/vm/scenarios/move.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m" '/sys/fs/cgroup/group/cgroup.subtree_control=memory cpuset\n' '/sys/fs/cgroup/group/cgroup.procs=\n'

expect 'no target' 2 '' 'no cgroup to move to' --root "$m" move --pid 1
expect 'nothing to move' 2 '' 'nothing to move is named' --root "$m" move --to /a
expect 'both ways to name them' 2 '' 'exclude each other' --root "$m" move --pid 1 --from /a --to /b
expect 'the same cgroup' 2 '' 'the same cgroup' --root "$m" move --from /a --to a
expect 'a word' 2 '' 'unexpected argument "12"' --root "$m" move --pid 1 --to /a 12
expect 'a bad name' 2 '' '"\.\."' --root "$m" move --pid 1 --to /a/../b
expect 'no number' 2 '' '"x" is not a process id' --root "$m" move --pid 401,x --to /group/two
expect 'a range backwards' 2 '' '"7-3" ends before it begins' --root "$m" move --pid 7-3 --to /group/two
expect 'a long range of threads' 2 '' 'more than 65536' --root "$m" move --tid --pid 1-70000 --to /group/two
expect 'a bad pattern' 2 '' 'pattern "\("' --root "$m" move --dry-run --from /group/one --to /group/two --match '('
expect 'a bad time' 2 '' '"soon" is not a length of time' --root "$m" move --pid 1 --to /a --timeout soon
expect 'an unknown column' 2 '' 'unknown column "FROB"' --root "$m" move --pid 1 --to /a -o FROB
expect 'a capture is not changed' 4 '' 'a capture cannot be changed' --root "$m" move --pid 401 --to /group/two
run --root "$m" move --pid 401 --to /group/two --json
valid 'refused with --json: one valid document' error
expect 'a dry run prints the commands' 3 '^echo 401 > /sys/fs/cgroup/group/two/cgroup.procs' '' \
	--root "$m" move --dry-run --pid 401 --to /group/two
expect 'one that is gone is told beside' 3 '401' '1 of those that were named is gone' \
	--root "$m" move --dry-run --pid 401,999 --to /group/two
expect 'only one that is gone' 1 '' 'is gone' --root "$m" move --dry-run --pid 999 --to /group/two
expect 'one that is there already' 0 '' '' --root "$m" move --dry-run --pid 402 --to /group/two
expect 'all of a cgroup' 3 '^echo 401 > [^ ]*/two/cgroup.procs' '' --root "$m" move --dry-run --from /group/one --to /group/two
expect 'a range and a name' 3 '^echo 401 > [^ ]*/two/cgroup.procs' '' \
	--root "$m" move --dry-run --pid 300-500 --comm one --to /group/two
expect 'a pattern that nothing matches' 0 '' '' --root "$m" move --dry-run --from /group/one --to /group/two --match '^x'
expect 'process 1 is left' 3 '' 'the init of this machine' --root "$m" move --dry-run --pid 1 --to /group/two
expect 'process 1 by force' 3 '^echo 1 > ' '' --root "$m" move --dry-run --force --pid 1 --to /group/two
expect 'a cgroup that is not there' 1 '' 'no such cgroup' --root "$m" move --dry-run --pid 401 --to /new
expect 'it would be made' 3 'mkdir /sys/fs/cgroup/new' '' --root "$m" move --dry-run --create --pid 401 --to /new
expect 'one that takes no processes' 4 '' 'controllers are enabled for its children' \
	--root "$m" move --dry-run --pid 398 --to /group
run --root "$m" move --dry-run --json --pid 1,401,402,999 --to /group/two
check 'json: exit 3' test "$code" -eq 3
valid 'json: one valid document' move
check 'json: each result' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
assert [(p["pid"], p["result"]) for p in d["processes"]] == [(1, "denied"), (401, "planned"), (402, "there"), (999, "gone")]
assert d["changed"] is False and d["id"] is None and len(d["steps"]) == 1 and d["left"] == 0' "$scratch/out"
expect 'its help' 0 'Usage: cgpol move .*REASON' '' move --help
finish
