#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# doctor: of this machine, of captures, of machines that are made to lack something, and without rights.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

# asserts NAME PYTHON-EXPRESSION over d, the last document, and row(NAME), a capability of it
asserts() {
	check "$1" python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
row = {c["name"]: c for c in d["capabilities"]}.__getitem__
sys.exit(not eval("(" + sys.argv[2] + ")"))' "$scratch/out" "$2"
}

required="{'controller.memory', 'controller.cpuset', 'privileges', 'pidfd', 'clone3.into_cgroup', 'set_mempolicy'}"
missing="[c['name'] for c in d['capabilities'] if c['required'] and c['state'] == 'missing']"

# sound NAME: what holds for every document: valid; the six of the manual are required; no name twice; only what is
# missing or limited has a remedy; exit 5 when something required is missing, else 0
sound() {
	valid "$1: valid" doctor
	asserts "$1: sound" "{c['name'] for c in d['capabilities'] if c['required']} == $required
		and len({c['name'] for c in d['capabilities']}) == len(d['capabilities'])
		and all(c['state'] in ('missing', 'limited') for c in d['capabilities'] if c['remedy'])
		and $code == (5 if $missing else 0)"
}

# ---- this machine, whatever it is ----

run doctor --json
check 'this machine: exit 0 or 5' test "$code" -eq 0 -o "$code" -eq 5
check 'this machine: nothing on stderr' test -z "$err"
sound 'this machine'
code_here=$code
asserts 'this machine: nothing required is unknown' "not [c for c in d['capabilities'] if c['required'] and c['state'] == 'unknown']"
# What the kernel's files say, by other means.
for name in memory cpuset; do
	v1=$(awk -v want="$name" '{ for (i = 7; i <= NF; i++) if ($i == "-" && $(i + 1) == "cgroup") {
		n = split($NF, o, ","); for (k = 1; k <= n; k++) if (o[k] == want && $4 == "/") print $5 } }' /proc/self/mountinfo | head -n 1)
	if [[ -n $v1 ]]; then
		asserts "this machine: $name is bound to v1 at $v1" \
			"row('controller.$name')['state'] == 'missing' and row('controller.$name')['reason'] == 'bound to cgroup v1 at $v1'"
	else
		skip "this machine: $name is bound to v1" 'it is not here'
	fi
done
asserts 'this machine: swap' "(row('swap')['state'] == 'ok') == ($(wc -l </proc/swaps) > 1)"
asserts 'this machine: pressure' "(row('psi')['state'] == 'ok') == $([[ -e /proc/pressure/memory ]] && echo True || echo False)"
asserts 'this machine: panic_on_oom' "row('vm.panic_on_oom')['reason'].startswith('$(cat /proc/sys/vm/panic_on_oom):')"
asserts 'this machine: systemd' "row('systemd')['reason'].startswith('running') == $([[ -d /run/systemd/system ]] && echo True || echo False)"

expect 'for people: a table, and a last line' "$code_here" \
	'^NAME +STATE +REASON.*controller\.memory .*(all that cgpol requires is here|required capabilit(y is|ies are) missing: .*)$' '' doctor
expect 'remedies stand below it' "$code_here" $'\nRemedies:\n  [a-z]' '' doctor
expect 'or in their column' "$code_here" '^NAME +REMEDY\n*' '' doctor -o NAME,REMEDY
check 'and then not below' bash -c '! grep -q Remedies: "$1"' - "$scratch/out"
expect 'raw: lines only' "$code_here" '^controller.memory yes [a-z]+' '' doctor -rn -o NAME,REQUIRED,STATE
check 'raw: a row has its three words' awk 'NF != 3 { bad = 1 } END { exit bad || NR < 40 }' "$scratch/out"
expect 'an unknown column' 2 '' 'did you mean STATE' doctor -o STAT
expect 'a word' 2 '' 'unexpected argument "x"' doctor x
run doctor --json x
valid 'a wrong request as JSON' error

# ---- live equals replay ----

# replays NAME [ARGUMENT...]
replays() {
	local name=$1 first second
	shift
	rm -rf "$scratch/rec"
	"$cgpol" --record "$scratch/rec" doctor "$@" >"$scratch/live" 2>"$scratch/live.err"
	first=$?
	"$cgpol" --root "$scratch/rec" doctor "$@" >"$scratch/replay" 2>"$scratch/replay.err"
	second=$?
	check "$name: same exit code" test "$first" -eq "$second"
	check "$name: same output" cmp "$scratch/live" "$scratch/replay"
	check "$name: same errors" cmp "$scratch/live.err" "$scratch/replay.err"
}
replays 'a capture of this machine'
replays 'a capture as JSON' --json
"$cgpol" --root "$scratch/rec" --record "$scratch/again" doctor --json >"$scratch/second" 2>&1
check 'a capture of the capture' cmp "$scratch/live" "$scratch/second"

# ---- captures that others made: what was not asked is unknown, and nothing is said to be missing ----

for root in "$top"/tests/roots/{captures,topology}/*/ "$top"/tests/roots/guests/*/predict; do
	[[ -f $root/manifest.json ]] || continue
	name=${root#"$top"/tests/roots/}
	run --root "$root" doctor --json
	check "$name: exit 0" test "$code" -eq 0
	sound "$name"
	asserts "$name: nothing is missing for certain, and system calls are unknown" \
		"not [c for c in d['capabilities'] if c['state'] == 'missing'] and row('pidfd')['state'] == row('mempolicy.bind')['state'] == 'unknown'"
done
run --root "$top/tests/roots/topology/power9-0-8-250-255" doctor --json
asserts 'nodes of a POWER9' "row('numa.nodes')['reason'] == '8 nodes with memory: 0,8,250-255' and row('numa.memoryless')['reason'] == 'without memory: none; without cpus: 250-255'"
run --root "$top/tests/roots/captures/6.12-memless-cpuless" doctor --json
asserts 'a node without memory' "'without memory: 2' in row('numa.memoryless')['reason']"
run --root "$top/tests/roots/captures/6.18" doctor --json
asserts 'a kernel that leaves memory out of /proc/cgroups has it' "row('controller.memory')['state'] == row('controller.cpuset')['state'] == 'ok'"

# ---- made machines ----

m=$scratch/machine
mounts=/proc/self/mountinfo
v2='29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n'
# lacks NAME REASON KEY=VALUE...: controller.memory is missing for that reason, and the exit code is 5
lacks() {
	local name=$1 reason=$2
	shift 2
	machine "$m" "$@"
	run --root "$m" doctor --json
	check "$name: exit 5" test "$code" -eq 5
	sound "$name"
	asserts "$name: $reason" "row('controller.memory')['state'] == 'missing' and row('controller.memory')['reason'] == '$reason'"
}
lacks 'v1 memory' 'bound to cgroup v1 at /m m' "$mounts=${v2}30 23 0:27 / /m\\\\040m rw - cgroup c rw,memory\n" \
	/sys/fs/cgroup/cgroup.controllers=pids
lacks 'no mount' 'no cgroup2 file system is mounted' "$mounts=1 1 0:1 / / rw - rootfs rootfs rw\n"
lacks 'the command line' "switched off on the kernel\\'s command line (cgroup_disable=memory)" "$mounts=$v2" \
	/sys/fs/cgroup/cgroup.controllers=cpuset '/proc/cmdline=ro cgroup_disable=memory'
lacks 'not built' 'not built into this kernel' "$mounts=$v2" /sys/fs/cgroup/cgroup.controllers=cpuset \
	'/proc/cgroups=cpuset\t0\t1\t1\n'
lacks 'read-only' 'the cgroup2 mount at /sys/fs/cgroup is read-only' "$mounts=${v2/rw -/ro -}"
lacks 'odd bytes in a path' 'bound to cgroup v1 at /\ufffd\x1b' \
	"$mounts=${v2}30 23 0:27 / /\\\\377\\\\033 rw - cgroup c rw,memory\n" /sys/fs/cgroup/cgroup.controllers=pids
run --root "$m" doctor
check 'no odd byte reaches the terminal' bash -c '! grep -qP "[^\\x20-\\x7e\\n]" "$1"' - "$scratch/out"

# ---- without rights ----

if [[ $EUID -ne 0 ]]; then
	skip 'as nobody' 'needs root to become nobody'
	finish
fi
chmod 755 "$scratch"
mkdir "$scratch/bin"
cp "$(dirname "$cgpol")"/cgpol* "$scratch/bin/" 2>/dev/null
chmod -R a+rX "$scratch/bin"
as_nobody() {
	timeout -k 5 60 runuser -u nobody -- "$scratch/bin/$(basename "$cgpol")" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	err=$(<"$scratch/err")
}
as_nobody doctor --json
check 'nobody: exit 5' test "$code" -eq 5
sound 'nobody'
asserts 'nobody: privileges are missing' "row('privileges')['state'] == 'missing' and row('privileges')['reason'] == 'uid $(id -u nobody) may write no cgroup'"
asserts 'nobody: what is missing has its remedy' "row('privileges')['remedy'] == 'be root, or have a cgroup delegated'"
mkdir -m 777 "$scratch/nobody"
as_nobody --record "$scratch/nobody/rec" doctor
cp "$scratch/out" "$scratch/live"
as_nobody --root "$scratch/nobody/rec" doctor
check 'nobody: live equals replay' cmp "$scratch/live" "$scratch/out"
run --root "$scratch/nobody/rec" doctor
check 'nobody: and root sees what nobody saw' cmp "$scratch/live" "$scratch/out"

finish
