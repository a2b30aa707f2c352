/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory in which cgpol keeps what it needs to take its changes back. */
#include "host/state.h"

#include <errno.h>

int state_open(const char *path, bool make, struct state **state, struct cgpol_error *err)
{
	(void)path;
	(void)make;
	(void)state;
	(void)err;
	return -ENOSYS;
}
void state_close(struct state *state)
{
	(void)state;
}
const char *state_path(const struct state *state)
{
	(void)state;
	return "";
}
int state_lock(struct state *state, unsigned milliseconds, struct cgpol_error *err)
{
	(void)state;
	(void)milliseconds;
	(void)err;
	return -ENOSYS;
}
int state_create(struct state *state, const char *name)
{
	(void)state;
	(void)name;
	return -ENOSYS;
}
int state_resume(struct state *state, const char *name)
{
	(void)state;
	(void)name;
	return -ENOSYS;
}
int state_append(struct state *state, const char *text)
{
	(void)state;
	(void)text;
	return -ENOSYS;
}
int state_read(struct state *state, const char *name, char **text)
{
	(void)state;
	(void)name;
	(void)text;
	return -ENOSYS;
}
int state_list(struct state *state, char ***names, size_t *count)
{
	(void)state;
	(void)names;
	(void)count;
	return -ENOSYS;
}
int state_remove(struct state *state, const char *name)
{
	(void)state;
	(void)name;
	return -ENOSYS;
}
