/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json of a capture that somebody sent: refused with a sentence, or it answers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/manifest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
	if (!condition)
		abort();
}

static void ask(const struct manifest *manifest)
{
	static const char *const paths[] = {"/proc", "/proc/77/stat", "/sys/fs/cgroup/web",
					    "/proc/77/numa_maps"};
	struct root_info info;
	char **names, *text;
	size_t count;
	int order, back, result;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		require(manifest_errno(manifest, paths[i]) <= 0);
		if (manifest_head(manifest, paths[i], &text, &count) > 0)
			free(text);
		if (manifest_list(manifest, paths[i], &names, &count) > 0)
			root_list_free(names, count);
		(void)manifest_stat(manifest, paths[i], &info);
		if (manifest_xattr(manifest, paths[i], "user.cgpol", &text) > 0)
			free(text);
		if (manifest_probe(manifest, paths[i], &result))
			require(result <= 0);
	}
	for (pid_t pid = 396; pid < 402; pid++) {
		if (manifest_compare_mm(manifest, 398, pid, &order) == 0) {
			require(manifest_compare_mm(manifest, pid, 398, &back) == 0);
			require(order == -back);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cgpol_error err = {0};
	struct manifest *manifest = NULL, *again;
	struct root_facts facts;
	char *text;

	if (manifest_parse((const char *)data, size, &manifest, &facts, &err) < 0) {
		require(!manifest && err.kind == CGPOL_FAILED && err.text[0] != '\0');
		return 0;
	}
	ask(manifest);
	/* What was taken can be written, and is taken again. */
	require(manifest_format(manifest, &facts, &text) == 0);
	require(manifest_parse(text, strlen(text), &again, &facts, &err) == 0);
	free(text);
	manifest_free(again);
	manifest_free(manifest);
	return 0;
}
