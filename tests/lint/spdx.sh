#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Every source file names its licence, then says in one sentence what it is for.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

licence='SPDX-License-Identifier: LGPL-2.1-or-later'

check() {
	local f
	while read -r f; do
		[ "$(sed -n 1p "$f")" = "/* $licence */" ] || { echo "$f:1: the first line is not the SPDX line"; continue; }
		[[ $(sed -n 2p "$f") =~ ^/\*\ [^\ ] ]] || echo "$f:2: no sentence says what the file is for"
	done < <(files_like '\.[ch]$')
	while read -r f; do
		head -n 3 "$f" | grep -qF "$licence" || echo "$f:1: no SPDX line in the first three"
	done < <(shell_files; files_like '(\.(py|cmake|map|[1-8])|CMakeLists\.txt|(^|/)completions/.*|\.in)$')
}

plant cli/main.c 1 <<'E'
int main(void);
E
plant cli/main.c 2 <<'E'
/* SPDX-License-Identifier: LGPL-2.1-or-later */
int main(void);
E
plant cli/main.h 1 <<'E'
/* SPDX-License-Identifier: GPL-2.0 */
/* Wrong. */
E
plant tests/vm/tool 1 <<'E'
#!/bin/sh
echo
E
plant man/cgpol.1 1 <<'E'
.TH CGPOL 1
E
plant completions/_cgpol 1 <<'E'
#compdef cgpol
E
plant_file README.md </dev/null
plant_file tests/tool <<'E'
#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
E
plant cli/main.c clean <<'E'
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The program. */
E

lint_run "begin with \"$licence\" in the file's comment style, and a sentence"
