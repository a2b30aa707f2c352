# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgpol reap on a kernel: what a killed cgpol left goes, what lives or belongs to others stays.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgpol cgroupfs_life

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# reaps STATUS OUTPUT ARGUMENT...: lines in any order of the cgroups
reaps() {
	reaps_want_=$1 reaps_lines_=$2
	shift 2
	reaps_got_=$(cgpol reap "$@" 2>err)
	same "status of reap $*" "$reaps_want_" $?
	same "reap $*" "$reaps_lines_" "$(echo "$reaps_got_" | sort | tr '\n' ';')"
	[ ! -s err ] || wrong "reap $* says: $(cat err)"
}
mark() { cgroupfs_life mark "$@" || wrong "cannot mark $1"; }
# The last word of a mark: the pid namespace in which the owner has its number.
namespace=$(readlink /proc/self/ns/pid | tr -dc 0-9)
started() { awk '{ sub(/.*\) /, ""); print $20 }' "/proc/$1/stat"; }
is_there() { [ -d "$cg$1" ] || wrong "$1 is gone"; }
is_gone() { [ ! -e "$cg$1" ] || wrong "$1 is still there"; }

mkdir -p $cg/cgpol/dead-99999/in/ner $cg/cgpol/alive-$$ $cg/cgpol/unmarked-99998 $cg/cgpol/unmarked-$$ $cg/jobs/kept \
	$cg/jobs/theirs $cg/jobs/way/to/dead $cg/jobs/again $cg/jobs/container
mark /cgpol parent
mark /cgpol/dead-99999 "run 99999 1234 $namespace"
mark /cgpol/alive-$$ "run $$ $(started $$) $namespace"
mark /jobs/kept kept
mark /jobs/way parent
mark /jobs/way/to parent
mark /jobs/way/to/dead "run 99997 1234 $namespace"
mark /jobs/again "run $$ 1 $namespace"
mark /jobs/container "run 99997 1234 4026539999"
sleep 1000 &
sleeper=$!
echo $sleeper >$cg/jobs/way/to/dead/cgroup.procs

say "a dry run tells and changes nothing"
before=$(find $cg -type d | sort)
dead="would remove /cgpol/dead-99999;would remove /cgpol/dead-99999/in;would remove /cgpol/dead-99999/in/ner;"
reaps 3 "busy /jobs/way/to/dead;would remove /cgpol/dead-99999;would remove /cgpol/dead-99999/in;would remove \
/cgpol/dead-99999/in/ner;would remove /cgpol/unmarked-99998;would remove /jobs/again;" --dry-run
same "the tree" "$before" "$(find $cg -type d | sort)"

say "below one cgroup only"
reaps 3 "$dead" --dry-run /cgpol/dead-99999
reaps 0 "removed /jobs/again;" jobs/again
reaps 0 ";" /jobs/kept
reaps 0 ";" /none

say "what is stale and empty goes; what lives, was kept or is of others stays"
reaps 3 "busy /jobs/way/to/dead;removed /cgpol/dead-99999;removed /cgpol/dead-99999/in;removed \
/cgpol/dead-99999/in/ner;removed /cgpol/unmarked-99998;"
for name in /cgpol/alive-$$ /cgpol/unmarked-$$ /jobs/kept /jobs/theirs /jobs/way/to/dead /jobs/container; do
	is_there "$name"
done
is_gone /cgpol/dead-99999
same "where the sleeper is" 0::/jobs/way/to/dead "$(cat /proc/$sleeper/cgroup)"

say "the way to it goes with it, when its last process has ended"
kill -9 $sleeper
wait $sleeper 2>/dev/null
same "json" '{"schema":1,"cgroups":[["/jobs/way/to/dead","removed"],["/jobs/way/to","removed"],["/jobs/way","removed"]]}' \
	"$(cgpol reap --json | jq -c '.cgroups |= map([.cgroup, .result])')"
is_gone /jobs/way
is_there /jobs/theirs
reaps 0 ";"
same "json of nothing" '{"schema":1,"cgroups":[]}' "$(cgpol reap --json | jq -c .)"

say "a cgpol that is killed by force: its cgroup stays while the command lives, and goes then"
cgpol run --mems 0 sh -c 'exec sleep 1000' &
runner=$!
wait_for 10 grep -qs . "$cg/cgpol/sh-$runner/cgroup.procs" || wrong "no cgroup of the run"
kill -9 $runner
wait $runner 2>/dev/null
read -r command <"$cg/cgpol/sh-$runner/cgroup.procs"
if [ -n "$command" ]; then
	reaps 3 "busy /cgpol/sh-$runner;"
	kill -9 "$command"
	wait_for 10 grep -q "populated 0" "$cg/cgpol/sh-$runner/cgroup.events" || wrong "the command does not end"
fi
reaps 0 "removed /cgpol/sh-$runner;"
is_there /cgpol/alive-$$

say "without libcgroup it does the same"
mkdir -p $cg/jobs/dead
mark /jobs/dead "run 99997 1234 $namespace"
library=$(find / -xdev -name 'libcgroup.so.2' 2>/dev/null | head -n 1)
[ -z "$library" ] || mv "$library" "$library.away"
reaps 0 "removed /jobs/dead;"
[ -z "$library" ] || mv "$library.away" "$library"

say "one cgpol reaps while another does"
for round in 1 2 3 4 5; do
	for name in 1 2 3 4 5 6 7 8; do
		mkdir -p "$cg/race/$name/x"
		cgroupfs_life mark "/race/$name" "run 99996 $round $namespace"
	done
	cgpol reap >one 2>one.err &
	other=$!
	cgpol reap >two 2>two.err
	status=$?
	wait $other || wrong "the other: $? $(cat one.err)"
	same "status of the race" 0 $status
	same "what the race says" "" "$(cat one.err two.err)"
	same "what is left of the race" "$cg/race" "$(find $cg/race -type d)"
done

say "a capture is refused; without cgroup2 there is nothing to reap"
cgpol --record capture stat -q >/dev/null || wrong "cannot record"
cgpol --root capture reap 2>err
same "status with a capture" 4 $?
cgpol --root capture reap --dry-run 2>err
same "status with a capture, dry" 4 $?
rmdir $cg/race
find $cg -mindepth 1 -depth -type d -exec rmdir {} +
umount $cg
cgpol reap 2>err
same "status without cgroup2" 5 $?
grep -q "no cgroup2 file system is mounted" err || wrong "says: $(cat err)"
same "json without cgroup2" 5 "$(cgpol reap --json 2>/dev/null | jq .error.code)"
mount -t cgroup2 none $cg
[ "$bad" -eq 0 ] || fail "$bad wrong"
