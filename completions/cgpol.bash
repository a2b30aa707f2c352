# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion for cgpol: every name comes from the program itself.
# shellcheck shell=bash

_cgpol_list() {
	"${COMP_WORDS[0]/#\~/$HOME}" __list "$@" 2>/dev/null | cut -f1
}

# Offers the words of standard input that begin with $2, each behind $1.
_cgpol_offer() {
	local word
	while IFS= read -r word; do
		[[ -n $word && $word == "$2"* ]] && COMPREPLY+=("$1$(printf %q "$word")")
	done
}

_cgpol_value() {
	local values head='' part=$3
	values=$(_cgpol_list values "$1" -- "$2")
	[[ $values == - ]] && return 1
	if [[ $values == DIR || $values == FILE ]]; then
		compopt -o filenames 2>/dev/null
		[[ $values == DIR ]] && values=-d || values=-f
		mapfile -t COMPREPLY < <(compgen "$values" -- "$part")
		return 0
	fi
	if [[ $part == *,* ]]; then
		head=${part%,*},
		part=${part##*,}
	elif [[ $part == +* ]]; then
		head=+
		part=${part#+}
	fi
	_cgpol_offer "$head" "$part" <<<"$values"
	compopt -o nospace 2>/dev/null
	return 0
}

# A command line begins at the first word behind $1 that is neither an option nor the value of one: it completes as if it
# stood alone. False when the cursor is not in it.
_cgpol_command_line() {
	local i
	for ((i = $1 + 1; i <= COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			((++i))
			break
		elif [[ ${COMP_WORDS[i]} == = ]]; then
			((++i))
		elif [[ ${COMP_WORDS[i]} != -* ]]; then
			break
		elif [[ ${COMP_WORDS[i+1]-} != = && $(_cgpol_list values "$command" -- "${COMP_WORDS[i]}") != - ]]; then
			((++i))
		fi
	done
	((i <= COMP_CWORD)) || return 1
	if ((i < COMP_CWORD)) && declare -F _command_offset >/dev/null; then
		_command_offset "$i"
	elif ((i == COMP_CWORD)); then
		mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[i]}")
	else
		compopt -o default 2>/dev/null
	fi
}

_cgpol() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command='' i
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i]} != = ]]; then
			# a word behind an option that takes a value is that value
			[[ ${COMP_WORDS[i-1]} == -* && $(_cgpol_list values "" -- "${COMP_WORDS[i-1]}") != - ]] && continue
			command=${COMP_WORDS[i]}
			break
		fi
	done
	[[ -n $command && $(_cgpol_list operands "$command") == COMMAND ]] && _cgpol_command_line "$i" && return
	if [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	elif [[ $cur == = ]]; then
		cur=
	fi
	if [[ $prev == -* ]] && _cgpol_value "$command" "$prev" "$cur"; then
		return
	fi
	if [[ $cur == -* ]]; then
		_cgpol_offer "" "$cur" < <(_cgpol_list options "$command")
	elif [[ -z $command ]]; then
		_cgpol_offer "" "$cur" < <(_cgpol_list commands)
	else
		_cgpol_offer "" "$cur" < <(_cgpol_list operands "$command")
	fi
}

complete -F _cgpol cgpol
