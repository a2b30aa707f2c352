# shellcheck shell=sh disable=SC2154,SC2086 # guest.sh sets cg; words
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the guards of cgpol set and create hold back, and what the kernel really does when they are forced.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol load jq
bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\", not \"$2\""; }
holds() { same "$1 of $2" "$3" "$(cat "$cg$2/$1")"; }
alive() { [ -e "/proc/$1/exe" ] && ! grep -q '^State:.[ZX]' "/proc/$1/status"; }
# refused PATTERN ARGUMENT...: exit 4, and this on standard error
refused() {
	want=$1
	shift
	cgpol "$@" >out 2>err
	same "status of $* ($(cat err))" 4 $?
	grep -qE -e "$want" err || wrong "$*: no \"$want\": $(cat err)"
}
done_ok() {
	cgpol "$@" >out 2>err
	same "status of $* ($(cat err))" 0 $?
}
version_at_least() { [ "$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]; }
# hold NAME CGROUP STEP...: a process that has done these steps
hold() {
	hold_name=$1 hold_cg=$2
	shift 2
	start "$hold_cg" 500 load "$@" "ready=$PWD/$hold_name"
	eval "$hold_name=$!"
	wait_for 60 "$PWD/$hold_name" || wrong "$hold_name did not start"
}
kills() { sed -n 's/^oom_kill //p' "$cg$1/memory.events"; }

say "P40: 200 MiB of anonymous memory, no swap: refused, and nothing was touched"
awk 'NR > 1 { print $1 }' /proc/swaps | xargs -r -n 1 swapoff
cg_make /anon memory.high=300M
hold a /anon anon=200M
for how in --dry-run ''; do
	refused 'cannot set memory\.max of cgroup /anon to "104857600": 20[0-9](\.[0-9])?M are in use, and 20.* cannot be reclaimed \(anonymous memory, and it has no swap left\): the kernel would kill' \
		set $how /anon memory.max=100M
	holds memory.max /anon max
	holds memory.high /anon 314572800
	alive $a || wrong "it was killed"
	same "kills" 0 "$(kills /anon)"
done
cgpol set --json /anon memory.max=100M >json 2>/dev/null
jq -e '.error.code == 4 and .error.errno == "EBUSY" and .error.file == "memory.max" and .error.value == "104857600" and
	(.error.hint | test("--force"))' json >/dev/null || wrong "JSON: $(cat json)"

say "P41: memory.high below it can only stall"
refused 'cannot set memory\.high of cgroup /anon to "104857600": .* would stall without end' set /anon memory.high=100M
grep -q 'memory.max close above' err || wrong "no way round: $(cat err)"
holds memory.high /anon 314572800

say "forced, the kernel kills"
cgpol set --force /anon memory.max=100M >out 2>err
grep -q 'would kill' err || wrong "forced, and not told: $(cat err)"
wait_for 20 sh -c "! [ -e /proc/$a/exe ]" || wrong "it lives"
[ "$(kills /anon)" -ge 1 ] || wrong "no kill is counted"

say "page cache instead: succeeds, nobody is killed, and no more is taken than is too much"
# Files of the guest's root are shared memory: page cache needs a file system on a device.
if [ -e /sys/class/zram-control/hot_add ]; then
	disk=zram$(cat /sys/class/zram-control/hot_add)
	echo 180M >/sys/block/$disk/disksize
	mkdir disk
	{ mke2fs -b 4096 /dev/$disk >/dev/null 2>&1 && mount -t ext2 /dev/$disk disk; } || wrong "no file system on $disk"
	cg_make /cache
	hold c /cache anon=10M
	(
		echo 0 >$cg/cache/cgroup.procs
		dd if=/dev/zero of=disk/file bs=1M count=150 2>/dev/null
		sync
	)
	before=$(cat $cg/cache/memory.current)
	[ "$before" -gt 140000000 ] || wrong "only $before bytes of cache"
	# How much more the kernel takes is its own affair (Documentation/admin-guide/cgroup-v2.rst, memory.reclaim: it
	# "can over or under reclaim"): what it is asked for is what is too much.
	cgpol set --dry-run --json /cache memory.max=100M >json 2>/dev/null
	asked=$(jq '.steps[] | select(.op == "reclaim") | .new | tonumber' json)
	[ -z "$asked" ] || [ $((asked + 104857600 - before)) -lt 4194304 ] ||
		wrong "asks for $asked bytes, with $before in use"
	[ -n "$asked" ] || [ ! -e $cg/cache/memory.reclaim ] || wrong "does not ask memory.reclaim"
	done_ok set /cache memory.max=100M
	grep -q 'are in use: reclaimed first, so that nobody is killed' err || wrong "not told: $(cat err)"
	holds memory.max /cache 104857600
	holds memory.high /cache max
	after=$(cat $cg/cache/memory.current)
	echo "  $before bytes before, $after after"
	[ "$after" -le 104857600 ] || wrong "$after are left"
	alive $c || wrong "the process of /cache was killed"
	same "kills" 0 "$(kills /cache)"
	umount disk
	echo 1 >/sys/block/$disk/reset
	echo "${disk#zram}" >/sys/class/zram-control/hot_remove
else
	echo "  no zram here (--swap): page cache is not tried"
fi

say "cpuset.mems away from memory"
cg_make /mems cpuset.mems=0-1
hold m /mems anon=40M@0
if version_at_least 5.16; then
	refused 'cannot set cpuset\.mems of cgroup /mems to "1": up to 4[0-9](\.[0-9])?M of its memory lie on node 0, and would be migrated' \
		set /mems cpuset.mems=1
	holds cpuset.mems /mems 0-1
	cgpol set --force /mems cpuset.mems=1 >out 2>err
	same "status, forced" 0 $?
	wait_for 20 sh -c "grep -q '^anon N0=0 ' $cg/mems/memory.numa_stat" || wrong "nothing migrated: $(head -n 1 $cg/mems/memory.numa_stat)"
else
	done_ok set /mems cpuset.mems=1
	grep -q 'kernels before 5.16 migrate nothing' err || wrong "not told: $(cat err)"
	grep -q '^anon N0=4[0-9]*' $cg/mems/memory.numa_stat || wrong "it migrated: $(head -n 1 $cg/mems/memory.numa_stat)"
fi
holds cpuset.mems /mems 1

say "a list is not emptied under processes"
if version_at_least 6.19; then
	done_ok set /mems cpuset.mems=
	holds cpuset.mems /mems ""
else
	refused 'cannot set cpuset\.mems of cgroup /mems to "": it has processes' set /mems cpuset.mems=
	refused 'processes in it would be left without nodes; cpuset\.mems\.effective: / 0-3, /mems 1' set --force /mems cpuset.mems=
	holds cpuset.mems /mems 1
fi

say "fewer pids than there are: a warning"
done_ok set /mems pids.max=0
grep -q 'pids.max of cgroup /mems to "0": it has 1 processes and threads' err || wrong "no warning: $(cat err)"
alive $m || wrong "it was killed"

say "threads: what changes for good is refused"
mkdir $cg/thr $cg/thr/busy $cg/thr/idle
start /thr/busy 0 sleep 1000
wait_for 10 grep -q 'populated 1' $cg/thr/busy/cgroup.events
refused 'cannot make cgroup /thr/new threaded: cgroup /thr above it turns "domain threaded", and its other children "domain invalid", for good: /thr/busy' \
	create /thr/new --threaded
[ ! -d $cg/thr/new ] || wrong "/thr/new is left"
holds cgroup.type /thr domain
holds cgroup.type /thr/idle domain
refused 'cannot make cgroup /thr/new threaded: cgroup /thr/busy beside it has processes|cannot set .*cgroup /thr/new' create --force /thr/new --threaded
[ ! -d $cg/thr/new ] || wrong "/thr/new is left after --force"
mkdir $cg/lone
done_ok create /lone/first --threaded
holds cgroup.type /lone "domain threaded"
holds cgroup.type /lone/first threaded

say "a partition tells who loses cpus"
taskset 4 sleep 1000 &
pinned=$!
usleep 200000
cgpol set --dry-run /mems/part cpuset.cpus=2-3 cpuset.cpus.partition=root >out 2>err ||:
mkdir $cg/part
cgpol set /part cpuset.cpus=2-3 cpuset.cpus.partition=root >out 2>err
status=$?
grep -qE "cpuset.cpus.partition of cgroup /part to \"root\": [0-9]+ threads? outside may run on its cpus only.*$pinned \(sleep\)" err ||
	wrong "nobody is told: status $status: $(cat err)"

[ $bad -eq 0 ] || fail "$bad checks"
