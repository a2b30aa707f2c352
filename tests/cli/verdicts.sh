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
# The kernel's own arithmetic, kept in the captures: oom_score is made of the points of an OOM without a constraint
# (fs/proc/base.c proc_oom_score(), since 5.9), rounded twice.
for dir in "$top"/tests/roots/captures/*/ "$guests"/*/predict/; do
	name=$(basename "$(dirname "$dir/x")") off=0 seen=0
	run --root "$dir" predict --system --top 0 --json
	check "$name of $(basename "$(dirname "$dir")"): predict --system" test "$code" -eq 0
	valid "$name: predict --system is valid" predict
	while read -r pid score; do
		kernel=$(cat "$dir/proc/$pid/oom_score")
		((++seen))
		((score - kernel <= 1 && kernel - score <= 1)) || off="$off $pid:$score/$kernel"
	done < <(jq -r '.totalpages as $t | .candidates[] |
		"\(.pid) \((1000 + ((.points * 1000 / $t) | trunc)) * 2 / 3 | trunc)"' "$scratch/out")
	check "$name: points of $seen processes agree with their oom_score" test "$off $((seen > 0))" = "0 1"
done

# Topologies: nodes are known by their numbers, and those without memory are told from those that do not exist.
topology=$top/tests/roots/topology
while read -r name node want says; do
	run --root "$topology/$name" predict --system --constraint cpuset --nodes "$node"
	check "$name: node $node gives exit $want" test "$code" -eq "$want"
	check "$name: node $node: $says" grep -q -- "$says" "$scratch/out" "$scratch/err"
done <<-'ROWS'
	power9-0-8-250-255 252 0 node 252
	power9-0-8-250-255 1 2 does not exist
	node0-offline 1 0 node 1
	node0-offline 0 2 does not exist
	memless-and-cpuless-nodes 0 2 has no memory
	memless-and-cpuless-nodes 10 0 node 10
	memless-and-cpuless-nodes 4 2 has no memory
	old-ia64-64nodes-few-files 63 0 node 63
	old-ia64-64nodes-few-files 64 2 does not exist
	gb10-new-meminfo-fields 0 0 node 0
	holes-cpuless-tiers 9 0 node 9
	holes-cpuless-tiers 3 2 does not exist
ROWS

check "there are captures of at least 6 guests" test "$(find "$guests" -name verdict | wc -l)" -ge 6

finish
