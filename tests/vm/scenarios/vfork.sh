# shellcheck shell=sh disable=SC2154 # launch sets $pid_NAME and $tid_NAME
# SPDX-License-Identifier: LGPL-2.1-or-later
# A child in vfork(2) is passed over: its parent is judged for the memory that both use. It dies with him.
# shellcheck source=tests/vm/lib/scenario.sh
. /lib/cgpol-test/scenario.sh

scene "vfork: w is v's child and has not yet started its own program"
cg_make /job memory.max=120M
launch v /job 0 anon=60M ready vfork ready:w
launch b /job 0 anon=20M
launch c /job 0 cpu=1 ready go grow
expect constraint=memcg memcg=/job victim=v kills="v w" skipped=w:vfork
foresee --pid "$pid_c"
compare
finish
