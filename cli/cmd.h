/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a command is, the list of all, and what the program gives to each. */
#ifndef CGPOL_CLI_CMD_H
#define CGPOL_CLI_CMD_H

#include "host/host.h"
#include "json.h"
#include "opt.h"
#include "table.h"

enum cli_color { CLI_COLOR_AUTO, CLI_COLOR_ALWAYS, CLI_COLOR_NEVER };

struct cmd;

/* The global options, and what a command works with. */
struct cli {
	const char *root, *record, *state;
	int color; /* enum cli_color */
	bool json, dry_run, verbose, quiet, help, version;
	const struct cmd *command;
	struct words words; /* arguments of the command that are no options */
	char **argv;	    /* as typed, for the journal */
	FILE *out;	    /* collects stdout, which is written when all is done: whole, or not at all */
	bool has_document;  /* the JSON document is in `out` */
	bool is_told;	    /* the failure's sentence is on stderr already */
	int status;	    /* exit code when it is not 0: of a success, or instead of the error's kind */
	struct cgpol_host *host;
};

struct cmd {
	const char *name;
	const char *summary;	      /* one line, for the list of commands */
	const char *usage;	      /* what stands behind the name */
	const char *about;	      /* a paragraph for --help; may be NULL */
	bool is_hidden;		      /* for the completions, not for people */
	bool stops_at_word;	      /* its options end at the first word: the rest is a command to start */
	const char *operands;	      /* what `cgpol __list` offers for words: "pids", "commands", the words
					 themselves ("show set top"), "COMMAND" for a command line, or NULL */
	const struct opt *options;    /* may be NULL */
	const struct column *columns; /* may be NULL */
	const void *defaults;	      /* config_size bytes: the config before parsing; NULL: zeros */
	size_t config_size;
	int failure; /* exit code of every failure; 0: the error's kind */
	/* 0, or -errno with the sentence in *err. */
	int (*run)(struct cli *cli, const void *config, struct cgpol_error *err);
};

int cli_main(int argc, char **argv);

/* Ends with NULL. The program has all, its static front only what it runs itself. */
extern const struct cmd *const cmd_all[];
extern const struct cmd cmd_clean, cmd_confined, cmd_create, cmd_delete, cmd_doctor, cmd_explain_key,
	cmd_freeze, cmd_get, cmd_help, cmd_history, cmd_list, cmd_move, cmd_nodes, cmd_overcommit,
	cmd_partition, cmd_predict, cmd_reap, cmd_run, cmd_set, cmd_shield, cmd_stat, cmd_thaw, cmd_tree,
	cmd_undo, cmd_wait;
extern const struct opt cli_options[];

const struct cmd *cmd_find(const char *name, struct cgpol_error *err);
/* --help of one command, or of the program when it is NULL. */
void cmd_print_help(const struct cmd *command, FILE *out);

/* Opens the machine at the first call; main.c closes it. */
int cli_host(struct cli *cli, struct cgpol_host **host, struct cgpol_error *err);
/* Prints the document into cli->out. */
int cli_print_json(struct cli *cli, struct json *json);
/* A failure on stderr: the sentence, and the hint on a second line. Only main.c and partial failures. */
void cli_print_error(const struct cli *cli, const struct cgpol_error *err);
/* A remark on stderr, but with -q. */
__attribute__((format(printf, 2, 3))) void cli_note(const struct cli *cli, const char *format, ...);
/* Whether `file` may be coloured. */
bool cli_has_color(const struct cli *cli, FILE *file);
/* Fails when there are words, for commands that take none. */
int cli_no_words(const struct cli *cli, size_t most, struct cgpol_error *err);

#endif
