/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A journal of some steps on a fake kernel, as if a change had written it. */
#ifndef CGPOL_TEST_JOURNALS_H
#define CGPOL_TEST_JOURNALS_H

#include "policy/journal.h"

/* With the machine's mount and boot, and an end; JOURNAL_OPEN: without one. */
void journals_make(const struct cgpol_host *host, const struct step *step, size_t steps,
		   enum journal_state end, struct journal *journal);

#endif
