#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol history: journals as they lie in the directory, good ones, odd ones and broken ones.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"
state=$scratch/state
mkdir -m 700 "$state"

# journal DIR ID COMMAND [LINE...]
journal() {
	local dir=$1 id=$2 command=$3
	shift 3
	{
		printf 'cgpol journal 1\nid\t=%s\ntime\t1785579330\nuid\t7\npid\t4711\t98765\nboot\t=b\n' "$id"
		printf 'mount\t=\ncommand\t=%s\n' "$command"
		printf 'step\t0\tset\t-\t0\t0\t=/web\t=memory.max\t=max\t=1073741824\t-\n'
		printf 'step\t1\thost\t-\t0\t0\t-\t=/proc/sys/vm/swappiness\t=60\t=10\t=nothing\n'
		(($# == 0)) || printf '%b\n' "$@"
	} >"$dir/$id"
	chmod 600 "$dir/$id"
}

expect 'no directory is no change' 0 '' '' --state "$scratch/none" history -n
check 'and none is made' test ! -e "$scratch/none"
expect 'an empty one neither' 0 '' '' --state "$state" history
run --state "$state" history --json
valid 'an empty one: one valid document' history

journal "$state" 20260801T101530-4711 'cgpol set /web memory.max=1G' 'result\t1\tskipped' 'end\tdone'
journal "$state" 20260801T101530-900 'cgpol set /we%1B[31mb x=1'
journal "$state" 20260801T101531-1 'cgpol set' 'end\tdone' 'end\tundone'
mkdir -m 700 "$state/persistent"
journal "$state/persistent" 20250101T000000-5 'cgpol overcommit set' 'end\tdone'
journal "$state/persistent" 20260801T101531-1 'cgpol set' 'end\tdone'

export TZ=UTC
run --state "$state" history -n -r
check 'all of both directories: the status' test "$code" -eq 0
check 'all of both directories, the oldest first, each once' diff - "$scratch/out" <<'E'
20250101T000000-5 2026-08-01\x2010:15:30 done 2 cgpol\x20overcommit\x20set
20260801T101530-900 2026-08-01\x2010:15:30 open 2 cgpol\x20set\x20/we\x1b[31mb\x20x=1
20260801T101530-4711 2026-08-01\x2010:15:30 done 2 cgpol\x20set\x20/web\x20memory.max=1G
20260801T101531-1 2026-08-01\x2010:15:30 undone 2 cgpol\x20set
E
expect 'more columns' 0 '^20250101T000000-5 7 4711
' '' --state "$state" history -n -r -o ID,USER,PID
expect 'an unknown column' 2 '' 'unknown column' --state "$state" history -o NONE
run --state "$state" history --json
valid 'all as a document' history

expect 'the steps of one' 0 '^set memory.max of cgroup /web: "max" -> "1073741824" \(done\)
host /proc/sys/vm/swappiness: "60" -> "10" \(skipped\)$' '' --state "$state" history 20260801T101530-4711
expect 'of a killed one they may have been done' 0 'pending' '' --state "$state" history 20260801T101530-9
run --state "$state" history 20260801T101530-4 --json
valid 'the steps as a document' history
check 'its target is a word' grep -q '"target": "vm.swappiness"' "$scratch/out"
expect 'a beginning that two have' 2 '' '2 changes begin with "20260801T101530"' --state "$state" history 20260801T101530
expect 'a name that none has' 2 '' 'there is no change "x"' --state "$state" history x
expect 'two names are too many' 2 '' 'unexpected argument "b"' --state "$state" history a b

# Odd ones.
: >"$state/20260801T101532-1"
chmod 600 "$state/20260801T101532-1"
expect 'one that was cut off at once is no change' 0 '*' '' --state "$state" history
printf 'rubbish\033[31m\n' >"$state/20260801T101533-1"
chmod 600 "$state/20260801T101533-1"
expect 'rubbish is told' 3 '20260801T101533-1 - unreadable - -' 'journal 20260801T101533-1: this is no journal of cgpol' \
	--state "$state" history -n -r
run --state "$state" history --json
valid 'rubbish in a document' history
expect 'rubbish asked for' 1 '' 'this is no journal of cgpol' --state "$state" history 20260801T101533
printf 'cgpol journal 2\n' >"$state/20260801T101533-1"
expect 'a later version is told' 3 '*' 'one of a later version' --state "$state" history
rm "$state/20260801T101533-1"
chmod 666 "$state/20260801T101531-1"
expect 'one that others could have written is told' 3 '*' 'Operation not permitted' --state "$state" history
chmod 600 "$state/20260801T101531-1"
chmod 770 "$state"
expect 'a directory that others may write to' 1 '' 'others may write to it \(mode 0770\)' --state "$state" history
chmod 700 "$state"
ln -s "$state" "$scratch/link"
expect 'a link to one' 1 '' 'it is not a directory, but a file or a link' --state "$scratch/link" history
expect 'a capture has none' 2 '' 'a capture has no history' --root "$m" --state "$state" history
expect 'no name of a directory' 2 '' '--state' --state '' history
expect 'its help' 0 'Usage: cgpol history \[OPTION\.\.\.\] \[ID\]' '' history --help
finish
