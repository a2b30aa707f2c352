#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016,SC2317 # single quotes on purpose: code for another shell
# The completions load in their shells and offer what the program has.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

mkdir "$scratch/bin"
ln -s "$cgpol" "$scratch/bin/cgpol"
printf '#!/bin/sh\n' >"$scratch/bin/zz-a-tool"
chmod +x "$scratch/bin/zz-a-tool"
PATH=$scratch/bin:$PATH

# Each prints what the shell offers for the words of a command line, the last of which is being typed.
in_bash() {
	bash --norc -c '
		. "$1" || exit
		shift
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_cgpol
		printf "%s\n" "${COMPREPLY[@]}"' - "$top/completions/cgpol.bash" "$@"
}

# Outside of a completion zsh has no compsys: what would be offered is printed instead.
in_zsh() {
	zsh -f -c '
		_describe() { local name=$argv[-1]; local line; for line in ${(P)name}; do print -r -- ${line%%:*}; done }
		_files() { print FILES }
		_normal() { print -rl -- ${(k)commands} }
		compset() { return 1 }
		script=$1
		shift
		words=("$@") CURRENT=$#
		source $script' - "$top/completions/_cgpol" "$@" | grep -e "^$(printf '%s' "${*: -1}" | sed 's/[^a-z.-]//gi')"
}

in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C "$argv[2]"' "$top/completions/cgpol.fish" "$*" | cut -f1
}

for shell in bash zsh fish; do
	if ! command -v "$shell" >/dev/null; then
		skip "completions of $shell" "no $shell"
		continue
	fi
	script=$top/completions/cgpol.$shell
	[[ $shell != zsh ]] || script=$top/completions/_cgpol
	check "$shell can read its completions" "$shell" -n "$script"

	# offers NAME EXPECTED-SORTED WORD...
	offers() {
		local name=$1 want=$2 got
		shift 2
		got=$("in_$shell" "$@" | sort -u | tr '\n' ' ')
		if [[ ${got% } == "$want" ]]; then ok "$shell: $name"; else not_ok "$shell: $name" "offers $got"; fi
	}

	offers 'commands' 'clean create delete doctor explain-key freeze get help history list move nodes overcommit partition predict reap run set shield stat thaw tree undo wait' cgpol ''
	offers 'a command' 'stat' cgpol st
	offers 'a command behind a global option' 'predict' cgpol --json pr
	offers 'a command behind a global option with a value' 'predict' cgpol --color never pr
	offers 'options' '--cgroup --color' cgpol stat --c
	offers 'options of another command' '--cgroup --color --constraint' cgpol predict --c
	offers 'global options' '--record --root' cgpol --r
	offers 'words of an option' 'always auto' cgpol --color a
	offers 'words of an option of a command' 'cpuset' cgpol predict --constraint c
	offers 'columns' 'SHMEM SWAP' cgpol stat -o S
	offers 'columns behind letters' 'SHMEM SLAB' cgpol nodes -rno S
	offers 'a value that letters have already' '' cgpol nodes -oNODE S
	offers 'a command to run behind letters and a value' 'zz-a-tool' cgpol run -lm 0 zz-a-t
	offers 'what the help is for' 'predict' cgpol help pr
	offers 'what overcommit does' 'set show' cgpol overcommit s
	offers 'a command to run' 'zz-a-tool' cgpol run zz-a-t
	offers 'a command to run behind options and a value' 'zz-a-tool' cgpol run --oom-group --cgroup x zz-a-t
	offers 'a command to run behind --' 'zz-a-tool' cgpol run -- zz-a-t
	offers 'keys to set' 'memory.oom.group=' cgpol run --set memory.oom
	offers 'settings to change' 'memory.swap.high= memory.swap.max=' cgpol set memory.swap
	offers 'settings to ask for' 'vm.swappiness' cgpol get vm.swap
	offers 'settings to explain' 'memory.oom.group' cgpol explain-key memory.oom
	offers 'events' 'oom oom_group_kill oom_kill' cgpol wait --event oom
	offers 'types of a partition' 'isolated' cgpol partition iso
	check "$shell: pids" bash -c '[[ " $1 " == *" $2 "* ]]' - \
		"$("in_$shell" cgpol stat --pid '' | tr '\n' ' ')" $$
	check "$shell: all options" test \
		"$("in_$shell" cgpol predict -- | sort)" = "$(cgpol __list options predict | cut -f1 | grep ^-- | sort)"
done
if command -v bash >/dev/null; then
	shell=bash
	offers 'columns behind a comma' 'PID,SHMEM PID,SWAP' cgpol stat -o PID,S
	offers 'columns that are added' '+SHMEM +SLAB' cgpol nodes -o +S
	offers 'columns that are added behind a comma' '+THP,SHMEM +THP,SLAB' cgpol nodes -o +THP,S
fi
if command -v fish >/dev/null; then
	shell=fish
	offers 'columns that are added' '+SHMEM +SLAB' cgpol nodes -o +S
	offers 'columns that are added behind a comma' '+THP,SHMEM +THP,SLAB' cgpol nodes -o +THP,S
fi

finish
