/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one change did, as text that survives it. */
#include "policy/journal.h"

#include <errno.h>

char *journal_begin(const struct journal *journal)
{
	(void)journal;
	return NULL;
}
char *journal_plan(const struct plan *plan, size_t first_number)
{
	(void)plan;
	(void)first_number;
	return NULL;
}
char *journal_old(size_t number, const char *old)
{
	(void)number;
	(void)old;
	return NULL;
}
char *journal_result(size_t number, enum step_result result)
{
	(void)number;
	(void)result;
	return NULL;
}
char *journal_end(enum journal_state state)
{
	(void)state;
	return NULL;
}
int journal_parse(const char *text, struct journal *journal, struct cgpol_error *err)
{
	(void)text;
	(void)journal;
	(void)err;
	return -ENOSYS;
}
void journal_clear(struct journal *journal)
{
	(void)journal;
}
const char *journal_state_name(enum journal_state state)
{
	(void)state;
	return "";
}
