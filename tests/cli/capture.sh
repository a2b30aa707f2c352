#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# --record and --root: replay equals live, and captures that are none, broken or hostile.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

# replays NAME ARGUMENT...: what a recording printed is what its replay prints, byte for byte
replays() {
	local name=$1 code=0 again=0 rec=$scratch/recording
	shift
	rm -rf "$rec"
	"$cgpol" --record "$rec" "$@" >"$scratch/live" 2>"$scratch/live.err" || code=$?
	"$cgpol" --root "$rec" "$@" >"$scratch/replay" 2>"$scratch/replay.err" || again=$?
	check "$name: same exit code" test "$code" -eq "$again"
	check "$name: same output" cmp "$scratch/live" "$scratch/replay"
	check "$name: same errors" cmp "$scratch/live.err" "$scratch/replay.err"
}

replays 'stat of this machine' stat
replays 'stat as JSON' stat --json
replays 'stat of one process' stat $$
replays 'stat of one that is gone' stat 4194304
replays 'predict of this machine' predict --system
replays 'predict as JSON' predict --system --json --all --top 0
replays 'predict of this shell' predict $$
replays 'predict of a cgroup' predict --cgroup /
replays 'stat of a cgroup' stat --cgroup /
replays 'a capture of a capture: stat' --root "$m" stat
replays 'a capture of a capture: predict' --root "$m" predict 412

rm -rf "$scratch/twice"
"$cgpol" --root "$m" --record "$scratch/twice" predict --json --cgroup group/one >"$scratch/first"
"$cgpol" --root "$m" predict --json --cgroup group/one >"$scratch/second"
"$cgpol" --root "$scratch/twice" predict --json --cgroup group/one >"$scratch/third"
check 'recording does not change the answer' cmp "$scratch/first" "$scratch/second"
check 'a capture can be recorded again' cmp "$scratch/second" "$scratch/third"

# Where a recording cannot go.
mkdir "$scratch/full"
touch "$scratch/full/file"
expect 'a directory that is not empty is not recorded into' 2 '' 'not empty' --record "$scratch/full" stat
check 'and is left alone' test "$(ls "$scratch/full")" = file
expect 'a file is no place for a recording' 2 '' 'cgpol: .' --record "$scratch/full/file" stat
expect 'a parent that is not there' 1 '' 'cgpol: .' --record "$scratch/none/below" stat
run --record "$scratch/full" --json stat
valid 'a refused recording as JSON' error
if [[ -w /dev/shm && $EUID -eq 0 ]] && mkdir -p "$scratch/small" && mount -t tmpfs -o size=64k none "$scratch/small" 2>/dev/null; then
	expect 'a recording on a full disk is exit code 1' 1 '*' 'recording' --record "$scratch/small/rec" --root "$m" stat
	rm -rf "$scratch/small/rec"
	run --record "$scratch/small/rec" --root "$m" stat --json
	check 'with JSON too' test "$code" -eq 1
	valid 'and then the document is the error' error
	umount "$scratch/small"
else
	skip 'a recording on a full disk is exit code 1' 'needs a small tmpfs'
fi

# What is no capture.
expect 'a directory that is no capture' 2 '' 'no capture' --root "$scratch/full" stat
expect 'a file that is no capture' 2 '' 'no capture' --root "$scratch/full/file" stat
expect 'a capture that is not there' 1 '' 'cgpol: .' --root "$scratch/none" stat
expect 'an empty name' 1 '' 'cgpol: .' --root '' stat
for text in '' '{' '[]' '{"schema": 2}' '{"schema": 1}' 'null' "$(printf '[%.0s' {1..100000})"; do
	machine "$scratch/bad"
	printf '%s' "$text" >"$scratch/bad/manifest.json"
	expect "a manifest of ${text:0:16}" 1 '' 'manifest.json' --root "$scratch/bad" stat
done
for change in '"page_size": 0' '"page_size": -1' '"page_size": 99999999999999999999' '"kernel": "\u001b[31m"' \
	'"uid": -5' '"capabilities": "x"' '"cgroups": {"/": -1}' '"errors": {"/proc/stat": 5}' '"shared_mm": [[-1]]'; do
	machine "$scratch/bad"
	python3 - "$scratch/bad/manifest.json" "$change" <<-'P'
		import json, sys
		doc = json.load(open(sys.argv[1]))
		key, value = sys.argv[2].split(": ", 1)
		doc[json.loads(key)] = "@"
		open(sys.argv[1], "w").write(json.dumps(doc).replace('"@"', value))
	P
	expect "a manifest with $change" 1 '' 'manifest.json' --root "$scratch/bad" stat
done

# What a hostile capture can do is tried by the hundred, faster than a shell can.
while IFS= read -r line; do
	printf '%s\n' "$line"
	case $line in
	'ok - '*) ((++passed)) ;;
	'not ok - '*) ((++failed)) ;;
	esac
done < <(python3 "$here/hostile.py" "$cgpol" "$scratch/hostile" 2>&1 || echo "not ok - hostile.py ends with $?")

# Nothing outside of a capture is looked at.
printf 'MemTotal: 4242424242 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n' >"$scratch/outside"
for link in "$scratch/outside" ../../outside /etc/passwd /dev/zero; do
	machine "$scratch/evil" /proc/meminfo=
	ln -s "$link" "$scratch/evil/proc/meminfo"
	expect "a link to ${link/$scratch/...} is not followed" 1 '' '/proc/meminfo' --root "$scratch/evil" predict --system
done
machine "$scratch/evil"
rm -rf "$scratch/evil/proc/398"
ln -s "/proc/$$" "$scratch/evil/proc/398"
run --root "$scratch/evil" stat --json
check 'a live process is not shown through a link' bash -c '! grep -q "\"pid\": 398" "$1"' - "$scratch/out"

finish
