# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the lints share. A lint defines `check`, which prints "FILE:LINE: what is wrong" for each violation below the
# current directory, plants some violations to prove that it sees them, and ends with `lint_run REMEDY`.
set -euo pipefail
export LC_ALL=C

lint_name=$(basename "$0")
lint_top=$(readlink -f "$(dirname "$(readlink -f "$0")")/../..")
lint_work=$(mktemp -d "${TMPDIR:-/tmp}/cgpol-lint.XXXXXX")
trap 'rm -rf "$lint_work"' EXIT

skip() { echo "skip: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "$1 is not installed (scripts/install-packages check)"; }

# The files of the tree, one a line: what git knows or would add, and everything where there is no git.
tree_files() {
	if [ "$PWD" = "$lint_top" ] && git ls-files -co --exclude-standard >"$lint_work/files" 2>/dev/null; then
		# Those that were deleted are still in git's index.
		while read -r f; do [ ! -f "$f" ] || echo "$f"; done <"$lint_work/files" | sort -u
	else
		find . -name .git -prune -o -path ./build -prune -o -type f -printf '%P\n' | sort
	fi
}

# Those whose name matches, an extended regular expression; status 0 also when there is none.
files_like() { tree_files | grep -E -- "$1" || true; }

# Shell scripts, by name or by their first line.
shell_files() {
	local f line
	while read -r f; do
		case $f in
		*.sh | *.bash) echo "$f" ;;
		*.* | LICENSE) ;;
		*)
			IFS= read -r line <"$f" 2>/dev/null || true
			[[ $line =~ ^#!.*[/\ ](ba|da)?sh ]] && echo "$f"
			;;
		esac
	done < <(tree_files) 2>/dev/null || true
}

# A C file with its comments blanked, and what is in quotes too unless KEEP is 1: lines stay where they are.
# usage: code_of FILE [KEEP]
code_of() {
	awk -v keep="${2:-0}" '
	{
		out = ""
		n = length($0)
		for (i = 1; i <= n; i++) {
			c = substr($0, i, 1)
			two = substr($0, i, 2)
			if (comment) {
				if (two == "*/") { comment = 0; i++; out = out " " }
			} else if (quote != "") {
				if (c == "\\") { if (keep) out = out two; i++; continue }
				if (c == quote) quote = ""
				if (keep || quote == "") out = out c
			} else if (two == "/*") {
				comment = 1
				i++
			} else if (two == "//") {
				break
			} else {
				if (c == "\"" || c == "\047") quote = c
				out = out c
			}
		}
		quote = ""
		print out
	}' "$1"
}

# Lines of the code (comments and quotes blanked) of FILE that match REGEX, as "FILE:LINE: TEXT".
# usage: grep_code FILE REGEX TEXT [KEEP]
grep_code() {
	code_of "$1" "${4:-0}" | grep -nP -- "$2" | awk -F: -v file="$1" -v text="$3" '{ print file ":" $1 ": " text }' || true
}

# A file of the planted tree, from stdin. `fresh` begins another tree.
plant_file() { mkdir -p "$lint_work/tree/$(dirname "$1")"; cat >"$lint_work/tree/$1"; }
fresh() { rm -rf "$lint_work/tree"; }

# Plants a file and checks the tree: WANT is the line that must be found in it, or "clean". Ends the tree.
# usage: plant FILE WANT <<X
plant() {
	local got
	plant_file "$1"
	got=$(cd "$lint_work/tree" && check) || lint_broken "stops at $1" ""
	case $2 in
	clean) [ -z "$got" ] || lint_broken "finds what is not there in $1" "$got" ;;
	*) grep -q "^$1:$2:" <<<"$got" || lint_broken "does not see what was planted at $1:$2" "$got" ;;
	esac
	lint_plants=$((${lint_plants:-0} + 1))
	fresh
}

lint_broken() {
	echo "$lint_name: the lint itself is broken: it $1"
	[ -z "$2" ] || echo "$2"
	exit 1
}

# Checks the project.
lint_run() {
	local got
	[ "${lint_plants:-0}" -gt 0 ] || lint_broken "plants nothing" ""
	cd "$lint_top"
	got=$(check) || lint_broken "stops before its end" ""
	[ -n "$got" ] || exit 0
	echo "$got"
	echo "$lint_name: $1"
	exit 1
}
