#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# Every command, option and column is in --help, in the manual and in the completions, and nothing is there that
# does not exist. Then plants differences, and fails when they are not found.
# Usage: in-step.sh BINARY
set -u
export LC_ALL=C

binary=$(realpath -e "${1:?usage: in-step.sh BINARY}") || exit 1
top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# same WHAT THERE HERE: two sorted lists of words; says what one of them lacks
same() {
	local lost extra
	lost=$(comm -23 <(printf '%s\n' "$2") <(printf '%s\n' "$3") | tr '\n' ' ')
	extra=$(comm -13 <(printf '%s\n' "$2") <(printf '%s\n' "$3") | tr '\n' ' ')
	[[ -z ${lost// /} ]] || printf '%s lacks: %s\n' "$1" "$lost"
	[[ -z ${extra// /} ]] || printf '%s has what does not exist: %s\n' "$1" "$extra"
}

# The tags of a section of a manual page, as plain text.
tags() {
	awk -v section="$2" '/^\.SH/ { inside = $0 == ".SH " section; next } inside && tag { print } { tag = /^\.TP/ }' "$1" |
		sed 's/\\-/-/g; s/\\f.//g'
}

options_of() {
	grep -oE -- '(^|[^A-Za-z0-9-])--?[A-Za-z][a-z-]*' | grep -oE -- '--?[A-Za-z][a-z-]*' | sort -u
}

list() {
	"$1" __list "${@:2}" | cut -f1 | sort -u
}

help_section() {
	"$1" help "${@:3}" | awk -v section="$2" '/^[A-Z].*:$/ || /^[A-Z].*:$/ { inside = index($0, section) == 1; next } /^$/ { inside = 0 } inside' |
		sed -E 's/^( *(-., )?( *--[a-z-]+)?[^ ]*).*/\1/'
}

completes() {
	bash --norc -c '
		. "$1" || exit
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_cgpol
		printf "%s\n" "${COMPREPLY[@]}"' - "$1/cgpol.bash" "${@:2}" 2>/dev/null | sort -u
}

compare_command() {
	local program=$1 man=$2 completions=$3 command=$4 all own columns global page=$2/cgpol-$4.1
	all=$(list "$program" options "$command")
	global=$(list "$program" options)
	own=$(comm -23 <(printf '%s\n' "$all") <(printf '%s\n' "$global"))
	columns=$(list "$program" columns "$command")
	same "help of $command" "$own" "$(help_section "$program" Options: "$command" | options_of)"
	same "help of $command" "$global" "$(help_section "$program" 'Global options:' "$command" | options_of)"
	same "help of $command" "$columns" \
		"$(help_section "$program" Columns: "$command" | awk '{ print $1 }' | sort -u)"
	same "completion of $command" "$all" "$(completes "$completions" "$program" "$command" -)"
	[[ -z $columns ]] || same "completion of $command -o" "$columns" \
		"$(completes "$completions" "$program" "$command" -o '')"
	[[ $command != help ]] || return 0
	if [[ ! -f $page ]]; then
		printf 'manual lacks: cgpol-%s.1\n' "$command"
		return 0
	fi
	same "OPTIONS of $(basename "$page")" "$own" "$(tags "$page" OPTIONS | options_of)"
	same "COLUMNS of $(basename "$page")" "$columns" "$(tags "$page" COLUMNS | awk '{ print $2 }' | sort -u)"
}

# Prints every difference between a program, its manual and its completions.
compare() {
	local program=$1 man=$2 completions=$3 commands known command file
	commands=$(list "$program" commands)
	known=$(list "$program" options)
	same 'the help' "$commands" "$(help_section "$program" Commands: | awk '{ print $1 }' | sort -u)"
	same 'the help' "$known" "$(help_section "$program" 'Options, before' | options_of)"
	same 'OPTIONS of cgpol.1' "$known" "$(tags "$man/cgpol.1" OPTIONS | options_of)"
	same 'COMMANDS of cgpol.1' "$commands" "$(tags "$man/cgpol.1" COMMANDS | awk '{ print $2 }' | sort -u)"
	same 'completion of commands' "$commands" "$(completes "$completions" "$program" '')"
	for command in $commands; do
		compare_command "$program" "$man" "$completions" "$command"
		known+=$'\n'$(list "$program" options "$command")
	done
	for file in "$man"/cgpol*.1; do
		command=$(basename "$file" .1)
		command=${command#cgpol}
		[[ -z $command ]] || grep -qx -- "${command#-}" <<<"$commands" ||
			printf '%s is the page of no command\n' "$(basename "$file")"
	done
	for file in "$man"/cgpol*.1; do
		# names anywhere in the text, examples too
		sed 's/\\-/-/g; s/\\f.//g' "$file" | grep -oE -- '(^|[ "(])--[a-z][a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u |
			grep -vxF -f <(printf '%s\n' "$known") | sed "s/^/$(basename "$file") names what does not exist: /"
	done
	# Completions ask; an option or a command that is written into them will be wrong one day.
	grep -nE "(^|[ '\"])--(${known//$'\n'/|})\b|$(grep -E '^--' <<<"$known" | sort -u | paste -sd'|')" \
		"$completions"/cgpol.bash "$completions"/cgpol.fish "$completions"/_cgpol |
		sed 's/^/an option is written into the completions: /'
}

failed=0
passed=0

tell() {
	if [[ $1 == ok ]]; then ((++passed)); else ((++failed)); fi
	printf '%s - %s\n' "$1" "$2"
	[[ -z ${3-} ]] || printf '# %s\n' "${3//$'\n'/$'\n'# }"
}

found=$(compare "$binary" "$top/man" "$top/completions" 2>&1)
if [[ -z $found ]]; then
	tell ok 'help, manual and completions are in step'
else
	tell 'not ok' 'help, manual and completions are in step' "$found"
fi

# plant NAME EXPECTED: what a difference planted in $scratch/{man,completions,cgpol} must be found as
plant() {
	local got
	got=$(compare "$scratch/cgpol" "$scratch/man" "$scratch/completions" 2>&1)
	if grep -qE -- "$2" <<<"$got"; then
		tell ok "finds $1"
	else
		tell 'not ok' "finds $1" "found: ${got:-nothing}"
	fi
	restore
}

restore() {
	rm -rf "$scratch/man" "$scratch/completions"
	cp -r "$top/man" "$top/completions" "$scratch/"
	printf '#!/bin/sh\nexec %q "$@"\n' "$binary" >"$scratch/cgpol"
	chmod +x "$scratch/cgpol"
}

# pretend SCRIPT: a program whose output a sed script changes
pretend() {
	printf '#!/bin/bash\n%q "$@" | sed -E %q\n' "$binary" "$1" >"$scratch/cgpol"
}

restore
sed -i '/zeros/d' "$scratch/man/cgpol-stat.1"
plant 'an option that the manual lacks' 'OPTIONS of cgpol-stat.1 lacks: .*--zeros'
sed -i 's/^\.BR \\-z ,/.BR \\-y ,\\ \\-\\-yeros/' "$scratch/man/cgpol-stat.1"
plant 'an option that only the manual has' 'has what does not exist: .*--yeros'
printf '.PP\n.B cgpol stat \\-\\-frob\n' >>"$scratch/man/cgpol-stat.1"
plant 'an option in the text that does not exist' 'names what does not exist: --frob'
sed -i '/^\.B GROW/d' "$scratch/man/cgpol-predict.1"
plant 'a column that the manual lacks' 'COLUMNS of cgpol-predict.1 lacks: GROW'
rm "$scratch/man/cgpol-predict.1"
plant 'a page that is missing' 'manual lacks: cgpol-predict.1'
cp "$scratch/man/cgpol-stat.1" "$scratch/man/cgpol-frob.1"
plant 'a page of no command' 'cgpol-frob.1 is the page of no command'
pretend '/^ +--zeros|^  -z, --zeros/d'
plant 'an option that the help lacks' 'help of stat lacks: .*--zeros'
pretend '/^  ANON /d'
plant 'a column that the help lacks' 'help of stat lacks: ANON'
pretend '/^  predict /d'
plant 'a command that the help lacks' 'the help lacks: predict'
pretend 's/^(--zeros\t.*)/\1\n--frob\tnew/'
plant 'an option that only the completions get' 'lacks: --frob'
sed -i 's/_cgpol_list options/_cgpol_list columns/' "$scratch/completions/cgpol.bash"
plant 'completions that do not offer the options' 'completion of stat lacks'
printf 'complete -c cgpol -l zeros # --zeros\n' >>"$scratch/completions/cgpol.fish"
plant 'an option written into the completions' 'written into the completions'

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
