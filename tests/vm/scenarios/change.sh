# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Changes on a real kernel: all or nothing, nothing twice, taken back whole; who is in the way, and how few system calls
# a change of a thousand cgroups costs.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol strace

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# Every setting of every cgroup but the root's members, owners, and marks.
snapshot() {
	find $cg -type d | sort | while read -r dir; do
		stat -c '%n %u:%g' "$dir"
		for file in "$dir"/*; do
			case ${file##*/} in
			*.pressure | *.peak | memory.reclaim | cgroup.kill) ;;
			cgroup.procs | cgroup.threads) [ "$dir" = $cg ] || echo "$file $(sort -n "$file" 2>/dev/null | tr '\n' ' ')" ;;
			cgroup.type | *.effective) echo "$file $(cat "$file")" ;;
			*) [ $(($(stat -c %a "$file") / 100 & 2)) = 0 ] || echo "$file $(cat "$file" 2>/dev/null)" ;;
			esac
		done
	done
}
before() { snapshot >before; }
same() { snapshot >after; diff before after >difference || { wrong "$*: not as before"; head -n 10 difference; }; }
# status WANTED COMMAND...
status() {
	wanted=$1
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || wrong "$*: status $got, not $wanted: $(cat out err)"
}
is() { [ "$(cat "$1")" = "$2" ] || wrong "$1 is \"$(cat "$1")\", not \"$2\""; }
# How many times does a command write, make, remove or mark? Its own journal is no file of the kernel.
changes() { cgpol -v "$@" 2>&1 >/dev/null | grep -c -E '^cgpol: (write|mkdir|rmdir|setxattr|chown|save) '; }

say "made, set, and taken back"
before
status 0 cgpol create /web/db --set memory.max=64M --set memory.high=32M --set cpuset.mems=0 --set pids.max=100
is $cg/web/db/memory.high 33554432
is $cg/web/db/cpuset.mems.effective 0
is $cg/web/db/cgroup.type domain
status 0 cgpol undo --last
same "create and undo"

say "a second time there is nothing to write"
status 0 cgpol create /web/db --set memory.max=64M --set cpuset.mems=0-3
status 0 cgpol set /web/db memory.high=16M pids.max=7 cpu.weight=50
before
[ "$(changes set /web/db memory.high=16M pids.max=7 cpu.weight=50 memory.max=64M)" = 0 ] || wrong "it wrote again"
status 0 cgpol set /web/db memory.high=16M pids.max=7 cpu.weight=50
grep -q 'nothing to change' out || wrong "it does not say so: $(cat out err)"
same "the second time"

say "what fails is taken back"
status 4 cgpol set /web/db memory.high=8M pids.max=9 cpuset.cpus.partition=root
grep -q 'as it was before' err || wrong "it does not say so: $(cat err)"
same "a partition that is invalid"
status 0 cgpol set /web/db memory.high=max pids.max=max
status 0 cgpol undo --last
same "set and undo"

say "who is in the way is named, and moved on demand"
status 0 cgpol create /full
start full 0 sleep 1000
three=$!
wait_for 5 grep -q "$three" $cg/full/cgroup.procs
before
status 4 cgpol create /full/in --set memory.max=64M
grep -q "$three" err || wrong "no pid is named: $(cat err)"
grep -q -e '--leaf' err || wrong "no way round is named: $(cat err)"
same "refused"
is $cg/full/cgroup.type domain
status 0 cgpol create --leaf main /full/in --set memory.max=64M
is $cg/full/main/cgroup.procs "$three"
is $cg/full/in/memory.max 67108864
is $cg/full/cgroup.type domain
status 0 cgpol undo --last
same "--leaf and undo"
kill "$three"

say "threads have a way of their own"
status 0 cgpol create /pool
start pool 0 sleep 1000
three=$!
wait_for 5 grep -q "$three" $cg/pool/cgroup.procs
before
status 0 cgpol create /pool/threads --threaded --set cpu.weight=20
is $cg/pool/threads/cgroup.type threaded
is $cg/pool/cgroup.type "domain threaded"
status 0 cgpol undo --last
is $cg/pool/cgroup.type domain
same "--threaded and undo"
kill "$three"

say "given to a user: what the kernel names, and no limit"
before
status 0 cgpol create /user --delegate 1000:1000 --set memory.max=64M
for file in cgroup.procs cgroup.threads cgroup.subtree_control; do
	[ "$(stat -c %u:%g $cg/user/$file)" = 1000:1000 ] || wrong "$file is not theirs"
done
[ "$(stat -c %u:%g $cg/user)" = 1000:1000 ] || wrong "the directory is not theirs"
for file in "$cg"/user/*; do
	[ "$(stat -c %u "$file")" != 1000 ] || grep -qx "${file##*/}" /sys/kernel/cgroup/delegate ||
		wrong "${file##*/} is theirs"
done
status 0 cgpol undo --last
same "--delegate and undo"

say "a thousand cgroups at once"
mkdir $cg/many
echo "+memory" >$cg/many/cgroup.subtree_control
names=
i=0
while [ $i -lt 1000 ]; do
	mkdir $cg/many/g$i
	names="$names /many/g$i"
	i=$((i + 1))
done
# shellcheck disable=SC2086 # they are words
strace -f -c -o one cgpol set /many/g0 memory.max=1G >/dev/null 2>&1 || wrong "one failed"
# shellcheck disable=SC2086
strace -f -c -o thousand cgpol set $names memory.max=512M >out 2>err || wrong "a thousand failed: $(cat err)"
total() { awk '$NF == "total" {print $(NF > 5 ? 4 : 3)}' "$1"; }
count() { awk -v call="$2" '$NF == call {print $4}' "$1"; }
per=$((($(total thousand) - $(total one)) * 10 / 999))
echo "  system calls for each cgroup: $((per / 10)).$((per % 10)) (total $(total thousand))"
head -n 16 thousand | sed 's/^/  /'
echo "  fdatasync: $(count thousand fdatasync)"
[ "$(count thousand fdatasync)" -le 4 ] || wrong "the journal is synced too often"
# Five reads (cgroup.controllers and the value to plan, memory.current to judge, the value before and after) and a write;
# each is opened, looked at, read or written, and closed, and a read learns of the end by one more.
[ $per -le 305 ] || wrong "more than six accesses of five calls for each"
is $cg/many/g999/memory.max 536870912
# shellcheck disable=SC2086
strace -f -c -o again cgpol set $names memory.max=512M >out 2>&1 || wrong "again failed"
echo "  again, with nothing to write: $(total again)"
grep -q 'nothing to change' out || wrong "a thousand again: $(head -n 3 out)"

[ $bad = 0 ] || fail "$bad wrong"
