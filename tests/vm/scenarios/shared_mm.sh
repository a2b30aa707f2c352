# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Who shares the victim's memory dies with it, wherever he is, without a line of his own.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "shared mm: q runs in p's memory, in another cgroup"
cg_make /job memory.max=120M
cg_make /out
launch p /job 0 anon=60M ready clonevm cgroup=/out ready:q
launch b /job 0 anon=20M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=p kills="p q" skipped=q:outside_memcg
foresee --pid "$pid_c"
compare

scene "shared mm: q in the same cgroup; both have the same points and the younger is named"
cg_make /job memory.max=120M
launch p /job 0 anon=60M ready clonevm ready:q
launch b /job 0 anon=20M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=q kills="p q"
foresee --pid "$pid_c"
compare
finish
