#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol overcommit: show, what set would do and refuses, top. Nothing of this machine is changed.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

# vm DIR [NAME VALUE]...: gives a capture the settings it lacks
vm() {
	local dir=$1/proc/sys/vm
	shift
	mkdir -p "$dir"
	[[ -e $dir/overcommit_memory ]] || echo 0 >"$dir/overcommit_memory"
	[[ -e $dir/overcommit_ratio ]] || echo 50 >"$dir/overcommit_ratio"
	[[ -e $dir/overcommit_kbytes ]] || echo 0 >"$dir/overcommit_kbytes"
	while (($# > 1)); do
		echo "$2" >"$dir/$1"
		shift 2
	done
}

# field FILE KEY: of a meminfo, in KiB
field() { awk -v key="$2:" '$1 == key { print $2 }' "$1"; }

# json EXPRESSION: of the last run's document, as `d`
json() {
	python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
print(eval(sys.argv[2]))' "$scratch/out" "$1"
}

# holds EXPRESSION: true of the last run's document
holds() { [[ $(json "bool($1)") == True ]]; }

# ---- show ----

count=0
for meminfo in "$top"/tests/roots/{captures/*,guests/*/*}/proc/meminfo; do
	capture=${meminfo%/proc/meminfo}
	limit=$(field "$meminfo" CommitLimit)
	[[ -n $limit ]] || continue
	rm -rf "$scratch/capture"
	cp -r "$capture" "$scratch/capture"
	vm "$scratch/capture"
	run --root "$scratch/capture" overcommit show --json
	if [[ $code -ne 0 ]] || ! holds "d['limit'] == d['commit_limit'] == $limit * 1024 and not d['warnings']"; then
		not_ok "the limit of ${capture#"$top"/}" "$err $(json "d['limit'], d['commit_limit'], d['warnings']")"
	else
		((++count))
	fi
done
check 'the limit is that of the kernel in every capture' test "$count" -ge 10

c=$scratch/capture
cp -r "$top/tests/roots/captures/6.1/." "$c"
vm "$c"
expect 'a capture tells its mode, limit and parts' 0 \
	$'^mode +heuristic \(0\): .*\nlimit +614.8M, base and swap; not enforced.*\nbase +486.8M: ratio 50% of 973.5M RAM less 0B huge pages\nswap +128M\n' \
	'' --root "$c" overcommit show
expect 'show is what it does without a word' 0 '^mode +heuristic' '' --root "$c" overcommit
expect 'bytes are not rounded' 0 $'\nlimit +644624384,' '' --root "$c" overcommit show -b
vm "$c" overcommit_memory 2
sed -i 's/^CommitLimit:.*/CommitLimit: 1 kB/' "$c/proc/meminfo"
expect 'a limit that the kernel does not tell is remarked' 0 '^mode +never \(2\)' \
	'tells a CommitLimit of 1 KiB, and its parts make 629516 KiB' --root "$c" overcommit
run --root "$c" overcommit --json
valid 'show with a warning as JSON' overcommit
check 'it has the warning' holds "len(d['warnings']) == 1 and d['enforced'] and d['counter']['batch_pages'] < 1000"
vm "$c" overcommit_memory 7
expect 'a mode of a later kernel' 0 '^mode +unknown \(7\)' '*' --root "$c" overcommit
rm "$c/proc/sys/vm/overcommit_ratio"
expect 'a file that is missing is named' 1 '' 'cannot read /proc/sys/vm/overcommit_ratio' --root "$c" overcommit
run --root "$c" overcommit --json
valid 'a failure as JSON' error

if [[ -r /proc/sys/vm/overcommit_memory ]] && grep -q '^CommitLimit' /proc/meminfo; then
	run overcommit show --json
	valid 'show of this machine as JSON' overcommit
	check 'the limit of this machine is that of /proc/meminfo' \
		holds "d['limit'] == $(field /proc/meminfo CommitLimit) * 1024"
	check 'and its mode' holds "d['mode_number'] == $(</proc/sys/vm/overcommit_memory)"
	run overcommit top --json
	valid 'top of this machine as JSON' overcommit
	check 'this machine commits something' test "$code" -eq 0
	"$cgpol" --record "$scratch/recording" overcommit top >"$scratch/live" 2>"$scratch/live.err"
	"$cgpol" --root "$scratch/recording" overcommit top >"$scratch/replay" 2>"$scratch/replay.err"
	check 'a replay of top prints the same' cmp "$scratch/live" "$scratch/replay"
	check 'and remarks the same' cmp "$scratch/live.err" "$scratch/replay.err"
	if [[ $EUID -eq 0 ]] && command -v runuser >/dev/null; then
		chmod 755 "$scratch"
		cp "$cgpol"* "$scratch/" 2>/dev/null
		runuser -u nobody -- "$scratch/${cgpol##*/}" overcommit top --json >"$scratch/out" 2>"$scratch/err"
		check 'top without rights ends well' test $? -eq 0
		valid 'its document' overcommit
		check 'it is not complete, and what may not be read is an estimate' \
			holds "not d['complete'] and d['unreadable'] > 0 and d['estimated'] > 0"
		install -d -o nobody -m 700 "$scratch/state"
		runuser -u nobody -- "$scratch/${cgpol##*/}" --state "$scratch/state" overcommit set --mode always --ratio 51 >"$scratch/out" 2>"$scratch/err"
		check 'set without rights fails' test $? -eq 1
		check 'and says why' grep -q 'cannot set .*overcommit_.*: permission denied: it belongs to uid 0' "$scratch/err"
	else
		skip 'top without rights ends well' 'needs root to become nobody'
	fi
else
	skip 'show of this machine as JSON' 'no overcommit policy here'
fi

# ---- set ----

rm -rf "$c"
cp -r "$top/tests/roots/captures/6.1/." "$c"
vm "$c"
expect 'a dry run tells the steps, the limit first' 3 \
	$'^vm.overcommit_ratio: 50 -> 80\nvm.overcommit_memory: 0 -> 2\nmode never \(2\), limit 906.8M' '' \
	--root "$c" --dry-run overcommit set --mode never --ratio 80
expect 'a mode by its number' 3 $'^vm.overcommit_memory: 0 -> 1\n' '' --root "$c" --dry-run overcommit set --mode 1
expect 'what is there already is no step' 0 '^nothing to change' '' --root "$c" --dry-run overcommit set --mode 0 --ratio 50
expect 'and then a capture is no obstacle' 0 '^nothing to change' '' --root "$c" overcommit set --mode 0
expect 'a capture is not changed' 4 '' 'a capture of another machine cannot be changed' --root "$c" overcommit set --mode 1
expect 'never is refused when too much is committed' 4 '' \
	$'^cgpol: refused: 176932 KiB are committed, and mode never would allow 131072 KiB: with 45860 KiB too much.*--kbytes [0-9]+; .*--force' \
	--root "$c" --dry-run overcommit set --mode never --kbytes 4
run --root "$c" --json --dry-run overcommit set --mode never --kbytes 4
valid 'the refusal as JSON' error
expect 'unless it is forced' 3 $'^vm.overcommit_kbytes: 0 -> 4\nvm.overcommit_memory: 0 -> 2\n' \
	'more are committed than the limit allows' --root "$c" --dry-run overcommit set --mode never --kbytes 4 --force
run --root "$c" --json --dry-run overcommit set --mode never --ratio 60 --persist
check 'a dry run as JSON has its exit code' test "$code" -eq 3
valid 'a dry run as JSON' overcommit
check 'it has the steps in order' holds \
	"[s['target'] for s in d['steps']] == ['vm.overcommit_ratio', 'vm.overcommit_memory', 'sysctl.d'] and not d['changed']"
check 'and the limit before and after' holds \
	"d['before']['limit'] == 629516 * 1024 and d['after']['limit'] == (996900 // 4 * 60 // 100 * 4 + 131068) * 1024"
echo 0 >"$c/proc/sys/vm/overcommit_ratio"
echo 18446744073709551615 >"$c/proc/sys/vm/overcommit_kbytes"
expect 'the old value is told as it is' 3 '^vm.overcommit_kbytes: 18446744073709551615 -> 5000000' '' \
	--root "$c" --dry-run overcommit set --kbytes 5000000
echo 50 >"$c/proc/sys/vm/overcommit_ratio"
echo 0 >"$c/proc/sys/vm/overcommit_kbytes"
mkdir -p "$c/etc/sysctl.d"
echo 'vm.overcommit_memory = 1' >"$c/etc/sysctl.d/60-cgpol.conf"
expect 'a file of others is not replaced' 4 '' '60-cgpol.conf holds lines that cgpol did not write' \
	--root "$c" --dry-run overcommit set --mode 1 --persist
printf '# Written by "cgpol overcommit set --persist", which replaces the whole file.\nvm.overcommit_memory = 0\0x\n' \
	>"$c/etc/sysctl.d/60-cgpol.conf"
expect 'nor one that goes on behind a zero byte' 4 '' 'holds lines that cgpol did not write' \
	--root "$c" --dry-run overcommit set --mode 1 --persist
: >"$c/etc/sysctl.d/60-cgpol.conf"
expect 'nor an empty one' 4 '' '60-cgpol.conf is empty' --root "$c" --dry-run overcommit set --mode 1 --persist
rm "$c/etc/sysctl.d/60-cgpol.conf"
mkfifo "$c/etc/sysctl.d/60-cgpol.conf"
expect 'nor what is no file' 4 '' '60-cgpol.conf is no regular file' \
	--root "$c" --dry-run overcommit set --mode 1 --persist
rm "$c/etc/sysctl.d/60-cgpol.conf"
echo 'vm.overcommit_memory=0' >"$c/etc/sysctl.conf"
expect 'a file that is read later is remarked' 3 '60-cgpol.conf: to be made' '/etc/sysctl.conf sets one of the keys too' \
	--root "$c" --dry-run overcommit set --mode 1 --persist

expect 'nothing to set' 2 '' 'nothing to set' --root "$c" overcommit set
expect 'ratio and kbytes' 2 '' 'exclude each other' --root "$c" overcommit set --ratio 5 --kbytes 5
expect 'kbytes of 0' 2 '' 'leave only swap' --root "$c" overcommit set --kbytes 0
expect 'a negative ratio' 2 '' 'percentage' --root "$c" overcommit set --ratio -1
expect 'a ratio that the kernel cannot hold' 2 '' 'percentage' --root "$c" overcommit set --ratio 2147483648
expect 'a negative number of KiB' 2 '' 'KiB' --root "$c" overcommit set --kbytes=-1
expect 'an unknown mode is met with a guess' 2 '' 'did you mean never' --root "$c" overcommit set --mode nver
expect 'an unknown part is met with a guess' 2 '' $'cannot "shwo"\ndid you mean show' --root "$c" overcommit shwo
expect 'a word too many' 2 '' 'unexpected argument "top"' --root "$c" overcommit show top
expect 'options of set elsewhere' 2 '' '--mode does not go with overcommit show' --root "$c" overcommit --mode 1
expect 'options of top elsewhere' 2 '' '--cgroups does not go with overcommit set' --root "$c" overcommit set --cgroups
expect 'columns for show' 2 '' '--output does not go with' --root "$c" overcommit show -o PID
expect 'a negative number of rows' 2 '' '--top' --root "$c" overcommit top --top=-1

# ---- top ----

m=$scratch/machine
machine "$m"
vm "$m"
cat >>"$m/proc/meminfo" <<'END'
CommitLimit: 100 kB
Committed_AS: 1048576 kB
END
grep -q '^SwapTotal' "$m/proc/meminfo" || echo 'SwapTotal: 0 kB' >>"$m/proc/meminfo"
# maps PID KIB [INODE]: that much private memory, and 4 MiB shared
maps() {
	printf '10000000-%x rw-p 00000000 00:00 0 \nVmFlags: rd wr ac \n' $((0x10000000 + $2 * 1024))
	[[ -z ${3-} ]] || printf '50000000-50400000 rw-s 00000000 00:01 %s /dev/zero (deleted)\nVmFlags: rd wr sh \n' "$3"
}
for pid in "$m"/proc/[0-9]*; do
	maps "${pid##*/}" 1024 >"$pid/smaps"
done
maps 398 524288 7 >"$m/proc/398/smaps"
maps 412 307200 7 >"$m/proc/412/smaps"
run --root "$m" overcommit top -rnb -o PID,NAME,COMMIT,PRIVATE,SHARED,EXACT --top 2
check 'processes by what they commit' test "$out" = $'398 a 541065216 536870912 4194304 yes\n412 c 318767104 314572800 4194304 yes'
expect 'for people with the sum and the rest' 0 $'^PID NAME +COMMIT +ANON RATIO CGROUP\n398 a +516M +510M +[0-9]+% .*\nprocesses +[0-9.]+M\nother .*\ncommitted +1G' \
	'*' --root "$m" overcommit top --top 2
run --root "$m" overcommit top --json --top 1
valid 'top as JSON' overcommit
check 'rows are limited, counts and sums are not' holds \
	"len(d['processes']) == 1 and d['processes_total'] > 2 and d['sum'] == (831488 + 4096 + 1024 * (d['processes_total'] - 2)) * 1024"
check 'the rest is what the sum lacks' holds "d['sum'] + d['other'] == d['committed'] == 1 << 30"
run --root "$m" overcommit top --cgroups -rnb
check 'cgroups by what their processes commit' grep -qE '^/[^ ]* [0-9]+ [0-9]+$' "$scratch/out"
expect 'all rows' 0 $'(\n[^\n]*){5}' '*' --root "$m" overcommit top --top 0
sed -i 's/^Committed_AS:.*/Committed_AS: 18446744073709551615 kB/' "$m/proc/meminfo"
run --root "$m" overcommit top --json
check 'the rest of the largest number is the largest one' holds "d['other'] == 2 ** 63 - 1"
sed -i 's/^Committed_AS:.*/Committed_AS: 1048576 kB/' "$m/proc/meminfo"
rm "$m"/proc/*/smaps
expect 'what vanishes is counted' 0 '' 'process(es)? vanished' --root "$m" overcommit top -rn
expect 'an estimate reads no mappings' 0 '398 no' '' --root "$m" overcommit top --estimate -rno PID,EXACT
expect 'an unknown column is met with a guess' 2 '' $'unknown column "COMIT"\ndid you mean COMMIT' --root "$m" overcommit top -o COMIT

finish
