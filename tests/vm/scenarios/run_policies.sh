# shellcheck shell=sh disable=SC2154 # scenario.sh and guest.sh set cg
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol run: every mode and flag of the kernel, as /proc/PID/numa_maps shows it and by where pages land; what this
# kernel lacks is refused by name.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol load numactl
failures=0

bad() { echo "FAIL: $*"; failures=$((failures + 1)); }

version_at_least() {
	awk -v want="$1" -v have="$(uname -r)" 'BEGIN {
		split(want, w, "."); split(have, h, "[.-]")
		exit !(h[1] + 0 > w[1] + 0 || h[1] == w[1] && h[2] + 0 >= w[2] + 0) }'
}

# The policy column of the first mapping, which has none of its own: the task's.
first_policy() {
	sed -nE '1s/^[0-9a-f]+ ((weighted interleave|prefer \(many\)|[a-z]+)[^ ]*) .*/\1/p'
}

# shows POLICY OPTION...: what numa_maps says of the command
shows() {
	want=$1
	shift
	got=$(cgpol run "$@" -- cat /proc/self/numa_maps 2>err | first_policy)
	[ "$got" = "$want" ] || bad "run $*: numa_maps says \"$got\", not \"$want\": $(cat err)"
}

# since VERSION POLICY OPTION...: the same from that kernel on; before it is refused with the version named
since() {
	version=$1
	shift
	if version_at_least "$version"; then
		shows "$@"
		return
	fi
	shift
	cgpol run "$@" -- touch never 2>err
	status=$?
	[ $status -eq 125 ] || bad "run $*: status $status on $(uname -r)"
	grep -q "needs kernel $version or later" err || bad "run $*: $(cat err)"
	[ ! -e never ] || bad "run $*: the command was started"
}

# refused PATTERN OPTION...
refused() {
	want=$1
	shift
	cgpol run "$@" -- touch never 2>err
	status=$?
	[ $status -eq 125 ] || bad "run $*: status $status"
	grep -qE -e "$want" err || bad "run $*: not \"$want\": $(cat err)"
	[ ! -e never ] || bad "run $*: the command was started"
}

# lands NODES OPTION...: 16 MiB, and on which nodes most of it is ("0 2"). Also sets $pages, the counts.
lands() {
	want=$1
	shift
	rm -f ready
	cgpol run "$@" -- load anon=16M ready=ready 2>err &
	wait_for 10 test -s ready || { bad "run $*: $(cat err)"; return; }
	read -r pid _ <ready
	pages=$(awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^N[0-9]+=/) { split(substr($i, 2), p, "="); n[p[1]] += p[2] } }
		END { for (i = 0; i < 4; i++) printf "%d ", n[i] }' "/proc/$pid/numa_maps")
	# 4096 pages are the load's; its own few may be elsewhere
	got=$(echo "$pages" | awk '{ for (i = 1; i <= NF; i++) if ($i > 500) printf "%s%d", (k++ ? " " : ""), i - 1 }')
	[ "$got" = "$want" ] || bad "run $*: pages by node are $pages, not on $want"
	kill "$pid"
	wait
}

say "modes"
shows default
shows local -l
shows local --localalloc
shows bind:1 -m 1
shows bind:0-2 --membind=0-2
shows bind:1,3 -m '!0,2'
shows bind:0-3 -m all
shows interleave:0-3 -i all
shows interleave:0,2 --interleave 0,2
shows prefer:2 -p 2
since 5.15 'prefer (many):1-2' -P 1,2
since 6.9 'weighted interleave:0-1' -w 0-1

say "flags"
shows bind=static:1 -m 1 --static-nodes
shows interleave=static:0-1 -i 0-1 --static-nodes
shows bind=relative:1 -m 1 --relative-nodes
since 5.12 bind=balancing:1 -m 1 -b
if version_at_least 5.15; then since 6.10 'prefer (many)=balancing:1-2' -P 1-2 --balancing; fi

say "with a cpuset"
shows bind:2 --mems 2-3 -m +0
shows bind:2-3 --mems 2-3 -m all
shows bind=relative:3 --mems 2-3 -m 1 --relative-nodes
shows interleave=relative:2-3 --mems 2-3 -i 2-3 --relative-nodes
shows bind:2 --mems 2-3 -m 1-2 --intersect
shows bind=static:2 --mems 2-3 -m 1-2 --static-nodes
refused 'node 1 is not in cpuset.mems.*2-3' --mems 2-3 -m 1
refused 'node 1 is not in cpuset.mems.*2-3' --mems 2-3 -m 1-2
refused 'no node is left.*requested 1.*2-3' --mems 2-3 -m 1 --intersect
refused '"7" is out of range' -m 7
refused 'node 9 ' --mems 9
refused 'one node' -p 0-1
refused 'one memory policy' -m 0 -i 1
refused 'needs --membind' -b -i 0
refused 'exclude each other' -m 0 --static-nodes --relative-nodes
refused 'exec drops all of them' -m 0-1 --home-node 1

say "-v tells what the kernel made of it"
cgpol run -v --mems 2-3 -m 1 --relative-nodes true 2>err || bad "-v"
grep -q 'memory policy: bind=relative:1, in effect on 3' err || bad "-v: $(cat err)"

say "pages land there"
lands 1 -m 1
lands 2 -p 2
lands 3 -l -N 3
lands 2 -N 2
lands "0 1 2 3" -i all
lands "1 3" --mems 1,3 -i all
version_at_least 5.15 && lands 3 -P 3
if version_at_least 6.9; then
	echo 3 >/sys/kernel/mm/mempolicy/weighted_interleave/node0
	echo 1 >/sys/kernel/mm/mempolicy/weighted_interleave/node1
	lands "0 1" -w 0-1
	echo "$pages" | awk '{ exit !($1 > 2.5 * $2 && $1 < 3.6 * $2) }' || bad "weights 3:1 give $pages"
	echo 0 >/sys/kernel/mm/mempolicy/weighted_interleave/node0
	echo 0 >/sys/kernel/mm/mempolicy/weighted_interleave/node1
fi

say "cpus"
cpus() { cgpol run "$@" -- sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status 2>err; }
[ "$(cpus -N 1,3)" = 1,3 ] || bad "-N 1,3: $(cat err)"
[ "$(cpus -C 0,2)" = 0,2 ] || bad "-C 0,2: $(cat err)"
[ "$(cpus -C '!0')" = 1-3 ] || bad "-C !0: $(cat err)"
[ "$(cpus --cpus 1-2 -C +0)" = 1 ] || bad "--cpus 1-2 -C +0: $(cat err)"
[ "$(cpus --cpus 1-2 -C 0-1 --intersect)" = 1 ] || bad "--intersect: $(cat err)"
[ "$(taskset -c 0 cgpol run -C 2 -- sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status)" = 2 ] || bad "from a narrow affinity"
refused 'cpu 0 is not in cpuset.cpus' --cpus 1-2 -C 0
refused '"9" is out of range' -C 9
refused '--cpunodebind and --physcpubind' -N 0 -C 0

# All of it is gone.
[ ! -d "$cg/cgpol" ] || bad "left behind: $(find "$cg/cgpol" -type d)"
[ $failures -eq 0 ] || fail "$failures checks"
