#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Installs a build into an empty folder, uses it as a program and as a library, and removes it again.
#
# environment: CGPOL_BUILD, the build to install (default build/dev)
# Ends with "N passed, N failed".
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
build=$(readlink -f "${CGPOL_BUILD:-$here/../../build/dev}") || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/cgpol-install.XXXXXX")
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
passed=0 failed=0

# is WHAT COMMAND...: the command succeeds.
is() {
	local what=$1
	shift
	if "$@" >"$work/log" 2>&1 </dev/null; then
		passed=$((passed + 1))
		echo "ok - $what"
	else
		failed=$((failed + 1))
		echo "not ok - $what: $*"
		sed 's/^/    /' "$work/log"
	fi
}

warnings=(-Wall -Wextra -Wpedantic -Werror)
has_file() { test -s "$prefix/$1"; }
flags() { PKG_CONFIG_PATH=$pc pkg-config "$@" cgpol; }
compile() {
	local found
	read -ra found <<<"$(flags --cflags --libs)"
	"$@" "$here/consumer.c" -o "$work/consumer" "${found[@]}"
}
as_installed() { LD_LIBRARY_PATH=$lib "$@"; }
runs_itself() { "$prefix/bin/cgpol" run --help >/dev/null && "$prefix/bin/cgpol" help >/dev/null; }
is_static() { file=$prefix/bin/cgpol; [ -s "$file" ] && ! readelf -l "$file" | grep INTERP; }
says_version() { [[ $("$prefix/bin/cgpol" --version) == *"$(flags --modversion)"* ]]; }

# No file, and no folder that is named after us.
nothing_left() { ! find "$1" ! -type d -o -name '*cgpol*' | grep -v "^$1\$" | grep . ; }

# A find_package that must take this tree and no other.
configure() {
	cmake -G Ninja -S "$here/project" -B "$1" -DCMAKE_PREFIX_PATH="$2" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF \
		-DCMAKE_BUILD_RPATH_USE_ORIGIN=OFF
}

is "installs" cmake --install "$build" --prefix "$prefix"
pc=$(dirname "$(find "$prefix" -name cgpol.pc)")
lib=$(dirname "$pc")

for file in bin/cgpol libexec/cgpol/cgpol include/cgpol/cgpol.h share/man/man1/cgpol.1 share/bash-completion/completions/cgpol \
	share/zsh/site-functions/_cgpol share/fish/vendor_completions.d/cgpol.fish; do
	is "$file is there" has_file "$file"
done
for page in "$here"/../../man/*.[1-8]; do
	is "$(basename "$page") is there" has_file "share/man/man${page##*.}/$(basename "$page")"
done
for schema in "$here"/../../share/cgpol/schema/*.json; do
	is "$(basename "$schema") is there" has_file "share/cgpol/schema/$(basename "$schema")"
done
is "the program runs without the library beside it and has the package's version" says_version
is "the program finds its other part" runs_itself
is "what starts confined commands loads no library" is_static
is "C11, found by pkg-config" compile gcc -std=c11 "${warnings[@]}"
is "it runs" as_installed "$work/consumer"
is "C++17, found by pkg-config" compile g++ -std=c++17 "${warnings[@]}" -x c++
is "it runs" as_installed "$work/consumer"
is "find_package finds it" configure "$work/project" "$prefix"
is "C11 and C++17, by find_package" cmake --build "$work/project"
is "the C program runs" "$work/project/consumer_c"
is "the C++ program runs" "$work/project/consumer_cpp"

mv "$prefix" "$work/moved"
pc=${pc/#$prefix/$work/moved} lib=${lib/#$prefix/$work/moved}
is "moved elsewhere, the program finds its other part" "$work/moved/bin/cgpol" help
is "moved elsewhere, pkg-config still finds it" compile gcc -std=c11 "${warnings[@]}"
is "it runs" as_installed "$work/consumer"
mv "$work/moved" "$prefix"

is "uninstalls" cmake --build "$build" --target uninstall
is "nothing is left" nothing_left "$prefix"

is "installs into a stage" env DESTDIR="$work/stage" cmake --install "$build" --prefix /usr
is "only below its prefix" test "$(ls -A "$work/stage")" = usr
echo "not ours" >"$work/stage/usr/include/cgpol/other.h"
is "uninstalls from the stage" env DESTDIR="$work/stage" cmake --build "$build" --target uninstall
is "leaves the files of others" test -s "$work/stage/usr/include/cgpol/other.h"
rm "$work/stage/usr/include/cgpol/other.h"
rmdir "$work/stage/usr/include/cgpol"
is "nothing else is left in the stage" nothing_left "$work/stage"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
