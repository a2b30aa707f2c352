# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol tree and cgpol list on a kernel: rows, marks, changes that can be undone, and cgroups that come and go meanwhile.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }

cg_make /web/db memory.max=64M
cg_make /web/api
mkdir $cg/threads
echo threaded >$cg/threads/cgroup.type
echo 1 >$cg/web/memory.oom.group
start web/db 0 sleep 1000
sleeper=$!
wait_for 10 grep -q . $cg/web/db/cgroup.procs

say "the tree"
cgpol tree -o NAME,MAX,OOM.GROUP,PROCS >out
same "its rows" "NAME      |/         ||-threads |\`-web     |  |-api   |  \`-db    |" "$(cut -c1-10 out | tr '\n' '|')"
same "of a cgroup" "/web 1;/web/api /web;/web/db /web;" "$(cgpol tree -r -n -o CGROUP,OOM.GROUP /web | tr '\n' ';')"
same "limits" "/web max;/web/api max;/web/db 67108864;" "$(cgpol tree -b -r -n -o CGROUP,MAX /web | tr '\n' ';')"
same "types" '/ root;/threads threaded;/web domain;' "$(cgpol tree --depth 1 -r -n -o CGROUP,TYPE | sed 's/domain\\x20threaded/root/' | tr '\n' ';')"
same "processes" 1 "$(cgpol tree -J /web/db | jq '.cgroups[0].procs')"
same "nodes" "$(cat $cg/web/cpuset.mems.effective)" "$(cgpol tree -J /web | jq -r '.cgroups[0].mems')"
cgpol tree /none 2>err
same "status of one that is not there" 1 $?

say "it costs no listing of a leaf, and no file of a controller that is off"
reads=$(cgpol -v tree -n -o NAME,MAX 2>&1 >/dev/null | grep -c '^list ')
same "listings (the root and web)" 2 "$reads"
cgpol -v tree -o NAME,TYPE,MAX 2>&1 >/dev/null | grep -q threads/memory.max && wrong "memory.max of a threaded cgroup is tried"

say "cgroups that come and go meanwhile"
(while :; do mkdir -p $cg/web/x/y && rmdir $cg/web/x/y $cg/web/x; done) 2>/dev/null &
churn=$!
for round in 1 2 3 4 5 6 7 8 9 10; do
	cgpol tree -J >out 2>err || wrong "round $round: $(cat err)"
	[ ! -s err ] || wrong "round $round says: $(cat err)"
	[ "$(jq '[.cgroups[] | select(.cgroup == "/web/db")] | length' out)" = 1 ] || wrong "round $round lost /web/db"
done
kill $churn
wait $churn 2>/dev/null
rmdir $cg/web/x/y $cg/web/x 2>/dev/null

say "list: by marks"
cgpol list -J >out
same "nothing yet" 0 "$(jq '.cgroups | length' out)"
cgpol run --cgroup /job --mems 0 sleep 1000 &
runner=$!
wait_for 10 grep -qs . $cg/job/cgroup.procs || wrong "no run"
same "a run" "/job run $runner 1" "$(cgpol list -J | jq -r '.cgroups[] | select(.cgroup == "/job") | [.cgroup, .kind, .pid, .procs] | join(" ")')"
cgpol list | grep -q 'cpuset.mems=0' || wrong "its settings are not told: $(cgpol list)"
kill $runner
wait $runner 2>/dev/null
wait_for 10 sh -c "! test -e $cg/job" || wrong "the run stays"

say "list: by changes"
cgpol set /web/db pids.max=50 >/dev/null || wrong "cannot set"
change=$(cgpol list -J | jq -r '.cgroups[] | select(.cgroup == "/web/db") | .change')
case $change in "" | null) wrong "the change is not told: $(cgpol list)" ;; esac
cgpol list -n -r -o CGROUP,SETTINGS | grep -q '/web/db .*pids.max=50' || wrong "its setting is not told: $(cgpol list)"
cgpol undo "$change" >/dev/null || wrong "cannot undo"
same "after undo" "" "$(cgpol list -J | jq -r '.cgroups[] | select(.cgroup == "/web/db") | .change')"
cgpol create /made >/dev/null || wrong "cannot create"
same "what create made" "/made kept" "$(cgpol list -J | jq -r '.cgroups[] | select(.cgroup == "/made") | [.cgroup, .kind] | join(" ")')"

say "a replay prints what was printed"
for question in "tree" "tree -J" "tree /web --depth 1" "list" "list -J"; do
	rm -rf rec
	# shellcheck disable=SC2086 # words
	cgpol --record rec $question >live 2>live.err
	# shellcheck disable=SC2086
	cgpol --root rec $question >replay 2>replay.err
	if ! cmp live replay || ! cmp live.err replay.err; then wrong "the replay of $question differs"; fi
done
kill $sleeper
[ "$bad" -eq 0 ] || fail "$bad wrong"
