# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# host/cgroupfs.h on a kernel: what it makes, moves and removes is what the kernel shows and what libcgroup's own tools
# see; and the faults of libcgroup 2.0.2 that it works round are there.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need cgroupfs_life

bad=0
wrong() { echo "  WRONG: $*"; bad=$((bad + 1)); }
# same WHAT WANTED FOUND
same() { [ "$2" = "$3" ] || wrong "$1: \"$3\" instead of \"$2\""; }
# fails "ERRNO KIND" WORDS COMMAND...
fails() {
	fails_want_=$1 fails_words_=$2
	shift 2
	fails_got_=$("$@" 2>err) && wrong "$* succeeded"
	same "$*" "$fails_want_" "$fails_got_"
	grep -qF "$fails_words_" err || wrong "$*: no \"$fails_words_\" in: $(cat err)"
}
enabled() { cat "$cg$1/cgroup.subtree_control"; }
tree() { find "$cg$1" -type d | sort; }
owner() { stat -c %u "$cg$1"; }
where() { sed -n 's/^0:://p' "/proc/$1/cgroup"; }

how=
life() { cgroupfs_life ${how:+"$how"} "$@"; }
has_library=$([ -z "$(find / -xdev -name 'libcgroup.so.2' 2>/dev/null)" ] || echo yes)
has_tools=$(command -v cgcreate >/dev/null && command -v cgget >/dev/null && command -v lscgroup >/dev/null && echo yes)
[ -n "$has_library" ] || say "no libcgroup here: only the way without it"

check_creation() {
	say "creation: one level at a time, the controllers enabled above the last, nothing else"
	same "enabled before" "" "$(enabled /)"
	life create /a/b memory pids || wrong "cannot create /a/b"
	same "enabled at the root" "memory pids" "$(enabled /)"
	same "enabled in /a" "memory pids" "$(enabled /a)"
	same "enabled in /a/b" "" "$(enabled /a/b)"
	life create /a/b memory pids || wrong "a second time"
	life create /a/plain || wrong "cannot create without controllers"
	same "the tree" "$cg/a $cg/a/b $cg/a/plain" "$(tree /a | tr '\n' ' ' | sed 's/ $//')"
	same "memory.max of /a/b" max "$(cat $cg/a/b/memory.max)"
}

check_missing() {
	say "a controller that the root does not have: told, and nothing left behind"
	fails "EOPNOTSUPP 5" 'controller frob cannot be enabled in cgroup "/"' life create /none/x memory frob
	[ ! -e $cg/none ] || wrong "/none was left"
	same "enabled at the root still" "memory pids" "$(enabled /)"
	# It takes cpuset first. Taking that back would change the other cgroups there.
	fails "EOPNOTSUPP 5" 'controller frob' life create /none/x cpuset frob
	[ ! -e $cg/none ] || wrong "/none was left"
	same "enabled at the root, where others live" "cpuset memory pids" "$(enabled /)"
	echo -cpuset >$cg/cgroup.subtree_control
}

check_inner() {
	say "a cgroup with processes hands no controller down"
	mkdir $cg/busy
	sleep 100 &
	sleeper=$!
	life attach /busy $sleeper || wrong "cannot attach"
	same "where the sleeper is" /busy "$(where $sleeper)"
	fails "EBUSY 4" "it has processes of its own" life create /busy/x/y memory
	same "the tree of /busy" "$cg/busy" "$(tree /busy)"
}

check_limits() {
	say "the limits of a tree: the errno is the kernel's"
	echo 0 >$cg/a/plain/cgroup.max.descendants
	fails "EAGAIN 1" 'cgroup "/a/plain/x" cannot be made' life create /a/plain/x
	echo max >$cg/a/plain/cgroup.max.descendants
}

check_attaching() {
	say "attaching: into what has controllers and what has none, back to the root, and nobody"
	life attach /a/b $sleeper || wrong "cannot attach to /a/b"
	same "where it is" /a/b "$(where $sleeper)"
	life attach /a/plain $sleeper || wrong "cannot attach to /a/plain"
	same "where it is" /a/plain "$(where $sleeper)"
	life attach / $sleeper || wrong "cannot attach to the root"
	same "where it is" / "$(where $sleeper)"
	fails "ESRCH 1" 'does not take process 999999' life attach /a/b 999999
	fails "ENOENT 1" 'cgroup "/nope" does not take process' life attach /nope $sleeper
	# All threads of a process move, also into a threaded cgroup.
	if command -v load >/dev/null; then
		mkdir -p $cg/dom/t
		echo threaded >$cg/dom/t/cgroup.type
		load thread ready="$PWD/t" &
		threads=$!
		wait_for 10 test -s "$PWD/t" || wrong "no threads"
		life attach /dom $threads || wrong "cannot attach threads"
		life attach /dom/t $threads || wrong "cannot attach to a threaded cgroup"
		for task in /proc/"$threads"/task/*; do same "$task" 0::/dom/t "$(grep ^0: "$task/cgroup")"; done
		kill -9 $threads
		wait $threads 2>/dev/null
		life delete /dom || wrong "cannot delete /dom"
	fi
}

check_owners() {
	say "owners: of the directory and of what may be delegated, not of memory.max"
	life give 1234 1234 /user/one memory pids || wrong "cannot give"
	same "owner of the directory" 1234 "$(owner /user/one)"
	while read -r file; do
		[ ! -e "$cg/user/one/$file" ] || same "owner of $file" 1234 "$(owner "/user/one/$file")"
	done </sys/kernel/cgroup/delegate
	same "owner of memory.max" 0 "$(owner /user/one/memory.max)"
	same "owner of the parent" 0 "$(owner /user)"
	same "owner of /a/b, which nobody was given" "0 0" "$(owner /a/b) $(owner /a/b/cgroup.procs)"
}

check_deletion() {
	say "deletion: never with somebody in it, else with all below; the processes stay where they are"
	mkdir -p $cg/busy/in/ner
	life attach /busy/in/ner $sleeper
	fails "EBUSY 4" "cgroup \"/busy\" has living processes: $sleeper (" life delete /busy
	same "the tree of /busy" "$cg/busy $cg/busy/in $cg/busy/in/ner" "$(tree /busy | tr '\n' ' ' | sed 's/ $//')"
	same "where the sleeper is" /busy/in/ner "$(where $sleeper)"
	kill -9 $sleeper
	# It may be dying still: that is waited for.
	wait $sleeper 2>/dev/null
	for name in /busy /a /user; do
		life delete $name || wrong "cannot delete $name"
		[ ! -e $cg$name ] || wrong "$name is still there"
	done
	fails "ENOENT 1" "cannot be removed" life delete /a
	fails "EINVAL 2" "the root" life delete /
}

check_loop() {
	say "a hundred lives and deaths leave nothing"
	life loop /x/y 100 || wrong "the loop"
	life delete /x || wrong "cannot delete /x"
	same "what is left" "$cg/" "$(tree /)"
	for one in memory pids; do echo "-$one" >$cg/cgroup.subtree_control; done
}

check_all() {
	check_creation
	check_missing
	check_inner
	check_limits
	check_attaching
	check_owners
	check_deletion
	check_loop
}

if [ -n "$has_library" ]; then
	say "discovery"
	read -r all <$cg/cgroup.controllers
	for one in $all; do same "mount of $one" "$cg" "$(life mount "$one")"; done
	fails "ENOENT 1" "frob is not mounted" life mount frob
	check_all

	say "it is libcgroup that does it: what is left to ourselves is enabling controllers"
	same "creation" "write $cg/cgroup.subtree_control
write $cg/a/cgroup.subtree_control" "$(life shown create /a/b memory)"
	sleep 100 &
	sleeper=$!
	same "attaching" "" "$(life shown attach /a/b $sleeper)"
	same "where it is" /a/b "$(where $sleeper)"
	kill -9 $sleeper
	wait $sleeper 2>/dev/null
	same "deletion" "" "$(life shown delete /a)"
	[ ! -e $cg/a ] || wrong "/a is still there"
	# It makes nothing without a controller.
	echo -memory >$cg/cgroup.subtree_control
	same "creation without controllers" "mkdir $cg/a" "$(life shown create /a)"
	life delete /a
fi
say "the same without libcgroup"
how=-
check_all
how=

if [ -n "$has_library$has_tools" ] && [ "$has_tools" = yes ]; then
	say "libcgroup's own tools see the same"
	life create /w/one memory || wrong "cannot create /w/one"
	echo 64M >$cg/w/one/memory.max
	same "cgget" "memory.max: 67108864" "$(cgget -r memory.max /w/one | sed -n 2p)"
	lscgroup | grep -q ':/w/one$' || wrong "lscgroup does not list /w/one"
	life delete /w
	! lscgroup | grep -q ':/w' || wrong "lscgroup still lists /w"
	echo -memory >$cg/cgroup.subtree_control

	# What this file is for; should it stop to be so, a workaround can go.
	say "what is worked round in libcgroup 2.0.2"
	if cgcreate -g memory:p/q 2>/dev/null; then
		echo "  note: cgcreate enables controllers from the root on here"
	else
		same "what cgcreate left" "$cg/p" "$(tree /p)"
	fi
	life create /p/q memory || wrong "what cgcreate had left half done is in the way"
	life delete /p
fi
[ "$bad" -eq 0 ] || fail "$bad wrong"
