# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# memory.oom.group above the full cgroup says nothing.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "oom.group, above: set on the parent of the full cgroup; only a goes"
cg_make /above memory.oom.group=1
cg_make /above/job memory.max=108M
cg_make /above/side
launch a /above/job 0 anon=60M
launch s /above/side 0 anon=10M
launch c /above/job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/above/job victim=a useful=true
foresee --pid "$pid_c"
compare
finish
