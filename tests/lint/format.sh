#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# clang-format would change nothing.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"
need clang-format

check() {
	files_like '\.[ch]$' | tr '\n' '\0' |
		xargs -0 -r -P "$(nproc)" -n 8 clang-format --style="file:$lint_top/.clang-format" --dry-run 2>&1 |
		sed -n 's/^\([^ :]*:[0-9]*\):.*clang-format.*/\1: not as clang-format writes it/p' | sort -u
}

plant cli/main.c 3 <<'E'
int main(void)
{
    return  0;
}
E
plant cli/main.c clean <<'E'
int main(void)
{
	return 0;
}
E

lint_run "clang-format -i FILE"
