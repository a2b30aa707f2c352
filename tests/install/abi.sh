#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What libcgpol.so shows to the world is what libcgpol.map lists, and it brings no state and no library of its own.
#
# usage: abi.sh LIBRARY MAP [OBJECT...]      OBJECT: of the library, searched for variables that can change
set -euo pipefail
export LC_ALL=C
library=$1 map=$2
shift 2
failed=0

wrong() { echo "abi: $*"; failed=1; }

# "NODE symbol", for each symbol that the map lists as global.
listed() {
	sed 's|/\*.*\*/||; s/[{};:]/ & /g' "$map" | awk '
	{
		for (i = 1; i <= NF; i++) {
			if ($i == "{") { node = last; global = 1 }
			else if ($i == "}") node = ""
			else if ($i == "global") global = 1
			else if ($i == "local") global = 0
			else if ($i !~ /^[:;]$/ && node != "" && global) print node, $i
			last = $i
		}
	}' | sort
}

exported() {
	nm -D --defined-only "$library" | awk '$2 != "A" { split($3, s, "@@"); print s[2], s[1] }' | sort
}

[ -n "$(listed)" ] || wrong "no symbol was found in $map"
different=$(diff <(listed) <(exported) | grep '^[<>]' || true)
[ -z "$different" ] || wrong "listed in the map (<) and exported (>) differ:"$'\n'"$different"

soname=$(readelf -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = libcgpol.so.0 ] || wrong "the soname is \"$soname\", not libcgpol.so.0"

# Everything that may be needed; sanitizers come with sanitized builds.
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc|libjansson|libnuma|lib[alu]b?san|libgcc_s|libm|ld-linux.*)\.so' || true)
[ -z "$needed" ] || wrong "it needs more than libc, jansson and libnuma: $needed"

# Static state would be shared by all users in one process. Tables of pointers are constant once relocated; what a
# sanitizer or a coverage build adds is not ours.
for object; do
	state=$(nm "$object" | awk '$2 ~ /^[bBdDC]$/ && $3 !~ /^(__|\.?L)/ { print $3 }' | while read -r name; do
		objdump -t "$object" | awk -v n="$name" '$NF == n && !/\.data\.rel\.ro/ { print n }'
	done)
	[ -z "$state" ] || wrong "$object has variables that can change: $state"
done
exit $failed
