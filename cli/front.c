/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is called cgpol: it runs commands itself, linked statically, and leaves the rest to
 * libexec/cgpol/cgpol. */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd.h"

/* A confined start pays for what is loaded before main: a dynamic program with libsmartcols and libjansson
 * needs some 1,500,000 instructions more than a static one without. */

const struct cmd *const cmd_all[] = {&cmd_run, NULL};

/* Where the whole program is, seen from this one: installed (a tree that was moved too), and in a build
 * folder. */
static const char *const places[] = {CGPOL_LIBEXEC "/cgpol", "cgpol-full"};

/* Returns only when there is none, or it cannot be started. */
static void try_beside(const char *self, char **argv)
{
	const char *slash = strrchr(self, '/');
	char path[2 * PATH_MAX];

	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		(void)snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - self), self, places[i]);
		(void)execv(path, argv);
	}
}

static int exec_full(char **argv)
{
	char self[PATH_MAX];
	ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (size > 0) {
		self[size] = '\0';
		try_beside(self, argv);
	}
	/* Where /proc is not mounted. */
	(void)execv(CGPOL_FULL, argv);
	(void)fprintf(stderr, "cgpol: cannot start %s, which has all commands but run: %s\n", CGPOL_FULL,
		      strerror(errno));
	return CGPOL_FAILED;
}

/* The word that names the command, or NULL. Mistakes are left to the one who runs it. */
static const char *find_command(char **argv)
{
	struct cli cli = {0};
	struct cgpol_error err = {0};
	struct opt_parser parser = {
		.table = {cli_options}, .config = {&cli}, .argv = argv, .at = 1, .stop_at_word = true};

	return opt_parse(&parser, &cli.words, &err) == 0 ? argv[parser.at] : NULL;
}

int main(int argc, char **argv)
{
	const char *command = argc > 0 ? find_command(argv) : NULL;

	if (command && strcmp(command, cmd_run.name) == 0)
		return cli_main(argc, argv);
	return exec_full(argv);
}
