/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json as text: taken apart with every entry checked, and written. */
#ifndef CGPOL_HOST_DOCUMENT_H
#define CGPOL_HOST_DOCUMENT_H

#include "host/manifest.h"
#include "host/sharing.h"

struct json_t;

/* Each part is an object: errors have a positive errno by key, probes the same or 0. */
enum manifest_part {
	ERRORS,
	STATS,
	LISTS,
	HEADS,
	PROBES,
	XATTRS,
	WRITTEN,	  /* what follows is of a recording only */
	ORDERS = WRITTEN, /* "A:B" -> -1, 0, 1 */
	NOTES,
	PARTS,
};

struct manifest {
	struct json_t *part[PARTS];
	struct sharing sharing; /* of a capture only */
};

/* Fills a new manifest from a document; manifest.h has the schema. The facts are set when all is well. Errors
 * are CGPOL_FAILED with a sentence, and leave in the manifest what came before: it is to be freed. */
int document_parse(const char *text, size_t size, struct manifest *manifest, struct root_facts *facts,
		   struct cgpol_error *err);
/* The text of manifest.json; the caller frees it. */
int document_format(const struct manifest *manifest, const struct root_facts *facts, char **text);

#endif
