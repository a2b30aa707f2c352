/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine can do for a confinement, why not, and what helps. Pure. */
#include "policy/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "policy/abilities.h"
#include "policy/controllers.h"
#include "policy/settings.h"

void doctor_add(struct doctor *doctor, const char *name, enum doctor_state state, const char *format, ...)
{
	struct doctor_row *grown = reallocarray(doctor->row, doctor->rows + 1, sizeof(*grown));
	char *reason;
	va_list arguments;
	int size;

	if (!grown) {
		doctor->is_short = true;
		return;
	}
	doctor->row = grown;
	va_start(arguments, format);
	size = vasprintf(&reason, format, arguments);
	va_end(arguments);
	if (size < 0) {
		doctor->is_short = true;
		return;
	}
	doctor->row[doctor->rows++] = (struct doctor_row){.name = name, .state = state, .reason = reason};
}

void doctor_remedy(struct doctor *doctor, const char *format, ...)
{
	va_list arguments;
	char *remedy;
	int size;

	if (doctor->is_short)
		return;
	va_start(arguments, format);
	size = vasprintf(&remedy, format, arguments);
	va_end(arguments);
	if (size < 0) {
		doctor->is_short = true;
		return;
	}
	free(doctor->row[doctor->rows - 1].remedy);
	doctor->row[doctor->rows - 1].remedy = remedy;
}

void doctor_require(struct doctor *doctor)
{
	if (!doctor->is_short)
		doctor->row[doctor->rows - 1].is_required = true;
}

int doctor_examine(const struct facts *facts, struct doctor *doctor)
{
	AUTO(doctor_clear_p) struct doctor made = {0};

	controllers_judge(facts, &made);
	abilities_judge(facts, &made);
	settings_judge(facts, &made);
	if (made.is_short)
		return -ENOMEM;
	*doctor = made;
	made = (struct doctor){0};
	return 0;
}

void doctor_clear(struct doctor *doctor)
{
	for (size_t i = 0; i < doctor->rows; i++) {
		free(doctor->row[i].reason);
		free(doctor->row[i].remedy);
	}
	free(doctor->row);
	*doctor = (struct doctor){0};
}

const char *doctor_state_name(enum doctor_state state)
{
	static const char *const names[] = {
		[DOCTOR_OK] = "ok",	      [DOCTOR_MISSING] = "missing", [DOCTOR_LIMITED] = "limited",
		[DOCTOR_UNKNOWN] = "unknown", [DOCTOR_INFO] = "info",
	};

	return names[state];
}

size_t doctor_required(const struct doctor *doctor, enum doctor_state state)
{
	size_t count = 0;

	for (size_t i = 0; i < doctor->rows; i++)
		count += doctor->row[i].is_required && doctor->row[i].state == state;
	return count;
}
