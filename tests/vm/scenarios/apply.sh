# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# Plans on a real kernel: what was applied leaves nothing to plan, is taken back whole, or is refused with the reason.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need apply_plans
[ "$(cat $cg/cpuset.mems.effective)" = 0-3 ] || skip "needs nodes 0-3 with memory"
[ "$(cat $cg/cpuset.cpus.effective)" = 0-3 ] || skip "needs cpus 0-3"
apply_plans --kernel
