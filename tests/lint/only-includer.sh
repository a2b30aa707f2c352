#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Each library has few includers, and each room of libpolicy uses the rooms above it only.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

# Header (a regular expression), and the files that may include it.
only=(
	'jansson\.h' '^(cli/json|libpolicy/host/(manifest|document)|libpolicy/policy/oci)\.c$'
	'(libsmartcols/)?libsmartcols\.h' '^cli/table\.c$'
	'libcgroup\.h' '^libpolicy/host/cgroupfs\.c$'
	'systemd/sd-.*\.h' '^libpolicy/host/scope\.c$'
	'numa(if)?\.h' '^libpolicy/memory/mempolicy\.c$'
	'yaml\.h' '^libpolicy/policy/profile\.c$'
)

# The rooms that a room may use, as a regular expression.
rooms_of() {
	case $1 in
	include) echo none ;;
	base) echo base ;;
	host) echo 'base|host' ;;
	policy) echo 'base|host|policy' ;;
	memory) echo 'base|host|policy|memory' ;;
	act) echo 'base|host|policy|memory|act' ;;
	esac
}

check_room() {
	local f=$1 room allowed
	room=${f#libpolicy/}
	[[ $room == */* ]] || { echo "$f:1: lies in no room"; return; }
	room=${room%%/*}
	allowed=$(rooms_of "$room")
	[ -n "$allowed" ] || { echo "$f:1: there is no room \"$room\""; return; }
	grep_code "$f" "^\\s*#\\s*include\\s*\"(?!($allowed)/)" "$room may include from these rooms only: $allowed" 1
}

check() {
	local f i
	while read -r f; do
		for ((i = 0; i < ${#only[@]}; i += 2)); do
			[[ $f =~ ${only[i + 1]} ]] ||
				grep_code "$f" "^\\s*#\\s*include\\s*[<\"]${only[i]}[>\"]" "may not include this library" 1
		done
		[[ $f != libpolicy/* ]] || check_room "$f"
	done < <(files_like '^(libpolicy|cli)/.*\.[ch]$')
}

plant cli/main.c 2 <<'E'
/* #include <jansson.h> */
#include <jansson.h>
E
plant cli/json.h 1 <<'E'
#include <jansson.h>
E
plant cli/cmd_stat.c 1 <<'E'
#  include  <libsmartcols/libsmartcols.h>
E
plant libpolicy/memory/usage.c 1 <<'E'
#include <numaif.h>
E
plant libpolicy/base/text.c 2 <<'E'
#include "base/text.h"
#include "host/root.h"
E
plant libpolicy/host/host.c 1 <<'E'
#include "memory/oom.h"
E
plant libpolicy/host/host.h 1 <<'E'
#include "cli/opt.h"
E
plant libpolicy/memory/oom.c 1 <<'E'
#include "oom.h"
E
plant libpolicy/include/cgpol/cgpol.h 1 <<'E'
#include "base/error.h"
E
plant libpolicy/other/thing.c 1 <<'E'
E
plant_file cli/json.c <<'E'
#include <jansson.h>
#include "memory/oom.h"
#include "json.h"
E
plant libpolicy/memory/oom.c clean <<'E'
#include "memory/oom.h"

#include <stdio.h>

#include "base/text.h"
E

lint_run "ask the file that includes the library; move what two rooms need into the room above both"
