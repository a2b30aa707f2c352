# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A node's OOM with swap: swap fills up first, and all of it belongs to the scale.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

need_swap
scene "swap, bind: a's memory is in swap, swap is full, c fills node 1"
fill 1 60
launch a / 0 "anon=$(part 0 30)@0" "anon=$(awk 'NR == 2 { print int(($3 - $4) * 9 / 10) }' /proc/swaps)K@0" pageout
launch b / 0 "anon=$(part 1 10)@1"
launch c / 0 policy=bind:1 cpu=1 ready go grow
expect constraint=memory_policy nodes=1 victim=a loose=400
foresee --pid "$pid_c"
compare
finish
