# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Makes the captures of tests/roots/guests in a guest of any shape: one of `stat`, one of `predict`, and beside the latter
# what the kernel did afterwards. $SCENE: cpuset, bind or memcg. Run by tests/roots/record.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

# The last node with memory is the one that is filled; the first holds the large process.
first=$(sed 's/[-,].*//' /sys/devices/system/node/has_memory)
last=$(sed 's/.*[-,]//' /sys/devices/system/node/has_memory)

# free_on for these two, since scene() looks at nodes 0 to 3 only.
eval "free_$first=$(free_on "$first") free_$last=$(free_on "$last")"

scene "capture: $SCENE on node $last"
eval "free_$first=$(free_on "$first") free_$last=$(free_on "$last")"
cg_make /web/db
cg_make /web/app
cg_make /batch
case $SCENE in
memcg)
	echo 100M >"$cg/web/memory.max"
	echo 1 >"$cg/web/db/memory.oom.group"
	launch a /web/db 0 anon=50M
	launch b /web/db 0 anon=8M
	launch d /batch 300 anon=20M
	launch c /web/app 0 cpu=0 ready go grow
	expect constraint=memcg memcg=/web victim=a kills="a b"
	;;
cpuset)
	cg_make /job cpuset.mems="$last"
	launch a /web/db 0 "anon=$(part "$first" 80)@$first"
	launch b /batch 0 "anon=$(part "$last" 47)@$last"
	launch d /batch -1000 "anon=4M@$first"
	launch c /job 0 cpu=0 ready go grow
	expect constraint=cpuset nodes="$last" victim=a then=c
	;;
bind)
	launch a /web/db 0 "anon=$(part "$first" 80)@$first"
	launch b /batch 0 "anon=$(part "$last" 35)@$last" policy="bind:$first" "anon=8M" "shm=8M"
	launch d /batch 0 policy="interleave:$first,$last" anon=8M
	launch c / 0 policy="bind:$last" "anon=$(part "$last" 10)" cpu=0 ready go grow
	expect constraint=memory_policy nodes="$last" victim=a then=c
	;;
esac

mkdir -p "/out/$SCENE"
cgpol --record /out/stat stat --cgroup / . >/dev/null || fail "stat gave status $?"
cgpol --record "/out/$SCENE/root" predict --pid "$pid_c" >/dev/null || fail "predict gave status $?"
foresee --pid "$pid_c"
compare
{
	echo "question --pid $pid_c"
	echo "constraint $k_constraint"
	echo "nodes ${k_nodes:--}"
	echo "memcg ${k_memcg:--}"
	echo "victim $k_victim"
	echo "killed $k_killed"
	[ -z "$e_then" ] && k2_victim=
	echo "then ${k2_victim:--}"
} >"/out/$SCENE/verdict"
finish
