# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The guest's part of scripts/demo: six OOM kills, each foretold and then compared with what the kernel did.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

# The scenes' own words go into headings here.
say() { :; }
came_true=0

heading() {
	scene "$1"
	printf '\n\nScene %s. %s\n' "$scenes" "$1"
	shift
	for line; do echo "  $line"; done
}

# Run a command and show it as typed.
show() {
	printf '\n$ %s\n' "$*"
	sh -c "$*" | sed 's/^./  &/'
}

mib() { echo "$(($1 / 1024)) MiB"; }

# Show what will come. Arguments: those of predict. It goes through a file, or the filter would be a process too.
foretell() {
	cgpol predict --all "$@" >"$work/told"
	printf "\n\$ cgpol predict --all %s | grep -v ' kthread\$'\n" "$*"
	grep -v ' kthread$' "$work/told" | sed 's/^./  &/'
	foresee "$@"
}

margin_percent() {
	awk -v m="$p_margin" -v p="$p_points" 'BEGIN { print int(m * 100 / (p < 0 ? -p : p ? p : 1)) }'
}

# Let it happen, show the kernel's own lines, and say whether it was foretold. With "chain" the next kill counts too.
happen() {
	printf '\nc grows ... '
	: >"$work/go"
	expect kills="$(names_of "$p_kills")" then="${1:+$(name_of "$p_then")}"
	if wait_for 30 is_decided; then
		echo "and the kernel says:"
	else
		wrong "nothing was killed, or others than foretold"
	fi
	note_the_dead
	usleep 50000
	read_report
	# One line for the choice, and one or more for those who are killed: of a group, the first is named twice.
	grep -E 'oom-kill:|Killed process' "$work/log" | head -n 4 | sed 's/^/  /'
	echo
	judge
	quiet
}

judge() {
	compare_lives
	[ "$p_constraint $p_nodes$p_memcg" = "$k_constraint $k_nodes$k_memcg" ] ||
		wrong "predicted $p_constraint $p_nodes$p_memcg, but the kernel: $k_constraint $k_nodes$k_memcg"
	[ "$p_victim" = "$k_victim" ] || wrong "the kernel chose $(name_of "$k_victim")"
	[ -z "$e_then" ] || [ "$p_then" = "$k2_victim" ] || wrong "the next victim was $(name_of "$k2_victim")"
	[ "$p_lines" = "$k_killed" ] || [ "$(names_of "$p_lines")" = "$(names_of "$k_killed")" ] ||
		wrong "the kernel killed $(names_of "$k_killed")"
	[ "$(margin_percent)" -ge 10 ] || wrong "the margin is below 10 %: it may be chance"
	printf 'predicted %s, killed %s' "$(names_of "$p_kills" | sed 's/ / and /g')" \
		"$(names_of "$k_killed" | sed 's/ / and /g')"
	[ -z "$e_then" ] || printf '; then predicted %s, killed %s' "$e_then" "$(name_of "$k2_victim")"
	printf '   (%s, margin %s %%)\n' "$p_certainty" "$(margin_percent)"
	[ -n "$broken_here" ] || came_true=$((came_true + 1))
}

# confine OPTIONS NAME STEP...: start it as anybody would, by cgpol run. That itself is never killed, as all scripts
# here; the step adj=0 makes its command an ordinary process. What cgpol run says of its end is not shown.
confine() {
	launch_by="cgpol run $1" confined=$2
	shift 2
	printf '\n$ %s load name=%s adj=0 %s &\n' "$launch_by" "$confined" "$*"
	launch "$confined" / -1000 adj=0 "$@" 2>"$work/said"
	launch_by=
}

# a has most, and nearly all of it on node 0; c will take what b leaves of node 1, which is less by a quarter.
sizes() {
	a_on_0=$((free_0 * 85 / 100))
	b_on_0=$((free_0 * 7 / 100))
	c_to_be=$((a_on_0 * 100 / 130))
	b_on_1=$((free_1 - c_to_be))
	if [ $b_on_1 -lt $b_on_0 ] || [ $((b_on_0 + b_on_1)) -gt $((c_to_be * 88 / 100)) ]; then
		fail "the nodes of this guest are too uneven: $free_0 and $free_1 KiB"
	fi
}

printf 'Linux %s, %s memory nodes:' "$(uname -r)" "$(find /sys/devices/system/node -name 'node[0-9]*' -maxdepth 1 | wc -l)"
for node in 0 1 2 3; do printf ' %s' "$(mib "$(free_on $node)")"; done
echo " free"
echo "Three processes: a has much on node 0 and next to nothing on node 1; b is on both; c grows on node 1."

# ---- 1 ----

heading "c may use node 1 only, by its cpuset, and fills it" \
	"The kernel weighs all that a process has, on whatever node. So a dies, which gives node 1 nothing; then c."
sizes
cg_make /job cpuset.mems=1
launch a / 0 anon=${a_on_0}K@0 anon=256K@1
launch b / 0 anon=${b_on_0}K@0 anon=${b_on_1}K@1
launch c /job 0 cpu=1 anon=4M ready go grow
show "cgpol stat --pid $pid_a,$pid_b,$pid_c"
foretell --pid "$pid_c"
happen chain

# ---- 2 ----

heading "The same, with c bound to node 1 by its memory policy" \
	"Another rule of the kernel's finds the candidates. It comes to the same."
sizes
launch a / 0 anon=${a_on_0}K@0 anon=256K@1
launch b / 0 anon=${b_on_0}K@0 anon=${b_on_1}K@1
launch c / 0 policy=bind:1 cpu=1 anon=4M ready go grow
show "cgpol stat --pid $pid_a,$pid_b,$pid_c -o NAME,NODE,TOTAL"
foretell --pid "$pid_c"
happen chain

# ---- 3 ----

heading "A cgroup reaches its memory.max; one below it has memory.oom.group=1" \
	"a is the largest in /shop. It lives in /shop/web/front, and /shop/web is a group: helper goes, too. guard is at" \
	"oom_score_adj -1000 and stays."
cg_make /shop memory.max=140M
cg_make /shop/web memory.oom.group=1
cg_make /shop/web/front
cg_make /shop/web/back
cg_make /shop/batch
launch a /shop/web/front 0 anon=70M
launch helper /shop/web/back 0 anon=10M
launch guard /shop/web/back -1000 anon=3M
launch b /shop/batch 0 anon=15M
launch c /shop/batch 0 cpu=1 anon=4M ready go grow
show "cgpol stat --cgroup /shop -o CGROUP,NODE,TOTAL,ANON | grep -E 'CGROUP|all'"
foretell --pid "$pid_c"
happen

# ---- 4 ----

heading "Scene 1 again, with a started by cgpol run --mems 0: its cpuset protects it" \
	"No node of a's cpuset is one of c's, so the kernel passes a over, and takes the one that fills node 1."
sizes
cg_make /job cpuset.mems=1
confine "--mems 0" a anon=${a_on_0}K
launch b / 0 anon=${b_on_0}K@0 anon=${b_on_1}K@1
launch c /job 0 cpu=1 anon=4M ready go grow
foretell --pid "$pid_c"
happen

# ---- 5 ----

heading "Scene 2 again, with a started by cgpol run -m 0: its memory policy protects it" \
	"When it is a memory policy that limits c, only the policies of the others are looked at."
sizes
confine "-m 0" a anon=${a_on_0}K
launch b / 0 anon=${b_on_0}K@0 anon=${b_on_1}K@1
launch c / 0 policy=bind:1 cpu=1 anon=4M ready go grow
foretell --pid "$pid_c"
happen

# ---- 6 ----

heading "The trap: scene 2 again, with a started by cgpol run --mems 0" \
	"a cannot even use node 1, and is killed for it: a cpuset does not protect from a memory policy of another." \
	"The prediction warns of that, and names the remedy, which was scene 5."
sizes
confine "--mems 0" a anon=${a_on_0}K
launch b / 0 anon=${b_on_0}K@0 anon=${b_on_1}K@1
launch c / 0 policy=bind:1 cpu=1 anon=4M ready go grow
foretell --pid "$pid_c"
grep -q '^warning: .*by its cpuset, and still is a candidate' "$work/told" || wrong "no warning of the trap"
happen chain

printf '\n\n'
echo "demo: $came_true of $scenes predictions came true"
[ "$came_true" -eq "$scenes" ]
