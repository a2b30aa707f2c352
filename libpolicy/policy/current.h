/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is there now, as far as a plan needs it: the levels from the root to one cgroup, and the values to be
 * changed. */
#ifndef CGPOL_POLICY_CURRENT_H
#define CGPOL_POLICY_CURRENT_H

#include "host/cgroup.h"
#include "policy/policy.h"

struct current_level {
	char *name; /* "/", "/web", "/web/db" */
	bool exists;
	char *controllers;     /* cgroup.controllers, NULL when the level does not exist */
	char *subtree_control; /* cgroup.subtree_control */
	char *type;	       /* cgroup.type; "domain" for the root, which has no such file */
	bool has_processes; /* of its own: cgroup.procs is not empty; false for the real root, where they do
			       no harm */
};

struct current_value {
	char *text; /* NULL when the file is not there */
	int error;  /* -errno when it cannot be read */
};

struct current {
	struct current_level *level; /* from the root down to the cgroup itself */
	size_t levels;
	struct current_value *value; /* of the cgroup, one for each setting of the policy, in its order */
	size_t values;
	uint64_t memory_limit; /* lowest memory.max of the ancestors, UINT64_MAX for none */
	uint64_t memory_total; /* MemTotal */
	uint64_t *node_total;  /* MemTotal by node id, nodes entries; 0 for those without */
	size_t nodes;
	struct nodeset cpus, mems;   /* effective ones of the nearest ancestor that exists and has the files;
					online where   none has */
	char *cpus_from, *mems_from; /* that ancestor; NULL: none, it is the machine */
	struct nodeset possible_nodes, online_nodes, memory_nodes, possible_cpus, online_cpus;
	uint64_t page_size;
	unsigned major, minor; /* of the kernel */
};

/* Reads it. Only what the policy's settings, and `also` (plan.h; may be NULL), need is read: where a level
 * has all controllers that are wanted, those above it are taken to be plain domains that hand them down. */
int current_read(struct cgpol_host *host, const struct cgpol_policy *policy, const char *cgroup,
		 const char *also, struct current *current, struct cgpol_error *err);
void current_clear(struct current *current);

#endif
