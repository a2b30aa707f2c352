/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A journal of some steps on a fake kernel, as if a change had written it. */
#include "journals.h"

#include "base/cleanup.h"
#include "test.h"

void journals_make(const struct cgpol_host *host, const struct step *step, size_t steps,
		   enum journal_state end, struct journal *journal)
{
	const struct plan plan = {.step = (struct step *)(uintptr_t)step, .steps = steps};
	AUTO(free_p) char *mount = journal_mount(host);
	const struct journal head = {.id = (char *)(uintptr_t) "20261130T221721-1234", .mount = mount};
	AUTO(free_p) char *begin = journal_begin(&head);
	AUTO(free_p) char *lines = journal_plan(&plan, 0);
	AUTO(free_p) char *last = end == JOURNAL_OPEN ? strdup("") : journal_end(end);
	AUTO(free_p) char *text = NULL;
	struct cgpol_error err = {0};

	assert_true(asprintf(&text, "%s%s%s", begin, lines, last) > 0);
	if (journal_parse(text, journal, &err) < 0)
		fail_msg("%s", err.text);
}
