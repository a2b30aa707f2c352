/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a fuzz target over files, and over the files of directories: the corpora as tests, without libFuzzer.
 */
#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "r");
	uint8_t *data = NULL;
	size_t size = 0, got;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return -1;
	}
	do {
		data = realloc(data, size + 65536);
		if (!data)
			abort();
		got = fread(data + size, 1, 65536, file);
		size += got;
	} while (got > 0);
	(void)fclose(file);
	/* To the byte, so that a sanitizer sees the end. */
	data = realloc(data, size > 0 ? size : 1);
	if (!data)
		abort();
	(void)LLVMFuzzerTestOneInput(data, size);
	free(data);
	return 1;
}

static int replay_directory(const char *path, DIR *dir)
{
	const struct dirent *entry;
	int replayed = 0;

	while ((entry = readdir(dir))) {
		char *name;

		if (entry->d_name[0] == '.')
			continue;
		if (asprintf(&name, "%s/%s", path, entry->d_name) < 0)
			abort();
		replayed += replay_file(name) > 0;
		free(name);
	}
	return replayed;
}

int main(int argc, char **argv)
{
	int replayed = 0;

	for (int i = 1; i < argc; i++) {
		DIR *dir = opendir(argv[i]);

		replayed += dir ? replay_directory(argv[i], dir) : replay_file(argv[i]) > 0;
		if (dir)
			(void)closedir(dir);
	}
	printf("%d inputs replayed\n", replayed);
	/* A corpus that is not where it should be is no success. */
	return replayed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
