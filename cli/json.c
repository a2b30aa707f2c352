/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON documents, built from front to back. */
#include "json.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { DEPTH_MAX = 8 };

struct json {
	json_t *open[DEPTH_MAX]; /* [0] is the document; the others are borrowed from it */
	unsigned depth;
	int rc;
};

struct json *json_new(void)
{
	struct json *json = calloc(1, sizeof(*json));

	if (!json)
		return NULL;
	json->open[0] = json_object();
	if (!json->open[0]) {
		free(json);
		return NULL;
	}
	json_put_int(json, "schema", 1);
	return json;
}

void json_free(struct json *json)
{
	if (!json)
		return;
	json_decref(json->open[0]);
	free(json);
}

/* Takes the reference to `value`, also on failure. */
static void put(struct json *json, const char *key, json_t *value)
{
	json_t *open = json->open[json->depth];

	if (json->rc < 0)
		json_decref(value);
	else if (key ? json_object_set_new(open, key, value) : json_array_append_new(open, value))
		json->rc = -ENOMEM;
}

static void open_value(struct json *json, const char *key, json_t *value)
{
	assert(json->depth + 1 < DEPTH_MAX);
	put(json, key, value);
	json->open[json->depth + 1] = json->rc == 0 ? value : NULL; /* after a failure nothing is added */
	json->depth++;
}

void json_open_object(struct json *json, const char *key)
{
	open_value(json, key, json_object());
}

void json_open_array(struct json *json, const char *key)
{
	open_value(json, key, json_array());
}

void json_close(struct json *json)
{
	assert(json->depth > 0);
	json->depth--;
}

void json_put_int(struct json *json, const char *key, int64_t number)
{
	put(json, key, json_integer(number));
}

void json_put_u64(struct json *json, const char *key, uint64_t number)
{
	put(json, key, json_integer(number > INT64_MAX ? INT64_MAX : (json_int_t)number));
}

void json_put_bool(struct json *json, const char *key, bool truth)
{
	put(json, key, json_boolean(truth));
}

void json_put_null(struct json *json, const char *key)
{
	put(json, key, json_null());
}

void json_put_text(struct json *json, const char *key, const char *text)
{
	if (!text)
		json_put_null(json, key);
	else if (text_is_utf8(text))
		put(json, key, json_string(text));
	else
		json_put_name(json, key, text);
}

/* The size of the UTF-8 sequence that begins here; 0 when none does. */
static size_t measure_sequence(const char *at)
{
	char sequence[5] = "";

	for (size_t size = 0; size < 4 && at[size]; size++) {
		sequence[size] = at[size];
		if (text_is_utf8(sequence))
			return size + 1;
	}
	return 0;
}

static char *replace_bytes(const char *name)
{
	char *text = malloc(3 * strlen(name) + 1), *to = text;

	while (text && *name) {
		size_t size = measure_sequence(name);

		if (size) {
			to = mempcpy(to, name, size);
			name += size;
		} else {
			to = mempcpy(to, "\xef\xbf\xbd", 3);
			name++;
		}
	}
	if (text)
		*to = '\0';
	return text;
}

static char *print_hex(const char *name)
{
	static const char digits[] = "0123456789abcdef";
	char *text = malloc(2 * strlen(name) + 1), *to = text;

	for (; text && *name; name++) {
		*to++ = digits[(unsigned char)*name >> 4];
		*to++ = digits[(unsigned char)*name & 15];
	}
	if (text)
		*to = '\0';
	return text;
}

void json_put_name(struct json *json, const char *key, const char *name)
{
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *hex = NULL;
	char hex_key[32];

	if (text_is_utf8(name)) {
		put(json, key, json_string(name));
		return;
	}
	text = replace_bytes(name);
	hex = print_hex(name);
	if (!text || !hex) {
		json->rc = -ENOMEM;
		return;
	}
	put(json, key, json_string(text));
	if (key) {
		(void)snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
		put(json, hex_key, json_string(hex));
	}
}

static void put_filled(struct json *json, const char *key, const char *text)
{
	json_put_text(json, key, *text ? text : NULL);
}

void json_put_error(struct json *json, const struct cgpol_error *err)
{
	json_open_object(json, "error");
	json_put_int(json, "code", err->kind ? err->kind : CGPOL_FAILED);
	json_put_text(json, "errno", error_name(err->code));
	put_filled(json, "file", err->file);
	put_filled(json, "value", err->value);
	put_filled(json, "hint", err->hint);
	json_close(json);
}

int json_print(struct json *json, FILE *out)
{
	if (json->rc < 0)
		return json->rc;
	/* Only ASCII: a name's control characters beyond it (U+009B) must not reach a terminal either. */
	if (json_dumpf(json->open[0], out, JSON_INDENT(2) | JSON_ENSURE_ASCII) < 0 || fputc('\n', out) < 0)
		return -ENOMEM;
	return 0;
}
