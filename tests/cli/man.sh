#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck disable=SC2016 # single quotes on purpose: code for another shell
# The manual pages: clean for man, and their examples run.
# shellcheck source-path=SCRIPTDIR source=check.bash
. "$(dirname "$0")/check.bash"

mkdir "$scratch/bin"
ln -s "$cgpol" "$scratch/bin/cgpol"
PATH=$scratch/bin:$PATH

# The commands between .EX and .EE of EXAMPLES, one a line.
examples() {
	awk '/^\.SH/ { inside = /EXAMPLES/ } /^\.EE/ { code = 0 } inside && code { print } /^\.EX/ { code = 1 }' "$1" |
		sed 's/\\-/-/g; s/\\e/\\/g'
}

for page in "$top"/man/*.1; do
	name=$(basename "$page")
	if command -v man >/dev/null; then
		output=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
		check "$name gives man no reason to warn" test -z "$output"
	else
		skip "$name gives man no reason to warn" 'no man'
	fi
	count=0
	while IFS= read -r line; do
		((++count))
		# a script file, as bash -c would exec the command and give it the pid of $$
		printf '%s\nexit $?\n' "${line//\/tmp\/capture/$scratch\/capture}" >"$scratch/example"
		check "$name: $line" bash "$scratch/example"
	done < <(examples "$page")
	check "$name has examples" test "$count" -gt 0
done

finish
