# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol delete on a kernel: refuses what lives, ends or moves it when told to, waits for what is dead, and leaves nothing.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol load

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# deletes STATUS ARGUMENT...
deletes() {
	deletes_want_=$1
	shift
	cgpol delete "$@" >out 2>err
	same "status of delete $* ($(cat out err))" "$deletes_want_" $?
}
is_there() { [ -d "$cg$1" ] || wrong "$1 is gone"; }
is_gone() { [ ! -e "$cg$1" ] || wrong "$1 is still there"; }
says() { grep -q "$1" err || wrong "says: $(cat err)"; }

say "an empty one goes, and comes back with what was set on it"
cg_make /a memory.max=64M cpuset.mems=0 pids.max=77
deletes 0 /a
is_gone /a
cgpol undo --last >out 2>&1
same "status of undo ($(cat out))" 0 $?
is_there /a
same "memory.max" 67108864 "$(cat $cg/a/memory.max)"
same "pids.max" 77 "$(cat $cg/a/pids.max)"
same "cpuset.mems" 0 "$(cat $cg/a/cpuset.mems)"
deletes 0 a
deletes 1 /a
says "no such cgroup"
deletes 4 /
deletes 2 /a/../b
same "json" '[true,[["/x","removed"]],0]' "$(mkdir $cg/x; cgpol delete --json /x | jq -c '[.changed, [.cgroups[] | [.cgroup, .result]], (.processes | length)]')"

say "children and processes are named"
cg_make /t/one
cg_make /t/two/deep
deletes 4 /t
says "cgroups below it: one, two"
start /t/two/deep 0 sleep 1000
sleeper=$!
wait_for 10 grep -q . $cg/t/two/deep/cgroup.procs || wrong "no sleeper"
deletes 4 --recursive /t
says "$sleeper (sleep)"
is_there /t/one
cgpol delete --dry-run --recursive --kill /t >commands 2>err
same "status of the dry run" 3 $?
is_there /t/two/deep

say "moved away first"
mkdir $cg/away
deletes 2 --recursive --move-to /t/one /t
deletes 1 --recursive --move-to /none /t
is_there /t/two/deep
deletes 0 --recursive --move-to /away /t
is_gone /t
same "where the sleeper is" 0::/away "$(cat /proc/$sleeper/cgroup)"
cgpol undo --last >out 2>&1
same "status of undo ($(cat out))" 0 $?
is_there /t/one
same "where the sleeper is then" 0::/t/two/deep "$(cat /proc/$sleeper/cgroup)"

say "ended first"
deletes 0 --recursive --kill /t
is_gone /t
[ ! -e /proc/$sleeper/exe ] || ! grep -q State:.S /proc/$sleeper/status || wrong "the sleeper lives"
kill -9 $sleeper 2>/dev/null
wait $sleeper 2>/dev/null
cg_make /t
start /t 0 load thread thread thread sleep
start /t 0 load fork fork anon=8M
wait_for 10 sh -c "[ \$(wc -l <$cg/t/cgroup.procs) -ge 3 ]" || wrong "no crowd"
cgpol delete --json --kill /t >out 2>err
same "status of --kill ($(cat err))" 0 $?
same "steps" '[["kill",true],["rmdir",false]]' "$(jq -c '[.steps[] | [.op, .irreversible]]' out)"
wait

say "who has exited and is not reaped yet"
mkdir $cg/z
# Its parent never waits; a zombie counts in cgroup.events until it is reaped, and is in no list.
(
	(echo 0 >$cg/z/cgroup.procs; exec true) &
	exec sleep 1000
) &
parent=$!
wait_for 10 sh -c "grep -q populated.1 $cg/z/cgroup.events && ! grep -q . $cg/z/cgroup.procs" ||
	say "this kernel does not count zombies"
deletes 0 --timeout 5 /z
kill -9 $parent
wait $parent 2>/dev/null
is_gone /z

say "a frozen one"
cg_make /f
start /f 0 sleep 1000
wait_for 10 grep -q . $cg/f/cgroup.procs || wrong "no sleeper"
echo 1 >$cg/f/cgroup.freeze
deletes 0 --kill /f
wait
is_gone /f

say "a unit of systemd is its own"
mkdir -p /run/systemd/system $cg/web.slice/db.service
deletes 6 --recursive /web.slice
says "db.service is a unit of systemd"
deletes 0 --recursive --force /web.slice
rmdir /run/systemd/system

say "a hundred times made, used and deleted leaves nothing"
before=$(find $cg -type d | sort)
i=0
while [ $i -lt 100 ]; do
	i=$((i + 1))
	cgpol create -q "/loop/n$i" >out 2>err || { wrong "create: $(cat err)"; break; }
	(echo 0 >"$cg/loop/n$i/cgroup.procs"; exec load anon=4M) &
	pid=$!
	wait_for 10 grep -q . "$cg/loop/n$i/cgroup.procs" || wrong "nobody in n$i"
	if [ $((i % 2)) = 0 ]; then
		kill -9 $pid
		cgpol delete -q "/loop/n$i" 2>err || cgpol delete -q --kill "/loop/n$i" 2>err || wrong "round $i: $(cat err)"
	else
		cgpol delete -q --kill "/loop/n$i" 2>err || wrong "round $i: $(cat err)"
	fi
	wait $pid 2>/dev/null
done
deletes 0 /loop
same "the tree" "$before" "$(find $cg -type d | sort)"

say "a thousand at once"
mkdir $cg/many
i=0
while [ $i -lt 1000 ]; do
	i=$((i + 1))
	mkdir "$cg/many/$i"
done
deletes 0 -q --recursive /many
is_gone /many
[ "$bad" -eq 0 ] || fail "$bad wrong"
