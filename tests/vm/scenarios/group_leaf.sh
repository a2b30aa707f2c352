# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# memory.oom.group at the victim's own cgroup: all of it goes, except what is never killed.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "oom.group, leaf: a dies with all of its cgroup but the one at -1000"
cg_make /top memory.max=120M
cg_make /top/mid
cg_make /top/mid/leaf
cg_make /top/mid/side
cg_make /top/job
echo 1 >"$cg/top/mid/leaf/memory.oom.group"
launch a /top/mid/leaf 0 anon=60M
launch a2 /top/mid/leaf 0 anon=1M
launch kept /top/mid/leaf -1000 anon=5M
launch s /top/mid/side 0 anon=10M
launch c /top/job 0 cpu=1 ready go grow
expect certainty=certain constraint=memcg memcg=/top victim=a kills="a a2" useful=true
foresee --pid "$pid_c"
compare
finish
