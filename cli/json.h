/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JSON documents, built from front to back. */
#ifndef CGPOL_CLI_JSON_H
#define CGPOL_CLI_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <cgpol/cgpol.h>

struct json;

/* A document {"schema": 1, ...} with its object open. NULL when memory is short; later failures are kept and
 * returned by json_print. `key` is NULL in an array. */
struct json *json_new(void);
void json_free(struct json *json);
void json_open_object(struct json *json, const char *key);
void json_open_array(struct json *json, const char *key);
void json_close(struct json *json);
void json_put_int(struct json *json, const char *key, int64_t number);
void json_put_u64(struct json *json, const char *key, uint64_t number); /* INT64_MAX when it is larger */
void json_put_bool(struct json *json, const char *key, bool truth);
void json_put_null(struct json *json, const char *key);
/* Words of our own or of the kernel; NULL gives null. */
void json_put_text(struct json *json, const char *key, const char *text);
/* A name, which may hold any bytes: what is not UTF-8 becomes U+FFFD, and <key>_hex has the bytes. */
void json_put_name(struct json *json, const char *key, const char *name);
void json_put_error(struct json *json, const struct cgpol_error *err);
int json_print(struct json *json, FILE *out); /* 0 or -ENOMEM */

static inline void json_free_p(struct json **json)
{
	json_free(*json);
}

#endif
