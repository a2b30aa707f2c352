/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* manifest.json of a capture: what no file of the captured machine tells. */
#ifndef CGPOL_HOST_MANIFEST_H
#define CGPOL_HOST_MANIFEST_H

#include "host/root.h"

/* clang-format off */
/* A capture is a directory with the files as they were read, below their own paths, and manifest.json, which
 * is written last: a recording that was killed is no capture. The manifest, schema 1:
 *
 * {"schema": 1,
 *  "kernel": "6.1.0-57-amd64", "page_size": 4096,
 *  "uid": 0, "capabilities": "000001ffffffffff", "self": 812, "initial_pid_namespace": true,
 *  "time": 1700000000,                      seconds since the epoch
 *  "errors": {"/proc/77/stat": "ESRCH"},    files that could not be read; "list:PATH", "stat:PATH" and
 *                                           "kcmp:A:B" (A < B) and "xattr:NAME:PATH" are the other
 *                                           questions that failed; "/klog" is the kernel's log
 *  "cgroups": {"/sys/fs/cgroup/web": 41},   inode of a directory, or [inode, links, mode, uid,
 *                                           gid] of anything; without the last two root owns it
 *  "lists": {"/proc": ["1", "77"]},         sub-directories as listed (git keeps no empty directories);
 *                                           without an entry the capture's own directory is listed
 *  "heads": {"/proc/77/numa_maps": "..."},  what a read of the head gave when the file was read whole later
 *  "probes": {"mempolicy:bind": "OK"},      what the kernel could do, "OK" or an errno: host/probe.h
 *  "xattrs": {"user.cgpol:/sys/fs/cgroup/web": "parent"},   NAME:PATH and the value
 *  "shared_mm": [[398, 399], [399, 400]]}   processes with one mm; groups that overlap are one
 *
 * The last seven may be absent. The kernel's log is the file "klog". In paths, names and texts every byte
 * outside 0x20..0x7e and "%" itself is "%XX". A file that is absent and has no error was absent. */
/* clang-format on */
struct manifest;

int manifest_new(struct manifest **manifest);
void manifest_free(struct manifest *manifest);
/* Reads what a capture holds. CGPOL_FAILED with a sentence when it is broken. */
int manifest_parse(const char *text, size_t size, struct manifest **manifest, struct root_facts *facts,
		   struct cgpol_error *err);
/* The text of manifest.json; the caller frees it. */
int manifest_format(const struct manifest *manifest, const struct root_facts *facts, char **text);

/* What a capture's root answers from it. */
int manifest_errno(const struct manifest *manifest,
		   const char *path); /* -errno of an unreadable file, or 0 */
int manifest_compare_mm(const struct manifest *manifest, pid_t a, pid_t b, int *order);
/* These give 1 and the answer that was recorded, or the -errno that was; 0 when the manifest does not know
 * the path. manifest_stat leaves nlink and mode 0 when only the inode is kept. */
int manifest_head(const struct manifest *manifest, const char *path, char **text, size_t *size);
int manifest_list(const struct manifest *manifest, const char *path, char ***names, size_t *count);
int manifest_stat(const struct manifest *manifest, const char *path, struct root_info *info);
int manifest_xattr(const struct manifest *manifest, const char *path, const char *name, char **value);
/* The result of a probe. False, and *result left alone, when it was not asked. */
bool manifest_probe(const struct manifest *manifest, const char *name, int *result);

/* What the recorder keeps in it: an answer, or with rc < 0 that errno in its place. 0, -ENOMEM or
 * -ENAMETOOLONG. */
int manifest_put_errno(struct manifest *manifest, const char *path, int rc);
int manifest_put_head(struct manifest *manifest, const char *path, const char *text);
int manifest_put_list(struct manifest *manifest, const char *path, int rc, char *const *names, size_t count);
int manifest_put_stat(struct manifest *manifest, const char *path, int rc, const struct root_info *info);
int manifest_put_xattr(struct manifest *manifest, const char *path, const char *name, int rc,
		       const char *value);
int manifest_put_probe(struct manifest *manifest, const char *name, int result);
int manifest_put_order(struct manifest *manifest, pid_t a, pid_t b, int rc, int order);
/* The order that was put for just this pair: 1, the -errno that was put, or 0 when neither was. */
int manifest_order(const struct manifest *manifest, pid_t a, pid_t b, int *order);

/* A note by path for the recorder; it is not written. False when there is none. */
int manifest_put_note(struct manifest *manifest, const char *path, int note);
bool manifest_note(const struct manifest *manifest, const char *path, int *note);

#endif
