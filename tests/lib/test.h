/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cmocka with the headers it needs, in the order it needs them. */
#ifndef CGPOL_TEST_H
#define CGPOL_TEST_H

/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#endif
