#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# cgpol stat for people and scripts: rows, sums, columns, what is missing.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

# is NAME EXPECTED ARGUMENT...: stdout exactly
is() {
	local name=$1 want=$2
	shift 2
	run --root "$m" stat "$@"
	if [[ $out == "$want" ]]; then ok "$name"; else not_ok "$name" "exit $code, stdout: $out $err"; fi
}

is 'a process has a line per node that holds memory, and one for all' \
	'PID NAME NODE TOTAL ANON FILE SHMEM HUGE SWAP
399 b       0  100M 100M   0B    0B   0B    -
399 b       1  100M 100M   0B    0B   0B    -
399 b     all  200M 200M   0B    0B   0B   0B' 399
is 'nodes without memory on request' $'0 510M\n1 0B\nall 510M' -zrno NODE,TOTAL 398
is 'more than one process is summed' $'a 0 510M\na all 510M\nc 1 300M\nc all 300M\ntotal 0 510M\ntotal 1 300M\ntotal all 810M' \
	-rno NAME,NODE,TOTAL --pid 398,412
run --root "$m" stat -rnbo PID,NODE,TOTAL --pid 398,398 398 '^a$'
check 'a process counts once however often it is named' test "$out" = $'398 0 534773760\n398 all 534773760'
run --root "$m" stat -rnbo PID,TOTAL '^a$'
check 'bytes are not rounded' test "$(tail -n1 <<<"$out")" = '398 534773760'
run --root "$m" stat -rno NAME 'on|tw'
check 'a pattern is an extended expression' test "$(sort -u <<<"$out" | tr '\n' ' ')" = 'one total two '
expect 'columns in any case' 0 '^TOTAL NODE' '' --root "$m" stat -o total,node 398
expect 'a column more' 0 '^PID NAME NODE TOTAL ANON FILE SHMEM HUGE SWAP CGROUP' '' --root "$m" stat -o +CGROUP 398
expect 'an unknown column is met with a guess' 2 '' $'unknown column "TOTL"\ndid you mean TOTAL\?' --root "$m" stat -o PID,TOTL
expect 'an empty column' 2 '' 'unknown column ""' --root "$m" stat -o PID,
expect 'a malformed pattern' 2 '' 'cgpol: .' --root "$m" stat '('
expect 'no match' 1 '' 'no process matches "frob"' --root "$m" stat frob
expect 'a pid that is gone, alone' 1 '' 'cgpol: .*77' --root "$m" stat 77
expect 'a pid that is gone, and another' 1 '^PID.*398' 'cgpol: .*77' --root "$m" stat 77 398
expect 'two that are gone are told both' 1 '' $'77[^\n]*\n.*78' --root "$m" stat 77 78
expect 'a cgroup and those below it' 0 '^CGROUP     NODE TOTAL.*/group/two  all' '' --root "$m" stat --cgroup group
expect 'slash or no slash are the same' 0 '^CGROUP     NODE TOTAL.*/group/two  all' '' --root "$m" stat --cgroup /group
expect 'cgroups and processes together' 0 '^CGROUP.*PID NAME.*412 c' '' --root "$m" stat --cgroup /c 412
expect 'without arguments every process' 0 '403 guard.*398 a.*412 c' '' --root "$m" stat

machine "$scratch/evil" 'comm=e\x1b[31m\nv\\l'
run --root "$scratch/evil" stat 398
check 'escape codes and newlines of a name are shown harmless' grep -qF 'e\x1b[31m\x0av\l' "$scratch/out"
check 'no control character reaches the output' bash -c '! grep -qP "[\\x00-\\x09\\x0b-\\x1f\\x7f]" "$1"' - "$scratch/out"
run --root "$scratch/evil" stat -rno NAME 398
check 'raw output stays one word a column' test "$(sort -u "$scratch/out")" = 'e\x1b[31m\x0av\x5cl'

machine "$scratch/gone" /proc/398/numa_maps=
run --root "$scratch/gone" stat --json
check 'one that vanishes in a scan is no failure' test "$code" -eq 0
run --root "$scratch/gone" stat
check 'it is counted in a remark' grep -q '^cgpol: 1 process vanished' "$scratch/err"
expect 'quiet keeps the remark back' 0 '^PID' '' --root "$scratch/gone" stat -q
expect 'named it is a failure' 1 '' 'cgpol: .*398' --root "$scratch/gone" stat 398


# denied DIR ERRNO PATH...: these files of the capture may not be read
denied() {
	python3 - "$@" <<'END'
import json
import sys
root, errno, *paths = sys.argv[1:]
with open(root + "/manifest.json") as file:
    manifest = json.load(file)
manifest.setdefault("errors", {}).update({path: errno for path in paths})
with open(root + "/manifest.json", "w") as file:
    json.dump(manifest, file)
END
}
machine "$scratch/denied"
denied "$scratch/denied" EACCES /proc/398/numa_maps
expect 'the totals are shown where the nodes may not be read' 0 '[^0-9]398 +all +534773760 .* all +1982857216 total' \
	'^cgpol: 1 process may not be read by node: that needs the right to trace it$' \
	--root "$scratch/denied" stat -bo PID,NODE,TOTAL,NAME
check 'and no node of it' bash -c '! grep -q "398 *[01] " "$1"' - "$scratch/out"
expect 'named it is a failure with its totals' 1 '^398 all 510M$' 'cgpol: process 398 .*needs ptrace permission' \
	--root "$scratch/denied" stat -rno PID,NODE,TOTAL 398
run --root "$scratch/denied" stat --json
valid 'a document without its nodes' stat
check 'it has none, and the document is not complete' python3 -c 'import json, sys
d = json.load(open(sys.argv[1]))
a = {p["pid"]: p for p in d["processes"]}[398]
assert a["nodes"] is None and a["total"] == 510 << 20 and d["unreadable"] == 1 and d["complete"] is False' "$scratch/out"
denied "$scratch/denied" EACCES /proc/399/numa_maps
denied "$scratch/denied" EIO /proc/401/numa_maps
expect 'the reason is given only where it is that one' 0 '^PID' \
	$'2 processes may not be read by node: .* trace them\ncgpol: 1 process could not be read$' \
	--root "$scratch/denied" stat
machine "$scratch/hidden"
rm -r "$scratch/hidden/proc/1"
run --root "$scratch/hidden" stat --json
check 'where pid 1 is hidden, others may be' grep -q '"complete": false' "$scratch/out"
machine "$scratch/empty"
rm -r "$scratch"/empty/proc/[0-9]*
expect 'an empty /proc' 1 '' 'cgpol: /proc lists no process' --root "$scratch/empty" stat

# wide COLUMNS ARGUMENT...: what a terminal of that width gets
wide() {
	local columns=$1
	shift
	printf -v line '%q ' "$cgpol" "$@"
	script -qec "stty cols $columns; $line" /dev/null </dev/null | tr -d '\r' >"$scratch/out"
}
if command -v script >/dev/null; then
	wide 40 --root "$m" predict 412
	check 'a narrow terminal cuts no size' grep -q ' 0:510M$' "$scratch/out"
	check 'and no name of a cgroup' grep -q ' /group/one ' "$scratch/out"
else
	skip 'a narrow terminal cuts no size' 'no script(1)'
fi

run stat $$
check 'this shell has memory' grep -q " $$ \|^ *$$ " "$scratch/out"

finish
