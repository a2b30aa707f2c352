/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Will the kernel take this memory policy, these cpus and this score? Asked before anything is started. Pure.
 */
#include "act/preflight.h"
