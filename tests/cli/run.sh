#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol run without a cgroup of its own, so that no machine is changed: statuses, signals, job control, numactl's
# command lines, and every mistake. What cgroups do is in the guest's scenarios.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

# As check.bash's run, in an empty folder and without a cgroup.
started() { expect "$1" "$2" "$3" "$4" run --no-cgroup "${@:5}"; }

# ---- statuses ----

started 'success' 0 '' '' true
started 'the status of the command' 7 '' '' sh -c 'exit 7'
started 'a command of status 125' 125 '' '' sh -c 'exit 125'
started '128+N for a signal' 143 '' '' sh -c 'kill -TERM $$'
started 'SIGKILL is not taken for an OOM kill' 137 '' '' sh -c 'kill -KILL $$'
started 'a command that does not exist' 127 '' 'cannot run "no-such-command": No such file' no-such-command
started 'a command that may not be run' 126 '' 'cannot run "/etc/passwd": Permission denied' /etc/passwd
started 'a folder' 126 '' 'cannot run "/": Permission denied' /
printf '#!/no/such/interpreter\n' >"$scratch/script"
chmod +x "$scratch/script"
started 'a missing interpreter' 127 '' 'No such file' "$scratch/script"
started 'its output is its own' 0 '^to stdout$' '^to stderr$' sh -c 'echo to stdout; echo to stderr >&2'
started 'options end at the first word' 0 '^-v --json -m$' '' echo -v --json -m
started 'or at --' 0 '^-- x$' '' -- echo -- x
check 'and what is started may begin with a dash' bash -c '
	mkdir "$2" && ln -s /bin/echo "$2/-x" && PATH=$2:$PATH "$1" run --no-cgroup -- -x hello | grep -qx hello' - "$cgpol" "$scratch/path"
started 'empty arguments arrive' 0 '^3:::$' '' sh -c 'echo "$#:$1:$2:$3"' - '' '' ''
expect 'global options before the command' 3 '' '' -q run --no-cgroup sh -c 'exit 3'

# ---- what it is given ----

started 'oom_score_adj' 0 '^17$' '' --oom-score-adj 17 cat /proc/self/oom_score_adj
last=$(sed -n 's/^Cpus_allowed_list:.*[^0-9]\([0-9]*\)$/\1/p' /proc/self/status)
started 'affinity' 0 "[^0-9]$last\$" '' -C "$last" grep Cpus_allowed_list /proc/self/status
check 'affinity from a narrow one' bash -c 'taskset -c "$2" "$1" run --no-cgroup -C "$3" true' - "$cgpol" \
	"$(sed -n 's/^Cpus_allowed_list:.\([0-9]*\).*/\1/p' /proc/self/status)" "$last"
if [[ -e /proc/self/numa_maps ]] && numactl --show >/dev/null 2>&1; then
	started 'a memory policy' 0 ' bind:0 ' '' -m 0 head -n 1 /proc/self/numa_maps
	started 'local' 0 ' local ' '' -l head -n 1 /proc/self/numa_maps
	started 'static' 0 ' bind=static:0 ' '' -m 0 --static-nodes head -n 1 /proc/self/numa_maps
	started 'all of it at once' 0 ' prefer:0 ' '' -p 0 -N 0 --oom-score-adj 5 head -n 1 /proc/self/numa_maps
	expect '-v tells' 0 '' 'memory policy: bind:0, in effect on 0' run --no-cgroup -v -m 0 true
	run run --no-cgroup --report "$scratch/out.json" -m 0 -C "$last" --oom-score-adj 3 sh -c 'exit 9'
	check 'the report' bash -c '
		python3 "$1" "$2" "$3" &&
		jq -e ".status == 9 and .signal == null and .oom == null and .policy.mode == \"bind\" and .policy.nodes == \"0\" and
			.effective.oom_score_adj == 3 and .cgroup == null and .command == [\"sh\", \"-c\", \"exit 9\"]" "$3"' - \
		"$here/validate.py" "$top/share/cgpol/schema/run.schema.json" "$scratch/out.json"
else
	skip 'memory policies' 'no NUMA support, or no right to set a policy'
fi
run run --no-cgroup --report "$scratch/signal.json" sh -c 'kill -9 $$'
check 'the report of a signal' jq -e '.status == 137 and .signal == 9' "$scratch/signal.json"
check 'the report in a folder that is not there' bash -c '
	"$1" run --no-cgroup --report "$2/none/x" touch "$2/was-started" 2>"$2/err"
	[[ $? -eq 125 && ! -e $2/was-started ]] && grep -q "cannot write the report" "$2/err"' - "$cgpol" "$scratch"
started 'a report never replaces a device' 125 '' 'something else than a file' --report /dev/null true
mkdir "$scratch/going"
check 'a relative report in a folder that is gone' bash -c '
	cd "$2/going" && rmdir "$2/going" && "$1" run --no-cgroup --report r.json touch "$2/was-started" 2>"$2/err"
	[[ $? -eq 125 && ! -e $2/was-started && ! -e /r.json ]] && grep -q "current folder cannot be found: No such file" "$2/err"' - \
	"$cgpol" "$scratch"
mkdir "$scratch/going"
check 'but an absolute one' bash -c '
	cd "$2/going" && rmdir "$2/going" && "$1" run --no-cgroup --report "$2/whole.json" true && [[ -s $2/whole.json ]]' - "$cgpol" "$scratch"
check '/dev/null is one still' test -c /dev/null
started 'a report on standard output' 125 '' 'standard output is the command' --report - true

# ---- mistakes ----

started 'no command' 125 '' 'no command to run is given'
expect 'an unknown option' 125 '' 'did you mean --membind' run --membnd 0 true
started 'two policies' 125 '' 'a process has one memory policy' -m 0 -i 0 true
started 'balancing by itself' 125 '' '--balancing needs --membind' -b true
started 'static and relative' 125 '' 'exclude each other' -m 0 --static-nodes --relative-nodes true
started 'static without nodes' 125 '' 'need a memory policy with nodes' -l --static-nodes true
started '-N and -C' 125 '' 'both choose the cpus' -N 0 -C 0 true
started '--home-node' 125 '' 'exec drops all of them.*-N NODE' -m 0 --home-node 0 true
started 'no nodes' 125 '' 'at least one node' -m none true
started 'two preferred nodes' 125 '' '.' -p 0,1 true
started 'a list backwards' 125 '' '--membind' -m 3-0 true
started 'an open list' 125 '' '--membind' -m 0- true
started 'a node that is none' 125 '' '--membind' -m x true
started 'a cpu that does not exist' 125 '' '65535' -C 65535 true
started 'a device that does not exist' 125 '' '--membind' -m netdev:nosuch0 true
started 'the same as nothing' 125 '' '"same" needs another option' -m same true
started 'a device for cpus' 125 '' 'no list of cpus' -C netdev:lo true
started 'a score that is none' 125 '' 'not a whole number' --oom-score-adj much true
started 'a score out of range' 125 '' '1001' --oom-score-adj 1001 true
started 'a score far out of range' 125 '' '.' --oom-score-adj -99999999999 true
for option in '--cgroup x' --keep '--cpus 0' '--mems 0' '--memory-max 1G' '--memory-high 1G' '--swap-max 0' --oom-group \
	'--set memory.low=1M'; do
	# shellcheck disable=SC2086 # words
	started "--no-cgroup with $option" 125 '' '--no-cgroup excludes' $option true
done
expect 'a bad cgroup' 125 '' '"\.\."' run --cgroup a/../b true
expect 'a bad size' 125 '' '^cgpol: --memory-max: .*KB' run --memory-max 5KB true
expect 'a key of v1' 125 '' 'memory.max' run --set memory.limit_in_bytes=5 true
expect 'a key that does not exist' 125 '' 'memory.maxx' run --set memory.maxx=5 true
expect '--set without a value' 125 '' 'wants KEY=VALUE' run --set memory.max true
machine "$scratch/machine"
expect 'nor a machine elsewhere' 125 '' 'nothing can be run with --root' --root "$scratch/machine" run true
expect 'nor a recording' 125 '' 'nothing can be run with --record' --record "$scratch/rec" run --no-cgroup true
run run --no-cgroup --json no-such-command
check 'a failure as JSON' test "$code" -eq 127
valid 'and by its schema' error
for option in show:s hardware:H strict:t touch:T dump:d dump-nodes:D huge:u; do
	started "--${option%:*} is refused by name" 125 '' "--${option%:*} is numactl's" "--${option%:*}" true
	started "-${option#*:}, too" 125 '' "--${option%:*} is numactl's" "-${option#*:}" true
done
for option in shm:S shmid:I file:f offset:o length:L shmmode:M cpubind:c; do
	started "--${option%:*} is refused by name" 125 '' "--${option%:*} is numactl's" "--${option%:*}=1" true
	started "-${option#*:}, too" 125 '' "--${option%:*} is numactl's" "-${option#*:}" 1 true
done

# ---- numactl's command lines, from public scripts, with a command that exists in place of theirs ----

cat >"$scratch/lines" <<'LINES'
0 --interleave=all true --config /etc/mongod.conf
0 --cpunodebind=0 --membind=0 true
0 --cpunodebind=0 --preferred=0 true decode.py
0 --cpunodebind=0 -- timeout -v -k 30s 15m true in.json
0 --interleave=all true 0
0 --cpunodebind=0 true
0 -N 0 -- true -s
0 -i0 -a true
0 -l -C0 true
125 --all --physcpubind=11000 true
125 --cpunodebind=0 --membind=1000 true if=/dev/zero
125 --show
125 -H
LINES
if numactl --show >/dev/null 2>&1; then
	while read -r want line; do
		# shellcheck disable=SC2086 # words
		started "numactl $line" "$want" '' '*' $line
	done <"$scratch/lines"
else
	skip 'command lines of numactl' 'no NUMA support, or no right to set a policy'
fi

# ---- the plan ----

expect '--dry-run starts nothing' 0 '^# run touch \.\.\., without a cgroup of its own$' '' \
	--dry-run run --no-cgroup touch "$scratch/dry"
check 'indeed' test ! -e "$scratch/dry"
run --dry-run --json run --no-cgroup -C 0 --oom-score-adj 4 true
valid 'the plan as JSON' run
check 'has no steps' jq -e '.steps == [] and .affinity == "0" and .oom_score_adj == 4' "$scratch/out"
run --root "$scratch/machine" --dry-run --json run --cgroup /new --memory-max 64M -m 0 true
check 'a plan for another machine' test "$code" -eq 3
valid 'as JSON, too' run
check 'with its steps' jq -e '[.steps[] | select(.op == "mkdir" and .target == "/new")] | length == 1' "$scratch/out"
expect 'part of a node that does not exist' 125 '' 'node 99 is not possible on this machine' \
	--root "$scratch/machine" --dry-run run --cgroup /new --memory-max '50% of nodes:0,99' true
expect 'as text' 3 'mkdir /sys/fs/cgroup/new.*echo [0-9]+ > /sys/fs/cgroup/new/memory\.max' '' --root "$scratch/machine" --dry-run run --cgroup /new --memory-max 64M true

# ---- signals and job control ----

check 'signals, terminals and job control' python3 "$here/run_tty.py" "$cgpol"
check 'a signal is passed on' bash -c '
	"$1" run --no-cgroup bash -c "trap \"echo got; exit 4\" TERM; echo \$\$ >$2/up; while :; do sleep 0.05; done" >"$2/out" &
	until [[ -s $2/up ]]; do sleep 0.02; done
	kill -TERM $!
	wait $!
	[[ $? -eq 4 && $(<"$2/out") == got ]]' - "$cgpol" "$scratch"
check 'nohup: an ignored signal stays ignored, here and there' bash -c '
	rm -f "$2/up"
	(trap "" HUP; exec "$1" run --no-cgroup sh -c "grep SigIgn /proc/self/status; echo >$2/up; sleep 0.3; exit 5") >"$2/out" &
	until [[ -s $2/up ]]; do sleep 0.02; done
	kill -HUP $!
	wait $!
	[[ $? -eq 5 ]] && grep -q "SigIgn:.*[13579bdf]$" "$2/out"' - "$cgpol" "$scratch"
check 'SIGCHLD ignored by the starter' python3 -c '
import signal, subprocess, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
import os
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "run", "--no-cgroup", "sh", "-c", "exit 3"])
signal.signal(signal.SIGCHLD, signal.SIG_DFL)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 3)' "$cgpol"
check 'SIGPIPE is as it was' bash -c '"$1" run --no-cgroup yes | head -n 1 | grep -qx y; [[ ${PIPESTATUS[0]} -eq 141 ]]' - "$cgpol"
check 'SIGXFSZ too' bash -c '"$1" run --no-cgroup grep SigIgn /proc/self/status | grep -qE ":.*[02468ace]......$"' - "$cgpol"
check 'ignored SIGPIPE' bash -c 'trap "" PIPE; "$1" run --no-cgroup grep SigIgn /proc/self/status | grep -qE "[13579bdf]...$"' - "$cgpol"
check 'in a pipeline' bash -c '[[ $(seq 5 | "$1" run --no-cgroup cat | tail -n 1) == 5 ]]' - "$cgpol"
check 'closed standard streams stay closed' bash -c '"$1" run --no-cgroup test ! -e /proc/self/fd/0 -a ! -e /proc/self/fd/1 <&- >&-' - "$cgpol"
check 'closed stderr' bash -c '"$1" run --no-cgroup sh -c "exit 2" 2>&-; [[ $? -eq 2 ]]' - "$cgpol"
check 'a full standard output is the command'"'"'s business' bash -c '"$1" run --no-cgroup true >/dev/full' - "$cgpol"
check 'no descriptor of ours is left open' bash -c '[[ $("$1" run --no-cgroup ls /proc/self/fd) == $(ls /proc/self/fd) ]]' - "$cgpol"
finish
