# shellcheck shell=sh disable=SC2154 # guest.sh sets cg
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol run without rights: in a subtree that was handed over; elsewhere it says which cgroup is not.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol su
failures=0

bad() { echo "FAIL: $*"; failures=$((failures + 1)); }

grep -q '^user:' /etc/passwd 2>/dev/null || echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
chmod 777 .

# as_user CGROUP COMMAND: a shell of the user that lives there
as_user() {
	(
		echo 0 >"$cg$1/cgroup.procs" || exit 99
		echo 0 >/proc/self/oom_score_adj
		exec su user -c "$2"
	)
}

say "nothing is delegated"
mkdir "$cg/sess"
as_user /sess 'cgpol run true' 2>err
[ $? -eq 125 ] || bad "status: $(cat err)"
grep -q 'no cgroup is delegated to user 1000: neither /sess, which belongs to user 0' err || bad "$(cat err)"
grep -q 'Delegate=yes' err || bad "no remedy: $(cat err)"
as_user /sess 'cgpol run --cgroup /x true' 2>err
[ $? -eq 125 ] || bad "--cgroup /x: $(cat err)"
[ ! -d "$cg/x" ] || bad "/x was made"
as_user /sess 'cgpol run --no-cgroup -m 1 sh -c "exit 7"' 2>err
[ $? -eq 7 ] || bad "--no-cgroup: $(cat err)"
as_user /sess 'cgpol run --no-cgroup --oom-score-adj -5 true' 2>err
{ [ $? -eq 125 ] && grep -q CAP_SYS_RESOURCE err; } || bad "a lower score: $(cat err)"
as_user /sess 'cgpol run --no-cgroup --oom-score-adj 5 cat /proc/self/oom_score_adj' >out 2>err
[ "$(cat out)" = 5 ] || bad "a higher score: $(cat err)"

say "a delegated subtree"
echo '+memory +cpuset +pids' >"$cg/cgroup.subtree_control"
mkdir "$cg/deleg" "$cg/deleg/shell"
chown 1000 "$cg/deleg" "$cg/deleg/cgroup.procs" "$cg/deleg/cgroup.subtree_control"
as_user /deleg/shell 'cgpol run --memory-max 40M --mems 1 -m 1 sh -c "cat /proc/self/cgroup; cat /sys/fs/cgroup/deleg/cgpol/*/memory.max"' >out 2>err ||
	bad "run: $(cat err)"
grep -q '0::/deleg/cgpol/sh-[0-9]*$' out || bad "in $(cat out)"
grep -qx 41943040 out || bad "memory.max: $(cat out)"
[ ! -d "$cg/deleg/cgpol" ] || bad "left: $(find "$cg/deleg" -type d)"
as_user /deleg/shell 'cgpol run --cgroup /deleg/named --memory-max 30M cat /sys/fs/cgroup/deleg/named/memory.max' >out 2>err
[ "$(cat out)" = 31457280 ] || bad "--cgroup: $(cat out err)"
[ ! -d "$cg/deleg/named" ] || bad "/deleg/named is left"
as_user /deleg/shell 'cgpol run --memory-max 40M nosuch' 2>err
[ $? -eq 127 ] || bad "nosuch: $(cat err)"
[ ! -d "$cg/deleg/cgpol" ] || bad "left after a failure: $(find "$cg/deleg" -type d)"

if as_user /sess 'unshare -r true' 2>/dev/null; then
	say "root of a user namespace is a user like that"
	as_user /sess 'unshare -r cgpol run true' 2>err
	[ $? -eq 125 ] || bad "in a user namespace: status: $(cat err)"
	grep -q 'no cgroup is delegated to user 0: neither /sess' err || bad "in a user namespace: $(cat err)"
	as_user /deleg/shell 'unshare -r cgpol run --memory-max 40M cat /proc/self/cgroup' >out 2>err || bad "in a user namespace: $(cat err)"
	grep -q '0::/deleg/cgpol/cat-[0-9]*$' out || bad "in a user namespace: in $(cat out)"
	[ ! -d "$cg/deleg/cgpol" ] || bad "left by a user namespace: $(find "$cg/deleg" -type d)"
else
	echo "no user namespaces here"
fi

say "what a group may write counts, for doctor, too"
mkdir "$cg/team"
chgrp 2000 "$cg/team" "$cg/team/cgroup.procs" "$cg/team/cgroup.subtree_control"
chmod g+w "$cg/team" "$cg/team/cgroup.procs" "$cg/team/cgroup.subtree_control"
echo 'team:x:2000:user' >>/etc/group
as_user /team 'cgpol run cat /proc/self/cgroup' >out 2>err || bad "a group's: $(cat err)"
grep -q '0::/team/cgpol/cat-[0-9]*$' out || bad "a group's: in $(cat out)"
as_user /team 'cgpol doctor' >out 2>&1
grep -q 'only its own cgroup /team may be written' out || bad "doctor: $(grep delegation out)"

say "one that the user owns, but from outside of it: the common ancestor counts"
as_user /sess 'cgpol run --cgroup /deleg/named true' 2>err
[ $? -eq 125 ] || bad "from outside: status"
grep -q 'cgroup.procs' err || bad "from outside: $(cat err)"
[ ! -d "$cg/deleg/named" ] || bad "/deleg/named is left"
[ $failures -eq 0 ] || fail "$failures checks"
