#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol wait: states of a capture, and what cannot be waited for. On a kernel: tests/vm/scenarios/wait.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m" '/sys/fs/cgroup/group/one/cgroup.events=populated 1\nfrozen 0\n' \
	'/sys/fs/cgroup/group/one/memory.events=low 0\nhigh 0\nmax 5\noom 2\noom_kill 1\n'

expect 'no event' 2 '' 'no event is named' --root "$m" wait /group/one
expect 'an unknown event' 2 '' 'unknown event "oomkill".*did you mean oom_kill' --root "$m" wait -e oomkill /group/one
expect 'an empty event' 2 '' 'unknown event ""' --root "$m" wait -e empty, /group/one
expect 'no cgroup' 2 '' 'no cgroup is named' --root "$m" wait -e empty
expect 'two cgroups' 2 '' 'unexpected argument "/b"' --root "$m" wait -e empty /a /b
expect 'the root' 2 '' 'the root cgroup has no events' --root "$m" wait -e empty /
expect 'a bad time' 2 '' 'not a length of time' --root "$m" wait -e empty --timeout '' /group/one
expect 'a long time' 2 '' 'not a length of time' --root "$m" wait -e empty --timeout 600h /group/one
expect 'a state that holds' 0 '^/group/one populated$' '' --root "$m" wait -e empty,populated /group/one
expect 'another' 0 '^/group/one thawed$' '' --root "$m" wait -e frozen -e thawed /group/one
expect 'in a capture nothing happens' 4 '' 'nothing ever happens in a capture' --root "$m" wait -e oom_kill,max /group/one
expect 'a counter that is not there' 5 '' 'came with 5\.17' --root "$m" wait -e oom_group_kill /group/one
expect 'a cgroup that is not there' 1 '' 'no such cgroup' --root "$m" wait -e empty /none
expect 'it is removed' 0 '^/none removed$' '' --root "$m" wait -e removed /none
run --root "$m" wait --json -e populated group/one
check 'json: exit 0' test "$code" -eq 0
valid 'json: one valid document' wait
run --root "$m" wait --json -e empty /none
valid 'failed with --json: one valid document' error
expect 'its help' 0 'Usage: cgpol wait' '' wait --help

# This machine's own cgroup, which is only read.
if grep -q ' - cgroup2 ' /proc/self/mountinfo && own=$(sed -n 's/^0:://p' /proc/self/cgroup) && [[ $own != / ]] && [[ $own != *..* ]]; then
	expect 'this cgroup has a process: us' 0 ' populated$' '' wait -e populated --timeout 5 "$own"
	expect 'the time is over' 1 '' 'no event empty in 0\.200 s' wait -e empty --timeout 200ms "$own"
else
	skip 'this cgroup has a process: us' 'it is in no cgroup below the cgroup2 mount'
fi
finish
