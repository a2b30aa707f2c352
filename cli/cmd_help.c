/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol help: the same as --help. */
#include "cmd.h"

#include <errno.h>

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	const struct cmd *command = NULL;
	int rc = cli_no_words(cli, 1, err);

	(void)config;
	if (rc < 0)
		return rc;
	if (cli->words.count) {
		command = cmd_find(cli->words.word[0], err);
		if (!command)
			return -EINVAL;
	}
	cmd_print_help(command, cli->out);
	cli->has_document = true; /* help is text, with --json too */
	return 0;
}

const struct cmd cmd_help = {
	.name = "help",
	.summary = "Show the help of a command",
	.usage = "[COMMAND]",
	.operands = "commands",
	.run = run,
};
