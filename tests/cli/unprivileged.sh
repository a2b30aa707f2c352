#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# Without rights: what can be read is shown, nothing is called complete or certain.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

if [[ $EUID -ne 0 ]]; then
	skip 'as another user' 'needs root to become nobody'
	finish
fi
chmod 755 "$scratch"
cp "$cgpol" "$cgpol-full" "$scratch/"
real=$scratch/cgpol

# As check.bash's run, but as nobody.
run() {
	timeout -k 5 60 runuser -u nobody -- "$real" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	out=$(<"$scratch/out")
	err=$(<"$scratch/err")
}

expect 'stat shows what it can and counts the rest' 0 '*' 'may not be read' stat
expect 'quietly, too' 0 '*' '' stat -q
expect 'a process of root that is named: its totals, and why there is no more' 1 '^PID.* all ' 'cgpol: .*1[^0-9]' \
	stat --pid 1
run stat --json
valid 'stat as JSON' stat
check 'it is not complete' grep -q '"complete": false' "$scratch/out"
check 'the unreadable ones are counted' grep -q '"unreadable": [1-9]' "$scratch/out"
run predict --system --json
check 'predict has an answer' test "$code" -eq 0
valid 'predict as JSON' predict
check 'the answer is not complete' grep -q '"complete": false' "$scratch/out"
check 'and never certain' bash -c '! grep -q "\"certainty\": \"certain\"" "$1"' - "$scratch/out"
expect 'predict for a person' 0 '^If ' '*' predict --system
run predict 1
check 'predict for a process of root ends well' test "$code" -le 1
machine "$scratch/machine"
chmod -R a+rX "$scratch/machine"
expect 'a capture can be read by anyone' 0 'kills a \(pid 398\)' '' --root "$scratch/machine" predict 412
expect 'a recording that may not be written' 1 '' 'cgpol: .' --record /nobody-writes-here stat

finish
