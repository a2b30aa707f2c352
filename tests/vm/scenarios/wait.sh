# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol wait on a kernel: each event is told when it happens and not before, also when the limit is that of the parent.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol load

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# waits STATUS ARGUMENT...: now
waits() {
	waits_want_=$1
	shift
	cgpol wait "$@" >out 2>err
	same "status of wait $* ($(cat out err))" "$waits_want_" $?
}
# begins ARGUMENT...: in the background; ends STATUS OUTPUT: it has ended
begins() {
	cgpol wait --timeout 30 "$@" >out 2>err &
	waiter=$!
	usleep 300000
	[ -e /proc/$waiter ] || wrong "wait $* is over before anything happened: $(cat out err)"
}
ends() {
	wait $waiter
	same "status of the waiting ($(cat err))" "$1" $?
	same "what it tells" "$2" "$(cat out)"
}

cg_make /pod memory.max=32M memory.swap.max=0
cg_make /pod/c1
cg_make /pod/c2

say "an OOM kill, where the limit is the parent's: the cgroup of the victim and the parent tell it"
begins --event oom_kill /pod/c1
one=$waiter
cgpol wait --timeout 30 --event oom_kill /pod >parent 2>parent.err &
above=$!
cgpol wait --timeout 3 --event oom_kill /pod/c2 >beside 2>beside.err &
other=$!
usleep 300000
start /pod/c1 0 load grow
waiter=$one
ends 0 "/pod/c1 oom_kill 1 (was 0)"
wait $above
same "status of the parent's" 0 $?
same "the parent tells" "/pod oom_kill 1 (was 0)" "$(cat parent)"
wait $other
same "status of the one beside" 1 $?
grep -q "no event oom_kill in 3.000 s" beside.err || wrong "says: $(cat beside.err)"

say "json, several events, and a count"
cgpol wait --json --timeout 30 --event max,oom_kill --count 2 /pod >out 2>err &
waiter=$!
usleep 300000
start /pod/c2 0 load grow
wait $waiter
same "status" 0 $?
same "json" '["/pod",true]' "$(jq -c '[.cgroup, .count >= .before + 2]' out)"
wait

say "empty, populated, removed"
mkdir $cg/e
waits 0 --event empty /e
begins --event populated /e
start /e 0 sleep 1000
sleeper=$!
ends 0 "/e populated"
begins --event empty /e
kill -9 $sleeper
wait $sleeper 2>/dev/null
ends 0 "/e empty"
begins --event removed /e
rmdir $cg/e
ends 0 "/e removed"
waits 0 --event removed /e
waits 1 --event empty /e
mkdir $cg/e
begins --event populated /e
rmdir $cg/e
ends 1 ""
grep -q "removed before that happened" err || wrong "says: $(cat err)"

say "frozen and thawed"
mkdir $cg/f
start /f 0 sleep 1000
sleeper=$!
begins --event frozen /f
echo 1 >$cg/f/cgroup.freeze
ends 0 "/f frozen"
begins --event thawed /f
echo 0 >$cg/f/cgroup.freeze
ends 0 "/f thawed"

say "it sleeps meanwhile"
cgpol wait --event removed --timeout 5 /f 2>err &
waiter=$!
# What its start costs is not what is asked.
usleep 700000
used() { awk '{ sub(/.*\) /, ""); print $12 + $13 }' "/proc/$waiter/stat"; }
slept() { awk '/^voluntary/ { print $2 }' "/proc/$waiter/status"; }
used=$(used) slept=$(slept)
usleep 2000000
used=$(($(used) - used)) slept=$(($(slept) - slept))
[ "$used" -le 2 ] || wrong "used $used ticks of cpu in 2 s"
[ "$slept" -le 25 ] || wrong "woke up $slept times in 2 s"
wait $waiter
same "status when the time is over" 1 $?
kill -9 $sleeper
wait

say "an interrupt ends it as any program"
cgpol wait --event populated /f &
waiter=$!
usleep 300000
kill -INT $waiter 2>/dev/null
usleep 100000
# A shell starts what is in the background with SIGINT ignored.
kill -TERM $waiter 2>/dev/null
wait $waiter
same "status" 143 $?

say "what cannot be waited for"
waits 2 --event oomkill /f
waits 2 /f
waits 2 --event empty /
echo -memory >$cg/pod/cgroup.subtree_control
waits 5 --event oom_kill /pod/c1
grep -q "memory is not enabled in cgroup /pod" err || wrong "says: $(cat err)"
[ "$bad" -eq 0 ] || fail "$bad wrong"
