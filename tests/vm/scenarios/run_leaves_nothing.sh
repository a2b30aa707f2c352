# shellcheck shell=sh disable=SC2154 # guest.sh sets cg
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol run leaves nothing behind: after a hundred runs, after each kind of failure, and when it is killed itself the
# next run, or cgpol reap, takes away what was left.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol jq
failures=0

bad() { echo "FAIL: $*"; failures=$((failures + 1)); }

# Every cgroup, with what is enabled for its children. At the root cgpol leaves enabled what others may have come to
# need: there it is checked where it matters.
tree() {
	find "$cg" -type d | sort | while read -r dir; do
		control=
		[ "$dir" = "$cg" ] || read -r control <"$dir/cgroup.subtree_control"
		echo "$dir: $control"
	done
}

# same WHAT: the tree is as it was
same() {
	tree >now
	cmp -s before now || bad "$1 leaves $(diff before now | grep '^[+-]/' | tr '\n' ' ')"
}

tree >before
say "a hundred runs"
i=0
while [ $i -lt 100 ]; do
	cgpol run --memory-max 50M true || { bad "run $i"; break; }
	i=$((i + 1))
done
same "a hundred runs"
# The controllers that were enabled at the root stay so: others may have come to need them.
read -r enabled <"$cg/cgroup.subtree_control"
[ "$enabled" = memory ] || bad "enabled at the root: $enabled"

say "twenty at once"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	# shellcheck disable=SC2016 # for the inner shell
	cgpol run --memory-max "$((30 + i))M" sh -c 'usleep 100000; cat /sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max' \
		>"limit.$i" 2>>errors &
done
wait
[ ! -s errors ] || bad "at once: $(cat errors)"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	[ "$(cat "limit.$i")" = $(((30 + i) << 20)) ] || bad "at once: $((30 + i))M is $(cat "limit.$i")"
done
same "twenty at once"

say "what one run takes back, another keeps: a failure beside it costs no limit"
for i in 1 2 3 4 5 6 7 8 9 10; do
	echo -memory >"$cg/cgroup.subtree_control"
	cgpol run nosuch 2>/dev/null &
	# shellcheck disable=SC2016 # for the inner shell
	cgpol run --memory-max 50M sh -c 'usleep 60000; cat /sys/fs/cgroup$(sed -n s/^0:://p /proc/self/cgroup)/memory.max' >>limits 2>&1 &
	cgpol run nosuch 2>/dev/null &
	wait
done
[ "$(sort limits | uniq -c | tr -s ' ')" = ' 10 52428800' ] || bad "limits: $(sort limits | uniq -c)"
same "failures beside it"
echo +memory >"$cg/cgroup.subtree_control"

for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	(
		for _ in 1 2 3 4 5 6; do
			cgpol run --memory-max 50M true || echo "status $?"
			cgpol run --memory-max 50M nosuch 2>/dev/null
		done
	) >>mixed 2>&1 &
done
wait
[ ! -s mixed ] || bad "failures and successes at once: $(cat mixed)"
same "failures and successes at once"

say "two runs in one cgroup: the last one removes it"
cgpol run --cgroup /both sleep 0.5 2>err &
wait_for 10 "$cg/both"
cgpol run --cgroup /both sleep 1.5 2>err2
[ ! -s err2 ] || bad "the second: $(cat err2)"
wait
same "two runs in one cgroup"
rm -f err
i=0
while [ $i -lt 25 ]; do
	for _ in 1 2 3 4 5; do
		cgpol run --cgroup /z/both --memory-max 50M true 2>>err &
	done
	wait
	i=$((i + 1))
done
grep -v 'processes are left in' err && bad "five runs in one cgroup"
same "five runs in one cgroup"

# fails WHAT STATUS PATTERN ARGUMENT...
fails() {
	what=$1 want=$2 pattern=$3
	shift 3
	read -r enabled <"$cg/cgroup.subtree_control"
	cgpol run "$@" 2>err
	status=$?
	[ $status -eq "$want" ] || bad "$what: status $status: $(cat err)"
	grep -qE -e "$pattern" err || bad "$what: not \"$pattern\": $(cat err)"
	same "$what"
	read -r now <"$cg/cgroup.subtree_control"
	[ "$now" = "$enabled" ] || bad "$what: enabled at the root: $now, and before: $enabled"
}

say "failures"
fails "a command that does not exist" 127 'cannot run "nosuch"' nosuch
fails "one that may not be run" 126 'cannot run' /proc/self/status
fails "a policy outside the cpuset" 125 'node 0' --mems 1 -m 0 true
fails "a key that needs another controller" 125 'io\.weight' --set io.weight=nonsense true
if grep -qw rdma "$cg/cgroup.controllers"; then
	fails "a device that does not exist" 125 'no RDMA device mlx5_77' --set 'rdma.max=mlx5_77 hca_handle=1' true
else
	fails "a controller that this kernel lacks" 125 'rdma' --set 'rdma.max=mlx5_77 hca_handle=1' true
fi
fails "a deep path" 127 'cannot run' --cgroup /a/b/c/d nosuch
fails "a wrong value in a deep path" 125 'cpuset' --cgroup /a/b --cpus 77 true
cg_make /full pids.max=0
tree >before
fails "no processes left" 125 'pids.max' --cgroup /full/x true
cg_make /inner
sleep 1000 &
sleeper=$!
echo $sleeper >"$cg/inner/cgroup.procs"
tree >before
fails "processes in an inner cgroup" 125 '/inner' --cgroup /inner/x --memory-max 5M true
mkdir "$cg/thr" "$cg/thr/t"
echo threaded >"$cg/thr/t/cgroup.type"
tree >before
# A process may live in one, but without a memory controller.
cgpol run --cgroup /thr/t true || bad "a threaded cgroup"
same "a threaded cgroup"
fails "a limit on a threaded cgroup" 125 'thread|domain' --cgroup /thr/t --memory-max 5M true
fails "a limit below one" 125 'thread|domain' --cgroup /thr/t/x --memory-max 5M true
if mount -o remount,ro "$cg" 2>/dev/null; then
	fails "a read-only mount" 125 '--no-cgroup' true
	cgpol run --no-cgroup true || bad "--no-cgroup with a read-only mount"
	mount -o remount,rw "$cg"
fi

cg_make /ice cgroup.freeze=1
tree >before
fails "a frozen cgroup" 125 'is frozen' --cgroup /ice true
fails "below a frozen cgroup" 125 'is frozen' --cgroup /ice/x true
fails "frozen by --set" 125 'is frozen' --set cgroup.freeze=1 true
cp before before.warm
cg_make /cgpol/other
echo 1 >"$cg/cgpol/cgroup.freeze"
tree >before
# Without a check the start would never end, and no signal but KILL would end the waiting.
timeout -s KILL 20 cgpol run true 2>err
status=$?
{ [ $status -eq 125 ] && grep -q 'is frozen' err; } || bad "below a frozen /cgpol: status $status: $(cat err)"
same "below a frozen /cgpol"
echo 0 >"$cg/cgpol/cgroup.freeze"
cgpol run true || bad "below /cgpol, which somebody made"
same "below /cgpol, which somebody made"
rmdir "$cg/cgpol/other" "$cg/cgpol"
mv before.warm before
[ "$(cgpol run --cgroup / cat /proc/self/cgroup)" = 0::/ ] || bad "the root cgroup"
same "the root cgroup"

say "processes that are left"
rm -f up
cgpol run --cgroup /left sh -c 'sleep 1000 >/dev/null 2>&1 & echo $! >up' 2>err || bad "left: $(cat err)"
grep -q 'processes are left in /left' err || bad "left: $(cat err)"
[ -d "$cg/left" ] || bad "/left was removed with a process in it"
cgpol reap >out 2>&1
status=$?
[ $status -eq 0 ] || [ $status -eq 3 ] || bad "reap with a busy cgroup: status $status: $(cat out)"
[ -d "$cg/left" ] || bad "reap removed a cgroup with a process"
cgpol run --cgroup /left --keep nosuch 2>err
[ $? -eq 127 ] || bad "--keep of what cannot be started: $(cat err)"
kill "$(cat up)"
cgpol run --cgroup /left true || bad "adopting /left"
[ ! -d "$cg/left" ] || bad "/left was made by a cgpol that is gone, and is not removed by the next run in it"

say "cgpol is killed"
cgpol run --memory-max 50M sleep 1000 &
pid=$!
wait_for 10 "$cg/cgpol/sleep-$pid" || bad "no cgroup of its own"
wait_for 10 grep -qs . "$cg/cgpol/sleep-$pid/cgroup.procs"
kill -9 $pid
wait $pid 2>/dev/null
[ -d "$cg/cgpol/sleep-$pid" ] || bad "gone with its processes?"
cgpol run true || bad "a run beside it"
[ -d "$cg/cgpol/sleep-$pid" ] || bad "a run removed a cgroup with a process"
kill "$(cat "$cg/cgpol/sleep-$pid/cgroup.procs")"
wait_for 10 grep -q 'populated 0' "$cg/cgpol/sleep-$pid/cgroup.events"
cgpol run true || bad "the next run"
same "the next run after a kill"
cgpol run --memory-max 50M sleep 1000 &
pid=$!
wait_for 10 grep -qs . "$cg/cgpol/sleep-$pid/cgroup.procs"
kill -9 $pid
kill "$(cat "$cg/cgpol/sleep-$pid/cgroup.procs")"
wait_for 10 grep -q 'populated 0' "$cg/cgpol/sleep-$pid/cgroup.events"
cgpol reap >out 2>&1 || bad "reap: $(cat out)"
same "reap"

say "cgpol is killed before it could mark what it made"
mkdir "$cg/cgpol"
cgpol reap >out 2>&1 || bad "reap: $(cat out)"
same "reap of a bare /cgpol"

say "what dies a moment later than the command is waited for"
cgpol run sh -c 'sleep 0.05 & exit 3' 2>err
{ [ $? -eq 3 ] && [ ! -s err ]; } || bad "a late process: $(cat err)"
same "a late process"

say "a signal ends the command, and the cgroup goes"
cgpol run --memory-max 50M sleep 1000 &
pid=$!
wait_for 10 grep -qs . "$cg/cgpol/sleep-$pid/cgroup.procs"
kill -TERM $pid
wait $pid
[ $? -eq 143 ] || bad "TERM"
same "TERM"
kill $sleeper
[ $failures -eq 0 ] || fail "$failures checks"
