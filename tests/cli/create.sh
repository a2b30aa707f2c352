#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol create on captures: what it plans, and what it refuses. With a kernel: tests/vm/scenarios/create.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"
python3 "$here/forest.py" "$m" 3 forest/w2/memory.high=524288 forest/w2/cpuset.mems=1 forest/w2/cpuset.mems.effective=1 forest/w2/cpu.weight=50 \
	forest/w2/cgroup.freeze=1 forest/w2/cpuset.cpus.partition=root
cg=/sys/fs/cgroup

# plans NAME LINES ARGUMENT...: exit 3, and just these lines of shell
plans() {
	local name=$1 want=$2
	shift 2
	run --root "$m" --dry-run "$@"
	if [[ $code -eq 3 && $out == "$want" ]]; then ok "$name"; else not_ok "$name" "exit $code: $out$err"; fi
}

# ---- levels and controllers ----

plans 'one level' "mkdir $cg/new" create /new
plans 'without a slash it is the same' "mkdir $cg/new" create new
plans 'each level that is missing' "mkdir $cg/a
mkdir $cg/a/b
mkdir $cg/a/b/c" create a/b/c
plans 'only the controllers that are needed, from the top down' "mkdir $cg/a
echo +memory > $cg/a/cgroup.subtree_control
mkdir $cg/a/b
echo 1073741824 > $cg/a/b/memory.max" create a/b --set memory.max=1G
plans 'two in one change, each level once' "mkdir $cg/a
mkdir $cg/a/b
mkdir $cg/a/c" create a/b a/c
plans 'controllers without a setting' "mkdir $cg/a
echo +memory > $cg/a/cgroup.subtree_control
echo +pids > $cg/a/cgroup.subtree_control
mkdir $cg/a/b" create a/b --controllers memory,pids
plans 'a controller once, be it asked for twice' "mkdir $cg/a
echo +memory > $cg/a/cgroup.subtree_control
mkdir $cg/a/b
echo max > $cg/a/b/memory.max" create a/b --controllers memory,memory --set memory.max=max
plans 'cpus and nodes' "mkdir $cg/new
echo 0 > $cg/new/cpuset.mems
echo 1 > $cg/new/cpuset.cpus" create /new --cpus 1 --mems 0
plans 'nodes of the cpus' "mkdir $cg/new
echo 1 > $cg/new/cpuset.mems
echo 1 > $cg/new/cpuset.cpus" create /new --cpus 1 --mems of-cpus

# ---- idempotent ----

expect 'what is there is not made' 0 '' '' --root "$m" --dry-run create /forest/w1
expect 'and is told so' 0 '^nothing to change$' '' --root "$m" create /forest/w1
expect 'with controllers that it has' 0 '^nothing to change$' '' --root "$m" create /forest/w1 --controllers memory,cpuset,pids,cpu
plans 'a setting that differs is set' "echo 1048576 > $cg/forest/w1/memory.max" create /forest/w1 --set memory.max=1M
expect 'a capture is never changed' 4 '' 'a capture cannot be changed' --root "$m" create /new
check 'and it is not' test ! -e "$m$cg/new"

# ---- like another ----

run --root "$m" --dry-run create /forest/w8 --like /forest/w2
check 'like another: what is set there' test "$out" = "mkdir $cg/forest/w8
echo 1 > $cg/forest/w8/cpuset.mems
echo 50 > $cg/forest/w8/cpu.weight
echo 524288 > $cg/forest/w8/memory.high"
check 'but not what two cannot have' grep -q 'cpuset.cpus.partition of /forest/w2 is not copied' "$scratch/err"
check 'nor that it is frozen' grep -q 'cgroup.freeze of /forest/w2 is not copied' "$scratch/err"
run --root "$m" --dry-run -q create /forest/w8 --like /forest/w2 --set memory.high=max
check 'what is given besides wins' test -z "$(grep 524288 "$scratch/out")"
expect 'like one that is not there' 1 '' '/none' --root "$m" --dry-run create /forest/w8 --like /none
run --root "$m" --dry-run --json create /forest/w8 --like /forest/w2
valid 'like another: one valid document' create
check 'with its warnings' jq -e '.warnings | length == 2' "$scratch/out"

# ---- handed over ----

plans 'to an owner by numbers' "mkdir $cg/new
chown 1000:1001 $cg/new
chown 1000:1001 $cg/new/cgroup.procs
chown 1000:1001 $cg/new/cgroup.threads
chown 1000:1001 $cg/new/cgroup.subtree_control" create /new --delegate 1000:1001
run --root "$m" --dry-run create /new --delegate root
check 'to a user by name, with its group' grep -qx "chown 0:0 $cg/new" "$scratch/out"
expect 'an unknown user' 2 '' 'there is no user "nobody-of-this-name"' --root "$m" create /new --delegate nobody-of-this-name
expect 'an unknown group' 2 '' 'there is no group "nothing"' --root "$m" create /new --delegate root:nothing

# ---- threads ----

plans 'threaded, while it is empty' "mkdir $cg/a
mkdir $cg/a/t
echo threaded > $cg/a/t/cgroup.type # before anything else, while it is empty" create a/t --threaded

# ---- what is refused ----

expect 'a controller that the machine lacks: the root and the controller are named (P01)' 5 '' 'hugetlb.*root cgroup /' \
	--root "$m" --dry-run create a/b --controllers hugetlb
run --root "$m" --json create a/b --controllers hugetlb
valid 'as JSON: one valid document' error
check 'as JSON: exit 5' test "$code" -eq 5
expect 'an unknown controller' 2 '' '"foo" is no controller' --root "$m" create a --controllers memory,foo
expect 'no cgroup' 2 '' 'no cgroup to make is given' --root "$m" create
expect 'a bad name' 2 '' '"\.\."' --root "$m" create a/../b
expect 'a name with a dash' 2 '' '.' --root "$m" create -- -x
expect 'a word without a value' 2 '' 'KEY=VALUE' --root "$m" create a --set memory.max
expect 'a setting of the machine' 2 '' 'has settings of its own only' --root "$m" create a --set vm.swappiness=1
expect 'a node that the parent does not have' '4' '' 'cpuset\.mems' --root "$m" --dry-run create /forest/w2/x --mems 0

# A root without any controller enabled: all of them are, from the top.
python3 "$here/forest.py" "$m" 1 cgroup.subtree_control=
plans 'the root first, then below (P01)' "echo +memory > $cg/cgroup.subtree_control
mkdir $cg/a
echo +memory > $cg/a/cgroup.subtree_control
mkdir $cg/a/b" create a/b --controllers memory

run --root "$m" --dry-run --json create a/b --set memory.max=1M
valid 'one valid document' create
check 'with its steps' jq -e '[.steps[].op] == ["enable", "mkdir", "enable", "mkdir", "set"] and .cgroups == ["/a/b"]' "$scratch/out"

# ---- what sh reads back ----

run --root "$m" --dry-run create "/it's a \$(name)"
check 'an odd name is quoted' test "$out" = "mkdir '/sys/fs/cgroup/it'\\''s a \$(name)'"
run --root "$m" --dry-run create "/bell"$'\a'
# shellcheck disable=SC2016 # as it is printed
check 'and nothing harmful is printed' test "$out" = 'mkdir "$(printf '\''/sys/fs/cgroup/bell\007'\'')"'
# shellcheck disable=SC2317 # called by what was printed
mkdir() { printf '%s' "$1"; }
check 'which is the same name' test "$(eval "$out")" = "/sys/fs/cgroup/bell"$'\a'
unset -f mkdir

expect 'its help' 0 'Usage: cgpol create \[OPTION\.\.\.\] CGROUP' '' create --help
finish
