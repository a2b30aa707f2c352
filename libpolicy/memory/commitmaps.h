/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mappings of one process commit, by its smaps. Pure. */
#ifndef CGPOL_MEMORY_COMMITMAPS_H
#define CGPOL_MEMORY_COMMITMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A shared anonymous mapping or a System V segment, charged whole when it is made. */
struct commit_object {
	char device[16]; /* as maps writes it */
	uint64_t inode;
	bool is_segment; /* System V: its inode is the segment's id, another numbering */
	uint64_t size;	 /* bytes, as far as the mappings show */
};

/* What the mappings of one process commit, in bytes. */
struct commit_maps {
	uint64_t private_bytes;	      /* the mappings with the kernel's VM_ACCOUNT: smaps' "ac" */
	struct commit_object *object; /* each once; owned */
	size_t objects;
};

/* Pure: smaps of one process. -EINVAL when it is malformed or has no VmFlags (before 3.8); -ENOMEM. */
int commit_maps_parse(const char *text, struct commit_maps *maps);
void commit_maps_clear(struct commit_maps *maps);
/* Adds one object, which may be there already. -ENOMEM. */
int commit_maps_add(struct commit_maps *maps, const struct commit_object *object);
/* Sorts the objects, keeps the largest of each that is there more than once, and returns the sum of their
 * sizes: UINT64_MAX when it is larger. */
uint64_t commit_maps_merge(struct commit_maps *maps);

#endif
