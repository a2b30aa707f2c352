# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The single process counts, not the sum of a job's.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "many small: eight hold 64 MiB together, big 30 MiB alone"
cg_make /job memory.max=140M
fill - 25M /job
for n in 1 2 3 4 5 6 7 8; do launch small$n /job 0 anon=8M; done
launch big /job 0 anon=30M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=big
foresee --pid "$pid_c"
compare
finish
