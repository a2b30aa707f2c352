# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Settings of the machine: set, written down and taken back, byte for byte; ratio and kbytes, of which each sets the other
# to 0, also while the mode never keeps everybody to them.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
scene "settings of the machine"
vm=/proc/sys/vm
weights=/sys/kernel/mm/mempolicy/weighted_interleave

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# equal WHAT WANTED GOT
equal() {
	if [ "$2" = "$3" ]; then echo "  $1: $2"; else bad "$1: wanted \"$2\", got \"$3\""; fi
}

# Every file that is set here, with its name.
all() { grep -H . "$vm"/overcommit_* "$vm"/swappiness "$vm"/panic_on_oom "$vm"/zone_reclaim_mode "$vm"/oom_kill_allocating_task \
	"$vm"/user_reserve_kbytes /proc/sys/kernel/numa_balancing; }
limits() { cat "$vm"/overcommit_memory "$vm"/overcommit_ratio "$vm"/overcommit_kbytes | tr '\n' ' ' | sed 's/ $//'; }

# does NAME LIMITS SETTING...: it is set, a second time nothing is to do, and undo brings all back.
does() {
	does_name=$1 does_limits=$2
	shift 2
	all >before
	cgpol set "$@" >out 2>&1 || bad "$does_name: $(cat out)"
	equal "$does_name" "$does_limits" "$(limits)"
	cgpol set --json "$@" >again || bad "$does_name again: $(cat again)"
	equal "  again nothing changes" "false 0" "$(jq -r '"\(.changed) \(.steps | length)"' again)"
	cgpol undo --last >out 2>&1 || bad "$does_name: undo: $(cat out)"
	all >after
	cmp before after || bad "$does_name: undo left $(diff before after)"
}

does "plain numbers and words" "0 50 0" vm.swappiness=10 vm.panic_on_oom=1 vm.zone_reclaim_mode=1 kernel.numa_balancing=1 \
	vm.oom_kill_allocating_task=yes vm.user_reserve_kbytes=4096
does "always" "1 50 0" vm.overcommit_memory=always
does "kbytes for ratio" "0 0 700000" vm.overcommit_kbytes=700000
does "never with a ratio" "2 400 0" vm.overcommit_memory=never vm.overcommit_ratio=400

# The limit as kbytes is what was there.
echo 900000 >$vm/overcommit_kbytes
does "ratio for kbytes" "0 80 0" vm.overcommit_ratio=80
does "never with a ratio for kbytes" "2 400 0" vm.overcommit_ratio=400 vm.overcommit_memory=2

# In the mode never: nobody's allocation may fail meanwhile. A shell that cannot fork says so.
echo 2 >$vm/overcommit_memory
(while [ ! -e stop ]; do /bin/true || echo failed; done >forks 2>&1) &
does "ratio for kbytes while never" "2 400 0" vm.overcommit_ratio=400
echo 400 >$vm/overcommit_ratio
does "kbytes for ratio while never" "2 0 900000" vm.overcommit_kbytes=900000
does "never ends" "0 0 900000" vm.overcommit_memory=heuristic vm.overcommit_kbytes=900000
touch stop
wait
equal "nobody was refused" "" "$(cat forks)"
echo 0 >$vm/overcommit_memory
echo 50 >$vm/overcommit_ratio

# ---- overcommit set goes the same way ----

all >before
mkdir -p /var/lib
cgpol overcommit set --mode always --kbytes 123456 --persist --json >told || bad "overcommit set: $(cat told)"
equal "overcommit set" "1 0 123456 true true" "$(limits) $(jq -r '"\(.changed) \(.id != null)"' told)"
equal "its file" 1 "$(grep -c '^vm.overcommit_kbytes = 123456' /etc/sysctl.d/60-cgpol.conf)"
[ -n "$(find /var/lib/cgpol -type f ! -name lock 2>/dev/null)" ] || bad "what lasts is not written down in /var/lib/cgpol"
cgpol undo --last >out 2>&1 || bad "undo: $(cat out)"
all >after
cmp before after || bad "overcommit set: undo left $(diff before after)"
[ ! -e /etc/sysctl.d/60-cgpol.conf ] || bad "undo left the file that was made"

# ---- refusals change nothing ----

all >before
cgpol set vm.swappiness=10 vm.panic_on_oom=3 >out 2>&1
equal "out of range" 2 $?
cgpol set vm.overcommit_ratio=5 vm.overcommit_kbytes=5 >out 2>&1
equal "ratio and kbytes" 2 $?
cgpol set --dry-run vm.swappiness=10 >out 2>&1
equal "a dry run" 3 $?
all >after
cmp before after || bad "a refusal changed something"

# ---- weights ----

if [ -d $weights ]; then
	automatic=$(cat $weights/auto 2>/dev/null)
	old=$(cat $weights/node0)
	cgpol set weighted_interleave.node0=5 --json >out || bad "a weight: $(cat out)"
	equal "a weight" 5 "$(cat $weights/node0)"
	# Without bandwidths of the firmware nothing makes them automatic again.
	[ "$automatic" != true ] || equal "what does not come back is told" true "$(jq -r '.steps[-1].irreversible' out)"
	cgpol undo --last >out 2>&1 || bad "undo of a weight: $(cat out)"
	equal "the weight is back" "$old" "$(cat $weights/node0)"
else
	cgpol set weighted_interleave.node0=5 >out 2>&1
	equal "no weights here" 5 $?
	grep -q 'it came with 6.9' out || bad "why: $(cat out)"
fi
[ "$broken" -eq 0 ] || fail "$broken are wrong"
