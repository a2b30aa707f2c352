/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as users give them: bytes, units, max, and percentages of something. */
#include "policy/size.h"

#include <errno.h>

int size_parse(const char *text, struct size *size, struct cgpol_error *err)
{
	(void)text;
	(void)size;
	(void)err;
	return -ENOSYS;
}

void size_clear(struct size *size)
{
	(void)size;
}
