/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/smaps, and the two configuration files that overcommit reads. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory/commit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void fuzz_maps(const char *text)
{
	struct commit_maps maps = {.private_bytes = 7};
	int rc = commit_maps_parse(text, &maps);

	require(rc == 0 || (maps.private_bytes == 7 && maps.objects == 0));
	for (size_t i = 0; rc == 0 && i < maps.objects; i++)
		require(strlen(maps.object[i].device) < sizeof(maps.object[i].device));
	if (rc == 0)
		commit_maps_clear(&maps);
}

/* What was written is taken back. */
static void fuzz_file(const char *text)
{
	const struct overcommit_request request = {.mode = 2, .ratio = 5, .kbytes = -1};
	char *once = NULL, *twice = NULL;

	(void)overcommit_conf_has(text, "vm.overcommit_ratio");
	if (overcommit_file_text(text, &request, &once, NULL) < 0)
		return;
	require(overcommit_file_text(once, &request, &twice, NULL) == 0 && strcmp(once, twice) == 0);
	require(overcommit_conf_has(once, "vm.overcommit_ratio"));
	free(once);
	free(twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);

	require(text != NULL);
	fuzz_maps(text);
	fuzz_file(text);
	free(text);
	return 0;
}
