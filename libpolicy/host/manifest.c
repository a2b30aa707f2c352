/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json of a capture as values: parsed, asked, filled, written. */
#include "host/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/sharing.h"

enum {
	KEY_SIZE = 3 * PATH_MAX + sizeof("list:"),
	ENTRIES_MAX = 1 << 22, /* of each part: PID_MAX_LIMIT */
	PID_MAX = 1 << 22,
	ERRNO_MAX = 133, /* the last that has a name: EHWPOISON */
	PAGE_SIZE_LEAST = 1 << 10,
	PAGE_SIZE_MOST = 1 << 26,
};

struct manifest {
	json_t *errors; /* positive errno by key */
	json_t *stats;	/* "cgroups" */
	json_t *lists;
	json_t *heads;
	json_t *orders;		/* "A:B" -> -1, 0, 1: of a recording only */
	json_t *notes;		/* the same */
	struct sharing sharing; /* of a capture only */
};

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
	return put(manifest->errors, prefix, path, json_integer(-rc));
}

static int find_error(const struct manifest *manifest, const char *prefix, const char *path)
{
	return -(int)json_integer_value(find(manifest->errors, prefix, path));
}

int manifest_new(struct manifest **manifest)
{
	AUTO(manifest_free_p) struct manifest *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	made->errors = json_object();
	made->stats = json_object();
	made->lists = json_object();
	made->heads = json_object();
	made->orders = json_object();
	made->notes = json_object();
	if (!made->errors || !made->stats || !made->lists || !made->heads || !made->orders || !made->notes)
		return -ENOMEM;
	*manifest = TAKE(made);
	return 0;
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	json_decref(manifest->errors);
	json_decref(manifest->stats);
	json_decref(manifest->lists);
	json_decref(manifest->heads);
	json_decref(manifest->orders);
	json_decref(manifest->notes);
	sharing_clear(&manifest->sharing);
	free(manifest);
}

int manifest_errno(const struct manifest *manifest, const char *path)
{
	return find_error(manifest, "", path);
}

int manifest_head(const struct manifest *manifest, const char *path, char **text, size_t *size)
{
	const json_t *head = find(manifest->heads, "", path);
	int rc;

	if (!head)
		return 0;
	rc = text_decode(json_string_value(head), text, size);
	return rc < 0 ? rc : 1;
}

int manifest_list(const struct manifest *manifest, const char *path, char ***names, size_t *count)
{
	const json_t *list = find(manifest->lists, "", path);
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
	const json_t *entry = find(manifest->stats, "", path);

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
	return 1;
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

int manifest_put_head(struct manifest *manifest, const char *path, const char *text)
{
	size_t size = 3 * strlen(text) + 1;
	AUTO(free_p) char *encoded = malloc(size);

	if (!encoded)
		return -ENOMEM;
	(void)text_encode(text, encoded, size);
	return put(manifest->heads, "", path, json_string(encoded));
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
	return put(manifest->lists, "", path, TAKE(list));
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
	return put(manifest->stats, "", path,
		   json_pack("[I,I,I]", clamp(info->inode), clamp(info->nlink), (json_int_t)info->mode));
}

int manifest_put_order(struct manifest *manifest, pid_t a, pid_t b, int rc, int order)
{
	char pair[32];

	name_pair(a, b, pair, sizeof(pair));
	if (rc < 0)
		return put_error(manifest, "kcmp:", pair, rc);
	return put(manifest->orders, "", pair, json_integer(a < b ? order : -order));
}

int manifest_order(const struct manifest *manifest, pid_t a, pid_t b, int *order)
{
	const json_t *kept;
	char pair[32];

	name_pair(a, b, pair, sizeof(pair));
	kept = find(manifest->orders, "", pair);
	if (!kept)
		return find_error(manifest, "kcmp:", pair);
	*order = (int)json_integer_value(kept);
	if (a > b)
		*order = -*order;
	return 1;
}

int manifest_put_note(struct manifest *manifest, const char *path, int note)
{
	return put(manifest->notes, "", path, json_integer(note));
}

bool manifest_note(const struct manifest *manifest, const char *path, int *note)
{
	const json_t *kept = find(manifest->notes, "", path);

	if (!kept)
		return false;
	*note = (int)json_integer_value(kept);
	return true;
}

static int refuse(struct cgpol_error *err, const char *name, const char *what)
{
	(void)error_set(err, EBADMSG, CGPOL_FAILED, "manifest.json is broken: \"%s\" %s", name, what);
	error_detail(err, "manifest.json", name, "record the capture again");
	return -EBADMSG;
}

static int refuse_memory(struct cgpol_error *err)
{
	return error_set(err, ENOMEM, CGPOL_FAILED, "out of memory");
}

static bool is_within(const json_t *json, json_int_t least, json_int_t most)
{
	return json_is_integer(json) && json_integer_value(json) >= least && json_integer_value(json) <= most;
}

static int get_integer(const json_t *doc, const char *name, json_int_t least, json_int_t most,
		       json_int_t *value, struct cgpol_error *err)
{
	const json_t *json = json_object_get(doc, name);

	if (!json)
		return refuse(err, name, "is missing");
	if (!is_within(json, least, most))
		return refuse(err, name, "is no whole number in its range");
	*value = json_integer_value(json);
	return 0;
}

static int parse_machine(const json_t *doc, struct root_facts *facts, struct cgpol_error *err)
{
	const char *release = json_string_value(json_object_get(doc, "kernel"));
	json_int_t value;
	int rc;

	if (!release || *release == '\0' || strlen(release) >= sizeof(facts->release))
		return refuse(err, "kernel", "is no kernel release");
	for (const char *p = release; *p != '\0'; p++) {
		if (*p <= 0x20 || *p > 0x7e)
			return refuse(err, "kernel", "is no kernel release");
	}
	strcpy(facts->release, release);
	rc = get_integer(doc, "page_size", PAGE_SIZE_LEAST, PAGE_SIZE_MOST, &value, err);
	if (rc < 0)
		return rc;
	if ((value & (value - 1)) != 0)
		return refuse(err, "page_size", "is no power of two");
	facts->page_size = (uint64_t)value;
	rc = get_integer(doc, "time", 0, INT64_MAX, &value, err);
	facts->time = value;
	return rc;
}

static int parse_reader(const json_t *doc, struct root_facts *facts, struct cgpol_error *err)
{
	const char *caps = json_string_value(json_object_get(doc, "capabilities"));
	const json_t *is_initial = json_object_get(doc, "initial_pid_namespace");
	json_int_t value;
	int rc = get_integer(doc, "uid", 0, UINT32_MAX, &value, err);

	if (rc < 0)
		return rc;
	facts->uid = (uint64_t)value;
	rc = get_integer(doc, "self", 0, PID_MAX, &value, err);
	if (rc < 0)
		return rc;
	facts->self = (pid_t)value;
	if (!caps || *caps == '\0' || strlen(caps) > 16 ||
	    caps[strspn(caps, "0123456789abcdefABCDEF")] != '\0')
		return refuse(err, "capabilities", "is no hexadecimal mask");
	facts->caps = strtoull(caps, NULL, 16);
	if (!json_is_boolean(is_initial))
		return refuse(err, "initial_pid_namespace", "is neither true nor false");
	facts->initial_pidns = json_is_true(is_initial);
	/* Captures made by hand may lack it. */
	is_initial = json_object_get(doc, "initial_user_namespace");
	if (is_initial && !json_is_boolean(is_initial))
		return refuse(err, "initial_user_namespace", "is neither true nor false");
	facts->initial_userns = !is_initial || json_is_true(is_initial);
	return 0;
}

typedef bool check_fn(json_t *object, const char *key, json_t *value);

/* The name of an errno becomes its number. */
static bool check_error(json_t *object, const char *key, json_t *value)
{
	const char *wanted = json_string_value(value);

	for (int i = 1; wanted && i <= ERRNO_MAX; i++) {
		const char *name = error_name(i);

		if (name && strcmp(name, wanted) == 0)
			return json_object_set_new(object, key, json_integer(i)) == 0;
	}
	return false;
}

static bool check_stat(json_t *object, const char *key, json_t *value)
{
	(void)object;
	(void)key;
	if (json_is_integer(value))
		return json_integer_value(value) >= 0;
	return json_array_size(value) == 3 && is_within(json_array_get(value, 0), 0, INT64_MAX) &&
	       is_within(json_array_get(value, 1), 0, INT64_MAX) &&
	       is_within(json_array_get(value, 2), 0, UINT32_MAX);
}

static bool check_head(json_t *object, const char *key, json_t *value)
{
	AUTO(free_p) char *text = NULL;

	(void)object;
	(void)key;
	return json_is_string(value) && text_decode(json_string_value(value), &text, NULL) == 0;
}

/* A name is one part of a path. */
static bool check_list(json_t *object, const char *key, json_t *value)
{
	if (!json_is_array(value) || json_array_size(value) > ENTRIES_MAX)
		return false;
	for (size_t i = 0; i < json_array_size(value); i++) {
		json_t *item = json_array_get(value, i);
		const char *name = json_string_value(item);

		if (!check_head(object, key, item) || *name == '\0' || strchr(name, '/') ||
		    strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			return false;
	}
	return true;
}

/* Takes one part of the document into the manifest. */
static int parse_part(const json_t *doc, const char *name, check_fn *check, json_t *to,
		      struct cgpol_error *err)
{
	json_t *part = json_object_get(doc, name), *value;
	const char *key;

	if (!part)
		return 0;
	if (!json_is_object(part) || json_object_size(part) > ENTRIES_MAX)
		return refuse(err, name, "is no object");
	json_object_foreach(part, key, value)
	{
		if (!check(part, key, value))
			return refuse(err, name, "has an entry of the wrong kind");
	}
	return json_object_update(to, part) < 0 ? refuse_memory(err) : 0;
}

static int collect_pids(const json_t *groups, struct sharing *sharing)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0, i, j;
	json_t *group, *pid;

	json_array_foreach(groups, i, group) count += json_array_size(group);
	pids = calloc(count + 1, sizeof(*pids));
	if (!pids)
		return -ENOMEM;
	count = 0;
	json_array_foreach(groups, i, group)
	{
		if (!json_is_array(group))
			return -EINVAL;
		json_array_foreach(group, j, pid)
		{
			if (!is_within(pid, 1, PID_MAX))
				return -EINVAL;
			pids[count++] = (pid_t)json_integer_value(pid);
		}
	}
	return sharing_init(sharing, pids, count);
}

static int parse_groups(const json_t *doc, struct sharing *sharing, struct cgpol_error *err)
{
	const json_t *groups = json_object_get(doc, "shared_mm");
	json_t *group, *pid;
	size_t i, j;
	int rc;

	if (!groups)
		return 0;
	rc = json_is_array(groups) ? collect_pids(groups, sharing) : -EINVAL;
	if (rc < 0)
		return rc == -ENOMEM ? refuse_memory(err) : refuse(err, "shared_mm", "is no list of pids");
	json_array_foreach(groups, i, group)
	{
		pid_t first = (pid_t)json_integer_value(json_array_get(group, 0));

		json_array_foreach(group, j, pid)
			sharing_join(sharing, first, (pid_t)json_integer_value(pid));
	}
	return 0;
}

static int parse_document(const json_t *doc, struct manifest *manifest, struct root_facts *facts,
			  struct cgpol_error *err)
{
	json_int_t schema;
	int rc = json_is_object(doc) ? 0 : refuse(err, "schema", "is missing");

	rc = rc < 0 ? rc : get_integer(doc, "schema", 1, 1, &schema, err);
	rc = rc < 0 ? rc : parse_machine(doc, facts, err);
	rc = rc < 0 ? rc : parse_reader(doc, facts, err);
	rc = rc < 0 ? rc : parse_part(doc, "errors", check_error, manifest->errors, err);
	rc = rc < 0 ? rc : parse_part(doc, "cgroups", check_stat, manifest->stats, err);
	rc = rc < 0 ? rc : parse_part(doc, "lists", check_list, manifest->lists, err);
	rc = rc < 0 ? rc : parse_part(doc, "heads", check_head, manifest->heads, err);
	return rc < 0 ? rc : parse_groups(doc, &manifest->sharing, err);
}

int manifest_parse(const char *text, size_t size, struct manifest **manifest, struct root_facts *facts,
		   struct cgpol_error *err)
{
	AUTO(manifest_free_p) struct manifest *parsed = NULL;
	AUTO(json_decref_p) json_t *doc = NULL;
	struct root_facts found = {0};
	json_error_t error;
	char shown[200];

	if (manifest_new(&parsed) < 0)
		return refuse_memory(err);
	doc = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!doc) {
		if (json_error_code(&error) == json_error_out_of_memory)
			return refuse_memory(err);
		(void)error_set(err, EBADMSG, CGPOL_FAILED, "manifest.json is broken: line %d: %s",
				error.line, text_escape(error.text, shown, sizeof(shown)));
		error_detail(err, "manifest.json", NULL, "record the capture again");
		return -EBADMSG;
	}
	int rc = parse_document(doc, parsed, &found, err);

	if (rc < 0)
		return rc;
	*facts = found;
	*manifest = TAKE(parsed);
	return 0;
}

/* The errors with their names, as they mean the same on every architecture. */
static json_t *name_errors(const struct manifest *manifest)
{
	AUTO(json_decref_p) json_t *errors = json_object();
	const char *key;
	json_t *value;

	json_object_foreach(manifest->errors, key, value)
	{
		const char *name = error_name((int)json_integer_value(value));

		if (json_object_set_new(errors, key, json_string(name ? name : "EIO")) < 0)
			return NULL;
	}
	return TAKE(errors);
}

static json_t *pair_groups(const struct manifest *manifest)
{
	AUTO(json_decref_p) json_t *groups = json_array();
	const char *key;
	json_t *value;

	json_object_foreach(manifest->orders, key, value)
	{
		const char *second = key;
		int64_t a, b;

		if (json_integer_value(value) != 0 || text_i64_head(key, &second, &a) < 0 ||
		    text_i64_head(second + 1, NULL, &b) < 0)
			continue;
		if (json_array_append_new(groups, json_pack("[I,I]", (json_int_t)a, (json_int_t)b)) < 0)
			return NULL;
	}
	return TAKE(groups);
}

int manifest_format(const struct manifest *manifest, const struct root_facts *facts, char **text)
{
	AUTO(json_decref_p) json_t *doc = NULL;
	char caps[17];

	(void)snprintf(caps, sizeof(caps), "%016" PRIx64, facts->caps);
	doc = json_pack("{s:i, s:s, s:I, s:I, s:s, s:i, s:b, s:b, s:I, s:o, s:O, s:O, s:O, s:o}", "schema", 1,
			"kernel", facts->release, "page_size", (json_int_t)facts->page_size, "uid",
			(json_int_t)facts->uid, "capabilities", caps, "self", facts->self,
			"initial_pid_namespace", facts->initial_pidns, "initial_user_namespace",
			facts->initial_userns, "time", (json_int_t)facts->time, "errors",
			name_errors(manifest), "cgroups", manifest->stats, "lists", manifest->lists, "heads",
			manifest->heads, "shared_mm", pair_groups(manifest));
	*text = doc ? json_dumps(doc, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
	return *text ? 0 : -ENOMEM;
}
