# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol overcommit against the kernel: the limit in every mode, set and its refusals, who commits what, and how exact
# the mode never is.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
with_swap=${VM_SWAP:+1}
[ -z "$with_swap" ] || need_swap
scene "overcommit: limit, settings, ranks"
vm=/proc/sys/vm
conf=/etc/sysctl.d/60-cgpol.conf
mkdir -p /var/lib

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# equal WHAT WANTED GOT
equal() {
	if [ "$2" = "$3" ]; then echo "  $1: $2"; else bad "$1: wanted \"$2\", got \"$3\""; fi
}

# near WHAT A B MOST: two numbers that differ by at most so much
near() {
	near_=$(($2 - $3))
	[ $near_ -ge 0 ] || near_=$((-near_))
	if [ $near_ -le "$4" ]; then echo "  $1: $2 and $3, $near_ apart"; else bad "$1: $2 and $3, $near_ apart, more than $4"; fi
}

# kib KEY: of meminfo
kib() { sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo; }

# settings: "MODE RATIO KBYTES"
settings() {
	set_all=$(cat $vm/overcommit_memory $vm/overcommit_ratio $vm/overcommit_kbytes | tr '\n' ' ')
	set_all=${set_all% }
}

# ask FILE ARGUMENT...: sets $status
ask() {
	ask_=$1
	shift
	cgpol overcommit "$@" >"$ask_" 2>"$ask_.err"
	status=$?
}

# ---- show equals meminfo ----

agree() {
	ask show show --json
	equal "$1: the limit in KiB" "$(kib CommitLimit)" "$(jq .limit/1024 show)"
	equal "$1: mode and warnings" "$(cat $vm/overcommit_memory) 0" "$(jq -r '"\(.mode_number) \(.warnings | length)"' show)"
	near "$1: committed in KiB" "$(kib Committed_AS)" "$(jq .committed/1024 show)" 4096
}

for mode in 0 1 2; do
	echo $mode >$vm/overcommit_memory
	for ratio in 50 93 250; do
		echo $ratio >$vm/overcommit_ratio
		agree "mode $mode, ratio $ratio"
	done
	echo 876543 >$vm/overcommit_kbytes
	agree "mode $mode, kbytes 876543"
	echo 80 >$vm/overcommit_ratio
	echo 9 >$vm/nr_hugepages
	agree "mode $mode, $(cat $vm/nr_hugepages) huge pages"
	equal "huge pages in bytes" $(($(cat $vm/nr_hugepages) * 2097152)) "$(jq .hugetlb show)"
	echo 0 >$vm/nr_hugepages
	if [ -n "$with_swap" ]; then
		swapoff /dev/zram0
		agree "mode $mode, without swap"
		swapon /dev/zram0
		ask show show --json
		equal "swap in KiB" "$(kib SwapTotal)" "$(jq .swap/1024 show)"
	fi
done
echo 0 >$vm/overcommit_memory
echo 50 >$vm/overcommit_ratio

# ---- set ----

# More than all swap.
launch filler / 0 anon=96M
settings
was=$set_all
ask refused set --mode never --kbytes 4
settings
equal "never is refused when too much is committed" "4 $was" "$status $set_all"
grep -q 'refused: .* KiB too much' refused.err || bad "the refusal says: $(cat refused.err)"
ask tried --dry-run set --mode never --ratio 90
settings
equal "a dry run changes nothing" "3 $was" "$status $set_all"

# writes FILE: the sysctls that -v saw written
writes() { sed -n 's/.*write.*overcommit_\([a-z]*\).*/\1/p' "$1" | tr '\n' ' ' | sed 's/ $//'; }

ask never -v set --mode never --ratio 90
settings
equal "never with a ratio" "0 2 90 0" "$status $set_all"
equal "the limit was in force first" "ratio memory" "$(writes never.err)"
agree "after set"
ask never -v set --mode 2 --ratio 90
equal "set again writes nothing" "0 " "$status $(writes never.err)"
ask left -v set --mode heuristic --kbytes 123456
settings
equal "leaving never with a low limit" "0 0 0 123456" "$status $set_all"
# The ratio, which the kernel sets to 0 by itself, is a step of its own, so that undo knows what it was.
equal "the mode was left first" "memory ratio kbytes" "$(writes left.err)"

# From here to the next write every fork may fail: no process is started.
# And no file is written: pages of tmpfs are committed too. The shell's read gets one digit of such a file.
cgpol overcommit set --mode never --kbytes 4 --force
status=$?
read -r mode <$vm/overcommit_memory
read -r ratio <$vm/overcommit_ratio
read -r kbytes <$vm/overcommit_kbytes
echo 0 >$vm/overcommit_memory
equal "forced" "0 2 0 4" "$status $mode $ratio $kbytes"

ask kept set --mode always --ratio 77 --persist
settings
equal "persist sets too" "0 1 77 0" "$status $set_all"
equal "the file" "vm.overcommit_memory = 1 vm.overcommit_ratio = 77" "$(grep -v '^#' $conf | tr '\n' ' ' | sed 's/ $//')"
echo 0 >$vm/overcommit_memory
echo 50 >$vm/overcommit_ratio
sysctl -p $conf >/dev/null || bad "sysctl does not take the file"
settings
equal "sysctl takes the file" "1 77 0" "$set_all"
ask kept set --mode never --kbytes 900000 --persist
equal "the file is replaced" "vm.overcommit_kbytes = 900000 vm.overcommit_memory = 2" \
	"$(grep -v '^#' $conf | tr '\n' ' ' | sed 's/ $//')"
echo '# mine' >>$conf
ask kept set --mode heuristic --persist
settings
equal "a file with lines of others is kept" "4 2 0 900000" "$status $set_all"
rm $conf
quiet
ask reset set --mode heuristic --ratio 50
# A read-only /etc.
mount -t tmpfs -o ro none /etc/sysctl.d
ask sealed set --mode always --ratio 60 --persist
settings
equal "what cannot be kept is not set" "1 0 50 0" "$status $set_all"
grep -q 'the file system is mounted read-only; all is as it was before' sealed.err || bad "read-only: $(cat sealed.err)"
umount /etc/sysctl.d
# The kernel's largest number.
echo 18446744073709551615 >$vm/overcommit_kbytes
ask large --dry-run set --kbytes 900000
equal "a limit beyond all memory" "vm.overcommit_kbytes: 18446744073709551615 -> 900000" "$(sed -n 1p large)"
# Two at once: the mode never only with the limit that it was weighed with.
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	echo 0 >$vm/overcommit_memory
	echo 50 >$vm/overcommit_ratio
	cgpol overcommit set --mode never --ratio 90 >/dev/null 2>&1 &
	ask other set --mode always --kbytes 800000
	wait $!
	settings
	case $set_all in
	"2 90 0" | [01]" "*) ;;
	*) bad "two at once leave $set_all" ;;
	esac
done
ask reset set --mode heuristic --ratio 50
# A read-only /proc/sys, as in a container.
mount -t proc -o ro proc /mnt && mount --bind /mnt/sys /proc/sys && mount -o remount,bind,ro /proc/sys
ask sealed set --mode always
settings
equal "where /proc/sys is read-only" "1 0 50 0" "$status $set_all"
grep -q '/proc/sys is mounted read-only' sealed.err || bad "read-only: $(cat sealed.err)"
umount /proc/sys
umount /mnt

# ---- top ----

cg_make /job/x
cg_make /job/y
launch base / 0 ready
launch a /job/y 0 anon=64M ready
launch b /job/x 0 shm=32M ready:b fork ready:b2
launch huge /job/x 0 tables=64K
# of NAME KEY: a figure of its row
of() { jq "(.processes[] | select(.pid == $(pid_of "$1"))).$2" top; }
ask top top --top 0 --json
equal "it can read all" "true 0" "$(jq -r '"\(.complete) \(.estimated)"' top)"
equal "64 MiB of private memory" $((64 << 20)) $(($(of a private) - $(of base private)))
equal "32 MiB shared, in each of two" "$((32 << 20)) $((32 << 20))" "$(of b shared) $(of b2 shared)"
near "memory without a promise counts nothing" "$(of huge private)" "$(of base private)" 4096
equal "the cgroup" '"/job/y"' "$(of a cgroup)"
equal "of the sum of a cgroup a shared object is once" \
	$(($(of b private) + $(of b2 private) + $(of huge private) + (32 << 20))) \
	"$(jq '(.cgroups[] | select(.cgroup == "/job/x")).commit' top)"
equal "a's VmData and stack are an upper bound of its estimate" true \
	"$(jq -n "$(of a private) <= $(sed -n 's/^Vm\(Data\|Stk\):[^0-9]*\([0-9]*\).*/\2/p' "/proc/$pid_a/status" | awk '{ s += $1 } END { print (s + 1024) * 1024 }')")"
# What is not of the processes: pages of tmpfs (here the root file system), and the reader.
near "the sum, pages of tmpfs and Committed_AS, in KiB" "$(jq '.other / 1024 | floor' top)" \
	$(($(kib Shmem) - 32768)) 3072
echo 2 >$vm/overcommit_memory
echo 200 >$vm/overcommit_ratio
launch all /job/x 0 tables=64K
ask top top --top 0 --json
equal "in the mode never nothing is without a promise" $((32 << 20)) $(($(of all private) - $(of base private)))
cgpol overcommit
cgpol overcommit top --top 5
cgpol overcommit top --cgroups --top 3
quiet

# ---- how exact the mode never is ----

echo $(($(kib Committed_AS) + 98304 - $(kib SwapTotal))) >$vm/overcommit_kbytes
ask show show --json
slack=$((4 << 20)) # the shell's and load's own
headroom=$(jq .headroom show) error=$(jq .counter.error show)
echo "  headroom $headroom, error $error"
[ "$error" -lt $((16 << 20)) ] || bad "an error bound of $error in the mode never"
load anon=$(((headroom + error + slack) / 1024))K 2>over &
wait_for 20 grep -q 'Cannot allocate' over || bad "more than headroom and error was allowed"
kill $! 2>/dev/null
# Each process must leave 1/32 of its size.
launch fits / 0 "anon=$(((headroom - error - slack - headroom / 32) / 1024))K"
echo "  headroom less error is allowed"
quiet
echo 0 >$vm/overcommit_memory
finish
