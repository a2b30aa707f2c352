# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Functions for scripts that run in the guest of tests/vm/run; source it as /lib/cgpol-test/guest.sh (busybox sh).

cg=/sys/fs/cgroup

say() { echo "# $*"; }

# End with a status that tests/vm/run understands.
fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skip: $*"; exit 77; }

# need NAME...: skip unless each is a command, or an absolute path that exists.
need() {
	for need_; do
		case $need_ in
		/*) [ -e "$need_" ] || skip "this kernel has no $need_" ;;
		*) command -v "$need_" >/dev/null || skip "$need_ is not in the guest" ;;
		esac
	done
}

# wait_for SECONDS COMMAND...: until the command succeeds. wait_for SECONDS /FILE: until that exists.
# Status 1 when the time is over. Guest seconds: a slow host makes them longer.
wait_for() {
	wait_left_=$(($1 * 20))
	shift
	[ $# -gt 1 ] || case $1 in /*) set -- test -e "$1" ;; esac
	until "$@"; do
		[ $wait_left_ -gt 0 ] || return 1
		wait_left_=$((wait_left_ - 1))
		usleep 50000
	done
}

# cg_make PATH [KNOB=VALUE]...: make a cgroup with its parents, with every controller the kernel has for it, and set
# its files, in order: cg_make /test/a memory.max=64M cpuset.mems=0-1
cg_make() {
	cg_at_=$cg
	for cg_part_ in $(echo "$1" | tr / ' '); do
		read -r cg_ctls_ <"$cg_at_/cgroup.controllers"
		for cg_ctl_ in $cg_ctls_; do
			echo "+$cg_ctl_" >"$cg_at_/cgroup.subtree_control" || return 1
		done
		cg_at_=$cg_at_/$cg_part_
		[ -d "$cg_at_" ] || mkdir "$cg_at_" || return 1
	done
	shift
	for cg_set_; do
		echo "${cg_set_#*=}" >"$cg_at_/${cg_set_%%=*}" || return 1
	done
}

# start CGROUP ADJ COMMAND...: in the background, in that cgroup ("/" is the root) and with that oom_score_adj
# (scripts themselves have -1000). Its pid is $!.
start() {
	start_cg_=$1 start_adj_=$2
	shift 2
	(
		echo 0 >"$cg/$start_cg_/cgroup.procs" || exit 125
		echo "$start_adj_" >/proc/self/oom_score_adj || exit 125
		exec "$@"
	) &
}

# kernel_mark WORD, later kernel_since WORD: what the kernel has logged in between. WORD once per script only.
# The kernel reports at most 10 OOM kills with their task table in 5 seconds.
kernel_mark() { echo "cgpol-mark $$ $1" >/dev/kmsg; }
kernel_since() { dmesg | sed "1,/cgpol-mark $$ $1\$/d"; }
