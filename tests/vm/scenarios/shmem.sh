# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Shared memory counts for who maps it; a file in tmpfs that nobody maps counts for nobody.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "shmem: a maps 50 MiB of shared memory, 25 MiB lie in a file of tmpfs"
cg_make /job memory.max=140M
start /job -1000 dd if=/dev/zero of=/dev/shm/left bs=1M count=25 2>/dev/null
wait $!
launch a /job 0 shm=50M
launch b /job 0 anon=30M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a useful=true
foresee --pid "$pid_c"
compare
rm /dev/shm/left
finish
