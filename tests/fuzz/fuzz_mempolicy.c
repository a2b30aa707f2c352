/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: memory policies, in which parse(format(x)) is x. */
#include <stdlib.h>
#include <string.h>

#include "memory/mempolicy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_round_trip(const struct mempolicy *policy)
{
	struct mempolicy again = {.mode = MEMPOLICY_DEFAULT};
	char *text = mempolicy_format(policy);

	if (text && mempolicy_parse(text, &again, NULL) == 0)
		require(mempolicy_is_equal(policy, &again));
	else
		require(!text);
	mempolicy_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mempolicy policy = {.mode = MEMPOLICY_DEFAULT}, column = {.mode = MEMPOLICY_DEFAULT};
	char *text = strndup((const char *)data, size);
	struct cgpol_error err = {0};

	if (!text)
		return 0;
	if (mempolicy_parse(text, &policy, &err) == 0)
		check_round_trip(&policy);
	else
		require(err.text[0] != '\0');
	(void)mempolicy_parse_span((struct span){text, strlen(text)}, &column);
	mempolicy_clear(&column);
	mempolicy_clear(&policy);
	free(text);
	return 0;
}
