/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The whole program, with every command: libexec/cgpol/cgpol. */
#include <locale.h>

#include "cmd.h"

const struct cmd *const cmd_all[] = {
	&cmd_run,    &cmd_create, &cmd_set,	   &cmd_get,	     &cmd_tree,	  &cmd_confined,
	&cmd_move,   &cmd_freeze, &cmd_thaw,	   &cmd_wait,	     &cmd_delete, &cmd_partition,
	&cmd_shield, &cmd_undo,	  &cmd_history,	   &cmd_clean,	     &cmd_reap,	  &cmd_predict,
	&cmd_stat,   &cmd_nodes,  &cmd_overcommit, &cmd_explain_key, &cmd_doctor, &cmd_help,
	&cmd_list,   NULL};

int main(int argc, char **argv)
{
	/* How wide characters are, for the tables. */
	(void)setlocale(LC_CTYPE, "");
	return cli_main(argc, argv);
}
