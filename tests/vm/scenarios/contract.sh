# shellcheck shell=sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# This kernel gives the answers of tests/contract/rules.txt, which the fake kernel of the unit tests gives too.
# shellcheck source=tests/vm/lib/guest.sh
. /lib/cgpol-test/guest.sh

need contract /contract/rules.txt
[ "$(cat $cg/cpuset.mems.effective)" = 0-3 ] || skip "needs nodes 0-3 with memory"
[ "$(cat $cg/cpuset.cpus.effective)" = 0-3 ] || skip "needs cpus 0-3"
contract --kernel /contract/rules.txt
