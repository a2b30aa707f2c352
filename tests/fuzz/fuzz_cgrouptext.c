/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: /proc/PID/cgroup behind the path of the mounted cgroup and a newline; and names of cgroups.
 * Nothing that comes out leaves the mount. */
#include <stdlib.h>
#include <string.h>

#include "host/cgroup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_name(const char *name)
{
	require(name[0] == '/');
	require(!strstr(name, "/../"));
	require(strlen(name) < 3 || strcmp(name + strlen(name) - 3, "/..") != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size);
	char *rest = text ? strchr(text, '\n') : NULL;
	struct cgpol_host host = {.cgroup2_root = text};
	char *name = NULL;

	if (text && cgroup_name(text, &name, NULL) == 0) {
		check_name(name);
		require(!strchr(name, '\n') && !strstr(name, "//"));
		free(name);
		name = NULL;
	}
	if (rest) {
		*rest++ = '\0';
		if (text[0] == '/' && cgroup_of_text(&host, rest, &name) == 0)
			check_name(name);
	}
	free(name);
	free(text);
	return 0;
}
