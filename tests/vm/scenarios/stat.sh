# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol stat against the kernel's own files and numastat, to the byte where the kernel is exact.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
with_swap=${VM_SWAP:+1}
[ -z "$with_swap" ] || need_swap
scene "stat: a has memory of every kind on every node"
cg_make /job/x
huge=/sys/devices/system/node/node2/hugepages/hugepages-2048kB/nr_hugepages
echo 2 >$huge
got_huge=$(cat $huge)
mkdir /tmp/ramfs
mount -t ramfs ramfs /tmp/ramfs
launch a /job/x 0 anon=20M@1 shm=10M@2 file=5M@3:/tmp/ramfs/f ${with_swap:+anon=7M pageout} anon=2M@0 \
	"huge=$((got_huge * 2))M@2"

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# by_node FILE: "NODE KIND BYTES" of the first row of a JSON document; node "all" is the sum.
by_node() {
	jq -r '(.processes + .cgroups)[0] | (.nodes | to_entries[] | .key as $n | .value | to_entries[] | "\($n) \(.key) \(.value)"),
		(to_entries[] | select(.value | type == "number") | "all \(.key) \(.value)")' "$1"
}

# all_equal WHAT EXPECTED GOT: lines "NODE KIND BYTES"; every line of the first file must be in the second.
all_equal() {
	sort -o "$2" "$2"
	missing=$(grep -vxFf "$3" "$2")
	if [ -n "$missing" ]; then
		bad "$1: the kernel says, and cgpol does not:"
		echo "$missing" | sed 's/^/    /'
	else
		echo "  $1: $(wc -l <"$2") figures agree"
	fi
}

cgpol stat --json --pid "$pid_a" >process.json || fail "cgpol stat --pid"

# The kernel brings a cgroup's counters up to date every two seconds, and on a read only when much is pending
# (mm/memcontrol.c mem_cgroup_flush_stats): what it says before and after must be the same, or the clock was faster.
# shellcheck disable=SC2317 # wait_for calls it, by read_cgroup
kernel_says() { cat "$cg/job/memory.numa_stat" "$cg/job/memory.stat"; }
# shellcheck disable=SC2317 # the same
read_cgroup() {
	kernel_says >before
	cgpol stat --json --cgroup /job >cgroup.json || fail "cgpol stat --cgroup"
	cp "$cg/job/memory.numa_stat" numa_stat
	cp "$cg/job/memory.stat" memory_stat
	kernel_says >after
	cmp -s before after
}
wait_for 30 read_cgroup || fail "the counters of /job do not come to rest"
by_node process.json >process
by_node cgroup.json >cgroup

awk '
	{
		size = 4096
		for (i = 3; i <= NF; i++) if (sub(/^kernelpagesize_kB=/, "", $i)) size = $i * 1024
		for (i = 3; i <= NF; i++) if ($i ~ /^N[0-9]+=/) {
			split(substr($i, 2), part, "=")
			total[part[1]] += part[2] * size
			all += part[2] * size
			if (/ huge /) huge[part[1]] += part[2] * size
		}
	}
	END {
		for (n in total) { print n, "total", total[n]; print n, "huge", huge[n] + 0 }
		print "all total", all
	}' "/proc/$pid_a/numa_maps" >expected
all_equal "numa_maps" expected process

# VmSwap is of the counters that /proc reads exactly; a process that has slept has flushed what it cached.
awk '/^VmSwap/ { print "all swap", $2 * 1024 }' "/proc/$pid_a/status" >expected
all_equal "status" expected process

awk '
	{ for (i = 2; i <= NF; i++) { split(substr($i, 2), part, "="); value[$1, part[1]] = part[2]; node[part[1]] } }
	END {
		for (n in node) {
			print n, "anon", value["anon", n]
			print n, "shmem", value["shmem", n]
			print n, "file", value["file", n] - value["shmem", n]
		}
	}' numa_stat >expected
awk '/^(anon|shmem) / { print "all", $1, $2 }' memory_stat >>expected
[ ! -e "$cg/job/memory.swap.current" ] || echo "all swap $(cat "$cg/job/memory.swap.current")" >>expected
all_equal "memory.numa_stat" expected cgroup

# numastat folds its columns, and gives MiB with two digits.
numastat -p "$pid_a" | awk '
	/ Node [0-9]/ { n = 0; for (i = 1; i <= NF; i++) if ($i == "Node") name[n++] = $(i + 1); else if ($i == "Total") name[n++] = "all" }
	/^Total / { for (i = 2; i <= NF; i++) print name[i - 2], $i }' >mib
if awk '
	FILENAME == "mib" { mib[$1] = $2; count++; next }
	$2 == "total" {
		off = $3 / 1048576 - mib[$1]
		if (!($1 in mib) || off > 0.011 || off < -0.011) { print "    node " $1 ": " $3 / 1048576 " and " mib[$1] " MiB"; wrong = 1 }
	}
	END { exit wrong || count < 2 }' mib process; then echo "  numastat: agrees"; else bad "numastat -p"; fi
cgpol stat --pid "$pid_a"
quiet
umount /tmp/ramfs
finish
