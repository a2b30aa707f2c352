# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# An ancestor's limit is the one that is hit: candidates are all below it.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "memcg ancestor: c's cgroup has room, /job above it is full; a in a sibling dies"
cg_make /job memory.max=120M
cg_make /job/x memory.max=200M
cg_make /job/y
launch a /job/y 0 anon=60M
launch b /job/x 0 anon=10M
launch c /job/x 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a useful=true
foresee --pid "$pid_c"
compare
finish
