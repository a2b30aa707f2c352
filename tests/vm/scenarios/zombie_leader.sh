# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A process whose first thread has ended is judged by the memory of its living threads.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "zombie leader: z's leader is dead, its thread holds most"
cg_make /job memory.max=120M
launch z /job 0 thread anon=60M leaderexit ready
launch b /job 0 anon=20M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=z useful=true
foresee --pid "$pid_c"
compare
finish
