/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists and masks of nodes and cpus: what was parsed comes back from its canonical form, and stays in range.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/nodeset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* fuzz targets must fail also where NDEBUG is defined */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_round_trip(const struct nodeset *set, unsigned limit)
{
	struct nodeset again = {0, NULL};
	char *text = nodeset_format(set);
	int last = -1;

	if (!text)
		return;
	require(nodeset_parse(text, limit, &again, NULL) == 0);
	require(nodeset_is_equal(set, &again));
	for (int bit = nodeset_next(set, 0); bit >= 0; bit = nodeset_next(set, bit + 1))
		last = bit;
	require(last < (int)limit);
	nodeset_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned limits[] = {1, 8, 64, NODESET_NODES_MAX, NODESET_CPUS_MAX};
	struct cgpol_error err = {0};
	struct nodeset set = {0, NULL};
	unsigned limit;
	char *text;

	if (size == 0)
		return 0;
	limit = limits[data[0] % (sizeof(limits) / sizeof(limits[0]))];
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	if (nodeset_parse(text, limit, &set, &err) == 0)
		check_round_trip(&set, limit);
	else
		require(set.words == 0 && err.text[0] != '\0');
	if (nodeset_parse_mask(text, limit, &set, &err) == 0)
		check_round_trip(&set, limit);
	nodeset_clear(&set);
	free(text);
	return 0;
}
