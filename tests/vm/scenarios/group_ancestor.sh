# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The full cgroup itself may be the group: then the task that asked for memory goes too.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "oom.group, ancestor: the whole of /top goes"
cg_make /top memory.max=120M
cg_make /top/mid
cg_make /top/mid/leaf
cg_make /top/mid/side
cg_make /top/job
echo 1 >"$cg/top/memory.oom.group"
launch a /top/mid/leaf 0 anon=60M
launch s /top/mid/side 0 anon=10M
launch kept /top/mid/side -1000 anon=5M
launch c /top/job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/top victim=a kills="a s c" useful=true
foresee --pid "$pid_c"
compare
finish
