/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the fake kernel outside cgroup2 that can be written: the kernel's settings and configuration
 * files.
 */
#include "fakesysctl.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fakeroot.h"

#define VM "/proc/sys/vm/"

struct sysctl_file {
	const char *path, *initial, *clears; /* clears: the setting that becomes 0 with it */
	long min, max;
};

/* kernel/sysctl.c vm_table of 6.1, mm/util.c; the reserves are those of a machine of 2 GiB with the caps of
 * init_user_reserve() and init_admin_reserve(). */
static const struct sysctl_file sysctl_files[] = {
	{VM "overcommit_memory", "0\n", NULL, 0, 2},
	{VM "overcommit_ratio", "50\n", VM "overcommit_kbytes", INT_MIN, INT_MAX},
	{VM "overcommit_kbytes", "0\n", VM "overcommit_ratio", 0, LONG_MAX},
	{VM "user_reserve_kbytes", "65536\n", NULL, 0, LONG_MAX},
	{VM "admin_reserve_kbytes", "8192\n", NULL, 0, LONG_MAX},
	{VM "panic_on_oom", "0\n", NULL, 0, 2},
	{VM "oom_kill_allocating_task", "0\n", NULL, INT_MIN, INT_MAX},
	{VM "swappiness", "60\n", NULL, 0, 200},
	{VM "zone_reclaim_mode", "0\n", NULL, INT_MIN, INT_MAX},
	{"/proc/sys/kernel/numa_balancing", "0\n", NULL, 0, 4},
};

struct fakesysctl {
	struct root *plain;
	char **path; /* of other files: those that may be written, and those that were saved */
	size_t paths;
};

static void sysctl_must(bool is_true)
{
	if (!is_true)
		abort();
}

struct fakesysctl *fakesysctl_new(struct root *plain)
{
	struct fakesysctl *sysctl = calloc(1, sizeof(*sysctl));

	sysctl_must(sysctl != NULL);
	sysctl->plain = plain;
	for (size_t i = 0; i < ARRAY_SIZE(sysctl_files); i++)
		fakeroot_put(plain, sysctl_files[i].path, sysctl_files[i].initial);
	fakeroot_mkdir(plain, "/etc/sysctl.d");
	return sysctl;
}

void fakesysctl_free(struct fakesysctl *sysctl)
{
	for (size_t i = 0; i < sysctl->paths; i++)
		free(sysctl->path[i]);
	free(sysctl->path);
	free(sysctl);
}

static bool is_allowed(const struct fakesysctl *sysctl, const char *path)
{
	for (size_t i = 0; i < sysctl->paths; i++) {
		if (strcmp(sysctl->path[i], path) == 0)
			return true;
	}
	return false;
}

void fakesysctl_allow(struct fakesysctl *sysctl, const char *path)
{
	if (is_allowed(sysctl, path))
		return;
	sysctl->path = reallocarray(sysctl->path, sysctl->paths + 1, sizeof(*sysctl->path));
	sysctl_must(sysctl->path != NULL);
	sysctl->path[sysctl->paths] = strdup(path);
	sysctl_must(sysctl->path[sysctl->paths++] != NULL);
}

static int look_up(struct fakesysctl *sysctl, const char *path, struct root_info *info)
{
	return sysctl->plain->ops->stat(sysctl->plain, path, info);
}

/* proc_dointvec_minmax(): a number, blanks around it, and nothing else. */
static int write_setting(struct fakesysctl *sysctl, const struct sysctl_file *setting, const char *text)
{
	char line[32], *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 0);
	if (end == text || errno == ERANGE || end[strspn(end, " \t\n")] != '\0' || number < setting->min ||
	    number > setting->max)
		return -EINVAL;
	(void)snprintf(line, sizeof(line), "%ld\n", number);
	fakeroot_put(sysctl->plain, setting->path, line);
	if (setting->clears)
		fakeroot_put(sysctl->plain, setting->clears, "0\n");
	return 0;
}

int fakesysctl_write(struct fakesysctl *sysctl, const char *path, const char *text)
{
	AUTO(free_p) char *line = NULL;
	struct root_info info;
	int rc = look_up(sysctl, path, &info);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(sysctl_files); i++) {
		if (strcmp(sysctl_files[i].path, path) == 0)
			return write_setting(sysctl, &sysctl_files[i], text);
	}
	if (!is_allowed(sysctl, path))
		return -EACCES;
	sysctl_must(asprintf(&line, "%.*s\n", (int)strcspn(text, "\n"), text) >= 0);
	fakeroot_put(sysctl->plain, path, line);
	return 0;
}

int fakesysctl_save(struct fakesysctl *sysctl, const char *path, const char *text)
{
	const char *slash = strrchr(path, '/');
	AUTO(free_p) char *parent = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	struct root_info info;
	int rc;

	sysctl_must(parent != NULL);
	/* In the kernel's own file systems nobody makes files. */
	if (strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0)
		return -EACCES;
	rc = look_up(sysctl, parent, &info);
	if (rc < 0)
		return rc;
	if (!S_ISDIR(info.mode))
		return -ENOTDIR;
	if (look_up(sysctl, path, &info) == 0 && S_ISDIR(info.mode))
		return -EISDIR;
	fakeroot_put(sysctl->plain, path, text);
	fakesysctl_allow(sysctl, path);
	return 0;
}

int fakesysctl_discard(struct fakesysctl *sysctl, const char *path)
{
	struct root_info info;
	int rc = look_up(sysctl, path, &info);

	if (rc < 0)
		return rc;
	if (S_ISDIR(info.mode))
		return -EISDIR;
	if (!is_allowed(sysctl, path))
		return -EACCES;
	fakeroot_remove(sysctl->plain, path);
	return 0;
}

static void dump_file(struct fakesysctl *sysctl, const char *path, FILE *out)
{
	AUTO(free_p) char *text = NULL;
	size_t size;

	if (sysctl->plain->ops->read(sysctl->plain, path, ROOT_FILE_MAX, &text, &size) == 0)
		(void)fprintf(out, "%s: %s%s", path, text, size > 0 && text[size - 1] == '\n' ? "" : "\n");
}

void fakesysctl_dump(struct fakesysctl *sysctl, FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(sysctl_files); i++)
		dump_file(sysctl, sysctl_files[i].path, out);
	for (size_t i = 0; i < sysctl->paths; i++)
		dump_file(sysctl, sysctl->path[i], out);
}
