# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What scripts/demo and scripts/test share. Source it; it goes to the top of the tree and sets `top`.
#
#   need_packages GROUP...     install what is missing (scripts/install-packages), or say what and return 1
#   build PRESET [TARGET...]   configure and build in build/PRESET; quiet unless it fails, then returns 1
set -euo pipefail

top=$(readlink -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..")
cd "$top"
# Messages that are searched, lists that are sorted, names that are not ASCII: the same on every machine.
export LC_ALL=C.UTF-8

need_packages() { scripts/install-packages "$@"; }

build() {
	local preset=$1 dir=build/$1 log=build/$1.log home
	shift
	mkdir -p build
	# A tree that was copied or moved cannot use its old build.
	home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$dir/CMakeCache.txt" 2>/dev/null || true)
	[ "$home" = "$top" ] || rm -rf "$dir"
	if ! { cmake --preset "$preset" && cmake --build "$dir" ${1:+--target "$@"}; } >"$log" 2>&1 </dev/null; then
		echo "the build of \"$preset\" failed; the end of $log:"
		tail -n 60 "$log" | sed 's/^/    /'
		return 1
	fi
}
