/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Captures: the recorder that copies what is read. manifest.h has what files cannot hold. */
#ifndef CGPOL_HOST_RECORD_H
#define CGPOL_HOST_RECORD_H

#include "host/manifest.h"
#include "host/root.h"

/* Wraps `below` (which it then owns, also on failure) so that all it answers is copied into `dir`, which must
 * be new or empty. root_free writes manifest.json; call record_finish first to learn whether all was written.
 */
int record_open(struct root *below, const char *dir, struct root **root, struct cgpol_error *err);
/* Writes manifest.json. 0, or the first error met while recording. 0 for a root that records nothing. */
int record_finish(struct root *root, struct cgpol_error *err);

#endif
