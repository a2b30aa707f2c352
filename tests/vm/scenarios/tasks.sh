# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Settings of all processes of a cgroup, while they fork: each one has it in the end, and who is denied gets all of it
# taken back.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
status() {
	wanted=$1
	shift
	"$@" >out 2>err
	got=$?
	[ $got = "$wanted" ] || wrong "$*: status $got, not $wanted: $(cat out err)"
}
says() { grep -q -- "$2" "$1" || wrong "\"$2\" is not in: $(cat "$1")"; }
allowed() { sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "/proc/$1/status" 2>/dev/null; }
# Every process that is there has the score, however often it is looked at.
all_have() {
	for look in 1 2 3 4 5 6 7 8; do
		cat $cg/t/*/cgroup.procs >members
		while read -r pid; do
			adj=$(cat "/proc/$pid/oom_score_adj" 2>/dev/null) || continue
			[ "$adj" = "$1" ] || wrong "look $look: process $pid has $adj, not $1"
		done <members
	done
}

cg_make /t/a || fail "no cgroup"
cg_make /t/b
# Both fork without end, the second one two levels deep.
start /t/a 0 sh -c 'while :; do /bin/true; done'
start /t/b 0 sh -c 'while :; do sh -c "/bin/true; /bin/true"; done'
start /t/a 0 sleep 1000
sleeper=$!
sleep 0.5

say "all processes, whoever is forked meanwhile"
for adj in 500 -300 0 999; do
	status 0 cgpol set /t --tasks oom_score_adj=$adj
	all_have $adj
done
status 0 cgpol --json set /t --tasks oom_score_adj=123
jq -e '.tasks.changed >= 3 and .tasks.rounds >= 2 and .settings[0].result == "ok"' out >/dev/null || wrong "the document is $(cat out)"
all_have 123
status 0 cgpol set /t --tasks oom_score_adj=123
[ "$(cat out)" = "nothing to change" ] || wrong "the second call says: $(cat out)"

say "taken back"
status 0 cgpol set /t/a --tasks oom_score_adj=555
status 0 cgpol undo --last
[ "$(cat /proc/$sleeper/oom_score_adj)" = 123 ] || wrong "undo left $(cat /proc/$sleeper/oom_score_adj)"

say "affinity of all"
status 0 cgpol set /t --tasks affinity=1
[ "$(allowed $sleeper)" = 1 ] || wrong "affinity is $(allowed $sleeper)"
cat $cg/t/*/cgroup.procs >members
while read -r pid; do
	now=$(allowed "$pid")
	[ -z "$now" ] || [ "$now" = 1 ] || wrong "process $pid may run on $now"
done <members
status 0 cgpol set /t --reset-affinity
[ "$(allowed $sleeper)" = "$(cat $cg/t/cpuset.cpus.effective)" ] || wrong "affinity is $(allowed $sleeper) after the reset"

say "a named process that is gone"
status 1 cgpol set --pid 999999 oom_score_adj=1
says err 'process 999999 does not exist'

say "who has no right to lower it is told, and nothing is changed"
grep -q '^user:' /etc/passwd 2>/dev/null || echo 'user:x:1000:1000::/:/bin/sh' >>/etc/passwd
mkdir -p /tmp/user && chown 1000 /tmp/user && chmod 700 /tmp/user
start /t/a 0 su user -c 'exec sleep 2000'
own=$!
sleep 0.5
if [ "$(stat -c %u "/proc/$own")" = 1000 ] && su user -c true 2>/dev/null; then
	su user -c "cgpol --state /tmp/user/state set --pid $own oom_score_adj=-1000" >out 2>err
	got=$?
	[ $got = 1 ] || [ $got = 4 ] || wrong "lowering without the right: status $got: $(cat err)"
	says err CAP_SYS_RESOURCE
	[ "$(cat "/proc/$own/oom_score_adj")" = 0 ] || wrong "it was lowered"
	su user -c "cgpol --state /tmp/user/state set --pid $own oom_score_adj=200" >out 2>err || wrong "raising one's own: $(cat err)"
	[ "$(cat "/proc/$own/oom_score_adj")" = 200 ] || wrong "it was not raised"
else
	say "no user to be here"
fi

[ $bad = 0 ] || fail "$bad wrong"
