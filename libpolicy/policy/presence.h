/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether this machine has a setting: its kernel, its controller, its file. */
#ifndef CGPOL_POLICY_PRESENCE_H
#define CGPOL_POLICY_PRESENCE_H

#include "host/host.h"
#include "policy/keys.h"

enum presence_state {
	PRESENCE_YES,	  /* its file was seen; of a process: the kernel is new enough */
	PRESENCE_NO,	  /* why: in the sentence */
	PRESENCE_UNKNOWN, /* no cgroup has the controller yet, so that no file can be seen; or it cannot be
			     read */
};

struct presence {
	enum presence_state state;
	char text[400]; /* a finished sentence, which names the file or the reason */
	char hint[216]; /* what brings it; may be empty */
};

/* Looks for the file of a row of the table: at the root cgroup, or in one of its children. `name`: the file,
 * where the row's has a star. -ENOMEM. */
int presence_read(struct cgpol_host *host, const struct key *key, const char *name,
		  struct presence *presence);

#endif
