# shellcheck shell=sh disable=SC2154 # what eval and the report set: k_..., p_..., free_...
# SPDX-License-Identifier: LGPL-2.1-or-later
# One OOM kill in the guest, foretold and compared with the kernel's report; source it as
# /lib/cgpol-test/scenario.sh (busybox sh).
#
#	scene "what it shows"
#	cg_make /job cpuset.mems=1
#	launch a / 0 "anon=$(part 0 80)@0"
#	launch c /job 0 cpu=1 ready go grow
#	expect constraint=cpuset nodes=1 victim=a then=c
#	foresee --pid "$tid_c"
#	compare
#	finish
#
# What is expected follows from the kernel's rules and is written by hand: so both the prediction and the kernel are
# held to it, and a scene that shows something else than it means to fails.
# In a guest without cgpol (tests/vm/run --bare) only the kernel is; the script then ends as skipped.

# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

work=$PWD/scene
scenes=0 broken=0

has_cgpol() { command -v cgpol >/dev/null; }

# version_at_least 5.14
version_at_least() {
	awk -v want="$1" -v have="$(uname -r)" 'BEGIN {
		split(want, w, "."); split(have, h, "[.-]")
		exit !(h[1] + 0 > w[1] + 0 || h[1] == w[1] && h[2] + 0 >= w[2] + 0) }'
}

# ---- a scene and its processes ----

# scene TEXT: begins one, after whatever ran before.
scene() {
	quiet
	launched='' broken_here=
	scenes=$((scenes + 1))
	rm -rf "$work"
	mkdir "$work"
	# The figures must not depend on chance: addresses decide how many page tables a process has, and the cpu it
	# happens to run on which node it uses.
	echo 0 >/proc/sys/kernel/randomize_va_space
	taskset -p 1 $$ >/dev/null
	# The cpus' own lists of free pages stay short: from 6.7 on a list may hold an eighth of a node, and whether it is
	# given back before the OOM killer is called depends on which cpu has it (mm/page_alloc.c).
	[ ! -e /proc/sys/vm/percpu_pagelist_high_fraction ] || echo 1000000 >/proc/sys/vm/percpu_pagelist_high_fraction
	# swapoff -a wants an fstab.
	[ -n "${with_swap:-}" ] || awk 'NR > 1 { print $1 }' /proc/swaps | xargs -r -n 1 swapoff
	e_constraint='' e_nodes='' e_memcg='' e_victim='' e_kills='' e_then='' e_outcome=kill e_certainty=''
	e_useful='' e_loose=0 e_skipped=''
	for scene_ in all 0 1 2 3; do eval "free_$scene_=$(free_on $scene_)"; done
	say "$1"
}

# Scenes that need swap say so before the first scene.
need_swap() {
	[ -n "${VM_SWAP:-}" ] || skip "needs a guest with swap (--swap 64M)"
	with_swap=1
	grep -q zram0 /proc/swaps || swapon /dev/zram0 || skip "no swap"
}

# Memory of a node that a process can take: above the watermarks, in KiB. "all": of all nodes.
free_on() {
	awk -v node="$1" '
		/^Node/ { here = node == "all" || $2 + 0 == node }
		here && $1 == "pages" && $2 == "free" { free = $3 }
		here && $1 == "min" { min = $2 }
		here && $1 == "protection:" {
			gsub(/[(),]/, " ")
			most = 0
			for (i = 2; i <= NF; i++) if ($i > most) most = $i
			if (free > min + most) sum += free - min - most
		}
		END { print sum * 4 }' /proc/zoneinfo
}

# part NODE PERCENT: so much of what was free there when the scene began, as a size. NODE "all": of all nodes.
part() {
	eval "part_=\$free_$1"
	echo $((part_ * $2 / 100))K
}

# launch NAME CGROUP ADJ STEP...: starts tests/vm/load.c with these steps and waits until it is ready: at the step
# "ready", or when all is done. The step "go" waits for the prediction. "ready:X" in a child registers it as X.
# Sets $pid_NAME and $tid_NAME. $launch_by is a command that starts it: "cgpol run --mems 0".
launch() {
	launch_names_=$1 launch_steps_=name=$1 launch_cg_=$2 launch_adj_=$3
	launch_name_=$1
	shift 3
	launch_seen_=
	for launch_word_; do
		case $launch_word_ in
		ready) launch_word_=ready=$work/$launch_name_ launch_seen_=1 ;;
		ready:*)
			launch_names_="$launch_names_ ${launch_word_#ready:}"
			launch_word_="name=${launch_word_#ready:} ready=$work/${launch_word_#ready:}"
			;;
		go) launch_word_=wait=$work/go ;;
		esac
		launch_steps_="$launch_steps_ $launch_word_"
	done
	[ -n "$launch_seen_" ] || launch_steps_="$launch_steps_ ready=$work/$launch_name_"
	# shellcheck disable=SC2086 # words
	start "$launch_cg_" "$launch_adj_" ${launch_by:-} load $launch_steps_
	for launch_word_ in $launch_names_; do
		wait_for 30 test -s "$work/$launch_word_" || fail "$launch_word_ did not start"
		read -r launch_pid_ launch_tid_ <"$work/$launch_word_"
		eval "pid_$launch_word_=$launch_pid_ tid_$launch_word_=$launch_tid_"
		launched="$launched $launch_word_"
	done
}

# fill NODE PERCENT [CGROUP]: that much of the node goes to a process which is never killed. NODE "-": PERCENT is a size.
fill() {
	if [ "$1" = - ]; then
		launch "filler" "${3:-/}" -1000 "anon=$2"
	else
		launch "filler$1" "${3:-/}" -1000 "anon=$(part "$1" "$2")@$1"
	fi
}

pid_of() { eval "echo \${pid_$1:-$1}"; }

# Names for pids, those of this scene.
name_of() {
	for name_ in $launched; do
		[ "$(pid_of "$name_")" != "$1" ] || { echo "$name_"; return; }
	done
	echo "${1:-nobody}"
}
# The same for a list of pids, sorted.
names_of() { for names_ in $1; do name_of "$names_"; done | sort | tr '\n' ' ' | sed 's/ $//'; }

# A zombie leader is alive while one of its threads is.
is_alive() { cat /proc/"$1"/task/*/stat 2>/dev/null | sed 's/.*) //' | grep -q '^[^ZX]'; }
are_gone() {
	for gone_; do
		! is_alive "$gone_" || return 1
	done
}

# End all processes of the scene.
quiet() {
	quiet_pids_=
	for quiet_ in ${launched:-}; do
		quiet_pids_="$quiet_pids_ $(pid_of "$quiet_")"
	done
	[ -n "$quiet_pids_" ] || return 0
	# shellcheck disable=SC2086 # words
	kill -9 $quiet_pids_ 2>/dev/null
	# A parent that is held or sleeps in place of its child has no name of its own.
	for quiet_ in $(jobs -p); do kill -9 "$quiet_"; done 2>/dev/null
	# shellcheck disable=SC2086 # words
	wait_for 10 are_gone $quiet_pids_ || fail "processes do not end"
	wait
	find "$cg" -mindepth 1 -depth -type d -exec rmdir {} + 2>/dev/null
	launched=
}

# ---- what is expected, and what is foretold ----

# expect KEY=VALUE...: constraint nodes memcg victim kills ("a b"; default: the victim) then useful certainty outcome,
# skipped ("d:cpuset e:mempolicy": the reasons why these were passed over), loose=PAGES (how far points may drift).
expect() {
	for expect_; do
		eval "e_${expect_%%=*}=\${expect_#*=}"
	done
}

# foresee OPTION...: ask cgpol, before anything grows.
foresee() {
	for foresee_ in /proc/[0-9]*/task/*; do
		foresee_pid_=${foresee_#/proc/}
		echo "${foresee_##*/} ${foresee_pid_%%/*}"
	done >"$work/threads"
	kernel_mark "scene$scenes"
	has_cgpol || return 0
	cgpol predict --json --all --top 0 "$@" >"$work/prediction.json" || fail "cgpol predict $* gave status $?"
	read_prediction
}

# Fields of the JSON into p_..., candidates into a file: pid, points, and what of them is for growth. For the shell the
# latter are comments.
read_prediction() {
	prediction_=$(jq -r '
		def s: if . == null then "" else tostring end;
		"p_constraint=\(.constraint | @sh)", "p_nodes=\(.nodes | s | @sh)", "p_memcg=\(.oom_memcg | s | @sh)",
		"p_outcome=\(.outcome | @sh)", "p_certainty=\(.certainty | @sh)", "p_total=\(.totalpages)",
		"p_victim=\(.victim.pid | s | @sh)", "p_points=\(.victim.points | s | @sh)",
		"p_margin=\(.margin_points | s | @sh)", "p_useful=\(.useful | s | @sh)",
		"p_kills=\([.kills[].pid] | join(" ") | @sh)",
		"p_lines=\([.kills[] | select(.why != "shares_mm").pid] | join(" ") | @sh)",
		"p_then=\(.then[0].pid | s | @sh)", "p_warnings=\(.warnings | join("; ") | @sh)",
		"p_skipped=\([.skipped[] | "\(.pid):\(.reason)"] | join(" ") | @sh)",
		"p_unsound=\([.candidates[] | select(.points != .rss_pages + .swap_pages + .pgtable_pages + .grow_pages
			+ .adj_pages) | .pid] | join(" ") | @sh)",
		(.candidates[] | "# \(.pid) \(.points) \(.grow_pages)")' "$work/prediction.json") ||
		fail "the JSON lacks something"
	eval "$prediction_"
	echo "$prediction_" | sed -n 's/^# //p' >"$work/candidates"
}

# ---- what the kernel reports ----

# The log since the prediction, cut into kills: k_... of the first one, k2_victim of the one that follows it. The task
# table goes into a file: pid, rss + swap + page tables, oom_score_adj. A line about a thread counts for its process.
read_report() {
	kernel_since "scene$scenes" >"$work/log"
	awk -v table="$work/table" '
		function between(from, to,  a, rest) {
			a = index($0, from) + length(from)
			rest = substr($0, a)
			return to == "" ? rest : substr(rest, 1, index(rest, to) - 1)
		}
		function give(key, value) { print key "=\"" value "\"" }
		FILENAME ~ /threads$/ { process[$1] = $2; next }
		{ sub(/^\[ *[0-9.]+\] ?/, "") }
		/ invoked oom-killer: / { event++; in_table = 0 }
		/^Tasks state/ { in_table = event == 1 }
		in_table && /^\[ *pid/ { more = /rss_anon/ ? 3 : 0 }
		in_table && /^\[ *[0-9]+\]/ {
			sub(/^\[ *[0-9]+\] */, "")
			print $2, $4 + int($(5 + more) / 4096) + $(6 + more), $(7 + more) >table
		}
		event == 1 && /^Memory cgroup stats for / {
			constraint = "memcg"
			memcg = between("stats for ", ":")
		}
		/^oom-kill:constraint=/ {
			in_table = 0
			pid = $0
			sub(/.*,pid=/, "", pid)
			sub(/,.*/, "", pid)
			if (event == 2) give("k2_victim", pid)
			if (event != 1) next
			constraint = tolower(between("CONSTRAINT_", ","))
			memcg = index($0, ",global_oom,") ? "" : between(",oom_memcg=", ",task_memcg=")
			give("k_nodemask", between("nodemask=", ",cpuset="))
			give("k_mems", between("mems_allowed=", memcg == "" ? ",global_oom" : ",oom_memcg="))
			give("k_victim", pid)
			outcome = "kill"
		}
		event == 1 && /no killable processes/ { outcome = "no_victim" }
		/: Killed process / {
			pid = between("Killed process ", " ")
			if (pid in process) pid = process[pid]
			if (event == 1 && !(pid in seen)) killed = killed " " pid
			if (event == 1 && /\(oom_kill_allocating_task\)/) outcome = "kill_allocating_task"
			seen[pid]
			ever = ever " " pid
		}
		END {
			give("k_constraint", constraint)
			give("k_memcg", memcg)
			give("k_outcome", outcome)
			give("k_killed", substr(killed, 2))
			give("k_ever", substr(ever, 2))
		}' "$work/threads" "$work/log" >"$work/report"
	k_nodemask='' k_mems='' k_victim='' k2_victim=''
	# shellcheck source=/dev/null
	. "$work/report"
	case $k_constraint in
	memory_policy) k_nodes=$k_nodemask ;;
	cpuset) k_nodes=$k_mems ;;
	*) k_nodes='' ;;
	esac
}

# The kernel has dealt with the first OOM: those who were to die are gone, or it found nobody. And with the second one,
# when that is asked for.
is_decided() {
	read_report
	[ "$k_outcome" != no_victim ] || return 0
	[ -n "$k_killed" ] || return 1
	[ -z "$e_then" ] || [ -n "$k2_victim" ] || return 1
	for decided_ in ${e_kills:-$e_victim}; do
		! is_alive "$(pid_of "$decided_")" || return 1
	done
}

# ---- the comparison ----

wrong() {
	echo "  WRONG: $*"
	broken_here=1
}

# same WHAT RULES KERNEL PREDICTED: three that must be equal. Without cgpol, two.
same() {
	[ "$2" = "$3" ] || wrong "$1: by the rules \"$2\", but the kernel: \"$3\""
	! has_cgpol || [ "$4" = "$3" ] || wrong "$1: predicted \"$4\", but the kernel: \"$3\""
}

# How far the OOM killer's table may be from what /proc said, for a process that did nothing in between. Before 6.2
# both read the same per-thread counters. Then percpu counters came, which /proc reads exactly and the OOM killer
# roughly: it misses up to (batch - 1) * cpus pages in each of four (lib/percpu_counter.c, batch = max(32, 2 * cpus)).
drift_allowed() {
	drift_cpus_=$(grep -c ^processor /proc/cpuinfo)
	drift_batch_=$((drift_cpus_ * 2 > 32 ? drift_cpus_ * 2 : 32))
	if version_at_least 6.2; then
		echo $((e_loose + 4 * (drift_batch_ - 1) * drift_cpus_))
	else
		echo "$e_loose"
	fi
}

# Points of the processes that do not grow, predicted and in the kernel's table.
compare_points() {
	has_cgpol || return 0
	# When nobody can be killed the log fills up quickly and loses its beginning.
	[ "$k_outcome" != no_victim ] || [ -s "$work/table" ] || return 0
	[ -s "$work/table" ] || { wrong "the kernel's report has no table of tasks"; return; }
	for points_ in $launched; do echo "$points_ $(pid_of "$points_")"; done >"$work/names"
	awk -v total="$p_total" -v allowed="$(drift_allowed)" '
		function wrong(text) { print "  WRONG: " text; bad = 1 }
		FILENAME ~ /names$/ { name[$2] = $1; next }
		FILENAME ~ /table$/ { kernel[$1] = $2 + $3 * int(total / 1000); next }
		{
			candidate[$1]
			if (!($1 in kernel)) {
				wrong(($1 in name ? name[$1] : "pid " $1) " is a candidate of the prediction, not of the kernel")
				next
			}
			if ($3 != 0) next
			off = $2 - kernel[$1]
			text = text (text == "" ? "" : ", ") name[$1] " " $2 (off ? " (kernel " kernel[$1] ")" : "")
			if (off > allowed || off < -allowed)
				wrong("points of " name[$1] ": predicted " $2 ", but the kernel: " kernel[$1])
		}
		END {
			if (text != "") print "  points: " text
			exit bad
		}' "$work/names" "$work/table" "$work/candidates" || broken_here=1
}

note_the_dead() {
	dead=
	for dead_ in $launched; do
		is_alive "$(pid_of "$dead_")" || dead="$dead $dead_"
	done
}

# Those to be killed are dead; everybody else lives, unless a later OOM took him.
compare_lives() {
	for lives_ in ${e_kills:-$e_victim}; do
		case "$dead " in *" $lives_ "*) ;; *) wrong "$lives_ should have died and lives" ;; esac
	done
	for lives_ in $dead; do
		case " ${e_kills:-$e_victim} $(names_of "$k_ever") " in
		*" $lives_ "*) ;;
		*) wrong "$lives_ should live and is dead" ;;
		esac
	done
	for lives_ in $(names_of "$k_killed"); do
		case " ${e_kills:-$e_victim} " in *" $lives_ "*) ;; *) wrong "the kernel killed $lives_ too" ;; esac
	done
}

# also_takes NAME OPTION...: another question that must name the same victim before anything happens.
also_takes() {
	also_=$1
	shift
	has_cgpol || return 0
	also_pid_=$(cgpol predict --json "$@" | jq -r .victim.pid)
	[ "$also_pid_" = "$(pid_of "$also_")" ] || wrong "cgpol predict $* takes $(name_of "$also_pid_"), not $also_"
}

# What the prediction says beyond the kernel's report.
compare_rest() {
	has_cgpol || return 0
	for rest_ in $e_skipped; do
		case " $p_skipped " in
		*" $(pid_of "${rest_%%:*}"):${rest_#*:} "*) ;;
		*) wrong "${rest_%%:*} was not reported as skipped for ${rest_#*:}" ;;
		esac
	done
	[ -z "$p_unsound" ] || wrong "the points of $p_unsound are not the sum of their terms"
	[ -z "$e_certainty" ] || [ "$p_certainty" = "$e_certainty" ] || wrong "certainty: $p_certainty, not $e_certainty"
	[ -z "$e_useful" ] || [ "$p_useful" = "$e_useful" ] || wrong "useful: $p_useful, not $e_useful"
}

# The verdict in one line.
report() {
	report_where_=$k_constraint${k_nodes:+ $k_nodes}${k_memcg:+ $k_memcg}
	report_killed_=$(names_of "$k_killed")
	report_word_=agrees
	[ -z "$broken_here" ] || report_word_=DISAGREES
	if has_cgpol; then
		report_margin_=$(awk -v m="$p_margin" -v p="$p_points" 'BEGIN {
			if (m != "" && p + 0 != 0) printf ", margin %d %%", m * 100 / (p < 0 ? -p : p) }')
		echo "  predicted $(names_of "$p_lines") ($p_certainty$report_margin_) by $report_where_, killed" \
			"${report_killed_:-nobody}: $report_word_"
		[ -z "$p_warnings" ] || echo "  warnings: $p_warnings"
	else
		echo "  no prediction; by $report_where_ killed ${report_killed_:-nobody}: $report_word_"
	fi
	[ -z "$broken_here" ] && return
	broken=$((broken + 1))
	sed 's/^/  | /' "$work/report"
	grep -E 'oom-kill:|Killed process|invoked oom-killer|no killable' "$work/log" | sed 's/^/  | /'
	[ ! -e "$work/prediction.json" ] || jq -M 'del(.skipped)' "$work/prediction.json" | sed 's/^/  | /'
}

# compare: let it happen, and hold the rules, the kernel and the prediction together.
compare() {
	rm -f "$work/table"
	: >"$work/go"
	wait_for 20 is_decided || wrong "the kernel has not done what was expected"
	note_the_dead
	# A task may be dead before the kernel has written down that it killed it. When nobody can be killed the log
	# fills up quickly instead, and loses its beginning.
	[ "$k_outcome" = no_victim ] || { usleep 50000; read_report; }
	compare_lives
	same outcome "$e_outcome" "$k_outcome" "${p_outcome:-}"
	same constraint "$e_constraint" "$k_constraint" "${p_constraint:-}"
	same nodes "$e_nodes" "$k_nodes" "${p_nodes:-}"
	same memcg "$e_memcg" "$k_memcg" "${p_memcg:-}"
	same victim "${e_victim:-nobody}" "$(name_of "$k_victim")" "$(name_of "${p_victim:-}")"
	[ -z "$e_then" ] || same "next victim" "$e_then" "$(name_of "$k2_victim")" "$(name_of "${p_then:-}")"
	! has_cgpol || [ "$(names_of "$p_lines")" = "$(names_of "$k_killed")" ] ||
		wrong "predicted lines for $(names_of "$p_lines"), but the kernel: $(names_of "$k_killed")"
	! has_cgpol || [ "$(names_of "$p_kills")" = "$(names_of "${e_kills:-$e_victim}")" ] ||
		wrong "predicted death of $(names_of "$p_kills")"
	compare_rest
	compare_points
	report
	quiet
}

# The script's last line.
finish() {
	quiet
	[ "$broken" -eq 0 ] || fail "$broken of $scenes disagree"
	has_cgpol || skip "no cgpol here: only the kernel was checked"
	exit 0
}

# In place of compare and finish: the kernel is to panic, which ends the script. tests/vm/run sees to it that it does.
expect_panic() {
	if has_cgpol; then
		[ "$p_outcome" = panic ] || fail "predicted $p_outcome, not panic"
		[ -z "$p_kills" ] || fail "predicted a panic and kills"
	fi
	echo "  predicted ${p_outcome:-nothing} (${p_certainty:-no cgpol})"
	echo "vm-expect: panic"
	sync
	: >"$work/go"
	sleep 30
	fail "no panic"
}
