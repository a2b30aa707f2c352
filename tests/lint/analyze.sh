#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# gcc's analyser and cppcheck find nothing.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"
need cppcheck

includes=(-Ilibpolicy -Ilibpolicy/include -Icli)
flags="${includes[*]} $(pkg-config --cflags jansson smartcols 2>/dev/null || true)"
export flags

# Without optimisation: with it gcc 12 does not follow the cleanup attribute. Leaks are LeakSanitizer's business also
# because the analyser loses what is stored in an array at an index it does not know.
# shellcheck disable=SC2317 # it is called in a shell of its own
gcc_analyze() {
	# shellcheck disable=SC2086 # words
	gcc -std=gnu17 -O0 -fanalyzer -Wno-analyzer-malloc-leak -D_GNU_SOURCE '-DCGPOL_VERSION="0"' '-DCGPOL_LIBEXEC="l"' \
		'-DCGPOL_FULL="f"' $flags -c -o /dev/null "$1" 2>&1 |
		sed -n 's/^\([^ :]*:[0-9]*\):[0-9]*: \(warning\|error\|fatal error\): /\1: gcc: /p'
}
export -f gcc_analyze

check() {
	local files
	files=$(files_like '^(libpolicy|cli)/.*\.c$')
	[ -n "$files" ] || return 0
	# shellcheck disable=SC2016 # the same
	tr '\n' '\0' <<<"$files" | xargs -0 -P "$(nproc)" -n 1 bash -c 'gcc_analyze "$1"' -
	# It does not know the cleanup attribute either, so leaks are left to LeakSanitizer.
	# shellcheck disable=SC2086 # words
	cppcheck --quiet -j "$(nproc)" --std=c11 --language=c --enable=warning,performance,portability --inline-suppr \
		--suppress=missingInclude --suppress=missingIncludeSystem --suppress=memleak --suppress=resourceLeak --suppress=preprocessorErrorDirective \
		-D_GNU_SOURCE '-Djson_array_foreach(a,i,v)=for(i=0;v;)' '-Djson_object_foreach(o,k,v)=for(k=0;v;)' \
		"${includes[@]}" --template='{file}:{line}: cppcheck: {message} ({id})' $files 2>&1 |
		grep -E '^(libpolicy|cli)/' || true
}

plant cli/main.c 7 <<'E'
#include <stdlib.h>
int main(void)
{
	char *a = malloc(3);
	if (!a)
		return 1;
	free(a); free(a);
	return 0;
}
E
plant cli/main.c 5 <<'E'
int main(int argc, char **argv);
int main(int argc, char **argv)
{
	int a[3] = {argc, 1, 2};
	return a[3] + (argv != 0);
}
E
plant cli/main.c clean <<'E'
#include <stdlib.h>
static void free_p(void *p)
{
	free(*(void **)p);
}
int main(void)
{
	__attribute__((cleanup(free_p))) char *a = malloc(3);
	return a ? 0 : 1;
}
E

lint_run "mend it; a false alarm of cppcheck gets an inline suppression with its reason"
