# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Equal points in different cgroups: the cgroup that was made last comes last, and is taken.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "tie, tree: /job/b was made before /job/a; x in /job/a is older than y in /job/b"
cg_make /job memory.max=100M
cg_make /job/b
cg_make /job/a
cg_make /job/run
fill - 45M /job/run
launch x /job/a 0 anon=20M
launch y /job/b 0 anon=20M
launch c /job/run 0 cpu=1 ready go grow
expect certainty=ambiguous constraint=memcg memcg=/job victim=x
foresee --pid "$pid_c"
compare
finish
