# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol create on a kernel: levels, controllers from the root down, owners, threads, processes that are in the way, and
# nothing left behind by a failure.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol

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
lines() { [ "$(cat out)" = "$1" ] || wrong "the output is: $(cat out)"; }
tree() { find $cg -type d | sort; cat $cg/cgroup.subtree_control $cg/*/cgroup.subtree_control 2>/dev/null; }
# Nothing but reads and the state directory's lock.
writes() { cgpol -v "$@" 2>&1 >/dev/null | grep -c -E '^(write|mkdir|rmdir|setxattr|rmxattr|chown|save|affinity) '; }

say "the root enables nothing at first: all levels are, from the top, and only what is needed (P01)"
is $cg/cgroup.subtree_control ""
status 0 cgpol create a/b --controllers memory
lines "/cgroup.subtree_control: +memory
mkdir /a
/a/cgroup.subtree_control: +memory
mkdir /a/b"
is $cg/cgroup.subtree_control memory
is $cg/a/cgroup.subtree_control memory
is $cg/a/b/cgroup.controllers memory
status 0 cgpol create a/b --controllers memory
lines "nothing to change"
[ "$(writes create a/b --controllers memory)" = 0 ] || wrong "the second call writes: $(cgpol -v create a/b --controllers memory 2>&1)"
[ "$(writes create a/new)" -gt 0 ] || wrong "writes are not seen at all"

say "a controller that the machine lacks is named, and nothing is left behind (P01)"
for lacking in rdma misc dmem hugetlb io; do
	grep -qw "$lacking" $cg/cgroup.controllers || break
done
if grep -qw "$lacking" $cg/cgroup.controllers; then
	say "this kernel lacks none"
else
	tree >before
	status 5 cgpol create x/y --controllers "memory,$lacking"
	says err "controller $lacking.*root cgroup /"
	tree | diff before - || wrong "something is left behind"
fi

say "what fails half-way is taken back"
status 0 cgpol create /deep --set cgroup.max.depth=2
tree >before
status 4 cgpol create /deep/x/y/z
says err "cgroup.max.depth of cgroup /deep"
says err "as it was before"
tree | diff before - || wrong "something is left behind"
status 4 cgpol --json create /deep/x/y/z
jq -e '.error.code > 0 and .schema == 1' out >/dev/null || wrong "no error document: $(cat out)"

say "like another"
status 0 cgpol create /model --set memory.high=32M --set memory.oom.group=1 --set pids.max=50
status 0 cgpol create /copy --like /model --set pids.max=60
is $cg/copy/memory.high 33554432
is $cg/copy/memory.oom.group 1
is $cg/copy/pids.max 60

say "handed over: the files that the kernel names, and no limit"
status 0 cgpol create /theirs --controllers memory --delegate 1000:1001
for file in . $(cat /sys/kernel/cgroup/delegate); do
	[ -e "$cg/theirs/$file" ] || continue
	[ "$(stat -c %u:%g "$cg/theirs/$file")" = 1000:1001 ] || wrong "$file belongs to $(stat -c %u:%g "$cg/theirs/$file")"
done
[ "$(stat -c %u:%g $cg/theirs/memory.max)" = 0:0 ] || wrong "memory.max was handed over"
status 0 cgpol create /theirs --delegate 1000:1001
lines "nothing to change"
status 0 cgpol create /theirs --delegate 0:0
[ "$(stat -c %u:%g $cg/theirs/cgroup.procs)" = 0:0 ] || wrong "it was not taken back"

say "threads"
status 0 cgpol create /web
status 0 cgpol create /web/t --threaded
is $cg/web/t/cgroup.type threaded
is $cg/web/cgroup.type "domain threaded"
status 0 cgpol create /web/t --threaded
lines "nothing to change"

say "processes in the way are named, and --leaf moves them (P03)"
status 0 cgpol create /busy
sleep 1000 &
sleeper=$!
echo $sleeper >$cg/busy/cgroup.procs
status 4 cgpol create /busy/child --controllers memory
says err "$sleeper"
says err "--leaf"
[ ! -e $cg/busy/child ] || wrong "the child was made"
# Forks all the time, so that who is there when it is listed is not who is there when it is moved.
(
	echo 0 >$cg/busy/cgroup.procs
	while :; do /bin/true; done
) &
forker=$!
status 0 cgpol create /busy/child --controllers memory --leaf main
is $cg/busy/cgroup.procs ""
says $cg/busy/main/cgroup.procs "^$sleeper$"
is $cg/busy/child/cgroup.controllers memory

say "and all of it is taken back, when nobody new lives there"
kill $forker
wait $forker 2>/dev/null
status 0 cgpol undo --last
[ ! -e $cg/busy/child ] || wrong "the child is there after undo"
[ ! -e $cg/busy/main ] || wrong "the leaf is there after undo"
says $cg/busy/cgroup.procs "^$sleeper$"

[ $bad = 0 ] || fail "$bad wrong"
