/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* /proc/self/mountinfo, whose paths anybody who may mount can choose, and the files read after it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "host/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Answers each file with the input, and nothing else. */
static const uint8_t *input;
static size_t input_size;

static int read_input(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	(void)root;
	(void)path;
	*size = input_size < most ? input_size : most;
	*text = malloc(*size + 1);
	if (!*text)
		return -12;
	if (*size > 0)
		memcpy(*text, input, *size);
	(*text)[*size] = '\0';
	return 0;
}

static void free_root(struct root *root)
{
	free(root);
}

static const struct root_ops input_ops = {.read = read_input, .free = free_root};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct root *root = calloc(1, sizeof(*root));
	struct cgpol_error err = {0};
	struct cgpol_host *host;
	unsigned cpus;
	int rc;

	if (!root)
		return 0;
	input = data;
	input_size = size;
	root->ops = &input_ops;
	memcpy(root->facts.release, data, size < 64 ? size : 64);
	if (host_open_root(root, &host, &err) < 0)
		return 0;
	rc = host_need_memory(host, &err);
	if (rc < 0 && (err.kind != CGPOL_UNSUPPORTED || err.text[0] == '\0'))
		abort();
	if (host_read_cpus(host, &cpus) == 0 && cpus == 0)
		abort();
	cgpol_host_free(host);
	return 0;
}
