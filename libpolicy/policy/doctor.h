/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What this machine can do for a confinement, why not, and what helps. Pure. */
#ifndef CGPOL_POLICY_DOCTOR_H
#define CGPOL_POLICY_DOCTOR_H

#include "policy/facts.h"

enum doctor_state {
	DOCTOR_OK,	/* it is there and works */
	DOCTOR_MISSING, /* it is not there */
	DOCTOR_LIMITED, /* it is there, but not for all that it is good for; or a setting changes what happens
			 */
	DOCTOR_UNKNOWN, /* it could not be found out */
	DOCTOR_INFO,	/* a fact, neither good nor bad */
};

struct doctor_row {
	const char *name; /* stable, for scripts: "controller.memory" */
	enum doctor_state state;
	bool is_required; /* cgpol run and apply cannot do without it */
	char *reason;	  /* may hold raw bytes of paths */
	char *remedy;	  /* NULL: none is needed, or none is known */
};

struct doctor {
	struct doctor_row *row; /* what is required stands first within each group */
	size_t rows;
	bool is_short; /* of memory: rows are lost */
};

/* Judges the facts. 0, or -ENOMEM. */
int doctor_examine(const struct facts *facts, struct doctor *doctor);
void doctor_clear(struct doctor *doctor);
const char *doctor_state_name(enum doctor_state state); /* "ok", "missing", "limited", "unknown", "info" */
/* How many required capabilities are in this state. */
size_t doctor_required(const struct doctor *doctor, enum doctor_state state);

/* For those who judge a part: adds a row that is optional and has no remedy; then, for the newest row, its
 * remedy, or that it is required. A failure shows in is_short. */
__attribute__((format(printf, 4, 5))) void doctor_add(struct doctor *doctor, const char *name,
						      enum doctor_state state, const char *format, ...);
__attribute__((format(printf, 2, 3))) void doctor_remedy(struct doctor *doctor, const char *format, ...);
void doctor_require(struct doctor *doctor);

static inline void doctor_clear_p(struct doctor *doctor)
{
	doctor_clear(doctor);
}

#endif
