#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# No script has what shellcheck would complain about.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"
need shellcheck

check() {
	shell_files | tr '\n' '\0' | xargs -0 -r -P "$(nproc)" -n 8 shellcheck -x -f gcc 2>&1 || true
}

plant scripts/tool 2 <<'E'
#!/bin/sh
cat $1
E
plant scripts/tool clean <<'E'
#!/bin/sh
cat "$1"
E

lint_run "follow shellcheck, or disable one finding with its reason beside it"
