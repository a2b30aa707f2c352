/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The lines of /proc/PID/mountinfo, as spans. Pure. */
#ifndef CGPOL_HOST_MOUNTINFO_H
#define CGPOL_HOST_MOUNTINFO_H

#include "base/text.h"

/* One line (fs/proc_namespace.c show_mountinfo): id parent DEVICE ROOT POINT OPTIONS [optional...] - TYPE
 * SOURCE SUPEROPTIONS. Paths are mangled: see mountinfo_unmangle. */
struct mountinfo {
	struct span device; /* "98:0" */
	struct span root, point, options;
	struct span type, source;
	struct span super; /* the file system's own options */
};

/* Splits a line. False when a part is missing. The number of optional fields varies, so that what follows is
 * found from the separator; the source may be empty, and is then an empty span. */
bool mountinfo_parse(struct span line, struct mountinfo *mount);
/* Copies a path and undoes mangle() (fs/proc_namespace.c, fs/seq_file.c): blank, tab, newline, backslash and
 * "#" are
 * \\NNN. The caller frees it; NULL when memory is short. */
char *mountinfo_unmangle(struct span mangled);
/* One byte of a mangled path; *at moves behind it. */
char mountinfo_next(const char **at, const char *end);
/* Is the word one of a comma-separated list? */
bool mountinfo_has_option(struct span list, const char *option);

#endif
