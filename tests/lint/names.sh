#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names that say nothing, marks of unfinished work, and what only the author's machine has: none of it in the tree.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

empty='(^|/)(utils?|common|helpers?|misc|tools?|stuff)\.[a-z]+$'
# The brackets keep this file from finding itself.
marks='\b(TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b'
# A path of somebody's home or workplace, a mirror that only apt should name, a paper that is not in the tree.
foreign='(?<![\w./*~$}-])/(wor[k]|hom[e]|User[s])/\w|(?<![\w/-])(\.\./)?share[d]/|\bdeb\.debia[n]\.org'
foreign+='|\b(OOM_SPE[C]|CONTRAC[T]|LAYOU[T])\b'

grep_tree() {
	tree_files | grep -vE '^(LICENSE|tests/(roots|golden|fuzz/corpus)/.*)$' | tr '\n' '\0' |
		xargs -0 -r grep -nPIH -- "$1" | sed "s|^\([^:]*:[0-9]*\):.*|\1: $2|" || true
}

check() {
	files_like "$empty" | sed 's|$|:1: a name that says nothing|'
	grep_tree "$marks" "a mark of unfinished work"
	grep_tree "$foreign" "something that only the author's machine has"
}

plant libpolicy/base/utils.c 1 </dev/null
plant cli/helpers.h 1 </dev/null
part=TO
plant cli/main.c 2 <<E
/* fine */
/* ${part}DO: later */
E
part=/work
plant scripts/tool 1 <<E
cd "$part/main"
E
part=deb.debian
plant README.md 1 <<E
see http://$part.org/x
E
part=shared
plant cli/main.c 1 <<E
/* see ../$part/PAPER */
E
part=OOM
plant cli/main.c 1 <<E
/* see ${part}_SPEC E8 */
E
plant README.md clean <<'E'
In the guest /tmp/work/ is empty; unshared/; a TODOLIST.
E

lint_run "name a file after its noun; finish it or open an issue; let apt name the mirror; quote the kernel's file"
