# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A task confined by a cpuset fills its node: all who may use that node are candidates, wherever their memory lies.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "cpuset: c fills node 1; a, which holds nearly nothing there, dies first, then c"
cg_make /job cpuset.mems=1
cg_make /other cpuset.mems=2-3
fill 1 57
launch a / 0 "anon=$(part 0 55)@0" anon=256K@1
launch b / 0 "anon=$(part 1 13)@1"
launch d /other 0 "anon=$(part 2 55)@2"
launch c /job 0 cpu=1 ready go grow
expect certainty=certain constraint=cpuset nodes=1 victim=a then=c useful=false skipped="d:cpuset filler1:oom_score_adj"
foresee --pid "$pid_c"
compare
finish
