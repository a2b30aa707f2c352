# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# numactl's command lines work with cgpol run in numactl's place: the same policy, cpus and nodes for the command.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol numactl
failures=0

bad() { echo "FAIL: $*"; failures=$((failures + 1)); }

cat >look <<'LOOK'
#!/bin/sh
head -n 1 /proc/self/numa_maps | sed -E 's/^[0-9a-f]+ ((weighted interleave|prefer \(many\)|[a-z]+)[^ ]*) .*/\1/'
sed -n 's/^\(Cpus\|Mems\)_allowed_list:/\1/p' /proc/self/status
LOOK
chmod +x look

# alike ARGUMENT...: both give the command the same
alike() {
	numactl "$@" ./look >theirs 2>&1 || bad "numactl $*: $(cat theirs)"
	cgpol run "$@" ./look >ours 2>&1
	cmp -s theirs ours || bad "$*: numactl gives $(tr '\n' ' ' <theirs), cgpol run $(tr '\n' ' ' <ours)"
}

# both_refuse ARGUMENT...
both_refuse() {
	numactl "$@" ./look >theirs 2>&1 && bad "numactl $* works"
	cgpol run "$@" ./look >ours 2>&1 && bad "cgpol run $* works"
	return 0
}

for a in "" -l --localalloc -m0 "-m 1" --membind=2,3 --membind=0-2 "-m all" "-m !1" "-m +1" "-i all" --interleave=all \
	"--interleave 1,3" -p2 --preferred=0 "-N 0" --cpunodebind=1,2 "-N !0" "-N all" "-C 0" --physcpubind=1-3 "-C +1" "-C all" \
	"--cpunodebind=0 --membind=0" "--cpunodebind=0 --membind=1" "--cpunodebind=0 --preferred=0" "-N 1 -m 1 --" "-N 2 -l" \
	"--all --physcpubind=2" "-a -C 1 -m 0" "-N 1 -m same" "-C 0 -i 0-3 --"; do
	# shellcheck disable=SC2086 # words
	alike $a
done
for a in "-m 9" "-m 4-5" "-N 7" "-C 110" "--all --physcpubind=110" "-i x" "-m 0-" "-p 7"; do
	# shellcheck disable=SC2086 # words
	both_refuse $a
done
say "one in the other"
numactl -N 0 -- numactl -s >theirs
cgpol run -N 0 -- numactl -s >ours
cmp -s theirs ours || bad "numactl -s: $(diff theirs ours)"
cgpol run -m 2 -- numactl -s | grep -q '^membind: 2' || bad "numactl -s does not see the policy"
numactl -m 1 cgpol run ./look | grep -qx bind:1 || bad "a policy from before is not kept"
timeout 30 cgpol -q run --cpunodebind=0 -- timeout 15 cgpol run --interleave=all ./look | grep -qx interleave:0-3 || bad "nested"

say "with a cpuset around both"
mkdir /sys/fs/cgroup/narrow
echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control
echo 1-2 >/sys/fs/cgroup/narrow/cpuset.mems
echo 2-3 >/sys/fs/cgroup/narrow/cpuset.cpus
(
	echo 0 >/sys/fs/cgroup/narrow/cgroup.procs
	for a in "-m +0" "-m all" "-i all" "-C +1" "-C all"; do
		# shellcheck disable=SC2086 # words
		numactl $a ./look >theirs 2>&1 || bad "numactl $a: $(cat theirs)"
		# shellcheck disable=SC2086 # words
		cgpol run --no-cgroup $a ./look >ours 2>&1
		cmp -s theirs ours || bad "in a cpuset: $a: numactl gives $(tr '\n' ' ' <theirs), cgpol run $(tr '\n' ' ' <ours)"
	done
	cgpol run --no-cgroup -m 0 ./look >ours 2>&1 && bad "-m 0 works outside the cpuset"
	grep -q '/narrow' ours || bad "the cgroup that narrows is not named: $(cat ours)"
	exit $failures
) || failures=$((failures + 1))
[ $failures -eq 0 ] || fail "$failures checks"
