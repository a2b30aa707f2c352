/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What doctor needs to know of a machine, read once. */
#include "policy/facts.h"
