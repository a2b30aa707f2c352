# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A cgroup at its limit: only its own processes are candidates.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "memcg: /job is full; a is its largest, o outside is larger"
cg_make /job memory.max=120M
cg_make /out
launch a /job 0 anon=60M
launch b /job 0 anon=10M
launch o /out 0 anon=75M
launch c /job 0 cpu=1 ready go grow
expect certainty=certain constraint=memcg memcg=/job victim=a useful=true skipped=o:outside_memcg
foresee --pid "$pid_c"
also_takes a --cgroup /job
also_takes o --system
compare
finish
