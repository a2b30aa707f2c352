#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol partition over captures: what is shown, and what is refused. On a kernel: tests/vm/scenarios/partition.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
c=/sys/fs/cgroup
machine "$m" $c/c/cpuset.cpus='1\n' $c/c/cpuset.cpus.effective='1\n' $c/c/cpuset.cpus.partition='root\n' \
	$c/group/cpuset.cpus='1\n' $c/group/cpuset.cpus.effective='0-1\n' $c/cpuset.cpus.effective='0\n' \
	$c/group/cpuset.cpus.partition='isolated invalid (Cpu list in cpuset.cpus not exclusive)\n' \
	$c/group/one/cgroup.controllers='memory\n' /sys/devices/system/cpu/possible='0-1\n' \
	/sys/devices/system/node/possible='0-1\n' $c/cgroup.subtree_control='cpuset memory\n'

expect 'a valid one' 0 '/c +root +valid +1 ' '' --root "$m" partition /c
expect 'an invalid one is exit code 4, with the reason' 4 'isolated invalid 1 .*Cpu list in cpuset.cpus not exclusive' '' --root "$m" partition /group
run --root "$m" partition -J /group
check 'JSON of an invalid one: exit 4' test "$code" -eq 4
valid 'JSON of an invalid one: valid' partition
check 'JSON of an invalid one: it says so' grep -q '"valid": false' "$scratch/out"
expect 'where cpuset is off' 5 '' 'controller cpuset is not enabled in' --root "$m" partition /group/one
expect 'the root' 5 '' 'the root cgroup has no cpuset.cpus.partition' --root "$m" partition /
expect 'a cgroup that is not there' 1 '' '"/none" does not exist' --root "$m" partition /none root
expect 'no cgroup' 2 '' 'no cgroup is given' --root "$m" partition
expect 'no such type' 2 '' '"exclusive" is no type' --root "$m" partition /c exclusive
expect 'a bad list' 2 '' '3-0' --root "$m" partition /c root --cpus 3-0
expect 'a capture cannot be changed' 4 '' 'a capture cannot be changed' --root "$m" partition /c member
expect 'a dry run of a capture' 3 'cpuset.cpus.partition' '' --root "$m" partition /c member --dry-run
run --root "$m" partition /c member --dry-run -J
check 'JSON of a dry run: exit 3' test "$code" -eq 3
valid 'JSON of a dry run: valid' partition
expect 'nothing to change' 0 'nothing to change' '' --root "$m" partition /c root
expect 'its help' 0 'Usage: cgpol partition ' '' partition --help
finish
