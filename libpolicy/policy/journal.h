/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one change did, as text that survives it: every step with what was there before. Pure: text to values
 * and back. */
#ifndef CGPOL_POLICY_JOURNAL_H
#define CGPOL_POLICY_JOURNAL_H

#include "policy/apply.h"

/* The text is lines of fields with one tab between them; values are "=" and what text_encode makes of them,
 * "-" is none:
 *
 *	cgpol journal 1
 *	id	=20261130T221721-1234
 *	time	1796077041
 *	uid	0
 *	pid	1234	98765				with its start time
 *	boot	=d2c6...
 *	mount	=/sys/fs/cgroup
 *	command	=cgpol set /web memory.max=1G
 *	step	0	set	-	0	0	=/web	=memory.max	=max	=1073741824	-
 *			number, operation, flags, pid, start time, cgroup, file, old, new, what is lost
 *	old	0	=2147483648
 *	result	0	done
 *	end	done
 *
 * A step that has no result may have been done. "end done" says that all of those were; so what went
 * otherwise (unchanged, skipped) must have its line before it. "end failed" and "end stuck" say that those
 * without a result were not reached. */

enum journal_state {
	JOURNAL_OPEN,	/* no end: cgpol is at work, or was killed */
	JOURNAL_DONE,	/* all of it holds */
	JOURNAL_FAILED, /* a step failed, and all was taken back */
	JOURNAL_STUCK,	/* a step failed, and something could not be taken back */
	JOURNAL_UNDONE, /* cgpol undo took it back */
};

struct journal_entry {
	struct step step;	 /* old_value: what was there just before the step; owned by the journal */
	bool is_begun;		 /* the step may have been done */
	enum step_result result; /* STEP_PENDING: nobody wrote down how it went */
};

/* Zero-initialised it is empty. Give it back with journal_clear. */
struct journal {
	char *id;      /* "20261130T221721-1234" (UTC, pid): sorts by time; also its file's name */
	char *command; /* as typed, for people */
	char *boot;    /* /proc/sys/kernel/random/boot_id: cgroups do not outlive it */
	char *mount;   /* where cgroup2 was mounted, and which cgroup was there: paths are below it */
	int64_t time;  /* seconds since the epoch */
	uint64_t uid;
	pid_t pid;
	uint64_t start_time; /* of that cgpol: tells a running one from a killed one */
	struct journal_entry *entry;
	size_t entries;
	enum journal_state state;
};

/* Lines to be appended, each ends with a newline; the caller frees them. NULL when memory is short. Values
 * are encoded (text_encode), so that any bytes survive. journal_begin: the head, without entries; what is
 * NULL in it is "". */
char *journal_begin(const struct journal *journal);
/* Steps first..first+count-1 of a plan, all at once: what is intended, with what was found. `first_number`
 * counts over all plans of the change. */
char *journal_plan(const struct plan *plan, size_t first_number);
/* Step `number` (counted over all plans of the change) finds something else than was planned, just before it
 * is done. */
char *journal_old(size_t number, const char *old);
char *journal_result(size_t number, enum step_result result);
char *journal_end(enum journal_state state);

/* Reads a whole file. A last line without its newline was torn by a crash and does not count. CGPOL_FAILED
 * (-EINVAL) with the line's number when it is none of ours, or of a later version; every step then has what
 * its operation needs, and names without "..". -ENODATA when it was torn before its first step: nothing was
 * done. */
int journal_parse(const char *text, struct journal *journal, struct cgpol_error *err);
void journal_clear(struct journal *journal);
/* Where cgroup2 was mounted and which cgroup was there, as journal->mount has it; the caller frees it. "":
 * nowhere. NULL when memory is short. */
char *journal_mount(const struct cgpol_host *host);
const char *journal_state_name(enum journal_state state); /* "open", "done", "failed", "stuck", "undone" */
/* "pending", "done", "unchanged", "skipped", "failed", "undone", "stays" */
const char *journal_result_name(enum step_result result);
const char *journal_op_name(enum step_op op); /* "mkdir", "enable", "set", ...: in the file */

#endif
