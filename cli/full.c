/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole program, with every command: libexec/cgpol/cgpol. */
#include <locale.h>

#include "cmd.h"

const struct cmd *const cmd_all[] = {&cmd_run,	      &cmd_predict, &cmd_stat, &cmd_nodes, &cmd_doctor,
				     &cmd_overcommit, &cmd_reap,    &cmd_help, &cmd_list,  NULL};

int main(int argc, char **argv)
{
	/* How wide characters are, for the tables. */
	(void)setlocale(LC_CTYPE, "");
	return cli_main(argc, argv);
}
