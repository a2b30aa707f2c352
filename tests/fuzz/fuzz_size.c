/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: sizes, which stay in range, and of which the plain number of bytes gives the same again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policy/size.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check(const struct size *size)
{
	struct size again = {.kind = SIZE_FIXED};
	char text[32];

	switch (size->kind) {
	case SIZE_FIXED:
		require(size->bytes <= INT64_MAX);
		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)size->bytes);
		require(size_parse(text, &again, NULL) == 0 && again.bytes == size->bytes);
		break;
	case SIZE_PERCENT_NODES:
		require(!nodeset_is_empty(&size->nodes) && nodeset_next(&size->nodes, NODESET_NODES_MAX) < 0);
		require(size->percent_ppm <= 1000000);
		break;
	case SIZE_PERCENT:
		require(size->percent_ppm <= 1000000);
		break;
	case SIZE_UNLIMITED:
		break;
	}
	require(size->kind == SIZE_PERCENT_NODES || size->nodes.words == 0);
	size_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct size parsed = {.kind = SIZE_FIXED, .bytes = 7};
	char *text = strndup((const char *)data, size);
	struct cgpol_error err = {0};

	if (!text)
		return 0;
	if (size_parse(text, &parsed, &err) == 0)
		check(&parsed);
	else
		require(err.text[0] != '\0' && parsed.bytes == 7);
	size_clear(&parsed);
	free(text);
	return 0;
}
