/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What doctor needs to know of a machine, read once. */
#ifndef CGPOL_POLICY_FACTS_H
#define CGPOL_POLICY_FACTS_H

#include "host/host.h"
#include "host/proc.h"
#include "policy/mounts.h"

/* What host/probe.h can ask, as far as it is judged here. */
enum facts_probe {
	FACTS_CLONE3,
	FACTS_PIDFD_OPEN,
	FACTS_PIDFD_SIGNAL,
	FACTS_MRELEASE,
	FACTS_HOME_NODE,
	FACTS_GET_MEMPOLICY,
	FACTS_DEFAULT,
	FACTS_BIND,
	FACTS_PREFERRED,
	FACTS_PREFERRED_MANY,
	FACTS_INTERLEAVE,
	FACTS_WEIGHTED,
	FACTS_LOCAL,
	FACTS_STATIC,
	FACTS_RELATIVE,
	FACTS_BIND_BALANCING,
	FACTS_MANY_BALANCING,
	FACTS_SECCOMP,
	FACTS_PROBES
};

enum facts_setting {
	FACTS_OVERCOMMIT,
	FACTS_PANIC,
	FACTS_KILL_ALLOCATING,
	FACTS_ZONE_RECLAIM,
	FACTS_MIN_FREE,
	FACTS_BALANCING,
	FACTS_SETTINGS
};

/* include/uapi/linux/capability.h */
enum {
	FACTS_DAC_OVERRIDE = 1,
	FACTS_SYS_PTRACE = 19,
	FACTS_SYS_ADMIN = 21,
	FACTS_SYS_NICE = 23,
	FACTS_SYS_RESOURCE = 24
};

/* A line of /proc/cgroups, which has the v1 names. From 6.13 on a kernel leaves out the controllers that it
 * has not for v1 (kernel/cgroup/cgroup-v1.c proc_cgroupstats_show). */
struct facts_controller {
	char name[32];
	uint64_t hierarchy; /* 0: v2, or none */
	uint64_t cgroups;
	bool is_enabled;
};

/* A file that sysctl(8) sets. */
struct facts_number {
	int error; /* 0 or -errno: then there is no number */
	uint64_t value;
};

/* The effective group of the reader, then the supplementary ones. */
struct facts_groups {
	uint64_t *gid;
	size_t count;
};

/* A cgroup: from the one at the mount down to that of the reader. */
struct facts_cgroup {
	char *name;
	char *controllers, *subtree_control; /* the files' text, NULL when they cannot be read */
	char *locked;			     /* the first of its directory, cgroup.procs and
						cgroup.subtree_control that the reader may not write; NULL: none */
	uint32_t locked_uid, locked_mode;    /* its owner and permissions */
};

struct facts_killer {
	pid_t pid;
	const char *name;
};

/* Texts are owned, and NULL where the file cannot be read. */
struct facts {
	struct root_facts self;
	struct facts_groups groups;   /* none, where the reader's /proc/self/status does not tell */
	unsigned major, minor, patch; /* of the kernel */
	bool is_asked; /* the kernel, or a capture that was made for doctor: what is not there, does not exist
			*/
	int probe[FACTS_PROBES]; /* 0 or -errno; -ENODATA: was never asked */

	int mounts_error; /* 0 or the -errno of mountinfo */
	struct mounts mounts;
	char *cgroup2, *cgroup2_root; /* as in struct cgpol_host */
	bool is_read_only;	      /* the cgroup2 mount */
	int is_whole;	   /* 1: the mount shows the root of the hierarchy; 0: a part; -1: not known */
	char *features;	   /* /sys/kernel/cgroup/features */
	char *filesystems; /* /proc/filesystems */
	char *cmdline;
	bool has_controllers; /* /proc/cgroups could be read */
	struct facts_controller *controller;
	size_t controllers;
	int own_error; /* why the reader's own cgroup is not in `level`: 0, or cgroup_of_text's error */
	struct facts_cgroup *level;
	size_t levels;

	bool has_systemd;	   /* /run/systemd/system: sd_booted(3) */
	char init[PROC_COMM_SIZE]; /* name of process 1, "" when it cannot be read */

	bool has_numa; /* /sys/devices/system/node: CONFIG_NUMA */
	bool has_nodes;
	size_t memory_nodes;
	char *online, *with_memory, *memoryless, *cpuless; /* lists; NULL unless has_nodes */
	char *isolated, *nohz_full;
	int psi;	 /* 0 or the -errno of /proc/pressure/memory */
	int swaps_error; /* 0 or the -errno of /proc/swaps */
	size_t swaps;
	uint64_t swap_bytes, swap_used;
	struct facts_number setting[FACTS_SETTINGS];
	struct facts_killer *killer;
	size_t killers;
	bool sees_all; /* no process is hidden: none by a pid namespace, and pid 1 can be read */
};

/* Reads all there is. What cannot be read is left out, and the facts say so. 0, or -ENOMEM. */
int facts_read(struct cgpol_host *host, struct facts *facts);
void facts_clear(struct facts *facts);
/* The groups of this process by /proc/self/status; the caller clears them. 0 or -errno: -EINVAL when they are
 * not there, or malformed. */
int facts_read_groups(struct cgpol_host *host, struct facts_groups *groups);
void facts_clear_groups(struct facts_groups *groups);
/* May one who has these groups write what `info` is of? By owner, group, permissions and CAP_DAC_OVERRIDE,
 * which in a user namespace does not reach what belongs to somebody outside of it. */
bool facts_may_write(const struct root_facts *self, const struct facts_groups *groups,
		     const struct root_info *info);
bool facts_can(const struct facts *facts, unsigned capability);
/* The line of /proc/cgroups, or NULL. */
const struct facts_controller *facts_find(const struct facts *facts, const char *v1_name);
/* The daemons that kill when memory is short, by their command names; ends with NULL. */
extern const char *const facts_oom_killers[];

/* Parsers of foreign text. -ENOMEM, or 0: malformed lines are passed over. */
int facts_parse_controllers(const char *text, struct facts *facts);
void facts_parse_swaps(const char *text, struct facts *facts);

static inline void facts_clear_p(struct facts *facts)
{
	facts_clear(facts);
}

#endif
