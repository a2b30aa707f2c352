/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The list of all commands, finding one, and the help that comes from their tables. */
#include "cmd.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "guess.h"

const struct cmd *cmd_find(const char *name, struct cgpol_error *err)
{
	struct guess guess = {.word = name};
	char hint[96] = "\"cgpol help\" lists the commands";

	for (const struct cmd *const *at = cmd_all; *at; at++) {
		if (strcmp((*at)->name, name) == 0)
			return *at;
		if (!(*at)->is_hidden)
			guess_offer(&guess, (*at)->name);
	}
	if (guess.best)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", guess.best);
	error_set(err, EINVAL, CGPOL_USAGE, "unknown command \"%s\"", name);
	error_detail(err, NULL, name, hint);
	return NULL;
}

static void print_program(FILE *out)
{
	(void)fputs("Usage: cgpol [OPTION...] COMMAND [ARGUMENT...]\n\n"
		    "Confine with cgroup v2 and memory policies, see memory by node, foretell OOM kills.\n\n"
		    "Commands:\n",
		    out);
	for (const struct cmd *const *at = cmd_all; *at; at++)
		if (!(*at)->is_hidden)
			(void)fprintf(out, "  %-26s %s\n", (*at)->name, (*at)->summary);
	(void)fputs("\nOptions, before or behind the command:\n", out);
	opt_print_help(cli_options, out);
	(void)fputs("\n\"cgpol COMMAND --help\" tells more, and so do cgpol(1) and cgpol-COMMAND(1).\n", out);
}

void cmd_print_help(const struct cmd *command, FILE *out)
{
	if (!command) {
		print_program(out);
		return;
	}
	(void)fprintf(out, "Usage: cgpol %s %s\n\n%s.\n", command->name, command->usage, command->summary);
	if (command->about)
		(void)fprintf(out, "%s\n", command->about);
	if (command->options) {
		(void)fputs("\nOptions:\n", out);
		opt_print_help(command->options, out);
	}
	(void)fputs("\nGlobal options:\n", out);
	opt_print_help(cli_options, out);
	if (command->columns)
		(void)fputs("\nColumns:\n", out);
	for (const struct column *column = command->columns; column && column->name; column++)
		(void)fprintf(out, "  %-26s %s\n", column->name, column->help);
	if (!command->is_hidden && command->options)
		(void)fprintf(out, "\nMore in cgpol-%s(1).\n", command->name);
}

int cli_no_words(const struct cli *cli, size_t most, struct cgpol_error *err)
{
	char hint[96];

	if (cli->words.count <= most)
		return 0;
	(void)snprintf(hint, sizeof(hint), "usage: cgpol %s %s", cli->command->name, cli->command->usage);
	error_set(err, EINVAL, CGPOL_USAGE, "unexpected argument \"%s\"", cli->words.word[most]);
	error_detail(err, NULL, cli->words.word[most], hint);
	return -EINVAL;
}
