/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptors of the fake kernel: of processes (pidfd_open(2)), and of files that change (inotify(7)). */
#include "fakewatch.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "fakekernel.h"
#include "faketask.h"

struct watched_process {
	pid_t pid;
	uint64_t start_time;
	ino_t inode; /* of the pipe: tells its read end */
	int end;     /* which is written to when the process ends */
	bool is_gone;
};

struct watched_files {
	int end;
	char **path, **last;
	size_t paths;
};

struct fakewatch {
	struct cgroup_tree *tree;
	struct watched_process *process;
	struct watched_files *files;
	size_t processes, sets;
};

struct fakewatch *fakewatch_new(struct cgroup_tree *tree)
{
	struct fakewatch *watch = faketree_must(calloc(1, sizeof(*watch)));

	watch->tree = tree;
	return watch;
}

void fakewatch_free(struct fakewatch *watch)
{
	for (size_t i = 0; i < watch->processes; i++)
		(void)close(watch->process[i].end);
	for (size_t i = 0; i < watch->sets; i++) {
		struct watched_files *files = &watch->files[i];

		for (size_t j = 0; j < files->paths; j++) {
			free(files->path[j]);
			free(files->last[j]);
		}
		free(files->path);
		free(files->last);
		(void)close(files->end);
	}
	free(watch->process);
	free(watch->files);
	free(watch);
}

int fakewatch_process(struct fakewatch *watch, pid_t pid)
{
	const struct process *process = faketask_process(watch->tree, pid);
	struct watched_process *watched;
	struct stat st;
	int end[2];

	/* A thread that is not the first is EINVAL, but ESRCH since 6.15: ESRCH will do. */
	if (!process)
		return -ESRCH;
	faketree_check(pipe2(end, O_CLOEXEC | O_NONBLOCK) == 0 && fstat(end[0], &st) == 0);
	watch->process =
		faketree_must(reallocarray(watch->process, watch->processes + 1, sizeof(*watch->process)));
	watched = &watch->process[watch->processes++];
	*watched = (struct watched_process){pid, process->task[0]->start_time, st.st_ino, end[1], false};
	fakewatch_settle(watch);
	return end[0];
}

static const struct process *living(const struct fakewatch *watch, const struct watched_process *watched)
{
	const struct process *process = faketask_process(watch->tree, watched->pid);

	return process && process->task[0]->start_time == watched->start_time ? process : NULL;
}

int fakewatch_pid(const struct fakewatch *watch, int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -EBADF;
	/* From the last: a closed pipe's inode may be another one's by now. */
	for (size_t i = watch->processes; i-- > 0;) {
		if (watch->process[i].inode == st.st_ino)
			return living(watch, &watch->process[i]) ? (int)watch->process[i].pid : -ESRCH;
	}
	return -EBADF;
}

int fakewatch_files(struct fakewatch *watch, char *const *path, size_t paths)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct watched_files *files;

	faketree_check(fd >= 0);
	watch->files = faketree_must(reallocarray(watch->files, watch->sets + 1, sizeof(*watch->files)));
	files = &watch->files[watch->sets++];
	files->end = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	faketree_check(files->end >= 0);
	files->path = faketree_must(calloc(paths + 1, sizeof(*files->path)));
	files->last = faketree_must(calloc(paths + 1, sizeof(*files->last)));
	files->paths = paths;
	for (size_t i = 0; i < paths; i++) {
		files->path[i] = faketree_must(strdup(path[i]));
		if (fakecgroup_read(watch->tree, path[i], &files->last[i]) < 0)
			files->last[i] = NULL;
	}
	return fd;
}

static void settle_files(struct fakewatch *watch, struct watched_files *files)
{
	for (size_t i = 0; i < files->paths; i++) {
		AUTO(free_p) char *now = NULL;
		uint64_t one = 1;

		/* Of one that was removed nobody is told here. */
		if (fakecgroup_read(watch->tree, files->path[i], &now) < 0 ||
		    (files->last[i] && strcmp(files->last[i], now) == 0))
			continue;
		free(files->last[i]);
		files->last[i] = TAKE(now);
		faketree_check(write(files->end, &one, sizeof(one)) == sizeof(one));
	}
}

void fakewatch_settle(struct fakewatch *watch)
{
	for (size_t i = 0; i < watch->processes; i++) {
		struct watched_process *watched = &watch->process[i];
		const struct process *process = living(watch, watched);

		if (watched->is_gone || (process && !(process->behaviour & FAKEKERNEL_ZOMBIE)))
			continue;
		watched->is_gone = true;
		/* The reader may have closed its end. */
		(void)!write(watched->end, "", 1);
	}
	for (size_t i = 0; i < watch->sets; i++)
		settle_files(watch, &watch->files[i]);
}
