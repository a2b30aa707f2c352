/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captures: the recorder that copies what is read, and the manifest that holds what files cannot. */
#ifndef CGPOL_HOST_RECORD_H
#define CGPOL_HOST_RECORD_H

#include "host/root.h"

/* Wraps `below` (which it then owns, also on failure) so that all it answers is copied into `dir`, which must
 * be new or empty. root_free writes manifest.json; call record_finish first to learn whether all was written.
 */
int record_open(struct root *below, const char *dir, struct root **root, struct cgpol_error *err);
/* Writes manifest.json. 0, or the first error met while recording. */
int record_finish(struct root *root, struct cgpol_error *err);

/* What a capture's root answers from its manifest. */
struct manifest;
int manifest_parse(const char *text, size_t size, struct manifest **manifest, struct root_facts *facts,
		   struct cgpol_error *err);
void manifest_free(struct manifest *manifest);
int manifest_errno(const struct manifest *manifest,
		   const char *path); /* -errno of an unreadable file, or 0 */
bool manifest_inode(const struct manifest *manifest, const char *path, uint64_t *inode);
int manifest_compare_mm(const struct manifest *manifest, pid_t a, pid_t b, int *order);

#endif
