/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every cgroup file system of /proc/PID/mountinfo, v1 and v2, and what the kernel's command line says of
 * controllers. Pure. */
#ifndef CGPOL_POLICY_MOUNTS_H
#define CGPOL_POLICY_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

enum { MOUNTS_MAX = 4096 }; /* cgroup mounts that are kept; the rest is ignored */

struct mounts_one {
	char *point;	 /* where it is mounted, as a path */
	char *part;	 /* which cgroup is mounted there: "/" but in a bind mount or a cgroup namespace */
	char *options;	 /* of the file system: the v1 controllers, or nsdelegate and the like */
	bool is_unified; /* cgroup2 */
	bool is_read_only;
};

struct mounts {
	struct mounts_one *mount; /* in the order of mountinfo */
	size_t count;
};

/* Takes the lines of type cgroup and cgroup2 out of the text of a mountinfo; others, and malformed ones, are
 * passed over. 0 or -ENOMEM. */
int mounts_parse(const char *text, struct mounts *mounts);
void mounts_clear(struct mounts *mounts);
/* Is `option` a word of the comma-separated list? */
bool mounts_has_option(const char *list, const char *option);
/* The first mount of a v1 hierarchy with this controller, by either of its names (io is blkio in v1); a whole
 * hierarchy is preferred to a part of one. NULL when there is none. */
const struct mounts_one *mounts_find_v1(const struct mounts *mounts, const char *name, const char *v1_name);
/* Is a controller switched off by cgroup_disable= (kernel/cgroup/cgroup.c cgroup_disable)? A later
 * cgroup_enable=, which some distributions' kernels know, takes it back. What stands behind "--" is init's.
 * `cmdline` may be NULL. */
bool mounts_is_disabled(const char *cmdline, const char *name, const char *v1_name);
/* Has the kernel's command line this very word ("psi=0")? */
bool mounts_has_word(const char *cmdline, const char *word);

#endif
