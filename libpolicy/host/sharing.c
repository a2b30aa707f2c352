/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which processes share an mm: groups of pids, merged where they overlap. */
#include "host/sharing.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

void sharing_clear(struct sharing *sharing)
{
	free(sharing->member);
	sharing->member = NULL;
	sharing->members = 0;
}

static int compare_members(const void *a, const void *b)
{
	const struct sharing_member *left = a, *right = b;

	return (left->pid > right->pid) - (left->pid < right->pid);
}

int sharing_init(struct sharing *sharing, const pid_t *pids, size_t count)
{
	struct sharing_member *member = calloc(count + 1, sizeof(*member));
	size_t members = 0;

	if (!member)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		member[i].pid = pids[i];
	qsort(member, count, sizeof(*member), compare_members);
	for (size_t i = 0; i < count; i++) {
		if (members > 0 && member[members - 1].pid == member[i].pid)
			continue;
		member[members] = (struct sharing_member){member[i].pid, members};
		members++;
	}
	sharing_clear(sharing);
	sharing->member = member;
	sharing->members = members;
	return 0;
}

static size_t find_first(const struct sharing *sharing, pid_t pid)
{
	struct sharing_member wanted = {pid, 0};
	const struct sharing_member *found = NULL;
	size_t at;

	if (sharing->members > 0)
		found = bsearch(&wanted, sharing->member, sharing->members, sizeof(wanted), compare_members);
	if (!found)
		return SIZE_MAX;
	at = (size_t)(found - sharing->member);
	while (sharing->member[at].up != at) {
		size_t up = sharing->member[at].up;

		/* Halving the path keeps long chains short, also where it is only asked. */
		sharing->member[at].up = sharing->member[up].up;
		at = up;
	}
	return at;
}

void sharing_join(struct sharing *sharing, pid_t a, pid_t b)
{
	size_t first = find_first(sharing, a), second = find_first(sharing, b);

	assert(first != SIZE_MAX && second != SIZE_MAX);
	if (first < second)
		sharing->member[second].up = first;
	else
		sharing->member[first].up = second;
}

pid_t sharing_leader(const struct sharing *sharing, pid_t pid)
{
	size_t first = find_first(sharing, pid);

	return first == SIZE_MAX ? pid : sharing->member[first].pid;
}
