#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# What the program prints of captures, against what it printed when somebody last looked at it.
# Usage: golden.sh BINARY [--write]     with --write the files are made anew, to be reviewed with git diff
#
# tests/golden/questions has one line for each: MACHINE LABEL COMMAND [ARGUMENT...]. MACHINE is a capture in
# tests/roots, or "made" for the one that machine.py makes. The answers are
# tests/golden/COMMAND/MACHINE.LABEL.txt and .json; JSON is valid by its schema besides.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

golden=$top/tests/golden
mode=${2-}
machine "$scratch/made"

# answer NAME FILE ARGUMENT...
answer() {
	local name=$1 file=$2
	shift 2
	run "$@"
	printf 'exit %s\n' "$code" >>"$scratch/err"
	if [[ $mode == --write ]]; then
		mkdir -p "$(dirname "$file")"
		cat "$scratch/out" >"$file"
		[[ $code -eq 0 ]] || cat "$scratch/err" >>"$file"
	fi
	[[ $code -eq 0 ]] || cat "$scratch/err" >>"$scratch/out"
	check "$name" diff -u "$file" "$scratch/out"
}

while read -r machine label command arguments; do
	[[ -n $machine && $machine != '#'* ]] || continue
	root=$top/tests/roots/$machine
	[[ $machine != made ]] || root=$scratch/made
	file=$golden/$command/${machine//\//-}.$label
	# shellcheck disable=SC2086
	answer "$machine: $command $arguments" "$file.txt" --root "$root" "$command" $arguments
	# shellcheck disable=SC2086
	answer "$machine: $command --json $arguments" "$file.json" --root "$root" "$command" --json $arguments
	if [[ $code -eq 0 ]]; then
		valid "$machine: $command --json $arguments is valid" "$command"
	fi
done <"$golden/questions"
for file in "$golden"/*/*.{txt,json}; do
	name=$(basename "${file%.*}")
	check "$(basename "$file") belongs to a question" \
		grep -qE "^${name%.*} +${name##*.} +$(basename "$(dirname "$file")")( |\$)" <(tr / - <"$golden/questions")
done

finish
