# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# The innermost cpuset counts, and one without mems of its own takes its parent's.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "nested cpusets: c may use node 1 of its grandparent's 1-2; v in a sibling shares that, d does not"
cg_make /outer cpuset.mems=1-2
cg_make /outer/inner cpuset.mems=1
cg_make /outer/inner/leaf
cg_make /outer/wide
cg_make /other cpuset.mems=0,2-3
fill 1 70
launch v /outer/wide 0 "anon=$(part 2 40)@2"
launch d /other 0 "anon=$(part 0 60)@0"
launch c /outer/inner/leaf 0 cpu=1 ready go grow
expect constraint=cpuset nodes=1 victim=v then=c useful=false skipped=d:cpuset
foresee --pid "$pid_c"
compare
finish
