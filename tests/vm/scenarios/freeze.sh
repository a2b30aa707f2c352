# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol freeze and thaw on a kernel: it stands still, it goes on, it is taken back, and a frozen cgroup above is named.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol load

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# does STATUS COMMAND ARGUMENT...
does() {
	does_want_=$1
	shift
	cgpol "$@" >out 2>err
	same "status of $* ($(cat out err))" "$does_want_" $?
}
says() { grep -q "$1" err || wrong "says: $(cat err)"; }
# How much cpu it has had, in ticks.
ticks() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$1/stat"; }

need_file=$cg/a/cgroup.freeze
cg_make /a/b
need "$need_file"
start /a/b 0 sh -c 'while :; do :; done'
busy=$!
wait_for 10 grep -q . $cg/a/b/cgroup.procs || wrong "nobody runs"

say "it stands still, and goes on"
does 0 freeze /a
grep -q "/a is frozen" out || wrong "out: $(cat out)"
grep -q "frozen 1" $cg/a/cgroup.events || wrong "the kernel says otherwise"
before=$(ticks $busy)
usleep 300000
same "cpu time while frozen" "$before" "$(ticks $busy)"
does 0 freeze a
same "json" '[false,"frozen",null]' "$(cgpol freeze --json /a | jq -c '[.changed, .state, .held_by]')"

say "below a frozen one"
does 3 thaw /a/b
says "/a above it is frozen"
same "json" '["held","/a"]' "$(cgpol thaw --json /a/b 2>/dev/null | jq -c '[.state, .held_by]')"
does 0 thaw /a
usleep 300000
[ "$(ticks $busy)" -gt "$before" ] || wrong "it does not go on"
does 0 thaw /a

say "undone"
does 0 freeze /a
does 0 undo --last
grep -q "frozen 0" $cg/a/cgroup.events || wrong "still frozen"

say "what cgpol is in itself, the root, and what is not there"
cg_make /own
echo $$ >$cg/own/cgroup.procs
does 4 freeze /own
says "this cgpol itself"
grep -q "frozen 0" $cg/own/cgroup.events || wrong "frozen"
echo $$ >$cg/cgroup.procs
does 4 freeze /
does 1 freeze /none
does 2 freeze
does 2 freeze /a /b
cgpol freeze --dry-run /a >out 2>err
same "status of the dry run" 3 $?
same "the dry run" "echo 1 > $cg/a/cgroup.freeze" "$(cat out)"

say "one that does not freeze in time: it is taken back, and named"
# A process above memory.high sleeps in state D, up to two seconds each time (mm/memcontrol.c
# mem_cgroup_handle_over_high), as long as nothing can be reclaimed.
cg_make /d memory.high=4M memory.swap.max=0
start /d 0 load anon=16M grow
slow=$!
wait_for 10 grep -q . $cg/d/cgroup.procs || wrong "nobody there"
tries=0
while [ $tries -lt 20 ]; do
	tries=$((tries + 1))
	wait_for 10 grep -q 'State:.D' /proc/$slow/status || break
	cgpol freeze --timeout 0.1 /d >out 2>err
	status=$?
	[ $status = 0 ] || break
	cgpol thaw -q /d
done
if [ $tries -lt 20 ]; then
	same "status ($(cat err))" 1 "$status"
	says "is not frozen after 0.1 s"
	says "$slow (load, state D)"
	same "cgroup.freeze afterwards" 0 "$(cat $cg/d/cgroup.freeze)"
else
	say "it was never caught in state D"
fi
kill -9 $slow $busy
wait
[ "$bad" -eq 0 ] || fail "$bad wrong"
