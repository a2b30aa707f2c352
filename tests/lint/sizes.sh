#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Nothing grows for ever: files of at most 600 lines, functions of at most 60; and every source file of the library
# has its header and its unit test.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

file_max=600
function_max=60

# Kernel braces put both braces of a function at the start of a line; in a shell the name precedes the first one.
long_functions() {
	awk -v file="$1" -v max=$function_max -v first="$2" '
	$0 ~ first { start = NR; next }
	/^}/ && start {
		if (NR - start - 1 > max) print file ":" start ": a function of " NR - start - 1 " lines (at most " max ")"
		start = 0
	}' "$1"
}

check() {
	local f name n
	while read -r f; do
		n=$(wc -l <"$f")
		[ "$n" -le $file_max ] || echo "$f:$n: a file of $n lines (at most $file_max)"
	done < <(files_like '\.([ch]|py|bash|sh)$'; shell_files)
	while read -r f; do long_functions "$f" '^{'; done < <(files_like '\.[ch]$')
	while read -r f; do long_functions "$f" '^(function )?[A-Za-z0-9_]+ *\(\) *[{(]$'; done < <(shell_files)
	while read -r f; do
		[ -f "${f%.c}.h" ] || echo "$f:1: has no header ${f%.c}.h"
		name=$(basename "$f" .c)
		[ -f "tests/unit/test_$name.c" ] || echo "$f:1: has no unit test tests/unit/test_$name.c"
	done < <(files_like '^libpolicy/.*\.c$')
	# Two files of one name in two rooms would share a test.
	files_like '^libpolicy/.*\.c$' | sed 's|\(.*/\)\(.*\)|\2 &|' | sort | awk '
		$1 == last { print $2 ":1: another room has a file of this name too" } { last = $1 }'
}

lines() { local i; for ((i = 0; i < $1; i++)); do echo "	a++;"; done; }

plant cli/long.c 601 < <(lines 601)
plant cli/long.c clean < <(lines 600)
plant cli/main.c 3 < <(echo; echo "int f(void)"; echo "{"; lines 61; echo "}")
plant cli/main.c clean < <(echo; echo "int f(void)"; echo "{"; lines 60; echo "}"; echo "int g(void)"; echo "{"; lines 40; echo "}")
plant scripts/tool 3 < <(echo "#!/bin/bash"; echo; echo "main() {"; lines 61; echo "}")
plant libpolicy/base/text.c 1 </dev/null
plant_file libpolicy/base/text.h </dev/null
plant libpolicy/base/text.c 1 </dev/null
plant_file libpolicy/base/text.h </dev/null
plant_file tests/unit/test_text.c </dev/null
plant libpolicy/base/text.c clean </dev/null
for room in base host; do plant_file libpolicy/$room/text.h </dev/null; done
plant_file tests/unit/test_text.c </dev/null
plant_file libpolicy/base/text.c </dev/null
plant libpolicy/host/text.c 1 </dev/null

lint_run "cut it by what the parts are for; add the header, or tests/unit/test_<name>.c"
