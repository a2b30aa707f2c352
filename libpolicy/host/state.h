/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory in which cgpol keeps what it needs to take its changes back: a lock, and small files that are
 * on disk before the next thing happens. None of it is a kernel's file. */
#ifndef CGPOL_HOST_STATE_H
#define CGPOL_HOST_STATE_H

#include <cgpol/cgpol.h>
#include <stdbool.h>
#include <stddef.h>

struct state;

enum {
	STATE_FILE_MAX = 64 << 20, /* bytes of one journal */
	STATE_FILES_MAX = 1 << 16, /* more of them are -E2BIG: they are pruned to some hundreds */
};

/* Opens it; makes its last part (0700) when `make` says so and it is missing, else that is -ENOENT. Must be a
 * directory (no link), owned by the effective user and writable by nobody else: CGPOL_FAILED (-EPERM) with
 * the chmod or chown that helps. */
int state_open(const char *path, bool make, struct state **state, struct cgpol_error *err);
void state_close(struct state *state);
const char *state_path(const struct state *state); /* as given */
/* Takes the directory for this process alone (flock(2) on its file "lock", which holds the pid), and waits
 * for that up to so many milliseconds. -EBUSY, CGPOL_FAILED, names the process that has it. Released by
 * state_close and by the kernel when the process ends. */
int state_lock(struct state *state, unsigned milliseconds, struct cgpol_error *err);
/* Names below: no "/", not empty, no leading ".", not "lock": -EINVAL. Files of another owner or that others
 * may write to, and what is no plain file, are -EPERM; a link is -ELOOP.
 *
 * Makes a file that must not be there (-EEXIST) and keeps it open for state_append; 0600. One at a time. The
 * directory is synced too. */
int state_create(struct state *state, const char *name);
/* Opens one that is there for appending. A last line without its newline, torn by a crash, is cut off. */
int state_resume(struct state *state, const char *name);
/* Appends to the open file, whole or not at all, and waits until it is on disk (fdatasync). -EBADF when none
 * is open, -EFBIG above STATE_FILE_MAX. */
int state_append(struct state *state, const char *text);
/* The whole file, NUL terminated; the caller frees it. -EFBIG above STATE_FILE_MAX, -EINVAL with a NUL in it.
 */
int state_read(struct state *state, const char *name, char **text);
/* Names of the plain files but the lock and those with a leading ".", sorted bytewise; free with
 * root_list_free (host/root.h). */
int state_list(struct state *state, char ***names, size_t *count);
int state_remove(struct state *state, const char *name);

static inline void state_close_p(struct state **state)
{
	state_close(*state);
}

#endif
