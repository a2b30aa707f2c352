# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol partition on a kernel: valid ones, those that the kernel calls invalid, which are taken back, and remote ones.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol
[ "$(cat $cg/cpuset.cpus.effective)" = 0-3 ] || skip "needs cpus 0-3"

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
status() {
	wanted=$1
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || wrong "$*: status $got, not $wanted: $(cat out err)"
}
says() { grep -q -e "$1" err || wrong "it does not say \"$1\": $(cat err)"; }
is() { [ "$(cat "$1")" = "$2" ] || wrong "$1 is \"$(cat "$1")\", not \"$2\""; }
snapshot() { for file in $(find $cg -name 'cpuset.*' -o -name cgroup.subtree_control | sort); do echo "$file $(cat "$file")"; done; }
before() { snapshot >before; }
same() { snapshot >after; diff before after >difference || { wrong "$*: not as before"; head -n 10 difference; }; }

cg_make /a/b
cg_make /c
cg_make /p

say "a root partition, and back"
before
status 0 cgpol partition /p root --cpus 2-3
is $cg/p/cpuset.cpus.partition root
is $cg/p/cpuset.cpus.effective 2-3
is $cg/cpuset.cpus.effective 0-1
status 0 cgpol partition /p
grep -q "root *valid *2-3" out || wrong "it is shown as: $(cat out)"
status 0 cgpol partition /p root --cpus 2-3
grep -q "nothing to change" out || wrong "a second time: $(cat out)"
status 0 cgpol undo --last
same "undo"
status 0 cgpol partition /p root --cpus 2-3
status 0 cgpol partition /p member
is $cg/p/cpuset.cpus.partition member
is $cg/cpuset.cpus.effective 0-3
status 0 cgpol undo --last
status 0 cgpol undo --last
same "undo of both"

say "isolated, where the kernel has it"
echo 3 >$cg/c/cpuset.cpus
if echo isolated >$cg/c/cpuset.cpus.partition 2>/dev/null; then
	echo member >$cg/c/cpuset.cpus.partition
	echo >$cg/c/cpuset.cpus
	status 0 cgpol partition /c isolated --cpus 3
	is $cg/c/cpuset.cpus.partition isolated
	status 0 cgpol undo --last
else
	echo >$cg/c/cpuset.cpus
	before
	status 5 cgpol partition /c isolated --cpus 3
	says "no isolated partitions"
	[ "$(cgpol partition /c isolated --cpus 3 --json 2>/dev/null | jq .error.code)" = 5 ] || wrong "json"
fi
same "isolated and undo"

say "what the kernel calls invalid is told and taken back"
before
status 4 cgpol partition /a/b root --cpus 3
# 5.10 refuses with an errno, and has no words for it.
case $(uname -r) in
5.*) ;;
*)
	# 7.3: "Invalid cpu list in cpuset.cpus.exclusive", since nothing on the way keeps the cpus.
	says "is not a partition root\|is an invalid partition root\|Invalid cpu list in cpuset.cpus.exclusive"
	says "--exclusive"
	;;
esac
same "below no partition"
[ "$(cgpol partition /a/b root --cpus 3 --json 2>/dev/null | jq .error.code)" = 4 ] || wrong "json of it"
status 0 cgpol partition /c root --cpus 3
before
status 4 cgpol partition /a root --cpus 2-3
same "cpus that a sibling has"
status 4 cgpol partition /a root --cpus 0-2
same "all that is left, with processes above"
status 0 cgpol partition /c member --cpus ''

say "one that becomes invalid later is seen"
echo 3 >$cg/c/cpuset.cpus
echo root >$cg/c/cpuset.cpus.partition
echo 0 >/sys/devices/system/cpu/cpu3/online
sleep 1
case $(cat $cg/c/cpuset.cpus.partition) in
*invalid*)
	status 4 cgpol partition /c
	grep -q invalid out || wrong "it is shown as: $(cat out)"
	;;
*) say "still $(cat $cg/c/cpuset.cpus.partition)" ;;
esac
echo 1 >/sys/devices/system/cpu/cpu3/online
echo member >$cg/c/cpuset.cpus.partition
echo >$cg/c/cpuset.cpus

say "wrong questions"
status 1 cgpol partition /none root
says "does not exist"
status 1 cgpol partition /none
status 2 cgpol partition /a exclusive
status 2 cgpol partition /a root --cpus 3-0
status 3 cgpol partition /a root --cpus 3 --dry-run
grep -q "cpuset.cpus.partition" out || wrong "the dry run says: $(cat out)"

say "remote ones, by cpuset.cpus.exclusive on the way"
before
if [ -e $cg/a/b/cpuset.cpus.exclusive ]; then
	status 0 cgpol partition /a/b isolated --exclusive 3
	is $cg/a/b/cpuset.cpus.partition isolated
	is $cg/a/cpuset.cpus.exclusive 3
	is $cg/a/cpuset.cpus.partition member
	is $cg/a/b/cpuset.cpus.effective 3
	is $cg/cpuset.cpus.effective 0-2
	[ "$(cgpol get -J /a cpuset.cpus | jq -r '.settings[0].effective')" = 0-2 ] || wrong "of the one above it: $(cgpol get /a cpuset.cpus)"
	status 0 cgpol undo --last
else
	status 5 cgpol partition /a/b root --exclusive 3
	says "cpuset.cpus.exclusive"
fi
same "a remote one and undo"
[ "$bad" -eq 0 ] || fail "$bad wrong"
