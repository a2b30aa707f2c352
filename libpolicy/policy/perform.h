/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Doing one step of any operation: looking at what is there, then changing it. */
#ifndef CGPOL_POLICY_PERFORM_H
#define CGPOL_POLICY_PERFORM_H

#include "host/mark.h"
#include "policy/plan.h"

struct cgroupfs;

struct performer {
	struct cgpol_host *host;
	struct cgroupfs *fs; /* for making, moving and removing; NULL: by the door */
	enum mark_kind mark; /* of a cgroup that is made; MARK_NONE: none */
	bool is_fresh;	     /* this run made the step's cgroup: nobody else had a hand in it */
};

enum { PERFORM_NOTHING = 1 };

/* What is there just before a step, as step->old_value; the caller frees *old. NULL where there is nothing,
 * and for a fresh cgroup, with which all goes. 0, PERFORM_NOTHING when all is as wanted already, or -errno;
 * *old is set for the first two. -ESRCH for a process that is gone, or is another of its number. */
int perform_look(const struct performer *performer, const struct step *step, char **old);
/* Does it. 0, PERFORM_NOTHING when somebody else was faster, or -errno;
 * *is_half: it failed, and changed something nevertheless. */
int perform_step(const struct performer *performer, const struct step *step, bool *is_half);

/* For those who take a step back: -ESRCH unless step->pid is the process of step->start_time. */
int perform_check_process(struct cgpol_host *host, const struct step *step);
/* What the file of STEP_HOST, STEP_SAVE or STEP_TASK, or the thread of STEP_AFFINITY, has now. The caller
 * frees it. */
int perform_read(struct cgpol_host *host, const struct step *step, char **text);
/* Writes such a value. */
int perform_write(struct cgpol_host *host, const struct step *step, const char *text);
/* The owner of what a STEP_OWNER is about, "UID:GID"; the caller frees it. */
int perform_read_owner(struct cgpol_host *host, const struct step *step, char **text);
int perform_write_owner(struct cgpol_host *host, const struct step *step, const char *owner);
/* Moves the process or thread of a STEP_ATTACH. */
int perform_attach(const struct performer *performer, const struct step *step, const char *cgroup);

#endif
