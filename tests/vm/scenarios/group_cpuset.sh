# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# memory.oom.group counts for an OOM of a node too, and takes those who were no candidates.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "oom.group, cpuset: a's group goes with it, also g, which could not even use the full node"
cg_make /grp memory.oom.group=1
cg_make /grp/near
cg_make /grp/away cpuset.mems=2-3
cg_make /job cpuset.mems=1
fill 1 75
launch a /grp/near 0 "anon=$(part 0 50)@0"
launch g /grp/away 0 "anon=$(part 2 10)"
launch c /job 0 cpu=1 ready go grow
expect constraint=cpuset nodes=1 victim=a kills="a g" then=c useful=false skipped=g:cpuset
foresee --pid "$pid_c"
compare
finish
