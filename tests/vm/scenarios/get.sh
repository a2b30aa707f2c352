# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol get on a kernel: what is asked for, what holds, and who makes the difference; and the names of what is not there.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol
[ "$(cat $cg/cpuset.mems.effective)" = 0-3 ] || skip "needs nodes 0-3 with memory"

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# row WANTED ARGUMENT...: requested, effective, by and from of one setting, with blanks between
row() {
	row_want_=$1
	shift
	row_got_=$(cgpol get --json "$@" 2>err | jq -r '.settings[0] | [.requested, .effective, .by, .from] | map(. // "null" | if . == "" then "empty" else . end) | join(" ")')
	[ "$row_got_" = "$row_want_" ] || wrong "get $*: \"$row_got_\" instead of \"$row_want_\": $(cat err)"
}
# refuses STATUS TEXT ARGUMENT...
refuses() {
	refuses_want_=$1 refuses_text_=$2
	shift 2
	cgpol get "$@" >out 2>err
	refuses_got_=$?
	[ $refuses_got_ = "$refuses_want_" ] || wrong "get $*: status $refuses_got_: $(cat err)"
	grep -qF "$refuses_text_" err || wrong "get $* says: $(cat err)"
}

cg_make /a/b memory.max=max cpuset.mems=1-2 cpuset.cpus=1-2
echo 67108864 >$cg/a/memory.max
echo 100 >$cg/a/pids.max

say "limits of an ancestor, and of the nodes"
row "max 67108864 ancestor /a" /a/b memory.max
row "max 100 ancestor /a" /a/b pids.max
row "67108864 67108864 itself null" /a memory.max
echo max >$cg/a/memory.max
total=$(cat /sys/devices/system/node/node[12]/meminfo | awk '/MemTotal/ { sum += $4 } END { printf "%d", sum * 1024 }')
row "max $total machine null" /a/b memory.max

say "lists: an ancestor, nothing asked for, offline cpus, a partition beside"
row "1-2 1-2 itself null" /a/b cpuset.mems
mkdir $cg/a/c
# 5.10 lets no cgroup have less than those below it ask for.
if echo 0-1 >$cg/a/cpuset.mems 2>/dev/null; then
	row "1-2 1 ancestor /a" /a/b cpuset.mems
fi
row "empty $(cat $cg/a/cpuset.mems.effective) ancestor /a" /a/c cpuset.mems
echo 0 >/sys/devices/system/cpu/cpu2/online
row "1-2 1 machine null" /a/b cpuset.cpus
cgpol get /a/b cpuset.cpus | grep -q "cpu 2 is offline" || wrong "the cpu is not named"
echo 1 >/sys/devices/system/cpu/cpu2/online
wait_for 5 sh -c "cgpol get --json /a/b cpuset.cpus | jq -e '.settings[0].effective == \"1-2\"' >/dev/null" ||
	wrong "the cpu does not come back"
mkdir $cg/p
echo 2-3 >$cg/p/cpuset.cpus
echo root >$cg/p/cpuset.cpus.partition
case $(cat $cg/p/cpuset.cpus.partition) in
root) row "1-2 1 sibling /p" /a/b cpuset.cpus ;;
*) say "no partition here: $(cat $cg/p/cpuset.cpus.partition)" ;;
esac
echo member >$cg/p/cpuset.cpus.partition
rmdir $cg/p

say "an OOM group, and a frozen cgroup above"
echo 1 >$cg/a/memory.oom.group
row "0 1 ancestor /a" /a/b memory.oom.group
echo 1 >$cg/a/cgroup.freeze
row "0 1 ancestor /a" /a/b cgroup.freeze
echo 0 >$cg/a/cgroup.freeze

say "without a key: what a new cgroup would not have"
mkdir $cg/new
[ -z "$(cgpol get /new)" ] || wrong "a new cgroup differs: $(cgpol get /new)"
[ "$(cgpol get -n -r -o KEY /a/b | tr '\n' ' ')" = "cpuset.cpus cpuset.mems " ] || wrong "of /a/b: $(cgpol get /a/b)"
cgpol get -a -n -r -o KEY /a/b | grep -qx memory.high || wrong "--all lacks memory.high"
[ "$(cgpol get --values /a pids.max)" = 100 ] || wrong "values: $(cgpol get --values /a pids.max)"

say "raw files, as the kernel has them; everything of --all is the file's text"
[ "$(cgpol get --values /a memory.events)" = "$(cat $cg/a/memory.events)" ] || wrong "memory.events differs"
for key in $(cgpol get -a -n -r -o KEY /a/b); do
	[ "$(cgpol get --values /a/b "$key")" = "$(cat "$cg/a/b/$key")" ] || wrong "$key differs"
done

say "what is not there is told with its cause"
refuses 1 'cgroup "/none" does not exist' /none memory.max
echo -cpuset >$cg/a/cgroup.subtree_control
refuses 5 "controller cpuset is not enabled in" /a/b cpuset.cpus
grep -q /a err || wrong "the cgroup is not named: $(cat err)"
refuses 5 "the root cgroup has no memory.max" / memory.max
refuses 2 "in v2 it is memory.max" /a memory.limit_in_bytes
refuses 5 "did you mean memory.max?" /a memory.mx
[ -e $cg/a/cpuset.cpus.exclusive ] || refuses 5 "cpuset.cpus.exclusive" /a cpuset.cpus.exclusive

say "the machine and processes"
[ "$(cgpol get --values vm.swappiness)" = "$(cat /proc/sys/vm/swappiness)" ] || wrong "vm.swappiness"
start a/b 77 numactl --membind=1 sleep 1000
sleeper=$!
wait_for 10 grep -q sleep /proc/$sleeper/comm || wrong "no sleeper"
taskset -p 2 $sleeper >/dev/null
got=$(cgpol get -J --pid $sleeper | jq -r '.settings | map(.key + "=" + .effective) | join(" ")')
[ "$got" = "oom_score_adj=77 affinity=1 mempolicy=bind:1 mems_allowed=$(sed -n 's/Mems_allowed_list:\t//p' /proc/$sleeper/status)" ] ||
	wrong "of a process: $got"
refuses 2 "oom_score_adj is a setting of processes" /a oom_score_adj
kill $sleeper
wait $sleeper 2>/dev/null
refuses 1 "process $sleeper does not exist" --pid $sleeper

say "a replay prints what was printed"
for question in "/a/b -a" "/a/b memory.max cpuset.mems" "vm.swappiness" "--pid 1"; do
	rm -rf rec
	# shellcheck disable=SC2086 # words
	cgpol --record rec get $question >live 2>live.err
	# shellcheck disable=SC2086
	cgpol --root rec get $question >replay 2>replay.err
	if ! cmp live replay || ! cmp live.err replay.err; then wrong "the replay of get $question differs"; fi
done
[ "$bad" -eq 0 ] || fail "$bad wrong"
