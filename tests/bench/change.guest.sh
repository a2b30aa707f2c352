# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest's part of tests/bench/change: system calls of a change of many cgroups.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

number=${N:-1000}
echo +memory >"$cg/cgroup.subtree_control"
mkdir "$cg/many"
echo +memory >"$cg/many/cgroup.subtree_control"
names=''
i=0
while [ $i -lt "$number" ]; do
	mkdir "$cg/many/g$i"
	names="$names /many/g$i"
	i=$((i + 1))
done

# count NAME ARGUMENT...: sets total_NAME to the number of system calls
count() {
	count_=$1
	shift
	strace -f -c -U calls,name -o "/tmp/$count_" cgpol set "$@" >"/tmp/$count_.out" 2>&1 || fail "$count_: $(cat "/tmp/$count_.out")"
	eval "total_$count_=$(awk '$NF == "total" { print $1 }' "/tmp/$count_")"
}

# shellcheck disable=SC2086,SC2154 # words; set by count
{
	count one /many/g0 memory.high=1G
	count many $names memory.high=512M
	count again $names memory.high=512M
	mkdir -p /out
	awk -v one="$total_one" -v many="$total_many" -v again="$total_again" -v n="$number" '
		function goal(text, ratio, most) { printf "  %-58s %5.2f  %s %s\n", text, ratio, ratio <= most ? "<=" : "misses", most }
		BEGIN {
			each = (many - one) / (n - 1)
			once = one - each
			idle = (again - once) / n
			printf "System calls:\n  one cgroup %d, %d cgroups %d, the same again %d\n", one, n, many, again
			printf "  each cgroup %.2f, when there is nothing to do %.2f\n", each, idle
			goal("each / read, write, read back (9)", each / 9, 1.2)
			goal("each / with the value before and the guard (15)", each / 15, 1.2)
			goal("nothing to do / reading each value (3)", idle / 3, 1.2)
		}' >/out/change
	{
		sed 's/^/  /' /tmp/many
		echo "  ... and again:"
		sed 's/^/  /' /tmp/again
	} >>/out/change
}
