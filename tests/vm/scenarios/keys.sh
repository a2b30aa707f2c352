# shellcheck shell=sh disable=SC2154 # jq's fields are read into names
# SPDX-License-Identifier: LGPL-2.1-or-later
# The table of settings against the kernel: each file is there from the version on that the table says, at the root cgroup
# or not, with the first value, and the kernel takes the smallest and the largest value and none beyond.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
scene "keys: the table of settings"
kernel=$(uname -r)
major=${kernel%%.*}
minor=${kernel#*.}
minor=${minor%%.*}
right=0

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# older VERSION: is this kernel older?
older() { [ "$1" != - ] && { [ "$major" -lt "${1%.*}" ] || { [ "$major" -eq "${1%.*}" ] && [ "$minor" -lt "${1#*.}" ]; }; }; }

# Without a fork: some of these settings would not let one be made.
takes() { echo "$2" 2>/dev/null >"$1"; }
# must FILE VALUE, must_not FILE VALUE
must() { if takes "$1" "$2"; then right=$((right + 1)); else bad "$1 does not take \"$2\""; fi; }
must_not() { if takes "$1" "$2"; then bad "$1 takes \"$2\""; else right=$((right + 1)); fi; }

# Of these a kernel may lack the option, or the hardware.
is_optional() {
	case $1 in
	cpu.uclamp.* | io.bfq.weight | io.latency | io.prio.class | io.cost.* | memory.zswap.* | memory.swap.* | \
		cgroup.pressure | rdma.* | misc.* | dmem.* | hugetlb.* | kernel.numa_balancing) return 0 ;;
	esac
	return 1
}

# present NAME FILE SINCE: is it as the table says? Status 0 when the file is there.
present() {
	if [ -e "$2" ]; then
		older "$3" && bad "$1 is there, though it came with $3"
		right=$((right + 1))
		return 0
	fi
	older "$3" || is_optional "$1" || bad "$1 is not there"
	right=$((right + 1))
	return 1
}

# The first line of a file. The shell's own read takes single bytes, of which a sysctl has but one.
first() { first_=$(head -n 1 "$1"); }

# The kernel takes more than has a meaning: numbers whose upper bits nobody looks at. And jq rounds what is larger than
# 2^53.
is_lax() {
	case $1 in
	cpu.max.burst | vm.overcommit_ratio | vm.overcommit_kbytes | vm.user_reserve_kbytes | vm.admin_reserve_kbytes | \
		vm.zone_reclaim_mode | kernel.numa_balancing) return 0 ;;
	esac
	return 1
}

# range NAME FILE MIN MAX
range() {
	range_most=$4
	# Memory tiers came with 5.18.
	[ "$1" != kernel.numa_balancing ] || ! older 5.18 || range_most=1
	must "$2" "$3"
	must "$2" "$range_most"
	is_lax "$1" && return
	must_not "$2" $(($3 - 1))
	[ "$range_most" = 9223372036854775807 ] || must_not "$2" $((range_most + 1))
}

# words NAME FILE WORD...
words() {
	words_name=$1 words_file=$2
	shift 2
	for word; do
		case $words_name:$word in
		# Before 6.0 one without cpus of its own is refused, and isolated came with 6.1.
		cpuset.cpus.partition:root | cpuset.cpus.partition:isolated) older 6.1 && continue ;;
		io.prio.class:promote-to-rt) older 6.5 && continue ;;
		esac
		must "$words_file" "$word"
	done
	must_not "$words_file" nonsense
}

values() {
	case $type in
	number | limit) range "$name" "$1" "$min" "$max" ;;
	flag)
		must "$1" 0
		must "$1" 1
		[ "$name" = vm.oom_kill_allocating_task ] || must_not "$1" 2
		;;
	size)
		must "$1" 0
		must "$1" max
		must_not "$1" -1
		;;
	esac
	[ "$type" != limit ] || must "$1" max
	# shellcheck disable=SC2086 # a list
	[ "$type" != words ] || words "$name" "$1" $list
}

cg_make /keys/a || fail "no cgroup"
cgpol explain-key --json >table || fail "no table"
jq -r '.keys[] | [.key, .scope, .type, .min // "-", .max // "-", .since // "-", .root // "-",
	(if .initial == null then "?" elif .initial == "" then "empty" else .initial end | gsub(" "; "_")),
	(.words // ["-"] | join(","))] | join(" ")' table >rows
[ "$(wc -l <rows)" -gt 50 ] || fail "the table has only $(wc -l <rows) rows"

# shellcheck disable=SC2034 # scope is a field of the row
of_cgroup() {
	file=$(echo "$name" | sed 's/\*/2MB/')
	there=$cg/keys/a/$file
	case $root in
	no) [ ! -e "$cg/$file" ] || bad "$name is at the root cgroup" ;;
	yes) present "$name" "$cg/$file" "$since" || [ ! -e "$there" ] || bad "$name is not at the root cgroup" ;;
	only)
		[ ! -e "$there" ] || bad "$name is not only at the root cgroup"
		present "$name" "$cg/$file" "$since"
		return
		;;
	esac
	is_there=false
	if present "$name" "$there" "$since"; then
		is_there=true
		first "$there"
		at_first=$first_
		case $initial in
		\?) ;;
		empty) [ -z "$first_" ] || bad "$name is \"$first_\" at first" ;;
		*) [ "$first_" = "$(echo "$initial" | tr _ ' ')" ] || bad "$name is \"$first_\" at first, not \"$initial\"" ;;
		esac
		values "$there"
		[ "$initial" = \? ] || takes "$there" "$at_first"
	fi
	# What cgpol says of this machine is what there is.
	said=$(cgpol explain-key --json "$file" | jq -r '.keys[0].available')
	[ "$said" = $is_there ] || bad "explain-key says $said of $name"
}

of_host() {
	case $name in
	vm.*) there=/proc/sys/vm/${name#vm.} ;;
	kernel.*) there=/proc/sys/kernel/${name#kernel.} ;;
	*) there=/sys/kernel/mm/mempolicy/weighted_interleave/$(echo "${name#*.}" | tr '*' 0) ;;
	esac
	is_there=false
	if present "$name" "$there" "$since"; then
		is_there=true
		first "$there"
		old=$first_
		case $initial:$first_ in
		# Another script has set weights since the boot, and without bandwidths nothing makes them automatic again.
		1:false) [ "$name" = weighted_interleave.auto ] || bad "$name is false at first" ;;
		\?:* | "$first_:$first_" | 1:true) ;;
		*) bad "$name is \"$first_\" at first, not \"$initial\"" ;;
		esac
		case $name in
		# Automatic weights need the firmware to tell bandwidths.
		weighted_interleave.auto) must "$there" 0 ;;
		*) values "$there" ;;
		esac
		takes "$there" "$old"
		[ "$name" != vm.overcommit_kbytes ] || takes /proc/sys/vm/overcommit_ratio 50
	fi
	said=$(cgpol explain-key --json "$(echo "$name" | tr '*' 0)" | jq -r '.keys[0].available')
	[ "$said" = $is_there ] || bad "explain-key says $said of $name"
}

of_task() {
	[ "$name" = oom_score_adj ] || return 0
	range "$name" /proc/self/oom_score_adj "$min" "$max"
	takes /proc/self/oom_score_adj -1000
}

while read -r name scope type min max since root initial list; do
	list=$(echo "$list" | tr , ' ')
	case $scope in
	cgroup) of_cgroup ;;
	host) of_host ;;
	task) of_task ;;
	esac
done <rows
echo "  $right answers of the kernel are as the table says"

# Every setting that the kernel lets be written is in the table, or cgpol says why it is none.
for file in "$cg"/keys/a/*; do
	name=${file##*/}
	[ -f "$file" ] || continue
	case $(stat -c %A "$file") in ?[r-]w*) ;; *) continue ;; esac
	cgpol explain-key "$name" >/dev/null 2>&1 || bad "the table does not know $name"
done

# ---- what a cpuset does with nodes and cpus that are not there ----

if [ -f "$cg/keys/a/cpuset.mems" ]; then
	absent=
	for node in 0 1 2 3; do
		grep -q MemTotal "/sys/devices/system/node/node$node/meminfo" 2>/dev/null || absent=$node
	done
	if [ -n "$absent" ]; then
		must "$cg/keys/a/cpuset.mems" "0,$absent"
		first "$cg/keys/a/cpuset.mems.effective"
		[ "$first_" = 0 ] || bad "of nodes 0,$absent $first_ is effective"
		must "$cg/keys/a/cpuset.mems" "$absent"
		first "$cg/keys/a/cpuset.mems.effective"
		[ "$first_" != "$absent" ] || bad "node $absent is effective"
		must "$cg/keys/a/cpuset.mems" ""
	fi
	must_not "$cg/keys/a/cpuset.mems" 1000
fi
[ "$broken" -eq 0 ] || fail "$broken answers differ"
