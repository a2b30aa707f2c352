# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A cpuset does not protect from an OOM by policy: only the candidates' policies are looked at.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "no shield: a is confined to node 0, c is bound to node 1 within a cpuset of its own; a dies"
cg_make /safe cpuset.mems=0
cg_make /job cpuset.mems=1-2
fill 1 75
launch a /safe 0 "anon=$(part 0 50)"
launch c /job 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=a then=c useful=false
foresee --pid "$pid_c"
compare
finish
