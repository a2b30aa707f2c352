#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol nodes for people and scripts: sets, sums, gaps in the numbers, what is missing, what is new.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

roots=$top/tests/roots/topology
nodes=/sys/devices/system/node

# is NAME ROOT EXPECTED ARGUMENT...: stdout exactly
is() {
	local name=$1 root=$2 want=$3
	shift 3
	run --root "$root" nodes "$@"
	if [[ $out == "$want" ]]; then ok "$name"; else not_ok "$name" "exit $code, stdout: $out $err"; fi
}

# json NAME ROOT EXPRESSION: true of the document d, in which n has the nodes by their id
json() {
	run --root "$2" nodes --json "${@:4}"
	valid "$1: valid" nodes
	check "$1" python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
n = {node["node"]: node for node in d["nodes"]}
assert eval("(" + sys.argv[2] + ")"), d' "$scratch/out" "$3"
}

for root in "$roots"/*/; do
	name=$(basename "$root")
	run --root "$root" nodes -rnbo NODE,TOTAL
	check "$name: exit code 0" test "$code" -eq 0
	# node0-offline still has the files of node 0.
	want=$(awk '$3 == "MemTotal:" { printf "%d %.0f\n", $2, $4 * 1024 }' "$root$nodes"/node*/meminfo | sort -n)
	[[ $name != node0-offline ]] || want=$(grep '^1 ' <<<"$want")
	check "$name: a line a node, with the total of its file" test "$(grep -v total <<<"$out")" = "$want"
	sum=$(awk '{ sum += $2 } END { printf "%.0f\n", sum }' <<<"$want")
	if [[ $(wc -l <<<"$want") -gt 1 ]]; then
		check "$name: and their sum" test "$(tail -n1 <<<"$out")" = "total $sum"
	else
		check "$name: no sum of one" bash -c '! grep -q total <<<"$1"' - "$out"
	fi
	run --root "$root" nodes --json
	valid "$name: a valid document" nodes
done

m=$roots/power9-0-8-250-255
json 'nodes keep their numbers' "$m" 'sorted(n) == [0, 8, 250, 251, 252, 253, 254, 255] and d["has_cpu"] == "0,8"'
json 'distances are by number, not by column' "$m" \
	'n[250]["distances"] == {"0": 80, "8": 80, **{str(i): 10 if i == 250 else 80 for i in range(250, 256)}}'
json 'cpus are those that are online' "$m" 'n[0]["cpus"] == "0-15" and n[8]["cpus"] == "88-103" and n[250]["cpus"] == ""'
m=$roots/memless-and-cpuless-nodes
json 'cpus without memory, memory without cpus, neither' "$m" \
	'[(v["has_cpu"], v["has_memory"]) for v in n.values()] == 4 * [(True, False)] + [(False, False)] + 6 * [(False, True)]'
json 'what no file tells is null, not 0' "$roots/old-ia64-64nodes-few-files" \
	'n[0]["file"] is n[0]["available"] is n[0]["hugepages"] is n[0]["tier"] is n[0]["watermarks"] is None and d["complete"]'
m=$roots/holes-cpuless-tiers
json 'offline nodes are not shown' "$m" 'sorted(n) == [0, 1, 2, 4, 6, 8, 9] and d["possible"] == "0-9"'
json 'but with --all' "$m" 'sorted(n) == list(range(10)) and not n[3]["online"] and n[3]["total"] is None
	and n[3]["distances"] is None and n[9]["online"]' --all
json 'unknown fields pass through' "$roots/gb10-new-meminfo-fields" \
	'n[0]["other"]["ShadowCallStack"] == 4116 << 10 and "HugePages_Total" not in n[0]["other"]'
expect 'in the table too, and quietly' 0 'SecPageTables:7548928' '' --root "$roots/gb10-new-meminfo-fields" nodes -bo +OTHER
json 'a row of distances with a column too many is none' "$roots/node0-offline" 'n[1]["distances"] is None and not d["complete"]'
expect 'and is told' 0 '^NODE' '^cgpol: /sys/devices/system/node/node1/distance is not understood$' \
	--root "$roots/node0-offline" nodes
expect 'but with -q' 0 '^NODE' '' --root "$roots/node0-offline" nodes -q

m=$scratch/machine
machine "$m"
expect 'the matrix stands below' 0 $'node distances:\nnode     0    1\n   0:   10   20\n   1:   20   10$' '' --root "$m" nodes
for option in -r -n '-oNODE,CPUS'; do
	run --root "$m" nodes $option
	check "not with $option" bash -c '! grep -q distances "$1"' - "$scratch/out"
done
is 'columns in any case and order' "$m" $'1G 0\n1G 1\n2G total' -rno total,node
is 'cpus, and all of them' "$m" $'0 0\n1 1\ntotal 0-1' -rno NODE,CPUS
is 'distances as a column' "$m" $'0 0:10,1:20\n1 0:20,1:10\ntotal -' -rno NODE,DISTANCES
# zoneinfo: low 320 pages; 20000 free
is 'watermarks' "$m" $'0 1048576 1310720 1572864\n1 1048576 1310720 1572864\ntotal 2097152 2621440 3145728' -rnbo NODE,MIN,LOW,HIGH
expect 'an unknown column' 2 '' $'unknown column "TOTL"\ndid you mean TOTAL' --root "$m" nodes -o TOTL
expect 'an argument' 2 '' 'unexpected argument "0"' --root "$m" nodes 0

# Files that are gone, may not be read, or lie.
huge=$nodes/node1/hugepages/hugepages
machine "$m" "$nodes/node0/meminfo=" "$huge-2048kB/nr_hugepages=3\n" "$huge-2048kB/free_hugepages=1\n" \
	"$huge-2048kB/surplus_hugepages=0\n" "$huge-1048576kB/nr_hugepages=1\n" "$huge-1048576kB/free_hugepages=1\n" \
	"$huge-1048576kB/surplus_hugepages=0\n"
is 'a sum that lacks a part is none' "$m" $'0 -\n1 1G\ntotal -' -rno NODE,TOTAL
is 'huge pages by size' "$m" $'0 - - -\n1 1080033280 1075838976 2097152:1/3,1073741824:1/1\ntotal - - -' -rnbo NODE,HUGE,HUGE_FREE,HUGE_SIZES
json 'and in the document' "$m" 'n[0]["hugepages"] is None and n[1]["hugepages"] == {
	"2097152": {"total": 3, "free": 1, "surplus": 0}, "1073741824": {"total": 1, "free": 1, "surplus": 0}}
	and n[1]["huge"] == (1 << 30) + (6 << 20) and n[1]["huge_free"] == (1 << 30) + (2 << 20)'
machine "$m" "$nodes/node0/meminfo=Node 0 MemTotal: 1 kB\nNode 0 \\x1b[31mX: 5 kB\nNode 0 MemFree: x kB\nNode 0 New: 5 kB\nNode 0 Bare: 5\n"
json 'lines that are none are left out, new ones are not' "$m" \
	'n[0]["other"] == {"New": 5120, "Bare": 5} and n[0]["free"] is None and not d["complete"]'
run --root "$m" nodes -o +OTHER
check 'no control character reaches the output' bash -c '! cat "$1" "$2" | grep -qP "[\\x00-\\x09\\x0b-\\x1f\\x7f]"' - "$scratch/out" "$scratch/err"
machine "$m" "$nodes/online=0-99999\n"
expect 'a malformed list of nodes' 1 '' "cgpol: $nodes/online: " --root "$m" nodes
run --root "$m" nodes --json
valid 'and as a document' error

# A kernel without nodes.
machine "$m"
rm -r "$m$nodes" "$m/proc/zoneinfo"
printf 'MemTotal: 1000 kB\nMemFree: 300 kB\nMemAvailable: 555 kB\nBuffers: 20 kB\nCached: 100 kB\nSwapCached: 3 kB\n' >"$m/proc/meminfo"
is 'a kernel without nodes is one' "$m" '0 0-1 1024000 307200 568320 125952' -rnbo NODE,CPUS,TOTAL,FREE,AVAILABLE,FILE

# This machine. The kernel may give guests' /proc/meminfo more than the nodes have (ballooning).
run nodes --json
valid 'a document of this machine' nodes
ours=$(python3 -c 'import json, sys; print(sum(n["total"] for n in json.load(open(sys.argv[1]))["nodes"]))' "$scratch/out")
theirs=$(awk '/^MemTotal/ { printf "%.0f\n", $2 * 1024 }' /proc/meminfo)
files=$(cat $nodes/node[0-9]*/meminfo 2>/dev/null | awk '$3 == "MemTotal:" { sum += $4 } END { printf "%.0f\n", sum * 1024 }')
if [[ $files == "$theirs" || $files == 0 ]]; then
	check 'the totals sum up to MemTotal' test "$ours" = "$theirs"
else
	skip 'the totals sum up to MemTotal' "this kernel's MemTotal is not the sum of its nodes"
	check 'the totals sum up to those of the files' test "$ours" = "$files"
fi
for arguments in nodes 'nodes --json --all' 'nodes -bo +OTHER,LOW,TIER,HUGE_SIZES'; do
	rm -rf "$scratch/recording"
	# shellcheck disable=SC2086 # words
	"$cgpol" --record "$scratch/recording" $arguments >"$scratch/live" 2>&1
	# shellcheck disable=SC2086 # words
	"$cgpol" --root "$scratch/recording" $arguments >"$scratch/replay" 2>&1
	check "replay of $arguments" cmp "$scratch/live" "$scratch/replay"
done
if [[ $EUID -eq 0 ]] && command -v setpriv >/dev/null; then
	setpriv --reuid 65534 --regid 65534 --clear-groups "$cgpol" nodes -rnbo NODE,TOTAL >"$scratch/out" 2>"$scratch/err"
	check 'without privileges the same' test "$?" -eq 0 -a "$(head -n1 "$scratch/out")" = "$("$cgpol" nodes -rnbo NODE,TOTAL | head -n1)"
fi

finish
