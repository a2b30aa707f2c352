# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol undo and history on a kernel: what comes back, what is refused, what stays. Killed at every system call:
# killed.sh.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol cgroupfs_life

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# status WANTED COMMAND...
status() {
	wanted=$1
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || wrong "$*: status $got, not $wanted: $(cat out err)"
}
is() { [ "$(cat "$1")" = "$2" ] || wrong "$1 is \"$(cat "$1")\", not \"$2\""; }
says() { grep -q -- "$2" "$1" || wrong "\"$2\" is not in: $(cat "$1")"; }
is_gone() { [ ! -e "$cg$1" ] || wrong "$1 is still there"; }
no_limit() { [ ! -e $cg/web/pids.max ] || is $cg/web/pids.max max; }
last() { cgpol history --json | jq -r '.changes[-1].'"$1"; }

# What scripts before this one have changed.
rm -rf /run/cgpol /var/lib/cgpol

say "without a change there is nothing to undo"
status 1 cgpol undo
says err "nothing to undo"
status 0 cgpol history

say "a first limit: the controller goes off again, for nobody uses it"
mkdir $cg/web $cg/other
control=$(cat $cg/cgroup.subtree_control)
status 0 cgpol set /web memory.max=100M
[ "$(last state)" = "done" ] || wrong "state $(last state)"
id=$(last id)
status 3 cgpol undo --dry-run
says out 'memory.max of cgroup /web: would be back to "max"'
is $cg/web/memory.max 104857600
status 0 cgpol undo
is $cg/cgroup.subtree_control "$control"
[ ! -e $cg/web/memory.max ] || [ -n "$control" ] || wrong "memory.max is still there"
[ "$(last state)" = undone ] || wrong "state $(last state)"

say "again is nothing; by id it is told"
status 1 cgpol undo
status 0 cgpol undo "$id"
says err "is undone already"
status 2 cgpol undo nonsense
says err 'there is no change "nonsense"'

say "a controller stays on for a sibling that got a limit since"
status 0 cgpol set /web memory.max=100M
echo 200M >$cg/other/memory.max
status 3 cgpol undo
says err "controller memory, which others use by now, stays"
is $cg/other/memory.max 209715200
is $cg/web/memory.max max
echo max >$cg/other/memory.max

say "what somebody changed since is refused, and nothing of it is touched; --force puts it back"
status 0 cgpol set /web memory.high=50M memory.max=100M
echo 70M >$cg/web/memory.high
status 4 cgpol undo
says err 'memory.high of cgroup /web is "73400320"'
is $cg/web/memory.max 104857600
status 4 cgpol undo --dry-run
status 0 cgpol undo --force
is $cg/web/memory.high max
is $cg/web/memory.max max

say "two changes of one file: the older one first is refused, the newer one first is not"
status 0 cgpol set /web memory.max=100M
older=$(last id)
status 0 cgpol set /web memory.max=200M
status 4 cgpol undo "$older"
status 0 cgpol undo
is $cg/web/memory.max 104857600
status 0 cgpol undo
is $cg/web/memory.max max

say "made cgroups go, but not those in which somebody is"
status 0 cgpol create /made/in --set memory.max=64M
status 0 cgpol undo
is_gone /made
status 0 cgpol create /made/in --set memory.max=64M
sleep 1000 &
sleeper=$!
echo $sleeper >$cg/made/in/cgroup.procs
status 3 cgpol undo
says err "stays"
is $cg/made/in/memory.max 67108864
kill -9 $sleeper
wait $sleeper 2>/dev/null
rmdir $cg/made/in $cg/made

p1='' p2='' p3=''
say "a moved process goes back, unless it is gone or somewhere else by now"
for one in 1 2 3; do
	sleep 1000 &
	echo $! >$cg/web/cgroup.procs
	eval "p$one=$!"
done
status 0 cgpol move --from /web --to /other
kill -9 "$p1"
wait "$p1" 2>/dev/null
status 0 cgpol undo
for pid in $p2 $p3; do
	[ "$(cat "/proc/$pid/cgroup")" = 0::/web ] || wrong "process $pid is in $(cat "/proc/$pid/cgroup")"
done
status 0 cgpol move --from /web --to /other
mkdir $cg/third
echo "$p2" >$cg/third/cgroup.procs
status 4 cgpol undo
status 0 cgpol undo --force
for pid in $p2 $p3; do
	[ "$(cat "/proc/$pid/cgroup")" = 0::/web ] || wrong "process $pid is in $(cat "/proc/$pid/cgroup")"
done

say "an empty cpuset.cpus comes back where the kernel takes it while processes are in it, else what has the same effect"
mkdir $cg/probe
sleep 1000 &
probe=$!
echo $probe >$cg/probe/cgroup.procs
status 0 cgpol set /web cpuset.cpus=1
echo 1 >$cg/probe/cpuset.cpus
if echo >$cg/probe/cpuset.cpus; then
	status 0 cgpol undo
	[ ! -e $cg/web/cpuset.cpus ] || is $cg/web/cpuset.cpus ""
else
	status 3 cgpol undo
	says err 'cpuset.cpus of cgroup /web, which cannot be emptied while processes are in it,'
	is $cg/web/cpuset.cpus "$(cat $cg/cpuset.cpus.effective)"
fi 2>/dev/null
kill -9 $probe
wait $probe 2>/dev/null

say "a deleted tree is made again, with its settings, its owner and its mark"
kill -9 "$p2" "$p3"
wait "$p2" "$p3" 2>/dev/null
status 0 cgpol create /tree/in --set memory.max=64M --set pids.max=7 --delegate 1000:1000
stat -c '%n %u:%g' $cg/tree $cg/tree/in $cg/tree/in/cgroup.procs >before
cat $cg/tree/in/*.max $cg/tree/cgroup.subtree_control >>before
status 0 cgpol delete /tree --recursive
is_gone /tree
status 0 cgpol undo
stat -c '%n %u:%g' $cg/tree $cg/tree/in $cg/tree/in/cgroup.procs >after
cat $cg/tree/in/*.max $cg/tree/cgroup.subtree_control >>after
cmp before after || wrong "the tree is $(cat after)"
cgpol list --raw -n -o CGROUP,KIND | grep -q '^/tree/in kept$' || wrong "no mark: $(cgpol list --raw -n -o CGROUP,KIND)"
status 0 cgpol undo
is_gone /tree

say "the machine: ratio and kbytes, of which each resets the other"
ratio=$(cat /proc/sys/vm/overcommit_ratio)
status 0 cgpol set vm.overcommit_kbytes=3000000
is /proc/sys/vm/overcommit_kbytes 3000000
status 0 cgpol undo
is /proc/sys/vm/overcommit_ratio "$ratio"
is /proc/sys/vm/overcommit_kbytes 0

say "the documents"
status 0 cgpol set /web pids.max=5
status 3 cgpol undo --dry-run --json
jq -e '.schema == 1 and (.steps | map(select(.file == "pids.max")) | .[0] | .result == "planned" and .now == "5" and
	.old == "max")' out >/dev/null || wrong "the document is $(cat out)"
status 0 cgpol undo --json
jq -e '.state == "undone" and (.steps | map(select(.file == "pids.max")) | .[0].result == "undone")' out >/dev/null ||
	wrong "the document is $(cat out)"
status 0 cgpol history "$(last id)"
says out 'pids.max of cgroup /web: .*"5" (done)'

say "the directory: of root alone, and no link to another"
[ "$(stat -c %a /run/cgpol)" = 700 ] || wrong "/run/cgpol has mode $(stat -c %a /run/cgpol)"
chmod 777 /run/cgpol
status 1 cgpol undo
says err "others may write to it"
status 1 cgpol set /web pids.max=6
no_limit
chmod 700 /run/cgpol
mkdir /tmp/elsewhere
ln -s /tmp/elsewhere /tmp/link
status 1 cgpol --state /tmp/link set /web pids.max=6
no_limit

say "a journal that is full of something else harms nobody"
head -c 2000 /dev/urandom >/run/cgpol/20990101T000000-1
status 1 cgpol undo
says err "journal 20990101T000000-1"
status 3 cgpol history
says out "unreadable"
rm /run/cgpol/20990101T000000-1
: >/run/cgpol/20990101T000000-1
status 0 cgpol history
rm /run/cgpol/20990101T000000-1

say "another mount is refused"
mkdir /tmp/again
status 0 cgpol set /web pids.max=6
mount -t cgroup2 none /tmp/again && umount $cg
status 4 cgpol undo
says err "cgroup2 is mounted elsewhere"
mount -t cgroup2 none $cg && umount /tmp/again
status 0 cgpol undo

[ $bad = 0 ]
