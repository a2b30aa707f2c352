#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol shield over captures: what would be done, and who is on the cpus. On a kernel: tests/vm/scenarios/shield.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
c=/sys/fs/cgroup
set -- $c/cpuset.cpus.effective='0-1\n' /sys/devices/system/cpu/possible='0-1\n' $c/cgroup.subtree_control='cpuset\n' \
	/sys/devices/system/node/possible='0-1\n'
machine "$m" "$@" /proc/398/status='Name:\ta\nCpus_allowed_list:\t1\n' /proc/398/task/398/status='Name:\ta\nCpus_allowed_list:\t1\n'

expect 'none is there' 1 '' '"/shield" does not exist' --root "$m" shield
expect 'a dry run: the commands' 3 'mkdir .*cpuset.cpus.partition' '*' --root "$m" shield 1 --dry-run
expect 'a dry run: who is there, as remarks of a shell' 3 '# left for everybody else: 0' '*' --root "$m" shield 1 --dry-run
expect 'a dry run: who wants these cpus' 3 'want these cpus only, and get others: 1: 398 \(a\)' '*' --root "$m" shield 1 --dry-run
run --root "$m" shield 1 --dry-run -J
check 'JSON of a dry run: exit 3' test "$code" -eq 3
valid 'JSON of a dry run: valid' shield
expect 'a capture cannot be changed' 4 '' 'a capture cannot be changed' --root "$m" shield 1
expect 'all cpus' 4 '' 'no cpu would be left for everybody else' --root "$m" shield all
expect 'no cpu' 2 '' 'at least one cpu' --root "$m" shield none
expect 'a bad list' 2 '' '3-0' --root "$m" shield 3-0
expect 'a bad cgroup' 2 '' '"\.\."' --root "$m" shield 1 --cgroup /a/../b
expect 'the root' 2 '' 'the root cgroup cannot be a shield' --root "$m" shield 1 --cgroup /
expect 'a bad type' 2 '' 'member' --root "$m" shield 1 --type member

machine "$m" "$@" $c/shield/cgroup.controllers='cpuset\n' $c/shield/cpuset.cpus='1\n' $c/shield/cpuset.cpus.effective='1\n' \
	$c/shield/cpuset.cpus.partition='isolated\n' $c/cpuset.cpus.effective='0\n'
expect 'one that is there' 0 'cgroup /shield: isolated.*cpus of the shield: 1.*left for everybody else: 0' '' --root "$m" shield
run --root "$m" shield -J
valid 'JSON of it: valid' shield
machine "$m" "$@" $c/shield/cgroup.controllers='cpuset\n' $c/shield/cpuset.cpus='1\n' $c/shield/cpuset.cpus.effective='0-1\n' \
	$c/shield/cpuset.cpus.partition='isolated invalid (Cpu list in cpuset.cpus not exclusive)\n'
expect 'one that is invalid is exit code 4' 4 'invalid: Cpu list in cpuset.cpus not exclusive' '' --root "$m" shield
expect 'its help' 0 'Usage: cgpol shield ' '' shield --help
finish
