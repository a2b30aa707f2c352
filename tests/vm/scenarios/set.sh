# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol set on a kernel: all or nothing over cgroups, the machine and processes; nothing twice; errors with the file, the
# value, the errno and the reason; threads with an affinity of their own.
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
is() { [ "$(cat "$1")" = "$2" ] || wrong "$1 is \"$(cat "$1")\", not \"$2\""; }
says() { grep -q -- "$2" "$1" || wrong "\"$2\" is not in: $(cat "$1")"; }
# Without what cannot be brought back.
lines() { [ "$(sed 's/ (not to be undone: .*)//' out)" = "$1" ] || wrong "the output is: $(cat out)"; }
writes() { cgpol -v "$@" 2>&1 >/dev/null | grep -c -E '^(write|mkdir|rmdir|setxattr|rmxattr|chown|save|affinity) '; }
allowed() { sed -n 's/^Cpus_allowed_list:[[:blank:]]*//p' "/proc/$1/status"; }

cg_make /web || fail "no cgroup"
cg_make /db
vm=/proc/sys/vm
swappiness=$(cat $vm/swappiness)
start /web 0 sleep 1000
sleeper=$!
sleep 0.2

say "cgroups, the machine and a process are one change"
status 0 cgpol set /web /db memory.max=1G vm.swappiness=11 --pid $sleeper oom_score_adj=77
lines "/web/memory.max: max -> 1073741824
/db/memory.max: max -> 1073741824
/proc/sys/vm/swappiness: $swappiness -> 11
process $sleeper: oom_score_adj: 0 -> 77"
is $cg/web/memory.max 1073741824
is $cg/db/memory.max 1073741824
is $vm/swappiness 11
is /proc/$sleeper/oom_score_adj 77

say "a second call writes nothing (P11)"
status 0 cgpol set /web /db memory.max=1G vm.swappiness=11 --pid $sleeper oom_score_adj=77
lines "nothing to change"
[ "$(writes set /web /db memory.max=1G vm.swappiness=11 --pid $sleeper oom_score_adj=77)" = 0 ] || wrong "it writes"
status 0 cgpol --json set /web memory.max=1G
jq -e '.changed == false and .id == null and .steps == []' out >/dev/null || wrong "the document is $(cat out)"

say "and it is taken back as one"
status 0 cgpol undo --last
is $cg/web/memory.max max
is $cg/db/memory.max max
is $vm/swappiness "$swappiness"
is /proc/$sleeper/oom_score_adj 0

say "each setting has its result (P09)"
status 0 cgpol --json set /web memory.high=512M memory.max=1G pids.max=100 cpu.weight=50
jq -e '.changed and (.id | type == "string") and ([.settings[].result] == ["ok", "ok", "ok", "ok"]) and
	([.steps[].result] | unique == ["done"])' out >/dev/null || wrong "the document is $(cat out)"
is $cg/web/memory.high 536870912
is $cg/web/pids.max 100
is $cg/web/cpu.weight 50

say "what the kernel refuses is told with file, value, errno and reason, and all is taken back (P12)"
status 4 cgpol set /web pids.max=7 memory.max=2G cpu.max=1
says err 'cpu\.max of cgroup /web'
says err '"1"'
says err 'as it was before'
is $cg/web/pids.max 100
is $cg/web/memory.max 1073741824
cgpol --json set /web pids.max=7 cpu.max=1 >out 2>err
jq -e '.error.file == "cpu.max" and .error.value == "1" and .error.errno == "EINVAL"' out >/dev/null || wrong "the document is $(cat out)"

say "lists: outside of the machine, at an end and inside (P17, P19)"
for list in 4000 0-4000; do
	cgpol set /web cpuset.cpus=$list >out 2>err
	[ $? -ge 2 ] || wrong "cpuset.cpus=$list is a success"
	says err 'cpuset\.cpus'
done
is $cg/web/cpuset.cpus ""

say "the mode never is refused while more is committed"
status 4 cgpol set vm.overcommit_memory=never vm.overcommit_kbytes=4
says err committed
is $vm/overcommit_memory 0

say "a limit by kbytes sets the ratio to 0, and undo brings the ratio back"
ratio=$(cat $vm/overcommit_ratio)
status 0 cgpol set vm.overcommit_kbytes=900000
is $vm/overcommit_kbytes 900000
is $vm/overcommit_ratio 0
status 0 cgpol undo --last
is $vm/overcommit_ratio "$ratio"
is $vm/overcommit_kbytes 0

say "one cgroup of many fails: none is changed"
status 1 cgpol set /web /none /db pids.max=5
is $cg/web/pids.max 100

if [ "$(grep -c ^processor /proc/cpuinfo)" -ge 4 ]; then
	say "threads with an affinity of their own are counted, and get all cpus when asked to (P26)"
	status 0 cgpol set /web cpuset.cpus=0-2
	status 0 cgpol set --pid $sleeper affinity=1
	[ "$(allowed $sleeper)" = 1 ] || wrong "affinity is $(allowed $sleeper)"
	status 4 cgpol set --pid $sleeper affinity=3
	says err 'cpu 3 is not in the cpuset of cgroup /web'
	status 0 cgpol set /web cpuset.cpus=0-3
	case $(allowed $sleeper) in
	1) # since 6.2 it is kept
		says err '1 thread of /web has an affinity'
		status 0 cgpol --json set /web cpuset.cpus=0-3
		jq -e '.warnings | length == 1' out >/dev/null || wrong "the document is $(cat out)"
		;;
	*) say "this kernel forgets an affinity when the cpuset changes" ;;
	esac
	status 0 cgpol set --pid $sleeper affinity=2
	status 0 cgpol set /web cpuset.cpus=1-3 --reset-affinity
	[ "$(allowed $sleeper)" = 1-3 ] || wrong "affinity is $(allowed $sleeper) after --reset-affinity"
else
	say "too few cpus for affinities"
fi

[ $bad = 0 ] || fail "$bad wrong"
