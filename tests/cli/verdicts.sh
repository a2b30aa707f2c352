#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Captures that were made just before a real OOM kill: what is foretold from them is what that kernel then did.
# Usage: verdicts.sh BINARY
#
# tests/roots/guests/NAME/{predict,stat} are captures, NAME/verdict is taken from the kernel's log (tests/roots/record).
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

guests=$top/tests/roots/guests

verdict() { sed -n "s/^$2 //p" "$1"; }
field() { jq -r "$1 // \"-\"" "$scratch/out"; }

for dir in "$guests"/*/; do
	name=$(basename "$dir")
	read -ra question <<<"$(verdict "$dir/verdict" question)"
	run --root "$dir/predict" predict --json "${question[@]}"
	check "$name: predict reads the capture" test "$code" -eq 0
	for key in constraint nodes memcg victim "then" killed; do
		case $key in
		constraint) said=$(field .constraint) ;;
		nodes) said=$(field .nodes) ;;
		memcg) said=$(field .oom_memcg) ;;
		victim) said=$(field .victim.pid) ;;
		"then") said=$(field '.then[0].pid') ;;
		killed) said=$(jq -r '[.kills[] | select(.why != "shares_mm").pid] | sort | join(" ")' "$scratch/out") ;;
		esac
		want=$(verdict "$dir/verdict" "$key")
		[[ $key != killed ]] || want=$(tr ' ' '\n' <<<"$want" | sort -n | paste -sd ' ')
		check "$name: $key is $want" test "$said" = "$want"
	done
	run --root "$dir/stat" stat --json --cgroup / .
	check "$name: stat reads the capture" test "$code" -eq 0
	valid "$name: stat is valid" stat
done
check "there are captures of at least 6 guests" test "$(find "$guests" -name verdict | wc -l)" -ge 6

finish
