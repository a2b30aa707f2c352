#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The public header stands by itself as C11 and C++17, with every warning an error; so does each private one as C17.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

flags=(-fsyntax-only -Wall -Wextra -Wpedantic -Werror)

# compile FILE LANGUAGE STANDARD COMPILER...: as a user would, by including it.
compile() {
	local file=$1 language=$2 standard=$3 c
	shift 3
	for c; do
		command -v "$c" >/dev/null || continue
		echo "#include \"$PWD/$file\"" | "$c" "${flags[@]}" -x "$language" -std="$standard" - 2>&1 |
			sed -n "s|^$PWD/||; s/^\([^ :]*:[0-9]*\):[0-9]*: \(.*\)/\1: \2 ($c -std=$standard)/p" || true
	done
}

check() {
	local f
	while read -r f; do
		compile "$f" c c11 gcc clang
		compile "$f" c++ c++17 g++ clang++
	done < <(files_like '^libpolicy/include/.*\.h$')
	while read -r f; do
		echo "#include \"$f\"" |
			gcc -fsyntax-only -std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror \
				-Ilibpolicy -Ilibpolicy/include -Icli -I. -x c - 2>&1 |
			sed -n 's/^\(libpolicy\|cli\)\(\/[^ :]*:[0-9]*\):[0-9]*: \(.*\)/\1\2: \3/p' || true
	done < <(files_like '^(libpolicy/[a-z]+|cli)/[^/]*\.h$')
}

plant libpolicy/include/cgpol/cgpol.h 1 <<'E'
int cgpol_new(int class, struct nowhere_declared *x, size_t y);
E
plant libpolicy/include/cgpol/cgpol.h 2 <<'E'
#include <stddef.h>
struct cgpol_x { int class; }; struct cgpol_y { int b[0]; };
E
plant cli/opt.h 1 <<'E'
void opt_print(FILE *out);
E
plant libpolicy/include/cgpol/cgpol.h clean <<'E'
#include <stddef.h>
size_t cgpol_count(void);
E

lint_run "include what the header uses; declare nothing that one of the two languages lacks"
