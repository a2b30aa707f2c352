# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# oom_score_adj -999: last, but not never. Points may be negative, and still the largest.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "adj -999: h is the largest, but anybody else comes first"
cg_make /job memory.max=140M
launch h /job -999 anon=80M
launch a /job 0 anon=30M
launch c /job -500 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=a useful=true
foresee --pid "$pid_c"
compare

scene "adj -999: when there is nobody else, h is taken with negative points"
cg_make /job memory.max=140M
launch h /job -999 anon=60M
launch i /job -999 anon=30M
launch c /job -1000 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=h useful=true
foresee --pid "$pid_c"
compare
finish
