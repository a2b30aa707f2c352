# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol shield on a kernel: cpus for one cgroup alone, who still runs on them, and undo.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol
[ "$(cat $cg/cpuset.cpus.effective 2>/dev/null)" = 0-3 ] || skip "needs cpus 0-3"

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
status() {
	wanted=$1
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || wrong "$*: status $got, not $wanted: $(cat out err)"
}
is() { [ "$(cat "$1")" = "$2" ] || wrong "$1 is \"$(cat "$1")\", not \"$2\""; }
allowed() { sed -n 's/Cpus_allowed_list:\t//p' "/proc/$1/status"; }
type=isolated
case $(uname -r) in 5.*) type=root ;; esac

say "what is refused"
status 1 cgpol shield
status 4 cgpol shield all --type $type
grep -q "no cpu would be left" err || wrong "says: $(cat err)"
status 2 cgpol shield 3-0
status 2 cgpol shield none
status 3 cgpol shield 2-3 --type $type --dry-run
grep -q "mkdir" out || wrong "the dry run says: $(cat out)"
[ ! -e $cg/shield ] || wrong "a dry run made it"
if [ $type = root ]; then
	status 5 cgpol shield 3
	[ ! -e $cg/shield ] || wrong "what failed is still there"
fi

say "made, with what still runs there"
sleep 1000 &
pinned=$!
taskset -p c $pinned >/dev/null
sleep 1000 &
roaming=$!
taskset -p f $roaming >/dev/null
status 0 cgpol --json shield 2-3 --type $type --force
is $cg/shield/cpuset.cpus.partition $type
is $cg/shield/cpuset.cpus.effective 2-3
is $cg/cpuset.cpus.effective 0-1
[ "$(jq -r '[.cpus, .left, .partition, .valid] | join(" ")' out)" = "2-3 0-1 $type true" ] || wrong "json: $(cat out)"
jq -e ".threads[] | select(.pid == $pinned and .cpus == \"2-3\")" out >/dev/null || wrong "the pinned one is not told: $(cat out)"
jq -e ".threads[] | select(.pid == $roaming)" out >/dev/null && wrong "the other one is told"
jq -e '.kernel_threads[] | select(.comm == "migration/3" and .cpus == "3")' out >/dev/null || wrong "migration/3 is not told"
jq -e '.kernel_threads[] | select(.comm == "migration/1")' out >/dev/null && wrong "migration/1 is told"
# Unbound workers (kworker/uN) are moved with the partition, by the kernel, a moment later (kernel/workqueue.c).
for tid in $(jq -r '.kernel_threads[] | select(.comm | startswith("kworker/u") | not) | .tid' out); do
	[ -e "/proc/$tid" ] || continue # a worker that ended
	case $(allowed "$tid") in 2 | 3 | 2-3) ;; *) wrong "kernel thread $tid is on $(allowed "$tid")" ;; esac
done
wait_for 5 sh -c "grep -q 'Cpus_allowed_list:.0-1' /proc/$roaming/status" || wrong "everybody else is on $(allowed $roaming)"

say "used, and shown"
status 0 cgpol run --cgroup /shield/job sh -c 'sed -n "s/Cpus_allowed_list:\t//p" /proc/self/status'
[ "$(cat out)" = 2-3 ] || wrong "a command in it has cpus $(cat out)"
status 0 cgpol shield
grep -q "left for everybody else: 0-1" out || wrong "shown as: $(cat out)"
status 0 cgpol shield 2-3 --type $type --force
grep -q "nothing to change" out || wrong "a second time: $(cat out)"

say "taken back"
rmdir $cg/shield/job 2>/dev/null
status 0 cgpol undo --last
[ ! -e $cg/shield ] || wrong "it is still there"
wait_for 5 grep -qx 0-3 $cg/cpuset.cpus.effective || wrong "the root has $(cat $cg/cpuset.cpus.effective)"
wait_for 5 grep -q 'Cpus_allowed_list:.0-3' /proc/$roaming/status || wrong "the cpus do not come back: $(allowed $roaming)"
kill $pinned $roaming

say "deeper down it is a remote partition"
cg_make /a
if [ -e $cg/a/cpuset.cpus.exclusive ]; then
	status 0 cgpol shield 3 --cgroup /a/s --force
	is $cg/a/s/cpuset.cpus.partition isolated
	is $cg/cpuset.cpus.effective 0-2
	status 0 cgpol undo --last
	wait_for 5 grep -qx 0-3 $cg/cpuset.cpus.effective || wrong "the root has $(cat $cg/cpuset.cpus.effective)"
else
	status 5 cgpol shield 3 --cgroup /a/s --type $type
fi
[ ! -e $cg/a/s ] || wrong "/a/s is still there"
[ "$bad" -eq 0 ] || fail "$bad wrong"
