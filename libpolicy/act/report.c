/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writing a finished document where a user wants it, whole or not at all. */
#include "act/report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/error.h"

static int refuse(struct cgpol_error *err, const char *path, const char *hint, const char *why)
{
	(void)error_set(err, EINVAL, CGPOL_USAGE, "a report cannot be written to \"%s\": %s", path, why);
	error_detail(err, path, path, hint);
	return -EINVAL;
}

static int fail(struct cgpol_error *err, const char *path, int rc)
{
	(void)error_set(err, -rc, CGPOL_FAILED, "cannot write the report to %s: %s", path, strerror(-rc));
	error_detail(err, path, NULL, NULL);
	return rc;
}

/* The folder a file lies in. */
static char *folder_of(const char *full)
{
	const char *slash = strrchr(full, '/');

	return slash == full ? strdup("/") : strndup(full, (size_t)(slash - full));
}

int report_check(struct cgpol_host *host, const char *directory, const char *path, char **full,
		 struct cgpol_error *err)
{
	AUTO(free_p) char *made = NULL;
	AUTO(free_p) char *folder = NULL;
	struct root_info info;
	int rc;

	if (!*path || strcmp(path, "-") == 0)
		return refuse(err, path, "name a file: standard output is the command's", "it is no file");
	if (path[strlen(path) - 1] == '/')
		return refuse(err, path, NULL, "it is a folder");
	if (asprintf(&made, "%s%s%s", *path == '/' ? "" : directory, *path == '/' ? "" : "/", path) < 0) {
		made = NULL;
		return fail(err, path, -ENOMEM);
	}
	rc = root_stat(host->root, made, &info);
	if (rc == 0 && !S_ISREG(info.mode))
		return refuse(err, path, "a report replaces a regular file, or makes one",
			      S_ISDIR(info.mode) ? "it is a folder" : "it is something else than a file");
	if (rc == -ENOENT) {
		folder = folder_of(made);
		rc = folder ? root_stat(host->root, folder, &info) : -ENOMEM;
		if (rc == 0 && !S_ISDIR(info.mode))
			rc = -ENOTDIR;
	}
	if (rc < 0)
		return fail(err, path, rc);
	*full = TAKE(made);
	return 0;
}

int report_save(struct cgpol_host *host, const char *full, const char *text, struct cgpol_error *err)
{
	int rc = root_save(host->root, full, text);

	return rc < 0 ? fail(err, full, rc) : 0;
}
