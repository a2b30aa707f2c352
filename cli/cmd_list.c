/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol __list: the names that completions and the in-step lint ask for, one a line. */
#include "cmd.h"

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/topology.h"
#include "journals.h"
#include "policy/keys.h"

enum { CGROUPS_MAX = 10000 }; /* no person picks from more */

static int list_commands(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)command;
	(void)err;
	for (const struct cmd *const *at = cmd_all; *at; at++)
		if (!(*at)->is_hidden)
			(void)fprintf(cli->out, "%s\t%s\n", (*at)->name, (*at)->summary);
	return 0;
}

static void print_options(const struct opt *table, FILE *out)
{
	for (const struct opt *opt = table; opt && opt->name; opt++) {
		if (!opt->help)
			continue;
		(void)fprintf(out, "--%s\t%s\n", opt->name, opt->help);
		if (opt->letter)
			(void)fprintf(out, "-%c\t%s\n", opt->letter, opt->help);
	}
}

static int list_options(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)err;
	if (command)
		print_options(command->options, cli->out);
	print_options(cli_options, cli->out);
	return 0;
}

static int list_columns(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)err;
	for (const struct column *column = command ? command->columns : NULL; column && column->name;
	     column++)
		(void)fprintf(cli->out, "%s\t%s\n", column->name, column->help);
	return 0;
}

static int list_pids(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	struct cgpol_host *host = NULL;
	AUTO(free_p) pid_t *pids = NULL;
	size_t count;
	int rc = cli_host(cli, &host, err);

	(void)command;
	if (rc == 0)
		rc = proc_list(host, &pids, &count);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		struct proc_stat stat;
		char comm[4 * PROC_COMM_SIZE];

		if (proc_read_stat(host, pids[i], &stat) < 0)
			continue;
		(void)fprintf(cli->out, "%d\t%s\n", (int)pids[i], text_escape(stat.comm, comm, sizeof(comm)));
	}
	return rc;
}

/* Names that a terminal cannot show as they are cannot be completed either. */
static bool is_printable(const char *name)
{
	size_t size = 4 * strlen(name) + 1;
	AUTO(free_p) char *escaped = malloc(size);

	return escaped && strcmp(text_escape(name, escaped, size), name) == 0;
}

/* Breadth first; takes over the names. */
static int walk_cgroups(struct cli *cli, struct cgpol_host *host, struct words *found)
{
	AUTO(free_p) char *top = strdup("/");
	int rc = top ? opt_words_add(found, top) : -ENOMEM;

	if (rc == 0)
		top = NULL;
	for (size_t i = 0; rc == 0 && i < found->count; i++) {
		const char *name = found->word[i];
		char **children = NULL;
		size_t count = 0;

		if (is_printable(name))
			(void)fprintf(cli->out, "%s\n", name);
		if (found->count >= CGROUPS_MAX || cgroup_children(host, name, &children, &count) < 0)
			continue; /* gone meanwhile */
		for (size_t c = 0; rc == 0 && c < count; c++) {
			rc = opt_words_add(found, children[c]);
			if (rc == 0)
				children[c] = NULL;
		}
		root_list_free(children, count);
	}
	return rc;
}

static int list_cgroups(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	struct words found = {0};
	struct cgpol_host *host = NULL;
	int rc = cli_host(cli, &host, err);

	(void)command;
	if (rc < 0 || !host->cgroup2)
		return rc;
	rc = walk_cgroups(cli, host, &found);
	for (size_t i = 0; i < found.count; i++)
		free(found.word[i]);
	free(found.word);
	return rc;
}

static int list_nodes(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	struct cgpol_host *host = NULL;
	AUTO(nodeset_clear_p) struct nodeset memory = {0};
	int rc = cli_host(cli, &host, err);

	(void)command;
	if (rc == 0)
		rc = topology_read_memory(host, &memory, err);
	for (int node = nodeset_next(&memory, 0); rc == 0 && node >= 0;
	     node = nodeset_next(&memory, node + 1))
		(void)fprintf(cli->out, "%d\n", node);
	return rc;
}

/* Of one cgroup: what --set takes. */
static int list_keys(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)command;
	(void)err;
	for (const struct key *key = key_table; key->name; key++)
		if (key->scope == KEY_CGROUP)
			(void)fprintf(cli->out, "%s=\t%s\n", key->name, key->help);
	return 0;
}

static int list_settings(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)command;
	(void)err;
	for (const struct key *key = key_table; key->name; key++)
		(void)fprintf(cli->out, "%s=\t%s\n", key->name, key->help);
	return 0;
}

static int list_names(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	(void)command;
	(void)err;
	for (const struct key *key = key_table; key->name; key++)
		(void)fprintf(cli->out, "%s\t%s\n", key->name, key->help);
	return 0;
}

/* The newest first. */
static int list_changes(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	AUTO(journals_close) struct journals journals = {0};
	int rc = journals_open(cli, false, &journals, err);

	(void)command;
	for (size_t i = rc < 0 ? 0 : journals.count; i-- > 0;) {
		AUTO(journal_clear) struct journal journal = {0};
		AUTO(free_p) char *told = NULL;

		if (journals_read(&journals, i, &journal, NULL) < 0)
			continue;
		told = journals_escape(journal.command);
		if (!told)
			return -ENOMEM;
		(void)fprintf(cli->out, "%s\t%s\n", journals.item[i].id, told);
	}
	return rc;
}

static const struct topic {
	const char *name;
	int (*list)(struct cli *cli, const struct cmd *command, struct cgpol_error *err);
} topics[] = {
	{"commands", list_commands}, {"options", list_options},	  {"columns", list_columns},
	{"pids", list_pids},	     {"cgroups", list_cgroups},	  {"nodes", list_nodes},
	{"keys", list_keys},	     {"settings", list_settings}, {"names", list_names},
	{"changes", list_changes},
};

static const struct topic *find_topic(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (strcmp(topics[i].name, name) == 0)
			return &topics[i];
	return NULL;
}

static const struct opt *find_option(const struct opt *table, const char *name)
{
	for (const struct opt *opt = table; opt && opt->name; opt++) {
		const char letter[] = {'-', opt->letter, '\0'};

		if ((strncmp(name, "--", 2) == 0 && strcmp(name + 2, opt->name) == 0) ||
		    (opt->letter && strcmp(name, letter) == 0))
			return opt;
	}
	return NULL;
}

static const struct opt *find_any(const struct cmd *command, const char *name)
{
	const struct opt *opt = command ? find_option(command->options, name) : NULL;

	return opt ? opt : find_option(cli_options, name);
}

/* Of "-rno" the last letter, when those before it take no value; behind "-oPID" no value follows. */
static const struct opt *find_given(const struct cmd *command, const char *name)
{
	const struct opt *opt = find_any(command, name);

	if (opt || name[0] != '-' || name[1] == '-')
		return opt;
	for (const char *at = name + 1; *at; at++) {
		const char letter[] = {'-', *at, '\0'};

		opt = find_any(command, letter);
		if (!opt || (opt->type != OPT_FLAG && at[1]))
			return NULL;
	}
	return opt;
}

/* What may follow an option: its words, or the topic that its value names. An option without a value: "-";
 * a value that is free: nothing; a directory: "DIR", a file: "FILE". */
static int list_values(struct cli *cli, const struct cmd *command, const char *name, struct cgpol_error *err)
{
	const struct opt *opt = find_given(command, name);
	const struct topic *topic = NULL;

	if (!opt || opt->type == OPT_FLAG) {
		(void)fputs("-\n", cli->out);
		return 0;
	}
	for (size_t i = 0; opt->words && opt->words[i]; i++)
		(void)fprintf(cli->out, "%s\n", opt->words[i]);
	if (strcmp(opt->value, "DIR") == 0 || strcmp(opt->value, "FILE") == 0)
		(void)fprintf(cli->out, "%s\n", opt->value);
	else if (opt->type == OPT_PID || opt->type == OPT_PIDS)
		topic = find_topic("pids");
	else if (strcmp(opt->value, "CGROUP") == 0)
		topic = find_topic("cgroups");
	else if (strcmp(opt->value, "COLUMNS") == 0)
		topic = find_topic("columns");
	else if (strcmp(opt->value, "NODES") == 0)
		topic = find_topic("nodes");
	else if (strcmp(opt->value, "KEY=VALUE") == 0)
		topic = find_topic("keys");
	return topic ? topic->list(cli, command, err) : 0;
}

/* Topics, or the words themselves: "show set top"; "COMMAND" is for the shell to complete. */
static int list_operands(struct cli *cli, const struct cmd *command, struct cgpol_error *err)
{
	const char *operands = command && command->operands ? command->operands : "";
	struct span rest = {operands, strlen(operands)}, word;
	int rc = 0;

	while (rc == 0 && text_word(&rest, &word)) {
		AUTO(free_p) char *name = span_dup(word);
		const struct topic *topic = name ? find_topic(name) : NULL;

		if (!name)
			return -ENOMEM;
		if (topic)
			rc = topic->list(cli, command, err);
		else
			(void)fprintf(cli->out, "%s\n", name);
	}
	return rc;
}

static int run(struct cli *cli, const void *config, struct cgpol_error *err)
{
	const char *name = cli->words.count ? cli->words.word[0] : "";
	const struct topic *topic = find_topic(name);
	const struct cmd *command = NULL;
	int rc = cli_no_words(cli, 3, err);

	(void)config;
	if (rc < 0)
		return rc;
	cli->has_document = true;
	for (const struct cmd *const *at = cmd_all; cli->words.count > 1 && *at; at++)
		if (strcmp((*at)->name, cli->words.word[1]) == 0)
			command = *at;
	if (strcmp(name, "values") == 0 && cli->words.count == 3)
		return list_values(cli, command, cli->words.word[2], err);
	if (strcmp(name, "operands") == 0) {
		return list_operands(cli, command, err);
	}
	if (topic)
		return topic->list(cli, command, err);
	error_set(err, EINVAL, CGPOL_USAGE, "__list: unknown topic \"%s\"", name);
	return -EINVAL;
}

const struct cmd cmd_list = {
	.name = "__list",
	.summary = "List names for completions",
	.usage = "commands|options|columns|operands|values|pids|cgroups|nodes|keys|settings|names|changes "
		 "[COMMAND [OPTION]]",
	.is_hidden = true,
	.run = run,
};
