# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A full cgroup in which nobody may be killed: nothing happens, the task hangs.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "nobody: all in /job are at -1000; o outside lives, too"
cg_make /job memory.max=80M
cg_make /out
launch a /job -1000 anon=30M
launch o /out 0 anon=60M
launch c /job -1000 cpu=1 ready go grow
expect constraint=memcg memcg=/job outcome=no_victim
foresee --pid "$pid_c"
compare
finish
