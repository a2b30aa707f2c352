# shellcheck shell=sh disable=SC2086,SC2317,SC2013 # plain words; functions that others call
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol doctor against what this kernel really does: controllers, memory policies, pressure, swap, v1, delegation.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

has_cgpol || skip "no cgpol here"
with_swap=${VM_SWAP:+1}
[ -z "$with_swap" ] || need_swap

bad() {
	echo "  WRONG: $*"
	broken=$((broken + 1))
}

# examine WANTED-EXIT-CODE [PREFIX...]: cgpol doctor into doctor.json; the prefix starts it.
examine() {
	want_=$1
	shift
	"$@" cgpol doctor --json >doctor.json
	got_=$?
	[ $got_ -eq "$want_" ] || bad "exit code $got_, not $want_"
}

state() { jq -r --arg name "$1" '.capabilities[] | select(.name == $name) | .state' doctor.json; }
reason() { jq -r --arg name "$1" '.capabilities[] | select(.name == $name) | .reason' doctor.json; }

# is NAME STATE [REASON]
is() {
	if [ "$(state "$1")" = "$2" ] && { [ $# -lt 3 ] || [ "$(reason "$1")" = "$3" ]; }; then
		echo "  $1: $2${3:+: $3}"
	else
		bad "$1 is $(state "$1"): $(reason "$1"); not $2${3:+: $3}"
	fi
}

# ok_if NAME COMMAND...: the state is ok when the command succeeds, else missing.
ok_if() {
	name_=$1
	shift
	if "$@" >/dev/null 2>&1; then is "$name_" ok; else is "$name_" missing; fi
}

scene "doctor: root in a guest with v2"
examine 0
for name in memory cpuset cpu io pids hugetlb; do
	ok_if controller.$name grep -qw $name $cg/cgroup.controllers
done
is cgroup2.mode ok "unified: cgroup2 at $cg"
is cgroup2.namespace info "none: the mount shows the whole hierarchy"
is delegation ok "uid 0 may make cgroups anywhere below $cg"
is privileges ok
is clone3.into_cgroup ok
is pidfd ok
is set_mempolicy ok
is seccomp info "no filter is installed"
is numa.nodes ok "$(tr , '\n' </sys/devices/system/node/has_memory | awk -F- '{ n += $NF - $1 + 1 } END { print n }') nodes with memory: $(cat /sys/devices/system/node/has_memory)"
ok_if psi test -r /proc/pressure/memory
ok_if swap grep -q '^/' /proc/swaps
ok_if numa.balancing test -e /proc/sys/kernel/numa_balancing
is vm.panic_on_oom ok
is oom.killers ok

# The versions in which each came, from the kernel's own history.
ok_if process_mrelease version_at_least 5.15
ok_if home_node version_at_least 5.17
for mode in bind preferred interleave local bind.static bind.relative; do is mempolicy.$mode ok; done
ok_if mempolicy.bind.balancing version_at_least 5.12
ok_if mempolicy.preferred_many version_at_least 5.15
ok_if mempolicy.preferred_many.balancing version_at_least 6.10
ok_if mempolicy.weighted_interleave version_at_least 6.9

# And by really setting them: the kernel says which policy a process has.
really() { "$@" cat /proc/self/numa_maps | grep -q "^[0-9a-f]* $policy"; }
for pair in bind:-m0 interleave:-i0-1 preferred:-p1 local:-l; do
	policy=${pair%%:*}
	[ "$policy" != preferred ] || policy=prefer
	ok_if "mempolicy.${pair%%:*}" really numactl "${pair#*:}"
done

scene "doctor: controllers can be enabled, as it says"
for name in memory cpuset; do
	echo "+$name" >$cg/cgroup.subtree_control || bad "$name cannot be enabled"
done
cg_make /user memory.max=max
for name in memory cpuset; do [ -e $cg/user/$name.stat ] || [ -e $cg/user/$name.mems ] || bad "no $name in /user"; done

scene "doctor: a user, first without and then with a cgroup of its own"
grep -q '^u:' /etc/passwd 2>/dev/null || echo 'u:x:1000:1000::/:/bin/sh' >>/etc/passwd
echo "+memory +cpuset" >$cg/cgroup.subtree_control
mkdir -p $cg/user/d/shell
in_shell() {
	(
		echo 0 >$cg/user/d/shell/cgroup.procs
		exec su u -c "exec $*"
	)
}
examine 5 in_shell
is privileges missing "uid 1000 may write no cgroup"
is delegation missing "uid 1000 may write none of the cgroups from / to its own: $cg/user/d/shell belongs to uid 0, mode 0755"
in_shell mkdir $cg/user/d/x 2>/dev/null && bad "it can write all the same"
chown 1000 $cg/user/d $cg/user/d/cgroup.procs $cg/user/d/cgroup.threads $cg/user/d/cgroup.subtree_control
echo "+memory" >$cg/user/cgroup.subtree_control
examine 5 in_shell
is delegation ok "uid 1000 may make cgroups below /user/d"
is controller.memory ok "in cgroup.controllers of /user/d"
is controller.cpuset missing "in cgroup.controllers of /, but not enabled for /user/d: the first that lacks it is /user/d, as cgroup.subtree_control of /user does not have it"
is privileges limited
# The remedy, as it stands there.
remedy=$(jq -r '.capabilities[] | select(.name == "controller.cpuset") | .remedy' doctor.json)
sh -c "${remedy#as root: }" || bad "the remedy fails: $remedy"
examine 0 in_shell
is controller.cpuset ok
in_shell mkdir $cg/user/d/x || bad "it cannot make a cgroup"
in_shell sh -c "'echo +memory +cpuset >$cg/user/d/cgroup.subtree_control'" || bad "it cannot enable controllers"
[ -e $cg/user/d/x/cpuset.mems ] || bad "no cpuset in /user/d/x"
rmdir $cg/user/d/x

scene "doctor: a read-only mount"
examine 5 unshare -m sh -c "mount -o remount,ro,bind $cg && exec cgpol doctor --json" --
is controller.memory missing "the cgroup2 mount at $cg is read-only"
is cgroup2.writable missing

# Not busybox's, which its shell prefers: tests/vm/run --add /usr/bin/unshare
if /bin/unshare -C true 2>/dev/null; then
	scene "doctor: a cgroup namespace"
	mkdir -p $cg/ns
	in_namespace() {
		(
			echo 0 >$cg/ns/cgroup.procs
			exec /bin/unshare -C -m sh -c "umount $cg && mount -t cgroup2 none $cg && exec cgpol doctor --json"
		)
	}
	examine 0 in_namespace
	is cgroup2.namespace info
	case $(reason cgroup2.namespace) in "in a cgroup namespace: "*) ;; *) bad "$(reason cgroup2.namespace)" ;; esac
	# What a child hands down cannot be taken from it.
	find $cg/user -depth -type d -exec rmdir {} +
	echo "-cpuset" >$cg/cgroup.subtree_control || bad "cpuset cannot be disabled"
	examine 5 in_namespace
	is controller.cpuset missing "not in cgroup.controllers of the cgroup at $cg: the cgroups above it, which cannot be seen here, do not hand it down"
	rmdir $cg/ns
fi

scene "doctor: a controller that v1 has"
quiet
find $cg -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
for name in $(cat $cg/cgroup.subtree_control); do echo "-$name" >$cg/cgroup.subtree_control; done
mkdir -p /tmp/v1
for name in memory pids; do
	if ! wait_for 5 mount -t cgroup -o $name none /tmp/v1 2>/dev/null; then
		echo "  this kernel has no v1 $name"
		continue
	fi
	if [ $name = memory ]; then examine 5; else examine 0; fi
	is controller.$name missing "bound to cgroup v1 at /tmp/v1"
	is cgroup2.mode limited "hybrid: cgroup2 at $cg; v1: $name at /tmp/v1"
	umount /tmp/v1
	wait_for 10 grep -qw $name $cg/cgroup.controllers || bad "$name does not come back, though the remedy says so"
	examine 0
	is controller.$name ok
done

scene "doctor: options of the mount, settings, other killers"
is cgroup2.nsdelegate limited
mount -o remount,nsdelegate $cg
echo 1 >/proc/sys/vm/panic_on_oom
echo 1 >/proc/sys/vm/oom_kill_allocating_task
# The kernel would keep a newline.
sh -c 'printf earlyoom >/proc/$$/comm; while :; do sleep 1; done' &
killer=$!
wait_for 5 grep -qx earlyoom /proc/$killer/comm || bad "no process is called earlyoom"
examine 0
is cgroup2.nsdelegate ok
is vm.panic_on_oom limited
is vm.oom_kill_allocating_task limited
is oom.killers info "may kill before the kernel does: earlyoom (pid $killer)"
kill -9 $killer
echo 0 >/proc/sys/vm/panic_on_oom
echo 0 >/proc/sys/vm/oom_kill_allocating_task

scene "doctor: a capture prints the same"
cgpol --record rec doctor >live || bad "no capture"
cgpol --root rec doctor >replay
cmp live replay || bad "the capture prints something else"
cat live
finish
