# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Equal points in a cgroup: who arrived there last is taken, not who is youngest.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "tie, memcg: x, y and z are equal; x is the oldest and was moved in last"
cg_make /job memory.max=110M
fill - 50M /job
launch x / 0 anon=20M
launch y /job 0 anon=20M
launch z /job 0 anon=20M
launch c /job 0 cpu=1 ready go grow
echo "$pid_x" >"$cg/job/cgroup.procs"
expect certainty=ambiguous constraint=memcg memcg=/job victim=x
foresee --pid "$pid_c"
compare
finish
