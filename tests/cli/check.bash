# SPDX-License-Identifier: LGPL-2.1-or-later
# What the command-line tests share: running the program, comparing, counting. To be sourced with $1 = binary.
# shellcheck shell=bash

cgpol=$(realpath -e "${1:?usage: $0 BINARY}") || exit 1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2034 # for those who source this
top=$(cd "$here/../.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8 NO_COLOR=
passed=0 failed=0 skipped=0

ok() {
	printf 'ok - %s\n' "$1"
	((++passed))
}

not_ok() {
	printf 'not ok - %s\n' "$1"
	[[ $# -lt 2 ]] || printf '%s\n' "$2" | sed -n '1,20s/^/# /p'
	((++failed))
}

skip() {
	printf 'ok - %s # SKIP %s\n' "$1" "$2"
	((++skipped))
}

# check NAME COMMAND...: passes when the command succeeds.
check() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then ok "$name"; else not_ok "$name" "$* :: $output"; fi
}

# run ARGUMENT...: sets $out, $err and $code. Ends what hangs.
run() {
	timeout -k 5 60 "$cgpol" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	code=$?
	out=$(tr -d '\0' <"$scratch/out")
	err=$(tr -d '\0' <"$scratch/err")
}

# expect NAME CODE STDOUT-REGEX STDERR-REGEX ARGUMENT...: a regex of "" wants nothing there, "*" takes anything.
expect() {
	local name=$1 want=$2 want_out=$3 want_err=$4
	shift 4
	run "$@"
	if [[ $code -ne $want ]]; then
		not_ok "$name" "exit $code, not $want: $err"
	elif ! matches "$out" "$want_out"; then
		not_ok "$name" "stdout is: $out"
	elif ! matches "$err" "$want_err"; then
		not_ok "$name" "stderr is: $err"
	else
		ok "$name"
	fi
}

matches() {
	case $2 in
	'*') return 0 ;;
	'') [[ -z $1 ]] ;;
	*) [[ $1 =~ $2 ]] ;;
	esac
}

# valid NAME SCHEMA: the last run's stdout is one document of that schema.
valid() {
	check "$1" python3 "$here/validate.py" "$top/share/cgpol/schema/$2.schema.json" "$scratch/out"
}

# machine DIR [KEY=VALUE...]: a capture of the two-node machine of machine.py.
machine() {
	rm -rf "${1:?}"
	mkdir -p "$1"
	python3 "$here/machine.py" "$@"
}

finish() {
	printf '%d passed, %d failed' "$passed" "$failed"
	((skipped == 0)) || printf ', %d skipped' "$skipped"
	printf '\n'
	((failed == 0))
	exit
}
