/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which settings a cgroup has, and which of them a new one would not have. */
#include "policy/inventory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "policy/cause.h"
#include "policy/need.h"

enum { SHOWN_SIZE = 160, SIZES_MAX = 16 };

struct taking {
	struct cgpol_host *host;
	const char *cgroup, *controllers;
	bool all, is_root;
	char **folders; /* of /sys/kernel/mm/hugepages */
	size_t sizes;
	struct inventory *made;
};

void inventory_clear(struct inventory *inventory)
{
	for (size_t i = 0; i < inventory->count; i++) {
		free(inventory->item[i].name);
		free(inventory->item[i].text);
	}
	free(inventory->item);
	*inventory = (struct inventory){0};
}

/* mm/hugetlb_cgroup.c mem_fmt() */
char *inventory_huge_size(const char *folder)
{
	static const char prefix[] = "hugepages-";
	const char *end;
	uint64_t kib;
	char *text;
	int size;

	if (strncmp(folder, prefix, sizeof(prefix) - 1) != 0 ||
	    text_u64_head(folder + sizeof(prefix) - 1, &end, &kib) < 0 || strcmp(end, "kB") != 0)
		return NULL;
	if (kib >= 1U << 20)
		size = asprintf(&text, "%" PRIu64 "GB", kib >> 20);
	else if (kib >= 1U << 10)
		size = asprintf(&text, "%" PRIu64 "MB", kib >> 10);
	else
		size = asprintf(&text, "%" PRIu64 "KB", kib);
	return size < 0 ? NULL : text;
}

static int add_item(struct inventory *made, const struct key *key, const char *name, char **text)
{
	struct inventory_item *more = reallocarray(made->item, made->count + 1, sizeof(*more));
	char *copy = more ? strdup(name) : NULL;

	if (more)
		made->item = more;
	if (!copy)
		return -ENOMEM;
	more[made->count++] = (struct inventory_item){key, copy, TAKE(*text)};
	return 0;
}

/* cpu.weight.nice is cpu.weight in other words. */
static bool is_worth_telling(const struct taking *taking, const struct key *key, const char *text)
{
	if (taking->all)
		return true;
	if (strcmp(key->name, "cpu.weight.nice") == 0)
		return false;
	return key->initial ? strcmp(text, key->initial) != 0 : *text != '\0';
}

static int take_file(struct taking *taking, const struct key *key, const char *name)
{
	AUTO(free_p) char *path = cgroup_path(taking->host, taking->cgroup, name);
	AUTO(free_p) char *text = NULL;
	int rc = path ? root_read(taking->host->root, path, &text, NULL) : -ENOMEM;

	if (rc < 0)
		return rc == -ENOMEM ? rc : 0;
	return is_worth_telling(taking, key, text) ? add_item(taking->made, key, name, &text) : 0;
}

/* A key with a "*" is a file for each size of huge pages. */
static int take_sizes(struct taking *taking, const struct key *key)
{
	const char *star = strchr(key->name, '*');
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < taking->sizes && i < SIZES_MAX; i++) {
		AUTO(free_p) char *size = inventory_huge_size(taking->folders[i]);
		AUTO(free_p) char *name = NULL;

		if (!size)
			continue;
		if (asprintf(&name, "%.*s%s%s", (int)(star - key->name), key->name, size, star + 1) < 0) {
			name = NULL; /* asprintf(3) leaves it undefined */
			return -ENOMEM;
		}
		rc = take_file(taking, key, name);
	}
	return rc;
}

static int take_all(struct taking *taking)
{
	for (const struct key *key = key_table; key->name; key++) {
		int rc = 0;

		if (key->scope != KEY_CGROUP || (taking->is_root && !key->is_on_root) ||
		    (key->controller && !need_list_has(taking->controllers, key->controller)))
			continue;
		rc = strchr(key->name, '*') ? take_sizes(taking, key) : take_file(taking, key, key->name);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int inventory_read(struct cgpol_host *host, const char *cgroup, bool all, struct inventory *inventory,
		   struct cgpol_error *err)
{
	AUTO(free_p)
	char *controllers = host->cgroup2 ? cause_read(host, cgroup, "cgroup.controllers") : NULL;
	AUTO(free_p) char *type = host->cgroup2 ? cause_read(host, cgroup, "cgroup.type") : NULL;
	struct inventory made = {0};
	struct taking taking = {.host = host,
				.cgroup = cgroup,
				.controllers = controllers,
				.all = all,
				/* What a cgroup namespace shows as "/" has the files of any other. */
				.is_root = strcmp(cgroup, "/") == 0 && !type,
				.made = &made};
	char shown[SHOWN_SIZE];
	int rc;

	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	text_escape(cgroup, shown, sizeof(shown));
	if (!controllers)
		return error_set(err, ENOENT, CGPOL_FAILED, "cgroup \"%s\" does not exist", shown);
	if (need_list_has(controllers, "hugetlb"))
		(void)root_list(host->root, "/sys/kernel/mm/hugepages", &taking.folders, &taking.sizes);
	rc = take_all(&taking);
	if (taking.folders)
		root_list_free(taking.folders, taking.sizes);
	if (rc < 0) {
		inventory_clear(&made);
		return error_no_memory(err);
	}
	*inventory = made;
	return 0;
}
