/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Release at the end of the scope, and handing over. */
#ifndef CGPOL_BASE_CLEANUP_H
#define CGPOL_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define AUTO(release) __attribute__((cleanup(release)))

/* Takes the pointer out of a variable so that its AUTO does not release it. */
#define TAKE(p)                             \
	({                                  \
		__typeof__(p) taken_ = (p); \
		(p) = NULL;                 \
		taken_;                     \
	})

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

static inline void free_p(void *p)
{
	free(*(void **)p);
}

static inline void close_p(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline void closedir_p(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

static inline void fclose_p(FILE **file)
{
	if (*file)
		(void)fclose(*file);
}

#endif
