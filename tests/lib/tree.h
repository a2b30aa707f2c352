/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of files for one test, made below TMPDIR and removed whole. */
#ifndef CGPOL_TEST_TREE_H
#define CGPOL_TEST_TREE_H

#include <stddef.h>

/* An empty directory; the caller gives its name back with tree_remove. */
char *tree_make(void);
void tree_remove(char *tree);
/* Writes a file below the tree and the directories above it. */
void tree_put(const char *tree, const char *path, const void *data, size_t size);
void tree_mkdir(const char *tree, const char *path);
void tree_link(const char *tree, const char *path, const char *target);
/* Its full name, until the next call. */
const char *tree_path(const char *tree, const char *path);

/* A manifest that says the least that one may say. */
extern const char tree_manifest[];

#endif
