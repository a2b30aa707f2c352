/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the same bytes as every file of a cgroup (numbers, memory.stat, cgroup.procs,
 * cpuset.mems.effective), and as /proc/meminfo. What is refused leaves its output alone. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/cgroup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A root whose every file holds the input. */
struct input {
	struct root root;
	const uint8_t *data;
	size_t size;
};

static void require(int condition)
{
	if (!condition)
		abort();
}

static int read_input(struct root *root, const char *path, size_t most, char **text, size_t *size)
{
	const struct input *input = (struct input *)root;
	char *copy;

	(void)path;
	*size = input->size < most ? input->size : most;
	copy = malloc(*size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, input->data, *size);
	copy[*size] = '\0';
	*text = copy;
	return 0;
}

static int stat_input(struct root *root, const char *path, struct root_info *info)
{
	(void)root;
	(void)path;
	*info = (struct root_info){1, 2, 0, 0, 0};
	return 0;
}

static const struct root_ops ops = {.read = read_input, .stat = stat_input};

static void read_cgroup(struct cgpol_host *host)
{
	struct cgroup_memory memory = {.max = 7, .current = 7};
	struct nodeset mems = {0};
	pid_t *pids = NULL;
	size_t count = 7;

	if (cgroup_read_memory(host, "/a", &memory, NULL) < 0)
		require(memory.max == 7 && memory.current == 7);
	(void)cgroup_read_oom_group(host, "/a", &memory);
	if (cgroup_procs(host, "/a", &pids, &count) < 0)
		require(pids == NULL && count == 7);
	for (size_t i = 0; pids && i < count; i++)
		require(pids[i] > 0);
	free(pids);
	if (cgroup_read_mems(host, "/a", &mems) == 0)
		require(nodeset_next(&mems, NODESET_NODES_MAX) < 0);
	nodeset_clear(&mems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char mount[] = "/sys/fs/cgroup";
	struct input input = {
		.root = {.ops = &ops, .facts = {.page_size = 4096}}, .data = data, .size = size};
	struct cgpol_host host = {
		.root = &input.root, .cgroup2 = mount, .has_memory = true, .has_cpuset = true};
	char *text = strndup((const char *)data, size);
	uint64_t value = 7;

	read_cgroup(&host);
	if (text && text_field(text, "MemTotal", &value) < 0)
		require(value == 7);
	free(text);
	return 0;
}
