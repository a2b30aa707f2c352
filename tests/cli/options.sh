#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# Global options, help, wrong words, exit codes, and standard output that cannot be written.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

m=$scratch/machine
machine "$m"

expect 'help goes to stdout and is no failure' 0 '^Usage: cgpol ' '' --help
expect 'the short form of help is the same' 0 '^Usage: cgpol ' '' -h
expect 'the help command is the same' 0 '^Usage: cgpol ' '' help
expect 'help of a command by its name' 0 '^Usage: cgpol predict ' '' help predict
expect 'help of a command by an option behind it' 0 '^Usage: cgpol stat ' '' stat --help
expect 'help of a command by an option before it' 0 '^Usage: cgpol stat ' '' -h stat
expect 'help names every global option' 0 '--record DIR.*--dry-run.*--color WHEN' '' stat -h
expect 'the version is one line' 0 '^cgpol [0-9]+\.[0-9]+\.[0-9]+$' '' --version
expect 'the version is told behind a command too' 0 '^cgpol [0-9.]+$' '' predict -V
expect 'hidden commands are not in the help' 0 '^[^_]*$' '' help

expect 'no command is a usage error' 2 '' 'no command given'
expect 'an unknown command is met with a guess' 2 '' $'unknown command "predit"\ndid you mean predict\?' predit
expect 'swapped letters are guessed' 2 '' 'did you mean stat\?' satt
expect 'no guess for what is far away' 2 '' 'unknown command "frobnicate".*cgpol help' frobnicate
expect 'help of an unknown command' 2 '' 'unknown command' help frobnicate
expect 'an unknown global option is met with a guess' 2 '' $'unknown option "--jsn"\ndid you mean --json\?' --jsn stat
expect 'an unknown option of a command is met with a guess' 2 '' 'did you mean --cgroup\?' stat --cgrop /x
expect 'options are not abbreviated' 2 '' 'did you mean --system\?' predict --sys
expect 'an unknown letter' 2 '' 'unknown option "-x"' stat -x
expect 'an unknown letter behind known ones' 2 '' 'unknown option "-x"' stat -nx
expect 'a missing value' 2 '' '--pid needs a value: PID' predict --pid
expect 'a missing value of a letter' 2 '' '--output needs a value' stat -o
expect 'a value for a flag' 2 '' '--system takes no value' predict --system=yes
expect 'a word out of a set' 2 '' '"sometimes" is none of auto, always, never' --color sometimes stat
expect 'a near word out of a set' 2 '' 'did you mean kernel\?' predict --pid 1 --kind kernl
expect 'a word too many' 2 '' 'unexpected argument "2"' predict 1 2
expect 'a word for a command that takes none' 2 '' 'unexpected argument' help stat predict
expect 'an empty command' 2 '' 'unknown command ""' ''
expect 'escape codes of an argument are not printed raw' 2 '' '\\x1b\[31m' $'\e[31m'
expect 'a very long command' 2 '' 'unknown command' "$(printf 'x%.0s' {1..5000})"
expect 'a very long option' 2 '' 'unknown option' stat "--$(printf 'x%.0s' {1..5000})"

for pid in 0 -1 x 1x 99999999999999999999 '' ' 1' +1 0x1 '1,'; do
	expect "\"$pid\" is no process id for stat" 2 '' 'is not a process id' --root "$m" stat --pid "$pid"
	expect "\"$pid\" is no process id for predict" 2 '' 'is not a process id' --root "$m" predict --pid "$pid"
done
expect 'a pid in place of a pattern is checked too' 2 '' 'is not a process id' --root "$m" stat 99999999999
for top in -1 x 1x '' 99999999999999999999; do
	expect "\"$top\" is no number" 2 '' 'is not a whole number' --root "$m" predict --system --top "$top"
done
for nodes in 3-0 0- x -1 1:2 99999999999; do
	expect "\"$nodes\" is no list of nodes" 2 '' 'cgpol: .' --root "$m" predict --system --constraint cpuset --nodes "$nodes"
done
for policy in bind bind:x frob:1 bind:3-0 default:1; do
	expect "\"$policy\" is no policy" 2 '' 'cgpol: .' --root "$m" predict --pid 412 --policy "$policy"
done
for cgroup in /.. ../x /a/../b /a//b -x $'/a\nb' ''; do
	expect "$(printf '%q' "$cgroup") is no cgroup for predict" 2 '' 'cgpol: .' --root "$m" predict --cgroup="$cgroup"
	expect "$(printf '%q' "$cgroup") is no cgroup for stat" 2 '' 'cgpol: .' --root "$m" stat --cgroup="$cgroup"
done
expect 'a cgroup that is not there' 1 '' 'cgpol: .*none' --root "$m" predict --cgroup /none
expect 'a cgroup that is not there, for stat' 1 '' 'cgpol: .*none' --root "$m" stat --cgroup /none

expect 'options before the command' 0 '^PID' '' --root "$m" -q stat
expect 'options behind the command' 0 '^PID' '' stat --root="$m" -q
expect 'two dashes end the options' 1 '' 'no process matches "-q"' --root "$m" stat -- -q
expect 'letters are joined' 0 '^398 0 534773760' '' --root "$m" stat -rnb -oPID,NODE,TOTAL 398
expect 'dry run is accepted where nothing would change' 0 '^PID' '' --root "$m" --dry-run stat
expect 'verbose shows the reads' 0 '^PID' 'read /proc/398/numa_maps' --root "$m" -v stat 398
expect 'verbose shows the failures of reads' 1 '' '/proc/77[^ ]*: ENOENT' --root "$m" -v stat 77
expect 'colour on request' 0 $'\e\\[1mIf c' '' --root "$m" --color always predict 412
expect 'no colour into a file' 0 '^If c' '' --root "$m" predict 412

run --root "$m" stat
plain=$out
run --root "$m" --dry-run stat
check 'dry run changes nothing in the output' test "$plain" = "$out"

# Where output cannot go.
for arguments in 'stat' 'predict --system' 'stat --json' '--help' '--version' 'frob --json'; do
	# shellcheck disable=SC2086
	"$cgpol" --root "$m" $arguments >/dev/full 2>"$scratch/err"
	code=$?
	if [[ $code -ne 0 && $(tail -n1 "$scratch/err") == *'cannot write to standard output: No space left'* ]]; then
		ok "a full disk is noticed by $arguments"
	else
		not_ok "a full disk is noticed by $arguments" "exit $code: $(<"$scratch/err")"
	fi
done
"$cgpol" --root "$m" stat >/dev/full 2>/dev/null
check 'a full disk is exit code 1' test $? -eq 1
"$cgpol" --root "$m" doctor >/dev/full 2>/dev/null
check 'also where there would be another one' test $? -eq 1
"$cgpol" --root "$m" stat 2>"$scratch/err" >&-
check 'a closed stdout is exit code 1' test $? -eq 1
check 'a closed stdout is told' grep -q 'cannot write to standard output' "$scratch/err"
"$cgpol" --record "$scratch/closed" stat 0>&- 2>&- >"$scratch/out"
check 'closed stdin and stderr do no harm' test $? -eq 0
check 'a capture made then is whole' "$cgpol" --root "$scratch/closed" stat
"$cgpol" --root "$m" stat 2>"$scratch/err" | true
check 'a closed pipe is quiet' test ! -s "$scratch/err"
(trap '' PIPE; "$cgpol" --root "$m" stat 2>"$scratch/err"; echo $? >"$scratch/code") | true
check 'a closed pipe is told when the signal is ignored' grep -q 'Broken pipe' "$scratch/err"
check 'and is exit code 1' grep -qx 1 "$scratch/code"

for root in // /. /.//; do
	expect "$root is this machine" 0 '^ *PID NAME' '*' --root "$root" stat $$
done
err=$( (ulimit -f 0 && exec "$cgpol" --record "$scratch/limited" stat $$) 2>&1 >/dev/null)
check 'a limit of the size of files ends in a sentence' test "$?" -eq 1 -a "${err#cgpol: }" != "$err"

finish
