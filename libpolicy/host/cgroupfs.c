/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup's life on the live machine through libcgroup: discovery, creation, attaching, deletion. */
#include "host/cgroupfs.h"

#include <errno.h>

int cgroupfs_open(struct cgpol_host *host, struct cgpol_error *err)
{
	(void)host;
	(void)err;
	return -ENOSYS;
}

int cgroupfs_mount_point(struct cgpol_host *host, const char *controller, char **path)
{
	(void)host;
	(void)controller;
	(void)path;
	return -ENOSYS;
}

int cgroupfs_create(struct cgpol_host *host, const char *name, const char *const *controllers,
		    const struct cgroupfs_owner *owner, struct cgpol_error *err)
{
	(void)host;
	(void)name;
	(void)controllers;
	(void)owner;
	(void)err;
	return -ENOSYS;
}

int cgroupfs_attach(struct cgpol_host *host, const char *name, pid_t pid, struct cgpol_error *err)
{
	(void)host;
	(void)name;
	(void)pid;
	(void)err;
	return -ENOSYS;
}

int cgroupfs_delete(struct cgpol_host *host, const char *name, struct cgpol_error *err)
{
	(void)host;
	(void)name;
	(void)err;
	return -ENOSYS;
}
