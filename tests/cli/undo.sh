#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol undo: which change it takes, what it refuses, and that it puts back the oom_score_adj of a process of ours.
# With cgroups on a kernel: tests/vm/scenarios/undo.sh and killed.sh.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"
state=$scratch/state
mkdir -m 700 "$state"
boot=$(</proc/sys/kernel/random/boot_id)

sleep 1000 &
sleeper=$!
trap 'kill $sleeper; rm -rf "$scratch"' EXIT
until [[ $(</proc/$sleeper/comm) == sleep ]]; do sleep 0.05; done
started=$(sed 's/.*) //' /proc/$sleeper/stat | cut -d' ' -f20)
was=$(</proc/$sleeper/oom_score_adj)
# Anybody may raise it, and take that back.
adj() { cat /proc/$sleeper/oom_score_adj; }

# change ID [LINE...]: from what it was to 901, as if cgpol had written it down.
change() {
	local id=$1
	shift
	{
		printf 'cgpol journal 1\nid\t=%s\ntime\t1785579330\nuid\t0\npid\t4194304\t98765\nboot\t=%s\n' "$id" "$boot"
		printf 'mount\t=\ncommand\t=cgpol set\n'
		printf 'step\t0\ttask\t-\t%d\t%d\t-\t=oom_score_adj\t=%d\t=901\t-\n' "$sleeper" "$started" "$was"
		(($# == 0)) || printf '%b\n' "$@"
	} >"$state/$id"
	chmod 600 "$state/$id"
}

expect 'without a change there is nothing' 1 '' 'nothing to undo' --state "$scratch/none" undo
check 'and no directory is made' test ! -e "$scratch/none"
expect 'the same in a dry run' 1 '' 'nothing to undo' --state "$state" undo --dry-run

echo 901 >/proc/$sleeper/oom_score_adj
change 20260801T101530-1 'end\tdone'
change 20260801T101531-1 'end\tfailed'
change 20260801T101532-1 'end\tdone' 'end\tundone'
before=$(cat "$state"/2*)
expect 'a dry run tells of the newest that holds' 3 "^20260801T101530-1 cgpol set
oom_score_adj of process $sleeper: would be back to \"$was\"\$" '' --state "$state" undo --dry-run
check 'and touches nothing' test "$(adj)" -eq 901
check 'not the journal either' test "$before" = "$(cat "$state"/2*)"
run --state "$state" undo --dry-run --json
valid 'a dry run as a document' undo
expect 'it is put back' 0 "oom_score_adj of process $sleeper: back to \"$was\"" '' --state "$state" undo --last
check 'so says the kernel' test "$(adj)" -eq "$was"
check 'the journal says so' grep -q '^end.undone$' "$state/20260801T101530-1"
expect 'then nothing is left' 1 '' 'nothing to undo' --state "$state" undo
expect 'by its name it is told' 0 '' 'change 20260801T101530-1 is undone already' --state "$state" undo 20260801T101530
expect 'so is one that failed' 0 '' 'change 20260801T101531-1 failed, and was taken back at once' \
	--state "$state" undo 20260801T101531-1
run --state "$state" undo --json 20260801T101531-1
valid 'one that failed as a document' undo

# Killed half-way: the torn end is cut off before more is written.
change 20260801T101533-1
printf 'res' >>"$state/20260801T101533-1"
echo 901 >/proc/$sleeper/oom_score_adj
expect 'one whose cgpol was killed' 0 'back to' '' --state "$state" undo
check 'is put back' test "$(adj)" -eq "$was"
check 'and its journal is whole' grep -q '^end.undone$' "$state/20260801T101533-1"

change 20260801T101534-1 'end\tdone'
echo 902 >/proc/$sleeper/oom_score_adj
expect 'what was changed since is refused' 4 '' "oom_score_adj of process $sleeper is \"902\": neither" --state "$state" undo
check 'and stays' test "$(adj)" -eq 902
run --state "$state" undo --json
valid 'refused with --json: one valid document' error
expect 'a dry run says so' 4 'changed since, is "902"' 'would be refused' --state "$state" undo --dry-run
expect 'unless forced' 0 "back to \"$was\"" '' --state "$state" undo --force
check 'then it is put back' test "$(adj)" -eq "$was"

change 20260801T101535-1 'end\tdone'
sed -i "s/\t$started\t/\t1\t/" "$state/20260801T101535-1"
echo 901 >/proc/$sleeper/oom_score_adj
expect 'another process of that number is left alone' 0 'gone' '' --state "$state" undo
check 'with what it has' test "$(adj)" -eq 901

change 20260801T101536-1 'end\tdone'
sed -i 's/^boot\t.*/boot\t=another/' "$state/20260801T101536-1"
expect 'a boot before this is refused' 4 '' 'the machine was booted since' --state "$state" undo
rm "$state/20260801T101536-1"

change 20260801T101537-1
sed -i "s/^pid\t.*/pid\t$sleeper\t$started/" "$state/20260801T101537-1"
expect 'one that is at work is left alone' 1 '' "cgpol \(process $sleeper\) is still at work" --state "$state" undo
rm "$state/20260801T101537-1"

# The lock: another holds it for longer than is waited; a reader does not wait.
change 20260801T101538-1 'end\tdone'
flock "$state/lock" sleep 30 &
holder=$!
until ! flock -n "$state/lock" true; do sleep 0.05; done
expect 'a dry run needs no lock' 3 '*' '' --state "$state" undo --dry-run
expect 'the lock is waited for, but not for ever' 1 '' 'is changing this machine' --state "$state" undo
pkill -P $holder
wait $holder 2>/dev/null

printf 'rubbish\n' >"$state/20260801T101539-1"
chmod 600 "$state/20260801T101539-1"
expect 'rubbish that is the newest is not stepped over' 1 '' 'journal 20260801T101539-1' --state "$state" undo
expect 'an older one by its name' 0 'back to' '' --state "$state" undo 20260801T101538-1

expect 'a capture is refused' 4 '' 'a capture cannot be changed' --root "$m" --state "$state" undo
expect 'a dry run with one too' 4 '' 'a capture cannot be changed' --root "$m" --state "$state" undo --dry-run
expect 'a name and --last' 2 '' 'exclude each other' --state "$state" undo --last 2026
expect 'no such change' 2 '' 'there is no change' --state "$state" undo 1999
expect 'two names are too many' 2 '' 'unexpected argument' --state "$state" undo a b
expect 'its help' 0 'Usage: cgpol undo \[OPTION\.\.\.\] \[ID\]' '' undo --help
finish
