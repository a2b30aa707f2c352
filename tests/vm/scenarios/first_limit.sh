# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The limit that is nearest decides: the cgroup's memory, or the node's.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "first limit: c may take 20 MiB by its cgroup and more on its node: the cgroup ends first"
cg_make /job cpuset.mems=1 memory.max=52M
fill 1 50
launch a / 0 "anon=$(part 0 60)@0"
launch b /job 0 anon=30M@1
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=b useful=true skipped=a:outside_memcg
foresee --pid "$pid_c"
compare

scene "first limit: the same with a wide cgroup: the node ends first"
cg_make /job cpuset.mems=1 memory.max=200M
fill 1 65
launch a / 0 "anon=$(part 0 60)@0"
launch b /job 0 anon=10M@1
launch c /job 0 cpu=1 ready go grow
expect constraint=cpuset nodes=1 victim=a then=c useful=false
foresee --pid "$pid_c"
compare
finish
