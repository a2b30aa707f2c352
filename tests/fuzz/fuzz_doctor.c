/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything that doctor reads: each file, list and probe answers with the same hostile text. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "policy/doctor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint8_t *input;
static size_t input_size;

static int read_input(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	(void)root;
	/* As many cgroups as there are slashes: that is the kernel's limit of a path, not ours. */
	*size = strcmp(path, "/proc/self/cgroup") == 0 && input_size > 256 ? 256 : input_size;
	if (*size > most)
		*size = most;
	*text = malloc(*size + 1);
	if (!*text)
		return -ENOMEM;
	if (*size > 0)
		memcpy(*text, input, *size);
	(*text)[*size] = '\0';
	return 0;
}

static int list_none(struct root *root, const char *path, char ***names, size_t *count)
{
	(void)root;
	(void)path;
	*names = NULL;
	*count = 0;
	return 0;
}

/* By what it is asked for, so that some may be written and some not. */
static int stat_some(struct root *root, const char *path, struct root_info *info)
{
	size_t at = strlen(path);

	(void)root;
	if (input_size > 0 && input[at % input_size] == 'x')
		return -ENOENT;
	*info = (struct root_info){
		.inode = at, .mode = 0644, .uid = input_size > 0 ? input[at % input_size] : 0};
	return 0;
}

static int probe_some(struct root *root, const char *name)
{
	(void)root;
	return input_size > 0 ? -(int)(input[strlen(name) % input_size] % 64) : 0;
}

static void free_root(struct root *root)
{
	free(root);
}

static const struct root_ops input_ops = {
	.read = read_input, .list = list_none, .stat = stat_some, .probe = probe_some, .free = free_root};

static void check(const struct doctor *doctor)
{
	if (doctor->rows == 0)
		abort();
	for (size_t i = 0; i < doctor->rows; i++) {
		const struct doctor_row *row = &doctor->row[i];

		if (!row->reason || !*row->reason || !doctor_state_name(row->state))
			abort();
		if (row->remedy && row->state != DOCTOR_MISSING && row->state != DOCTOR_LIMITED)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct root *root = calloc(1, sizeof(*root));
	struct cgpol_error err = {0};
	struct cgpol_host *host;
	struct doctor doctor;
	struct facts facts;

	if (!root)
		return 0;
	input = data;
	input_size = size;
	root->ops = &input_ops;
	if (size > 0)
		memcpy(root->facts.release, data, size < 64 ? size : 64);
	if (size > 8)
		memcpy(&root->facts.caps, data, sizeof(root->facts.caps));
	root->facts.uid = size;
	if (host_open_root(root, &host, &err) < 0)
		return 0;
	if (facts_read(host, &facts) == 0) {
		if (doctor_examine(&facts, &doctor) == 0) {
			check(&doctor);
			doctor_clear(&doctor);
		}
		facts_clear(&facts);
	}
	cgpol_host_free(host);
	return 0;
}
