/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: meminfo of a node and of the machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/nodemem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static size_t count_lines(const char *text)
{
	size_t lines = *text != '\0';

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void check_names(const struct nodemem_node *node)
{
	for (size_t i = 0; i < node->others; i++) {
		const char *name = node->other[i].name;

		require(memchr(name, '\0', sizeof(node->other[i].name)) != NULL && *name);
		for (; *name; name++)
			require(*name > ' ' && *name <= '~');
		require(node->other[i].value != NODEMEM_ABSENT);
		for (size_t j = 0; j < i; j++)
			require(strcmp(node->other[i].name, node->other[j].name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	struct topology_zone zone = {.low = 33, .high = 39, .managed = 3840, .protections = 1};
	struct topology_node zones = {.zone = &zone, .zones = 1};
	struct nodemem_node node;
	size_t odd = 0;

	nodemem_init(&node);
	if (text && nodemem_parse(text, &node, &odd) == 0) {
		uint64_t available = nodemem_available(&node, &zones, 4096);

		require(odd + node.others <= count_lines(text));
		check_names(&node);
		require(available == NODEMEM_ABSENT || node.field[NODEMEM_FREE] != NODEMEM_ABSENT);
	}
	nodemem_clear_node(&node);
	free(text);
	return 0;
}
