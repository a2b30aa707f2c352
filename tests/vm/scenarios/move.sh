# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol move on a kernel: named ones, all of a cgroup while they fork, single threads, what the kernel refuses, and back.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol load

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# moves STATUS ARGUMENT...: the table's pids and results are in $told, in order
moves() {
	moves_want_=$1
	shift
	cgpol move -n -r -o PID,RESULT "$@" >out 2>err
	same "status of move $* ($(cat err))" "$moves_want_" $?
	told=$(tr '\n' ';' <out)
}
place() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }
is_at() { same "where $1 is" "$2" "$(place "$1")"; }

cg_make /a
cg_make /b
cg_make /deep/er
for name in 1 2 3; do
	start /a 0 sleep 1000
	eval "p$name=\$!"
done
# shellcheck disable=SC2154 # set by eval
all="$p1 $p2 $p3"
wait_for 10 sh -c "[ \$(wc -l <$cg/a/cgroup.procs) = 3 ]" || wrong "no sleepers"

say "named ones, each told"
moves 0 --pid "$p1,$p2" --to /b
same "told" "$p1 moved;$p2 moved;" "$told"
is_at "$p1" /b
is_at "$p3" /a
moves 0 --pid "$p1" --to b
same "told again" "$p1 there;" "$told"
moves 1 --pid 4000000 --to /b
same "gone" "4000000 gone;" "$told"
same "json" "[false,\"gone\",0]" "$(cgpol move --json --pid 4000000 --to /b 2>/dev/null | jq -c '[.changed, .processes[0].result, .left]')"
moves 0 --pid "$p1-$p2" --to /a
for pid in $p1 $p2; do is_at "$pid" /a; done

say "a dry run tells the shell commands, which do the same"
cgpol move --dry-run --from /a --to /b >commands 2>err
same "status of the dry run" 3 $?
for pid in $all; do is_at "$pid" /a; done
sh -e commands || wrong "the commands fail: $(cat commands)"
for pid in $all; do is_at "$pid" /b; done
cgpol move --dry-run --from /a --to /b >commands 2>err
same "status of a dry run without anything" 0 $?

say "all of a cgroup, and undone"
moves 0 --from /b --to /a
for pid in $all; do is_at "$pid" /a; done
kill -9 "$p3"
wait "$p3" 2>/dev/null
cgpol undo --last >out 2>&1
same "status of undo ($(cat out))" 0 $?
is_at "$p1" /b
is_at "$p2" /b
moves 0 --from /b --to /a

say "those that match"
moves 0 --from /a --to /b --match '^no such'
same "none" "" "$told"
start /a 0 load name=postgres
db=$!
wait_for 10 grep -q postgres "/proc/$db/comm" || wrong "no postgres"
moves 0 --from /a --to /b --comm postgres
same "by name" "$db moved;" "$told"
moves 0 --from /b --to /a --match 'gres$'
same "by pattern" "$db moved;" "$told"

say "a cgroup that forks while it is emptied"
cat >forker <<'EOF'
#!/bin/sh
while [ -e /running ]; do sleep 0.02 & done
EOF
chmod +x forker
touch /running
start /a 0 ./forker
forker=$!
wait_for 10 sh -c "[ \$(wc -l <$cg/a/cgroup.procs) -gt 5 ]" || wrong "it does not fork"
cgpol move -q --from /a --to /b --timeout 20 2>err
same "status ($(cat err))" 0 $?
same "left" "" "$(cat $cg/a/cgroup.procs)"
is_at "$forker" /b
rm /running
wait_for 20 sh -c "[ ! -e /proc/$forker ]" || kill -9 "$forker"
wait "$forker" 2>/dev/null
moves 0 --from /b --to /a

say "what the kernel refuses is told with its reason"
moves 4 --pid "$p1" --to /deep
grep -q "controllers are enabled for its children" err || wrong "says: $(cat err)"
moves 1 --pid "$p1" --to /none
grep -q "no such cgroup" err || wrong "says: $(cat err)"
moves 0 --pid "$p1" --to /made --create
same "created" "$p1 moved;" "$told"
is_at "$p1" /made
cgpol undo --last >/dev/null 2>&1 || wrong "undo of --create"
is_at "$p1" /a
[ ! -e $cg/made ] || wrong "/made is still there"
# A kernel thread that is bound to its cpu, kthreadd, and process 1.
bound=$(for dir in /proc/[0-9]*; do
	read -r name <"$dir/comm" && [ "$name" = ksoftirqd/0 ] && echo "${dir#/proc/}"
done)
moves 3 --pid "1,2,$bound,$p1" --to /b
same "the others" "1 denied;2 denied;$bound denied;$p1 moved;" "$told"
cgpol move --json --pid "$bound" --to /b 2>/dev/null | jq -r '.processes[0].reason' | grep -q "bound to its cpus" ||
	wrong "no reason"
moves 0 --pid "$p1" --to /a

say "a thread is moved alone, and never its process by mistake"
start /a 0 load thread sleep
threads=$!
wait_for 10 sh -c "[ \$(ls /proc/$threads/task | wc -l) = 2 ]" || wrong "no thread"
tid=$(cd "/proc/$threads/task" && for tid in *; do [ "$tid" = "$threads" ] || echo "$tid"; done)
moves 3 --pid "$tid" --to /b
same "a thread's id" "$tid denied;" "$told"
moves 4 --tid --pid "$tid" --to /b
grep -q 'cgroup.type is "domain"' err || wrong "says: $(cat err)"
# /t becomes the root of a threaded tree.
mkdir $cg/t $cg/t/one
echo threaded >$cg/t/one/cgroup.type
moves 0 --pid "$threads" --to /t
moves 0 --tid --pid "$tid" --to /t/one
same "the thread" "$tid moved;" "$told"
same "where the thread is" "0::/t/one" "$(cat "/proc/$threads/task/$tid/cgroup")"
same "where its process is" "0::/t" "$(cat "/proc/$threads/task/$threads/cgroup")"
same "it is undone" 0 "$(cgpol undo --last >/dev/null 2>&1; echo $?)"
same "where the thread is then" "0::/t" "$(cat "/proc/$threads/task/$tid/cgroup")"
moves 0 --tid --from /t --to /t/one
same "threads of the cgroup" "$threads moved;$tid moved;" "$told"
moves 4 --from /t/one --to /a
grep -q 'is threaded' err || wrong "says: $(cat err)"
moves 0 --pid "$threads" --to /a
kill -9 "$threads"
wait "$threads" 2>/dev/null

say "affinities"
cg_make /pair cpuset.cpus=0-1
start /a 0 load cpu=1
pinned=$!
wait_for 10 grep -q 'Cpus_allowed_list:.1$' "/proc/$pinned/status" || wrong "not pinned"
cgpol move -n -r -o PINNED --pid "$pinned" --to /pair >out 2>err
kept=$(cat out)
case $(uname -r) in
5.* | 6.[01].*) same "the kernel took the affinity away" 0 "$kept" ;;
*) same "the kernel left the affinity" 1 "$kept" ;;
esac
same "reset" 0 "$(cgpol move -n -r -o PINNED --reset-affinity --pid "$pinned" --to /pair 2>err)"
grep -q 'Cpus_allowed_list:.0-1$' "/proc/$pinned/status" || wrong "$(grep Cpus_allowed_list "/proc/$pinned/status")"
kill -9 "$pinned"
wait "$pinned" 2>/dev/null

say "a crowd"
before=$(date +%s)
i=0
while [ $i -lt 250 ]; do
	(echo 0 >$cg/a/cgroup.procs; exec sleep 1000) &
	i=$((i + 1))
done
wait_for 30 sh -c "[ \$(wc -l <$cg/a/cgroup.procs) -ge 250 ]" || wrong "no crowd"
cgpol move -q --from /a --to /b || wrong "the crowd"
same "left of the crowd" "" "$(cat $cg/a/cgroup.procs)"
say "took $(($(date +%s) - before)) s with starting them"
[ "$bad" -eq 0 ] || fail "$bad wrong"
