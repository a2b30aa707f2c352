/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json of a capture as values: asked, and filled by the recorder. */
#include "host/manifest.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <linux/limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/document.h"

enum { KEY_SIZE = 3 * (XATTR_NAME_MAX + 1 + PATH_MAX) + sizeof("xattr:") };

static void json_decref_p(json_t **json)
{
	json_decref(*json);
}

static void manifest_free_p(struct manifest **manifest)
{
	manifest_free(*manifest);
}

/* The entry of a path, or NULL. A path that does not fit was never put either: the kernel takes less than
 * PATH_MAX. */
static json_t *find(const json_t *object, const char *prefix, const char *path)
{
	char key[KEY_SIZE];
	size_t used = (size_t)sprintf(key, "%s", prefix);

	return text_encode(path, key + used, sizeof(key) - used) ? json_object_get(object, key) : NULL;
}

/* Takes over the value. */
static int put(json_t *object, const char *prefix, const char *path, json_t *value)
{
	char key[KEY_SIZE];
	size_t used = (size_t)sprintf(key, "%s", prefix);

	if (!text_encode(path, key + used, sizeof(key) - used)) {
		json_decref(value);
		return -ENAMETOOLONG;
	}
	return json_object_set_new(object, key, value) < 0 ? -ENOMEM : 0;
}

static int put_error(struct manifest *manifest, const char *prefix, const char *path, int rc)
{
	return put(manifest->part[ERRORS], prefix, path, json_integer(-rc));
}

static int find_error(const struct manifest *manifest, const char *prefix, const char *path)
{
	return -(int)json_integer_value(find(manifest->part[ERRORS], prefix, path));
}

int manifest_new(struct manifest **manifest)
{
	AUTO(manifest_free_p) struct manifest *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	for (int i = 0; i < PARTS; i++) {
		made->part[i] = json_object();
		if (!made->part[i])
			return -ENOMEM;
	}
	*manifest = TAKE(made);
	return 0;
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	for (int i = 0; i < PARTS; i++)
		json_decref(manifest->part[i]);
	sharing_clear(&manifest->sharing);
	free(manifest);
}

int manifest_errno(const struct manifest *manifest, const char *path)
{
	return find_error(manifest, "", path);
}

int manifest_head(const struct manifest *manifest, const char *path, char **text, size_t *size)
{
	const json_t *head = find(manifest->part[HEADS], "", path);
	int rc;

	if (!head)
		return 0;
	rc = text_decode(json_string_value(head), text, size);
	return rc < 0 ? rc : 1;
}

int manifest_list(const struct manifest *manifest, const char *path, char ***names, size_t *count)
{
	const json_t *list = find(manifest->part[LISTS], "", path);
	size_t size = json_array_size(list);
	char **name;

	if (!list)
		return find_error(manifest, "list:", path);
	name = calloc(size + 1, sizeof(*name));
	if (!name)
		return -ENOMEM;
	for (size_t i = 0; i < size; i++) {
		int rc = text_decode(json_string_value(json_array_get(list, i)), &name[i], NULL);

		if (rc < 0) {
			root_list_free(name, i);
			return rc;
		}
	}
	*names = name;
	*count = size;
	return 1;
}

int manifest_stat(const struct manifest *manifest, const char *path, struct root_info *info)
{
	const json_t *entry = find(manifest->part[STATS], "", path);

	if (!entry)
		return find_error(manifest, "stat:", path);
	*info = (struct root_info){0};
	if (json_is_integer(entry)) {
		info->inode = (uint64_t)json_integer_value(entry);
		return 1;
	}
	info->inode = (uint64_t)json_integer_value(json_array_get(entry, 0));
	info->nlink = (uint64_t)json_integer_value(json_array_get(entry, 1));
	info->mode = (uint32_t)json_integer_value(json_array_get(entry, 2));
	/* 0, root, in captures that do not have them yet. */
	info->uid = (uint32_t)json_integer_value(json_array_get(entry, 3));
	info->gid = (uint32_t)json_integer_value(json_array_get(entry, 4));
	return 1;
}

bool manifest_probe(const struct manifest *manifest, const char *name, int *result)
{
	const json_t *kept = find(manifest->part[PROBES], "", name);

	if (!kept)
		return false;
	*result = -(int)json_integer_value(kept);
	return true;
}

int manifest_xattr(const struct manifest *manifest, const char *path, const char *name, char **value)
{
	AUTO(free_p) char *key = NULL;
	const json_t *kept;
	int rc;

	if (asprintf(&key, "%s:%s", name, path) < 0)
		return -ENOMEM;
	kept = find(manifest->part[XATTRS], "", key);
	if (!kept)
		return find_error(manifest, "xattr:", key);
	rc = text_decode(json_string_value(kept), value, NULL);
	return rc < 0 ? rc : 1;
}

static void name_pair(pid_t a, pid_t b, char *key, size_t size)
{
	(void)snprintf(key, size, "%d:%d", a < b ? a : b, a < b ? b : a);
}

int manifest_compare_mm(const struct manifest *manifest, pid_t a, pid_t b, int *order)
{
	char pair[32];
	int rc;

	name_pair(a, b, pair, sizeof(pair));
	rc = find_error(manifest, "kcmp:", pair);
	if (rc < 0)
		return rc;
	a = sharing_leader(&manifest->sharing, a);
	b = sharing_leader(&manifest->sharing, b);
	*order = (a > b) - (a < b);
	return 0;
}

int manifest_put_errno(struct manifest *manifest, const char *path, int rc)
{
	return put_error(manifest, "", path, rc);
}

static int put_text(json_t *object, const char *key, const char *text)
{
	size_t size = 3 * strlen(text) + 1;
	AUTO(free_p) char *encoded = malloc(size);

	if (!encoded)
		return -ENOMEM;
	(void)text_encode(text, encoded, size);
	return put(object, "", key, json_string(encoded));
}

int manifest_put_head(struct manifest *manifest, const char *path, const char *text)
{
	return put_text(manifest->part[HEADS], path, text);
}

int manifest_put_probe(struct manifest *manifest, const char *name, int result)
{
	return put(manifest->part[PROBES], "", name, json_integer(-result));
}

int manifest_put_xattr(struct manifest *manifest, const char *path, const char *name, int rc,
		       const char *value)
{
	AUTO(free_p) char *key = NULL;

	if (asprintf(&key, "%s:%s", name, path) < 0)
		return -ENOMEM;
	return rc < 0 ? put_error(manifest, "xattr:", key, rc) : put_text(manifest->part[XATTRS], key, value);
}

int manifest_put_list(struct manifest *manifest, const char *path, int rc, char *const *names, size_t count)
{
	AUTO(json_decref_p) json_t *list = json_array();

	if (rc < 0)
		return put_error(manifest, "list:", path, rc);
	for (size_t i = 0; i < count; i++) {
		char name[3 * NAME_MAX + 1];

		if (!text_encode(names[i], name, sizeof(name)))
			return -ENAMETOOLONG;
		if (json_array_append_new(list, json_string(name)) < 0)
			return -ENOMEM;
	}
	return put(manifest->part[LISTS], "", path, TAKE(list));
}

/* JSON's integers are signed; an inode beyond them is no cgroup's. */
static json_int_t clamp(uint64_t value)
{
	return value > INT64_MAX ? INT64_MAX : (json_int_t)value;
}

int manifest_put_stat(struct manifest *manifest, const char *path, int rc, const struct root_info *info)
{
	if (rc < 0)
		return put_error(manifest, "stat:", path, rc);
	return put(manifest->part[STATS], "", path,
		   json_pack("[I,I,I,I,I]", clamp(info->inode), clamp(info->nlink), (json_int_t)info->mode,
			     (json_int_t)info->uid, (json_int_t)info->gid));
}

int manifest_put_order(struct manifest *manifest, pid_t a, pid_t b, int rc, int order)
{
	char pair[32];

	name_pair(a, b, pair, sizeof(pair));
	if (rc < 0)
		return put_error(manifest, "kcmp:", pair, rc);
	return put(manifest->part[ORDERS], "", pair, json_integer(a < b ? order : -order));
}

int manifest_order(const struct manifest *manifest, pid_t a, pid_t b, int *order)
{
	const json_t *kept;
	char pair[32];

	name_pair(a, b, pair, sizeof(pair));
	kept = find(manifest->part[ORDERS], "", pair);
	if (!kept)
		return find_error(manifest, "kcmp:", pair);
	*order = (int)json_integer_value(kept);
	if (a > b)
		*order = -*order;
	return 1;
}

int manifest_put_note(struct manifest *manifest, const char *path, int note)
{
	return put(manifest->part[NOTES], "", path, json_integer(note));
}

bool manifest_note(const struct manifest *manifest, const char *path, int *note)
{
	const json_t *kept = find(manifest->part[NOTES], "", path);

	if (!kept)
		return false;
	*note = (int)json_integer_value(kept);
	return true;
}

int manifest_parse(const char *text, size_t size, struct manifest **manifest, struct root_facts *facts,
		   struct cgpol_error *err)
{
	AUTO(manifest_free_p) struct manifest *parsed = NULL;
	int rc = manifest_new(&parsed);

	if (rc < 0)
		return error_no_memory(err);
	rc = document_parse(text, size, parsed, facts, err);
	if (rc < 0)
		return rc;
	*manifest = TAKE(parsed);
	return 0;
}

int manifest_format(const struct manifest *manifest, const struct root_facts *facts, char **text)
{
	return document_format(manifest, facts, text);
}
