/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: lists of cpus and nodes; "+LIST" and "!LIST" give allowed ones only, and all stay in range. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/placement.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

/* The first byte chooses the machine. */
static void make(uint8_t byte, struct placement *placement)
{
	static const unsigned limits[] = {1, 8, 256, NODESET_NODES_MAX, NODESET_CPUS_MAX};
	static const char *const allowed[] = {"0", "0,2-3", "", "0-3:1/2", "1"};

	placement->what = "--cpus";
	placement->is_cpus = byte & 1;
	placement->limit = limits[byte % (sizeof(limits) / sizeof(limits[0]))];
	(void)nodeset_parse(allowed[byte / 5 % 5], placement->limit, &placement->allowed, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct placement placement = {0};
	struct cgpol_error err = {0};
	struct nodeset set = {0, NULL};
	char *text;
	int rc;

	if (size == 0)
		return 0;
	text = strndup((const char *)data + 1, size - 1);
	if (!text)
		return 0;
	make(data[0], &placement);
	rc = placement_parse(&placement, text, &set, &err);
	if (rc == 0) {
		require(nodeset_next(&set, (int)placement.limit) < 0);
		require(!strchr("+!aA", text[0]) || nodeset_contains(&placement.allowed, &set));
	} else {
		require(set.words == 0 && (rc == -EOPNOTSUPP || err.text[0] != '\0'));
	}
	nodeset_clear(&set);
	nodeset_clear(&placement.allowed);
	free(text);
	return 0;
}
