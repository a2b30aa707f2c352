#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# clang-tidy finds nothing, with the checks of .clang-tidy.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"
need clang-tidy
flags=$(pkg-config --cflags jansson smartcols cmocka 2>/dev/null || true)
export flags

# shellcheck disable=SC2317,SC2086 # it is called in a shell of its own; words
tidy_one() {
	clang-tidy --quiet "$1" -- -std=gnu17 -D_GNU_SOURCE '-DCGPOL_VERSION="0"' '-DCGPOL_LIBEXEC="l"' '-DCGPOL_FULL="f"' \
		'-DTESTS_DIR="tests"' -Ilibpolicy -Ilibpolicy/include -Icli -Itests/lib $flags 2>&1
}
export -f tidy_one

check() {
	# shellcheck disable=SC2016 # the same
	# Largest first, so that no processor waits at the end for a long one.
	files_like '^(libpolicy|cli|tests)/.*\.c$' | while read -r f; do echo "$(wc -c <"$f") $f"; done | sort -rn |
		sed 's/^[0-9]* //' | tr '\n' '\0' | xargs -0 -r -P "$(nproc)" -n 1 bash -c 'tidy_one "$1" || true' - |
		sed -n "s|^$PWD/||; s/^\([^ :]*:[0-9]*\):[0-9]*: \(warning\|error\): /\1: /p" | sort -u
}

# The planted trees are checked by our rules too.
plant_rules() { plant_file .clang-tidy <"$lint_top/.clang-tidy"; }

plant_rules
plant cli/main.c 3 < <(
	printf '/* x */\nint f(int a);\nint f(int a)\n{\n'
	for ((i = 0; i < 61; i++)); do echo "	a += $i;"; done
	printf '	return a;\n}\n'
)
plant_rules
plant cli/main.c 5 <<'E'
int f(int a, int *b);
int f(int a, int *b)
{
	int *p = a ? b : 0;
	return *p;
}
E
plant_rules
plant libpolicy/base/text.c clean <<'E'
#include <stdlib.h>
static void free_p(void *p)
{
	free(*(void **)p);
}
int f(char **out);
int f(char **out)
{
	__attribute__((cleanup(free_p))) char *a = malloc(3);
	if (!a)
		return -1;
	char *given = a;
	a = NULL;
	*out = given;
	return 0;
}
E

lint_run "mend it; a false alarm gets NOLINT(check) with its reason"
