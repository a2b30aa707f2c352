# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol nodes against the kernel's own files, numastat and numactl. What cgpol read is in its capture: its figures must
# be those, to the byte; and what does not move is compared with the live files as well.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
nodes=/sys/devices/system/node
scene "nodes: memory of every kind, huge pages on one node"
last=$(sed 's/.*[-,]//' $nodes/has_memory)
first=$(sed 's/[-,].*//' $nodes/has_memory)
eval "free_$first=$(free_on "$first") free_$last=$(free_on "$last")"
huge=$nodes/node$last/hugepages/hugepages-2048kB/nr_hugepages
old_huge=$(cat "$huge")
echo 3 >"$huge"
mkdir /tmp/ramfs
mount -t ramfs ramfs /tmp/ramfs
# Page cache that can be reclaimed: here only a block device has some, while it is open.
if [ -b /dev/zram0 ]; then
	exec 9</dev/zram0
	dd if=/dev/zram0 of=/dev/null bs=1M count=20 2>/dev/null
fi
launch a / 0 "anon=20M@$last" "shm=10M@$first" "file=5M@$last:/tmp/ramfs/f"

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# all_equal WHAT EXPECTED GOT: every line of the first file must be in the second
all_equal() {
	sort -u -o "$2" "$2"
	missing=$(grep -vxFf "$3" "$2")
	if [ ! -s "$2" ]; then
		bad "$1: nothing to compare"
	elif [ -n "$missing" ]; then
		bad "$1: the kernel says, and cgpol does not:"
		echo "$missing" | sed 's/^/    /'
	else
		echo "  $1: $(wc -l <"$2") figures agree"
	fi
}

# flat FILE: a document as lines "NODE KEY... VALUE"
flat() {
	jq -r '.nodes[] | .node as $n | paths(type != "object") as $p | "\($n) \($p | join(" ")) \(getpath($p))"' "$1"
}

# raw ROOT: what its files say of the nodes, in the same form. The names are the kernel's, translated by hand.
raw() {
	for dir in "$1$nodes"/node[0-9]*; do
		n=${dir##*/node}
		awk -v n="$n" '
			BEGIN {
				split("MemTotal total MemFree free MemUsed used Active active Inactive inactive FilePages file" \
					" AnonPages anon Shmem shmem Slab slab SReclaimable slab_reclaimable SUnreclaim slab_unreclaimable" \
					" Dirty dirty Mapped mapped KernelStack kernel_stack PageTables page_tables Mlocked mlocked" \
					" Unevictable unevictable AnonHugePages anon_thp KReclaimable kernel_reclaimable", words, " ")
				for (i = 1; i in words; i += 2) key[words[i] ":"] = words[i + 1]
				split("NFS_Unstable Bounce WritebackTmp SecPageTables ShmemPmdMapped FilePmdMapped", words, " ")
				for (i = 1; i in words; i++) key[words[i] ":"] = "other " words[i]
			}
			$3 in key { printf "%d %s %.0f\n", n, key[$3], $4 * 1024 }' "$dir/meminfo"
		for size in "$dir"/hugepages/hugepages-*; do
			[ -d "$size" ] || continue
			kb=${size##*-}
			for what in nr:total free:free surplus:surplus; do
				echo "$n hugepages $((${kb%kB} * 1024)) ${what#*:} $(cat "$size/${what%:*}_hugepages")"
			done
		done
		[ ! -e "$dir/cpulist" ] || echo "$n cpus $(cat "$dir/cpulist")"
		# The columns of the file are the online nodes in their order.
		i=0
		for to in $online_ids; do
			i=$((i + 1))
			echo "$n distances $to $(awk -v i=$i '{ print $i }' "$dir/distance")"
		done
	done
	for dir in "$1"/sys/devices/virtual/memory_tiering/memory_tier*; do
		[ ! -e "$dir/nodelist" ] || for n in $(expand "$(cat "$dir/nodelist")"); do echo "$n tier ${dir##*memory_tier}"; done
	done
}

# expand 0-2,4: 0 1 2 4
expand() { echo "$1" | tr , '\n' | awk -F- 'NF { for (i = $1; i <= $NF; i++) printf "%d ", i }'; }
online_ids=$(expand "$(cat $nodes/online)")
count=$(echo "$online_ids" | wc -w)

# rule ROOT FILE...: from zoneinfo and the lines of these files watermarks and "available" of each node by the kernel's
# rule (mm/show_mem.c si_mem_available, mm/page_alloc.c calculate_totalreserve_pages); as "all" what the rule gives for
# the sums of the nodes; and as "kernel" its own answer, where it is in a file.
rule() {
	root=$1
	shift
	awk '
	function less(a, b) { return a > b ? a - b : 0 }
	function small(a, b) { return a < b ? a : b }
	$1 == "MemAvailable:" { printf "kernel available %.0f\n", $2 * 1024 }
	FILENAME ~ /meminfo$/ {
		if ($3 == "MemFree:") free[$2] = $4 / 4
		if ($3 ~ /^(Active|Inactive)\(file\):$/) cache[$2] += $4 / 4
		if ($3 == "KReclaimable:") slab[$2] = $4 / 4
		next
	}
	$1 == "Node" { n = $2 + 0; if (!(n in zones)) zones[n] = 0; i = zones[n]++ }
	$1 == "boost" { boost = $2 }
	$1 == "min" { min[n] += $2; boost = boost + 0 }
	$1 == "low" { low[n] += $2 }
	$1 == "high" { high[n] += $2; mark = $2 - boost; boost = 0 }
	$1 == "managed" { managed = $2 }
	$1 == "protection:" {
		gsub(/[(),]/, "")
		most = 0
		for (j = i; j < NF - 1; j++) if ($(j + 2) > most) most = $(j + 2)
		reserve[n] += small(most + mark, managed)
	}
	END {
		for (n in zones) {
			if (!(n in free)) continue
			sum = free[n] - reserve[n] + cache[n] - small(int(cache[n] / 2), low[n]) + slab[n] - small(int(slab[n] / 2), low[n])
			printf "%d available %.0f\n", n, less(sum, 0) * 4096
			printf "%d watermarks min %.0f\n%d watermarks low %.0f\n%d watermarks high %.0f\n", n, min[n] * 4096, n, low[n] * 4096, n, high[n] * 4096
			f += free[n]; r += reserve[n]; c += cache[n]; s += slab[n]; l += low[n]
		}
		printf "all available %.0f\n", less(f - r + c - small(int(c / 2), l) + s - small(int(s / 2), l), 0) * 4096
	}' "$@" "$root/proc/zoneinfo"
}

[ ! -b /dev/zram0 ] || echo "  reclaimable page cache: $(awk '/ (Ina|A)ctive\(file\)/ { sum += $4 } END { print sum }' $nodes/node*/meminfo) kB"
cgpol --record capture nodes --json >live.json || fail "cgpol nodes"
flat live.json >live
raw capture >expected
all_equal "its own readings" expected live
rule capture "capture$nodes"/node[0-9]*/meminfo | grep '^[0-9]' >expected
all_equal "watermarks and available" expected live

# The rule itself: applied to the machine's sums it is what the kernel calls MemAvailable.
# shellcheck disable=SC2317 # wait_for calls it
is_memavailable() {
	# Nothing may be allocated between the first and the last: one process, into pages that are there already.
	cat "$nodes"/node[0-9]*/meminfo /proc/meminfo 1<>moment.meminfo
	rule '' moment.meminfo >ours
	awk '$1 == "all" { ours = $3 } $1 == "kernel" { theirs = $3 } END { exit ours == 0 || ours != theirs }' ours
}
if wait_for 30 is_memavailable; then echo "  the rule: gives MemAvailable"; else
	bad "the rule does not give MemAvailable: $(grep -E '^(all|kernel) ' ours | tr '\n' ' ')"
fi

# What does not move by itself, live, and the same before and after.
steady=' (total|distances [0-9]+|cpus|tier|watermarks [a-z]+|hugepages [0-9]+ [a-z]+|shmem) '
# shellcheck disable=SC2317 # wait_for calls it
is_steady() {
	{ raw ''; rule '' "$nodes"/node[0-9]*/meminfo; } | grep -E "$steady" >before
	cgpol nodes --json >steady.json || fail "cgpol nodes"
	{ raw ''; rule '' "$nodes"/node[0-9]*/meminfo; } | grep -E "$steady" >after
	cmp -s before after
}
if wait_for 30 is_steady; then
	flat steady.json >live
	all_equal "the live files" before live
else
	bad "the live files do not come to rest"
fi
jq -e --arg online "$(cat $nodes/online)" --arg possible "$(cat $nodes/possible)" --arg cpu "$(cat $nodes/has_cpu)" \
	--arg memory "$(cat $nodes/has_memory)" '.online == $online and .possible == $possible and .has_cpu == $cpu and
	.has_memory == $memory and .complete and all(.nodes[]; .online)' steady.json >/dev/null || bad "the sets of nodes"

# The sum is the machine.
total=$(awk '/^MemTotal/ { print $2 * 1024 }' /proc/meminfo)
[ "$(jq '[.nodes[].total] | add' steady.json)" -eq "$total" ] || bad "the totals of the nodes are not MemTotal"
[ "$count" -eq 1 ] || [ "$(cgpol nodes -rnbo NODE,TOTAL | awk '$1 == "total" { print $2 }')" -eq "$total" ] ||
	bad "the total row is not MemTotal"

# What was reserved is there, and nowhere else. HUGE is of all sizes.
got=$(cat "$huge")
[ "$got" -gt 0 ] || bad "the kernel reserved no huge page"
[ "$(cgpol nodes -rnbo NODE,HUGE,HUGE_FREE | awk '$2 > 0 && $1 != "total"')" = "$last $((got << 21)) $((got << 21))" ] ||
	bad "huge pages: $(cgpol nodes -rnbo NODE,HUGE,HUGE_FREE)"
[ "$(cgpol nodes -rno NODE,HUGE_SIZES | awk -v n="$last" '$1 == n { print $2 }')" = "2M:$got/$got" ] ||
	bad "huge pages by size: $(cgpol nodes -rno NODE,HUGE_SIZES)"

# numastat has MiB with two digits, in folded columns; what moves may move by 8 MiB while the programs start and end.
numastat -m | awk '
	/ Node [0-9]/ { n = 0; for (i = 1; i <= NF; i++) if ($i == "Node") name[n++] = $(i + 1); else if ($i == "Total") name[n++] = "total" }
	/^(MemTotal|MemFree|FilePages|AnonPages|Shmem|Slab|HugePages_Total) / { for (i = 2; i <= NF; i++) print name[i - 2], $1, $i }' |
	sort >numastat.mib
cgpol nodes -rnbo NODE,TOTAL,FREE,FILE,ANON,SHMEM,SLAB,HUGE >table
if awk '
	FILENAME == "table" {
		split("MemTotal MemFree FilePages AnonPages Shmem Slab HugePages_Total", words, " ")
		for (i = 2; i <= NF; i++) ours[$1, words[i - 1]] = $i / 1048576
		next
	}
	$1 == "total" && !(("total", $2) in ours) { next } # one node needs no sum
	{
		count++
		slack = $2 ~ /^(MemTotal|HugePages_Total|Shmem)$/ ? 0.021 : 8
		off = ours[$1, $2] - $3
		if (!(($1, $2) in ours) || off > slack || off < -slack) { print "    node " $0 ": " ours[$1, $2]; wrong = 1 }
	}
	END { exit wrong || count < 7 }' table numastat.mib; then echo "  numastat: $(wc -l <numastat.mib) figures agree"; else bad "numastat -m"; fi

# numactl -H: cpus, sizes in MiB rounded down, and the matrix as it prints it.
numactl -H >hardware
cgpol nodes >shown
awk '/^node [0-9]+ cpus:/ { n = $2; $1 = $2 = $3 = ""; print n, "cpus", $0 } /^node [0-9]+ size:/ { print $2, "size", $4 }' hardware |
	tr -s ' ' | sed 's/ $//' >expected
for n in $online_ids; do
	cgpol nodes -rnbo NODE,CPUS,TOTAL | awk -v n="$n" '$1 == n' >row
	read -r _ cpus bytes <row
	[ "$cpus" != - ] || cpus=
	echo "$n cpus $(expand "$cpus")" | sed 's/ *$//'
	echo "$n size $((bytes >> 20))"
done >got
all_equal "numactl -H" expected got
if [ "$count" -gt 1 ]; then
	sed -n '/distances/,$p' hardware | tr -s ' ' | sed 's/ $//; s/^ //' >expected
	sed -n '/distances/,$p' shown | tr -s ' ' | sed 's/ $//; s/^ //' >got
	cmp expected got || bad "the matrix: $(cat got)"
fi

# Byte for byte from its capture.
same_again() {
	rm -rf again
	cgpol --record again "$@" >first 2>first.err
	cgpol --root again "$@" >second 2>second.err
	if ! cmp first second || ! cmp first.err second.err || [ ! -s first ]; then bad "replay of cgpol $*"; fi
}
same_again nodes
same_again nodes --json --all
same_again nodes -b -o +ONLINE,HAS_CPU,HAS_MEMORY,USED,THP,HUGE_SIZES,MIN,LOW,HIGH,TIER,DISTANCES,OTHER
cat shown
cgpol nodes -a -o NODE,ONLINE,HAS_CPU,HAS_MEMORY,TIER,MIN,LOW,HIGH,HUGE_SIZES,DISTANCES
echo "$old_huge" >"$huge"
quiet
umount /tmp/ramfs
finish
