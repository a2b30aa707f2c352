/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls host/cgroupfs.h from the guest's scripts.
 *
 * usage: cgroupfs_life mount CONTROLLER
 *        cgroupfs_life create NAME [CONTROLLER...]
 *        cgroupfs_life give UID GID NAME [CONTROLLER...]
 *        cgroupfs_life attach NAME PID
 *        cgroupfs_life delete NAME
 *        cgroupfs_life mark NAME VALUE      as host/mark.h would
 *        cgroupfs_life loop NAME COUNT      create, start a process there, let it end, delete; COUNT times
 * "-" before them: without libcgroup; "shown": print what is changed through the door, not by libcgroup. A
 * failure is its sentence on stderr and "ERRNO KIND" on stdout; status 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "host/cgroup.h"
#include "host/cgroupfs.h"
#include "host/mark.h"

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

static int make(struct cgroupfs *fs, char **argv, const struct cgroupfs_owner *owner, struct cgpol_error *err)
{
	return cgroupfs_create(fs, argv[0], (const char *const *)(argv + 1), owner, err);
}

static int give(struct cgroupfs *fs, char **argv, struct cgpol_error *err)
{
	struct cgroupfs_owner owner = {(uid_t)number(argv[0]), (gid_t)number(argv[1])};

	return make(fs, argv + 2, &owner, err);
}

static int show_mount(struct cgroupfs *fs, const char *controller, struct cgpol_error *err)
{
	char *path = NULL;
	int rc = cgroupfs_mount_point(fs, controller, &path);

	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "%s is not mounted", controller);
	puts(path);
	free(path);
	return 0;
}

static int live_and_die(struct cgroupfs *fs, const char *name, struct cgpol_error *err)
{
	static const char *const controllers[] = {"memory", "pids", NULL};
	int rc = cgroupfs_create(fs, name, controllers, NULL, err), go[2];
	pid_t pid;

	if (rc < 0)
		return rc;
	if (pipe(go) < 0 || (pid = fork()) < 0)
		return error_set(err, EAGAIN, CGPOL_FAILED, "cannot fork");
	if (pid == 0) {
		char *memory = malloc(4 << 20);

		(void)close(go[1]);
		if (memory)
			memset(memory, 1, 4 << 20);
		_exit(read(go[0], &rc, 1) < 0);
	}
	(void)close(go[0]);
	rc = cgroupfs_attach(fs, name, pid, err);
	(void)close(go[1]);
	/* A process that has ended is not gone from its cgroup yet. */
	(void)waitpid(pid, NULL, 0);
	return rc < 0 ? rc : cgroupfs_delete(fs, name, err);
}

static int put_mark(struct cgpol_host *host, const char *name, const char *value, struct cgpol_error *err)
{
	char *path = cgroup_path(host, name, NULL);
	int rc = path ? root_set_xattr(host->root, path, MARK_ATTRIBUTE, value) : -ENOMEM;

	free(path);
	return rc < 0 ? error_set(err, -rc, CGPOL_FAILED, "cannot mark %s", name) : 0;
}

static int run(struct cgpol_host *host, struct cgroupfs *fs, int argc, char **argv, struct cgpol_error *err)
{
	int rc = 0;

	if (argc == 2 && strcmp(argv[0], "mount") == 0)
		return show_mount(fs, argv[1], err);
	if (argc >= 2 && strcmp(argv[0], "create") == 0)
		return make(fs, argv + 1, NULL, err);
	if (argc >= 4 && strcmp(argv[0], "give") == 0)
		return give(fs, argv + 1, err);
	if (argc == 3 && strcmp(argv[0], "attach") == 0)
		return cgroupfs_attach(fs, argv[1], number(argv[2]), err);
	if (argc == 2 && strcmp(argv[0], "delete") == 0)
		return cgroupfs_delete(fs, argv[1], err);
	if (argc == 3 && strcmp(argv[0], "mark") == 0)
		return put_mark(host, argv[1], argv[2], err);
	if (argc != 3 || strcmp(argv[0], "loop") != 0)
		return error_set(err, EINVAL, CGPOL_USAGE, "usage: see the head of tests/vm/cgroupfs_life.c");
	for (int left = number(argv[2]); rc == 0 && left > 0; left--)
		rc = live_and_die(fs, argv[1], err);
	return rc;
}

/* root_trace_fn */
static void show_change(void *arg, const char *op, const char *path, int result)
{
	static const char *const changes[] = {"mkdir", "rmdir", "write"};

	(void)arg;
	(void)result;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++)
		if (strcmp(op, changes[i]) == 0)
			printf("%s %s\n", op, path);
}

int main(int argc, char **argv)
{
	struct cgpol_error err = {0};
	struct cgpol_host *host = NULL;
	struct cgroupfs *fs = NULL;
	bool is_bare = argc > 1 && strcmp(argv[1], "-") == 0;
	bool is_shown = argc > 1 && strcmp(argv[1], "shown") == 0;
	int skip = is_bare || is_shown ? 2 : 1;
	int rc = host_open(NULL, NULL, &host, &err);

	if (rc == 0 && is_shown)
		host_trace(host, show_change, NULL);
	if (rc == 0)
		rc = is_bare ? cgroupfs_open_bare(host, &fs, &err) : cgroupfs_open(host, &fs, &err);
	if (rc == 0)
		rc = run(host, fs, argc - skip, argv + skip, &err);
	cgroupfs_close(fs);
	cgpol_host_free(host);
	if (rc == 0)
		return 0;
	(void)fprintf(stderr, "%s\n", err.text);
	printf("%s %d\n", error_name(err.code), err.kind);
	return 1;
}
