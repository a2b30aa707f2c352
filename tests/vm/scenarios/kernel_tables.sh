# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# Page tables come from anywhere: a task in a cpuset fills the machine with them. Still only those who may use its
# nodes are candidates.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "page tables: c may use node 1 only, its page tables fill all nodes; d, larger, may not use node 1"
cg_make /job cpuset.mems=1
cg_make /other cpuset.mems=2
for node in 0 1 3; do fill $node 85; done
launch d /other 0 "anon=$(part 2 85)"
launch b / 0 "anon=$(part 1 6)@1"
launch c /job 0 cpu=1 ready go growtables
expect constraint=none victim=c skipped=d:cpuset
foresee --pid "$pid_c" --kind kernel
compare
finish
