#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Tests tests/vm/run itself: statuses, panics, time limits, files in and out, nodes, swap.
#
# usage: tests/vm/selftest.sh [--kernel WHAT]
# Ends with "N passed, N failed". Status 0 when none failed.
set -euo pipefail

here=$(dirname "$(readlink -f "$0")")
run=("$here/run" --bare "$@")
work=$(mktemp -d "${TMPDIR:-/tmp}/cgpol-selftest.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
passed=0 failed=0

# guest NAME: a script for the guest, from stdin.
guest() { cat >"$1"; }

# vm STATUS ARGUMENT...: run, and keep what it prints in `log`; its status is the first check.
vm() {
	local want=$1 status=0
	shift
	"${run[@]}" "$@" >log 2>&1 || status=$?
	is "status $want of: run $*" "$status" "$want"
}

is() {
	if [ "$2" = "$3" ]; then
		passed=$((passed + 1))
		echo "ok - $1"
	else
		failed=$((failed + 1))
		echo "not ok - $1: \"$2\" instead of \"$3\""
		[ ! -s log ] || tail -n 60 log | sed 's/^/    /'
	fi
}

# says TEXT: a line of the log is exactly that. says_not: none is.
says() { is "prints: $1" "$(grep -cFx -- "$1" log || true)" 1; }
says_not() { is "does not print: $1" "$(grep -cFx -- "$1" log || true)" 0; }

guest ok.sh <<'X'
. /lib/cgpol-test/guest.sh
echo "here is $PWD with $(ls -A | wc -l) files"
echo "greeting <$GREETING> nodes <$VM_NODES>"
echo "adj $(cat /proc/self/oom_score_adj)"
cat /etc/added
helper
X
guest dirty.sh <<'X'
. /lib/cgpol-test/guest.sh
cg_make /test/deep memory.max=64M || fail "no cgroup"
start /test/deep 500 sleep 1000
wait_for 5 grep -q . $cg/test/deep/cgroup.procs || fail "no process in the cgroup"
echo "adj of the task $(cat /proc/$!/oom_score_adj)"
echo 1 >/proc/sys/vm/oom_kill_allocating_task
touch /tmp/work/left /tmp/left
printf 'no newline at the end'
exit 7
X
guest clean.sh <<'X'
. /lib/cgpol-test/guest.sh
pidof sleep && fail "a process was left"
[ -z "$(find /sys/fs/cgroup -mindepth 1 -type d)" ] || fail "a cgroup was left"
[ -z "$(cat /sys/fs/cgroup/cgroup.subtree_control)" ] || fail "a controller was left"
[ "$(cat /proc/sys/vm/oom_kill_allocating_task)" = 0 ] || fail "a knob was left"
[ -z "$(ls -A /tmp/work)" ] && [ ! -e /tmp/left ] || fail "a file was left"
wait_for 1 false && fail "wait_for did not end"
kernel_mark here
echo "words for the log" >/dev/kmsg
kernel_since here | grep -q "words for the log" || fail "the kernel log was not found"
X
guest skip.sh <<'X'
. /lib/cgpol-test/guest.sh
need sh /proc/self no-such-command
X
guest lines.sh <<'X'
seq -f "line %06g of the output" 10000 2>/dev/null || awk 'BEGIN { for (i = 1; i <= 10000; i++) printf "line %06d of the output\n", i }'
X
guest out.sh <<'X'
mkdir -p /out/folder
echo "from $1 $0" >/out/folder/$(basename $0)
head -c 300000 /dev/zero >/out/zeros
X
cp out.sh out2.sh
guest panic.sh <<'X'
echo "about to panic"
echo c >/proc/sysrq-trigger
X
guest expected.sh <<'X'
echo "vm-expect: panic"
echo c >/proc/sysrq-trigger
X
guest calm.sh <<'X'
echo "vm-expect: panic"
X
guest sleep.sh <<'X'
echo "before the sleep"
sleep 1000
X
guest nodes.sh <<'X'
cd /sys/devices/system/node
echo "memory $(cat has_memory) cpu $(cat has_cpu) online $(cat online)"
echo "node 3 has the cpus <$(cat node3/cpulist)>, node 0 <$(cat node0/cpulist)>"
echo "distance $(cat node0/distance)"
X
guest swap.sh <<'X'
awk '/^SwapTotal:/ && $2 > 60000 { print "swap is there" }' /proc/meminfo
X
guest program.c <<'X'
#include <stdio.h>
int main(void) { puts("a program of its own"); return 0; }
X
gcc -o program program.c
printf '#!/bin/sh\necho "helper was found"\n' >helper
chmod +x helper
echo "an added file" >added

# One boot: statuses, what is left behind, output, files out.
vm 7 --env "GREETING=it's \"fine\" \$HOME" --add helper --add added:/etc/added --out got \
	ok.sh dirty.sh clean.sh skip.sh lines.sh out.sh out2.sh program
says "here is /tmp/work with 0 files"
says "greeting <it's \"fine\" \$HOME> nodes <4x256M>"
says "adj -1000"
says "an added file"
says "helper was found"
says "vm: ok.sh: ok"
says "adj of the task 500"
says "no newline at the end"
says "vm: dirty.sh: failed (7)"
says "vm: clean.sh: ok"
says "vm: skip.sh: skipped (no-such-command is not in the guest)"
says "vm: lines.sh: ok"
is "all lines arrived, in order" "$(grep -c '^line ' log) $(grep '^line ' log | sort -c && echo sorted)" "10000 sorted"
is "files came back" "$(cat got/folder/out.sh got/folder/out2.sh | wc -l) $(wc -c <got/zeros)" "2 300000"
says "a program of its own"
says "vm: program: ok"

SECONDS=0
vm 77 --nodes 256M skip.sh
# Enough for a boot on this machine as it is now. It may have waited for another guest, so there is an end.
limit=$((2 * SECONDS + 4))
[ $limit -le 40 ] || limit=40
vm 125 --nodes 256M clean.sh panic.sh clean.sh --keep-log console
says "about to panic"
says "vm: panic.sh: failed (the kernel died)"
is "scripts before and after a panic run" "$(grep -cFx "vm: clean.sh: ok" log)" 2
is "the panic is in the kept log" "$(grep -c 'sysrq triggered crash' console || true)" 1
vm 1 --nodes 256M expected.sh calm.sh clean.sh
says "vm: expected.sh: ok"
says "vm: calm.sh: failed (no panic, status 0)"
says "vm: clean.sh: ok"
vm 124 --nodes 256M --timeout $limit nodes.sh sleep.sh clean.sh
says "before the sleep"
says "vm: sleep.sh: failed (time was over after $limit s)"
says "vm: clean.sh: failed (not run)"
vm 126 --nodes 256M --append rdinit=/nothing ok.sh
says "vm: ok.sh: failed (no guest started)"
is "a guest that does not start is booted three times" "$(grep -c 'died before a script started' log)" 3
dist=
for pair in 0,dst=1,val=30 0,dst=2,val=20 0,dst=3,val=20 1,dst=2,val=20 1,dst=3,val=20 2,dst=3,val=20; do
	dist+=" -numa dist,src=$pair"
done
vm 126 --nodes 256M --qemu --no-such-qemu-option nodes.sh
is "bad options of QEMU's are no reason to try again" "$(grep -c 'died before' log || true)" 0
vm 0 --nodes 256M,256M/2,0,128M/0 --swap 64M --qemu "$dist" nodes.sh swap.sh
says "memory 0-1,3 cpu 0-2 online 0-3"
says "node 3 has the cpus <>, node 0 <0>"
says "distance 10 30 20 20"
says "swap is there"

# No guest needed.
vm 2 --nodes 256M,0/0 ok.sh
vm 2 --nodes 12Q ok.sh
vm 2 --no-such-option ok.sh
vm 2 no-such-script
vm 77 --kernel 99.99 ok.sh

# Killed, hard or not, it takes its QEMU along, and the next one gets its turn. Others may be using guests as well.
cache=${CGPOL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/cgpol}
for signal in KILL TERM; do
	rm -f log # or the words of the last one are taken for those of this one
	"${run[@]}" --nodes 256M sleep.sh >log 2>&1 &
	pid=$!
	for ((i = 0; i < 1200; i++)); do
		grep -qs '^before the sleep' log && break
		sleep 0.1
	done
	qemu=$(awk -v parent=$pid '$2 == "(qemu-system-x86)" && $4 == parent { print $1 }' < <(cat /proc/[0-9]*/stat 2>/dev/null) || true)
	kill -$signal $pid
	wait $pid 2>/dev/null || true
	for ((i = 0; i < 50; i++)); do
		[ -e "/proc/${qemu:-none}" ] || break
		sleep 0.1
	done
	is "QEMU is gone after SIG$signal" "${qemu:+found} $([ ! -e "/proc/${qemu:-self}" ] || echo alive)" "found "
done
is "no files are left after SIGTERM" "$(flock "$cache/guest.lock" ls -d "$cache/guest" 2>/dev/null)" ""
"${run[@]}" --nodes 256M clean.sh >other 2>&1 &
pid=$!
vm 0 --nodes 256M clean.sh
wait $pid && status=0 || status=$?
is "two at once" "$status $(grep -cFx 'vm: clean.sh: ok' other)" "0 1"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
