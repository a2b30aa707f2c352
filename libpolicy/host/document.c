/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json as text: taken apart with every entry checked, and written. */
#include "host/document.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum {
	ENTRIES_MAX = 1 << 22, /* of each part: PID_MAX_LIMIT */
	PID_MAX = 1 << 22,
	ERRNO_MAX = 133, /* the last that has a name: EHWPOISON */
	PAGE_SIZE_LEAST = 1 << 10,
	PAGE_SIZE_MOST = 1 << 26,
};

static void json_decref_p(json_t **json)
{
	json_decref(*json);
}

static int refuse(struct cgpol_error *err, const char *name, const char *what)
{
	(void)error_set(err, EBADMSG, CGPOL_FAILED, "manifest.json is broken: \"%s\" %s", name, what);
	error_detail(err, "manifest.json", name, "record the capture again");
	return -EBADMSG;
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

static bool check_probe(json_t *object, const char *key, json_t *value)
{
	const char *name = json_string_value(value);

	if (name && strcmp(name, "OK") == 0)
		return json_object_set_new(object, key, json_integer(0)) == 0;
	return check_error(object, key, value);
}

static bool check_stat(json_t *object, const char *key, json_t *value)
{
	size_t size = json_array_size(value);

	(void)object;
	(void)key;
	if (json_is_integer(value))
		return json_integer_value(value) >= 0;
	for (size_t i = 0; i < size; i++) {
		if (!is_within(json_array_get(value, i), 0, i < 2 ? INT64_MAX : UINT32_MAX))
			return false;
	}
	return size == 3 || size == 5;
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

static const struct {
	const char *name;
	check_fn *check;
} parts[WRITTEN] = {
	[ERRORS] = {"errors", check_error}, [STATS] = {"cgroups", check_stat},
	[LISTS] = {"lists", check_list},    [HEADS] = {"heads", check_head},
	[PROBES] = {"probes", check_probe}, [XATTRS] = {"xattrs", check_head},
};

/* Takes one part of the document into the manifest. */
static int parse_part(const json_t *doc, enum manifest_part part, struct manifest *manifest,
		      struct cgpol_error *err)
{
	const char *name = parts[part].name, *key;
	json_t *from = json_object_get(doc, name), *value;

	if (!from)
		return 0;
	if (!json_is_object(from) || json_object_size(from) > ENTRIES_MAX)
		return refuse(err, name, "is no object");
	json_object_foreach(from, key, value)
	{
		if (!parts[part].check(from, key, value))
			return refuse(err, name, "has an entry of the wrong kind");
	}
	return json_object_update(manifest->part[part], from) < 0 ? error_no_memory(err) : 0;
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
		return rc == -ENOMEM ? error_no_memory(err) : refuse(err, "shared_mm", "is no list of pids");
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
	for (int i = 0; i < WRITTEN && rc == 0; i++)
		rc = parse_part(doc, i, manifest, err);
	return rc < 0 ? rc : parse_groups(doc, &manifest->sharing, err);
}

int document_parse(const char *text, size_t size, struct manifest *manifest, struct root_facts *facts,
		   struct cgpol_error *err)
{
	AUTO(json_decref_p) json_t *doc = NULL;
	struct root_facts found = {0};
	json_error_t error;
	char shown[200];
	int rc;

	doc = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
	if (!doc) {
		if (json_error_code(&error) == json_error_out_of_memory)
			return error_no_memory(err);
		(void)error_set(err, EBADMSG, CGPOL_FAILED, "manifest.json is broken: line %d: %s",
				error.line, text_escape(error.text, shown, sizeof(shown)));
		error_detail(err, "manifest.json", NULL, "record the capture again");
		return -EBADMSG;
	}
	rc = parse_document(doc, manifest, &found, err);
	if (rc < 0)
		return rc;
	*facts = found;
	return 0;
}

/* A part as it is written; of errnos their names, as they mean the same on every architecture. */
static json_t *format_part(const struct manifest *manifest, enum manifest_part part)
{
	AUTO(json_decref_p) json_t *named = json_object();
	const char *key;
	json_t *value;

	if (part != ERRORS && part != PROBES)
		return json_incref(manifest->part[part]);
	json_object_foreach(manifest->part[part], key, value)
	{
		int errnum = (int)json_integer_value(value);
		const char *name = errnum == 0 ? "OK" : error_name(errnum);

		if (json_object_set_new(named, key, json_string(name ? name : "EIO")) < 0)
			return NULL;
	}
	return TAKE(named);
}

static json_t *pair_groups(const struct manifest *manifest)
{
	AUTO(json_decref_p) json_t *groups = json_array();
	const char *key;
	json_t *value;

	json_object_foreach(manifest->part[ORDERS], key, value)
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

int document_format(const struct manifest *manifest, const struct root_facts *facts, char **text)
{
	AUTO(json_decref_p) json_t *doc = NULL;
	char caps[17];

	(void)snprintf(caps, sizeof(caps), "%016" PRIx64, facts->caps);
	doc = json_pack("{s:i, s:s, s:I, s:I, s:s, s:i, s:b, s:b, s:I, s:o}", "schema", 1, "kernel",
			facts->release, "page_size", (json_int_t)facts->page_size, "uid",
			(json_int_t)facts->uid, "capabilities", caps, "self", facts->self,
			"initial_pid_namespace", facts->initial_pidns, "initial_user_namespace",
			facts->initial_userns, "time", (json_int_t)facts->time, "shared_mm",
			pair_groups(manifest));
	for (int i = 0; i < WRITTEN && doc; i++) {
		/* The later parts are left out where nobody asked. */
		if (i >= PROBES && json_object_size(manifest->part[i]) == 0)
			continue;
		if (json_object_set_new(doc, parts[i].name, format_part(manifest, i)) < 0)
			return -ENOMEM;
	}
	*text = doc ? json_dumps(doc, JSON_INDENT(1) | JSON_SORT_KEYS) : NULL;
	return *text ? 0 : -ENOMEM;
}
