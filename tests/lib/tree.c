/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory of files for one test, made below TMPDIR and removed whole. */
#include "tree.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char tree_manifest[] = "{\"schema\": 1, \"kernel\": \"6.1.0\", \"page_size\": 4096, \"uid\": 0,"
			     " \"capabilities\": \"1ff\", \"self\": 5, \"initial_pid_namespace\": true,"
			     " \"time\": 1700000000}\n";

/* A test without its files has nothing to say. */
static void require(int condition, const char *what)
{
	if (!condition) {
		perror(what);
		abort();
	}
}

char *tree_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char *name;

	require(asprintf(&name, "%s/cgpol-test-XXXXXX", tmp ? tmp : "/tmp") > 0, "asprintf");
	require(mkdtemp(name) != NULL, name);
	return name;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void tree_remove(char *tree)
{
	require(nftw(tree, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0, tree);
	free(tree);
}

const char *tree_path(const char *tree, const char *path)
{
	static char full[PATH_MAX];

	require(snprintf(full, sizeof(full), "%s%s", tree, path) < (int)sizeof(full), path);
	return full;
}

void tree_mkdir(const char *tree, const char *path)
{
	char full[PATH_MAX];

	require(snprintf(full, sizeof(full), "%s%s", tree, path) < (int)sizeof(full), path);
	for (char *slash = strchr(full + strlen(tree) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(full, 0755);
		*slash = '/';
	}
	(void)mkdir(full, 0755);
}

static void make_parent(const char *tree, const char *path)
{
	char *parent = strndup(path, (size_t)(strrchr(path, '/') - path));

	require(parent != NULL, path);
	if (*parent != '\0')
		tree_mkdir(tree, parent);
	free(parent);
}

void tree_put(const char *tree, const char *path, const void *data, size_t size)
{
	FILE *file;

	make_parent(tree, path);
	file = fopen(tree_path(tree, path), "w");
	require(file != NULL, path);
	require(fwrite(data, 1, size, file) == size && fclose(file) == 0, path);
}

void tree_link(const char *tree, const char *path, const char *target)
{
	char *copy = strdup(target); /* it may be tree_path's */

	require(copy != NULL, target);
	make_parent(tree, path);
	require(symlink(copy, tree_path(tree, path)) == 0, path);
	free(copy);
}
