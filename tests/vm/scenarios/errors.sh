# shellcheck shell=sh disable=SC2154,SC2086,SC2317,SC2016,SC2013 # guest.sh sets cg; words; called by name; for another sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each refusal of the kernel is brought about and has to be told in words: the exit code, the sentence, the hint, and
# the same in JSON. Where cgpol sees it coming, the sentence comes before the kernel is asked.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh
need cgpol load jq
bad=0 rows=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
version_at_least() { [ "$(printf '%s\n%s\n' "$1" "$(uname -r)" | sort -V | head -n 1)" = "$1" ]; }
as=''
# says EXIT ERRNO TEXT HINT ARGUMENT...: patterns of the sentence and of the hint. $as starts it.
says() {
	says_exit=$1 says_errno=$2 says_text=$3 says_hint=$4
	shift 4
	rows=$((rows + 1))
	$as cgpol --json "$@" >json 2>err
	says_got=$?
	[ $says_got -eq "$says_exit" ] || wrong "$*: exit $says_got, not $says_exit: $(cat err)"
	head -n 1 err | grep -qE -e "$says_text" || wrong "$*: no \"$says_text\": $(cat err)"
	[ -z "$says_hint" ] || sed -n 2p err | grep -qE -e "$says_hint" || wrong "$*: no hint \"$says_hint\": $(cat err)"
	jq -e --argjson code "$says_exit" --arg errno "$says_errno" --arg hint "$(sed -n 2p err)" \
		'.error.code == $code and .error.errno == $errno and (.error.hint // "") == $hint' json >/dev/null ||
		wrong "$*: JSON: $(jq -c .error json), err: $(cat err)"
}
grep -q '^user:' /etc/passwd 2>/dev/null || echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
chmod 777 .
mkdir -m 700 state
chown 1000 state
# busybox's su takes the options of the command for its own.
as_user() { su user -c "cd $PWD && exec $(printf "'%s' " "$@")"; }
state="--state $PWD/state"

say "controllers: processes in the way, threads, and who does not hand them down"
cg_make /busy
start /busy 500 sleep 1000
busy=$!
wait_for 10 grep -q "populated 1" $cg/busy/cgroup.events
says 4 EBUSY "controller memory for the children of cgroup /busy: it has processes of its own.*: $busy" "move its processes|leaf" \
	create /busy/kid --set memory.max=50M
mkdir $cg/thr $cg/thr/in $cg/thr/beside
echo threaded >$cg/thr/in/cgroup.type
says 4 EOPNOTSUPP 'cgroup /thr is "domain threaded"' 'cgroup.type is "domain"' create /thr/new --set memory.max=50M
if ! version_at_least 6.8; then
	says 5 EOPNOTSUPP 'no memory.zswap.writeback: it came with 6.8' '' set /busy memory.zswap.writeback=0
fi

say "values"
cg_make /val cpuset.cpus=0-1 cpuset.mems=0-1
says 2 ERANGE 'cpuset.mems: node 9 is not possible on this machine' 'possible nodes of this machine: 0-' set /val cpuset.mems=9
says 2 ERANGE 'cpuset.cpus: cpu 99 is not possible on this machine' 'possible cpus' set /val cpuset.cpus=99
says 5 ENODEV 'cannot set io.max of cgroup /val to "9:9 rbps=1000": this machine has no block device 9:9' 'lsblk' \
	set /val 'io.max=9:9 rbps=1000'
says 4 EINVAL 'cannot set cpu.max of cgroup /val to "5": it takes "QUOTA PERIOD" in microseconds' '' set /val cpu.max=5
says 2 ERANGE 'cpu.weight' '' set /val cpu.weight=0
[ "$(cat $cg/val/cpu.weight)" = 100 ] || wrong "cpu.weight changed"
says 4 EINVAL 'cannot be a cpuset partition: |cannot set cpuset.cpus.partition of cgroup /part/kid to "root": a partition needs' \
	'a partition|cpuset.cpus' create /part/kid --set cpuset.cpus.partition=root
[ ! -e $cg/part ] || wrong "/part is left"
cg_make /lim cgroup.max.descendants=0
says 4 EAGAIN 'cannot make cgroup /lim/kid: cgroup.max.descendants of cgroup /lim allows no more than 0' 'raise it' create /lim/kid

say "moves"
cg_make /to
cg_make /deep/er
start / 500 sleep 1000
p=$!
# A move tells of each process on standard output, so it is looked at here.
# denied EXIT PATTERN ARGUMENT...
denied() {
	denied_exit=$1 denied_text=$2
	shift 2
	rows=$((rows + 1))
	$as cgpol move --json "$@" >json 2>err
	denied_got=$?
	[ $denied_got -eq "$denied_exit" ] || wrong "move $*: exit $denied_got, not $denied_exit: $(cat err)"
	{ cat err; jq -r '.processes[]? | .reason, .hint' json; } | grep -qE -e "$denied_text" ||
		wrong "move $*: no \"$denied_text\": $(cat err json)"
}
denied 4 'controllers are enabled for its children \(.*memory' --pid $p --to /deep
denied 4 'domain invalid' --pid $p --to /thr/beside
denied 3 'kthreadd, of which all kernel threads are made' --pid 2 --to /to
denied 1 'gone|no such process|does not exist' --pid 4000000 --to /to
if version_at_least 6.0; then
	# A partition that takes all the cpus of its parent, itself a partition.
	cg_make /all/taker
	mkdir $cg/all/rest
	echo 2-3 >$cg/all/cpuset.cpus
	echo root >$cg/all/cpuset.cpus.partition
	echo 2-3 >$cg/all/taker/cpuset.cpus
	echo root >$cg/all/taker/cpuset.cpus.partition
	denied 4 'its cpuset has no cpus \(cpuset.cpus.effective ""\); the chain of it: / 0-1, /all none, /all/rest none' \
		--pid $p --to /all/rest
	echo member >$cg/all/taker/cpuset.cpus.partition
	echo member >$cg/all/cpuset.cpus.partition
fi

say "a user: the common ancestor, its owner, and three remedies"
mkdir $cg/u $cg/u/a $cg/u/b
echo "+memory" >$cg/cgroup.subtree_control
chown 1000 $cg/u $cg/u/cgroup.procs $cg/u/cgroup.subtree_control $cg/u/a $cg/u/a/cgroup.procs $cg/u/b $cg/u/b/cgroup.procs
su user -c 'exec sleep 1000' &
theirs=$!
wait_for 10 grep -q '^Uid:.1000' /proc/$theirs/status
for pid in /proc/[0-9]*; do grep -qs '^Uid:.1000' $pid/status && grep -qs sleep $pid/comm && theirs=${pid#/proc/}; done
as='as_user'
denied 3 'cgroup.procs of cgroup /, the nearest one above both, too, which belongs to uid 0 \(its own to uid 1000\)' \
	$state --pid $theirs --to /u/a
grep -q 'as root; or in a scope of your own: systemd-run --user --scope .*; or have systemd move it (AttachProcessesToUnit)' err ||
	wrong "not the three remedies: $(cat err)"
says 1 EACCES 'cannot set memory.max of cgroup /u to "52428800": permission denied: it belongs to uid 0' 'systemd-run --user --scope' \
	set $state /u memory.max=50M
echo "-cpuset" >$cg/cgroup.subtree_control 2>/dev/null
case $(cat $cg/cgroup.subtree_control) in
*cpuset*) ;;
*)
	says 1 EACCES 'cannot enable controller cpuset for the children of cgroup /: permission denied: it belongs to uid 0' \
		'"Delegate=cpu cpuset io memory pids" into /etc/systemd/system/user@.service.d/delegate.conf' \
		create $state /u/new --set cpuset.mems=0
	;;
esac
says 1 EACCES 'cannot make cgroup /nothere: permission denied: it belongs to uid 0' 'Delegate=yes' create $state /nothere
says 1 EACCES 'cannot set .*swappiness.* to "11": permission denied' 'as root' set $state vm.swappiness=11
echo 500 >/proc/$theirs/oom_score_adj
says 1 EACCES 'oom_score_adj of process .* to "100": .*CAP_SYS_RESOURCE, and it is 500' 'CAP_SYS_RESOURCE|as root' set $state --pid $theirs oom_score_adj=100
says 1 EACCES 'oom_score_adj of process .* to "600": permission denied: the process belongs to uid 0' 'must be yours|as root' set $state --pid $p oom_score_adj=600
says 1 EPERM 'affinity.*(permission denied|not permitted|another user)' 'as root' set $state --pid $p affinity=0
as=''

say "affinity outside of the cpuset"
cg_make /val
echo $p >$cg/val/cgroup.procs
echo "+cpuset" >$cg/cgroup.subtree_control
echo 0-1 >$cg/val/cpuset.cpus
says 4 EINVAL 'cannot set affinity to 3: cpu 3 is not in the cpuset of cgroup /val, which has 0-1' 'widen cpuset.cpus' set --pid $p affinity=3

say "removal"
says 4 EBUSY 'cannot remove cgroup /val: it has processes: '$p'|cgroup /val.*'$p '--kill|--move-to' delete /val
says 4 ENOTEMPTY 'cgroup /deep.*below' '--recursive' delete /deep

say "read-only file systems"
in_ro_cgroup() { unshare -m sh -c "mount -o remount,ro,bind $cg && exec \"\$0\" \"\$@\"" "$@"; }
in_ro_sys() { unshare -m sh -c 'mount --bind /proc/sys /proc/sys && mount -o remount,ro,bind /proc/sys && exec "$0" "$@"' "$@"; }
as=in_ro_cgroup
says 1 EROFS 'cannot make cgroup /ro: the file system is mounted read-only' 'in a container' create /ro
as=in_ro_sys
says 1 EROFS 'swappiness.* to "11": /proc/sys is mounted read-only' 'outside the container' set vm.swappiness=11
as=''

# Not busybox's, which its shell prefers.
if /bin/unshare -C true 2>/dev/null; then
	say "the root of a cgroup namespace is the host's"
	mount -o remount,nsdelegate $cg
	mkdir $cg/ns
	in_namespace() {
		(
			echo 0 >$cg/ns/cgroup.procs
			exec /bin/unshare -C -m sh -c "umount $cg && mount -t cgroup2 none $cg && exec \"\$0\" \"\$@\"" "$@"
		)
	}
	as=in_namespace
	says 1 EPERM 'cannot set memory.max of cgroup / to "104857600": it is the root of this cgroup namespace, whose files are owned by the host \(nsdelegate\)' \
		'cgpol create' set / memory.max=100M
	as=''
else
	echo "  no unshare -C here"
fi

say "a controller that v1 has"
kill -9 $busy $p $theirs 2>/dev/null
wait
find $cg -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
for name in $(cat $cg/cgroup.subtree_control); do echo "-$name" >$cg/cgroup.subtree_control; done
mkdir -p v1
for name in memory pids; do
	if ! wait_for 5 mount -t cgroup -o $name none v1 2>/dev/null; then
		echo "  v1 $name cannot be had here"
		continue
	fi
	says 5 EOPNOTSUPP "controller $name is not in cgroup.controllers of the root cgroup /: it is bound to cgroup v1, mounted at .*/v1" \
		"cgroup_no_v1=$name" create /x --set $name.max=1000000
	[ ! -e $cg/x ] || wrong "/x is left"
	umount v1
done

echo "  $rows refusals"
[ $bad -eq 0 ] || fail "$bad checks"
