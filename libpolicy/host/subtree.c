/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup with all below it, and who lives there. */
#include "host/subtree.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"

enum {
	NAMED_MAX = 4, /* processes that a sentence names */
	TICK_MS = 2,
};

void subtree_clear(struct subtree *tree)
{
	root_list_free(tree->name, tree->count);
	*tree = (struct subtree){0};
}

static int take_name(struct subtree *tree, char *name)
{
	char **more = name ? reallocarray(tree->name, tree->count + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(name);
		return -ENOMEM;
	}
	tree->name = more;
	more[tree->count++] = name;
	return 0;
}

int subtree_add(struct subtree *tree, const char *name)
{
	return take_name(tree, strdup(name));
}

int subtree_add_children(struct cgpol_host *host, const char *name, struct subtree *tree)
{
	char **children = NULL;
	size_t count = 0;
	int rc = cgroup_children(host, name, &children, &count);

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = take_name(tree, TAKE(children[i]));
	if (children)
		root_list_free(children, count);
	return rc;
}

int subtree_list(struct cgpol_host *host, const char *name, struct subtree *tree)
{
	int rc = subtree_add(tree, name);

	for (size_t i = 0; rc == 0 && i < tree->count; i++) {
		rc = subtree_add_children(host, tree->name[i], tree);
		if (i > 0 && (rc == -ENOENT || rc == -ENODEV))
			rc = 0;
	}
	return rc;
}

bool subtree_is_populated(struct cgpol_host *host, const char *name)
{
	AUTO(free_p) char *path = cgroup_path(host, name, "cgroup.events");
	AUTO(free_p) char *text = NULL;
	uint64_t populated = 0;

	return path && root_read(host->root, path, &text, NULL) == 0 &&
	       text_field(text, "populated", &populated) == 0 && populated != 0;
}

static size_t print_living(struct cgpol_host *host, const char *name, size_t seen, FILE *out)
{
	AUTO(free_p) pid_t *pids = NULL;
	size_t count = 0;

	/* A threaded cgroup lists none; the processes are those of the domain above it. */
	if (cgroup_procs(host, name, &pids, &count) < 0)
		return 0;
	for (size_t i = 0; i < count && seen + i < NAMED_MAX; i++) {
		struct proc_stat stat = {.comm = "?"};
		char comm[4 * PROC_COMM_SIZE];

		if (proc_read_stat(host, pids[i], &stat) < 0)
			(void)strcpy(stat.comm, "?");
		(void)fprintf(out, "%s%d (%s)", seen + i ? ", " : "", (int)pids[i],
			      text_escape(stat.comm, comm, sizeof(comm)));
	}
	return count;
}

char *subtree_living(struct cgpol_host *host, const struct subtree *tree)
{
	AUTO(free_p) char *text = NULL;
	size_t size = 0, seen = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < tree->count; i++)
		seen += print_living(host, tree->name[i], seen, out);
	if (seen > NAMED_MAX)
		(void)fprintf(out, " and %zu more", seen - NAMED_MAX);
	return fclose(out) == 0 ? TAKE(text) : NULL;
}

int subtree_wait(struct cgpol_host *host, const struct subtree *tree, unsigned milliseconds, char **living)
{
	const struct timespec tick = {.tv_nsec = TICK_MS * 1000000L};

	for (unsigned waited = 0; subtree_is_populated(host, tree->name[0]); waited += TICK_MS) {
		AUTO(free_p) char *names = subtree_living(host, tree);

		if (!names)
			return -ENOMEM;
		if (*names || waited >= milliseconds) {
			if (living)
				*living = TAKE(names);
			return -EBUSY;
		}
		(void)nanosleep(&tick, NULL);
	}
	return 0;
}
