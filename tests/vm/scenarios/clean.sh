# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol clean on a kernel: marked and empty cgroups go, what is used or belongs to others stays.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol cgroupfs_life

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# cleans STATUS OUTPUT ARGUMENT...: lines in any order of the cgroups
cleans() {
	want_=$1 lines_=$2
	shift 2
	got_=$(cgpol clean "$@" 2>err)
	same "status of clean $*" "$want_" $?
	same "clean $*" "$lines_" "$(echo "$got_" | sort | tr '\n' ';')"
	[ ! -s err ] || wrong "clean $* says: $(cat err)"
}
mark() { cgroupfs_life mark "$@" || wrong "cannot mark $1"; }
namespace=$(readlink /proc/self/ns/pid | tr -dc 0-9)
started() { awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$1/stat"; }
tree() { find $cg -mindepth 1 -type d | sort | sed "s,^$cg,," | tr '\n' ' '; }

mkdir -p $cg/theirs/ours $cg/run-alive $cg/run-dead
cgpol create /made/in --set memory.max=64M >/dev/null || wrong "create gave $?"
cgpol create /used >/dev/null || wrong "create gave $?"
mark /theirs/ours kept
mark /run-alive "run $$ $(started $$) $namespace"
mark /run-dead "run 99999 1234 $namespace"
sleep 1000 &
sleeper=$!
echo $sleeper >$cg/used/cgroup.procs
there=$(tree)

say "a dry run tells and changes nothing"
cleans 3 "in use /used;would remove /made;would remove /made/in;would remove /run-dead;would remove /theirs/ours;" --dry-run
same "the tree" "$there" "$(tree)"

say "below one cgroup only"
cleans 0 "removed /theirs/ours;" /theirs
same "what is not marked" yes "$([ -d $cg/theirs ] && echo yes)"
cgpol clean /none 2>err
same "status of one that is not there" 1 $?
grep -q "there is no cgroup /none" err || wrong "it says $(cat err)"

say "all of it; a document"
same "json" '{"schema":1,"cgroups":[["/made","removed"],["/made/in","removed"],["/run-dead","removed"],["/used","in_use"]]}' \
	"$(cgpol clean --json | jq -c '.cgroups |= (map([.cgroup, .result]) | sort_by(.[1] == "in_use", .[0]))')"
same "the tree" "/run-alive /theirs /used " "$(tree)"
same "where the sleeper is" 0::/used "$(cat /proc/$sleeper/cgroup)"

say "what was used goes when it is empty"
kill -9 $sleeper
wait $sleeper 2>/dev/null
cleans 0 "removed /used;"

say "a change whose cgroup was cleaned away can still be undone"
cgpol undo >out 2>err || wrong "undo gave $?: $(cat out err)"

[ $bad = 0 ]
