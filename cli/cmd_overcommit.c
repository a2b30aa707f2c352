/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol overcommit: the options of its three parts, and which of them was asked for. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "guess.h"
#include "overcommit.h"

/* The number of a mode is its place, modulo 3. */
static const char *const mode_words[] = {"heuristic", "always", "never", "0", "1", "2", NULL};

static const struct opt options[] = {
	{"mode", 0, OPT_ENUM, OPT_AT(overcommit_config, mode), "MODE", mode_words,
	 "set: heuristic (0), always (1) or never (2)"},
	{"ratio", 0, OPT_INT, OPT_AT(overcommit_config, ratio), "PERCENT", NULL,
	 "set: the limit is this part of RAM, and all swap"},
	{"kbytes", 0, OPT_INT, OPT_AT(overcommit_config, kbytes), "N", NULL,
	 "set: the limit is N KiB, and all swap"},
	{"force", 0, OPT_FLAG, OPT_AT(overcommit_config, force), NULL, NULL,
	 "set: though more is committed than the limit allows"},
	{"persist", 0, OPT_FLAG, OPT_AT(overcommit_config, persist), NULL, NULL,
	 "set: write " OVERCOMMIT_FILE " too"},
	{"top", 0, OPT_INT, OPT_AT(overcommit_config, top), "N", NULL, "top: how many rows; 20, 0 is all"},
	{"cgroups", 0, OPT_FLAG, OPT_AT(overcommit_config, cgroups), NULL, NULL,
	 "top: cgroups instead of processes"},
	{"estimate", 0, OPT_FLAG, OPT_AT(overcommit_config, estimate), NULL, NULL,
	 "top: quick and rough, without reading mappings"},
	TABLE_OPTIONS(overcommit_config, style),
	{0},
};

static const struct overcommit_config defaults = {.mode = -1};

const struct column overcommit_columns[] = {
	[COMMIT_PID] = {"PID", COLUMN_RIGHT, "process id"},
	[COMMIT_NAME] = {"NAME", 0, "command name"},
	[COMMIT_PROCESSES] = {"PROCESSES", COLUMN_RIGHT, "how many processes a cgroup has of its own"},
	[COMMIT_COMMIT] = {"COMMIT", COLUMN_RIGHT, "what counts in Committed_AS: PRIVATE and SHARED"},
	[COMMIT_PRIVATE] = {"PRIVATE", COLUMN_RIGHT, "private mappings that the kernel accounts"},
	[COMMIT_SHARED] = {"SHARED", COLUMN_RIGHT, "shared anonymous memory and System V segments"},
	[COMMIT_ANON] = {"ANON", COLUMN_RIGHT, "private anonymous memory in RAM"},
	[COMMIT_SWAP] = {"SWAP", COLUMN_RIGHT, "private anonymous memory in swap"},
	[COMMIT_RATIO] = {"RATIO", COLUMN_RIGHT, "ANON and SWAP as a part of PRIVATE"},
	[COMMIT_EXACT] = {"EXACT", 0, "yes, or no for an estimate"},
	[COMMIT_CGROUP] = {"CGROUP", 0, "cgroup"},
	{0},
};

enum { OF_SHOW = 1, OF_SET = 2, OF_TOP = 4 };

static const struct part {
	const char *name;
	unsigned flag;
	int (*run)(struct cli *cli, const struct overcommit_config *config, struct cgpol_error *err);
} parts[] = {
	{"show", OF_SHOW, overcommit_show},
	{"set", OF_SET, overcommit_set},
	{"top", OF_TOP, overcommit_top},
};

static int reject(struct cgpol_error *err, const char *value, const char *hint, const char *sentence)
{
	error_set(err, EINVAL, CGPOL_USAGE, "%s", sentence);
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

static const struct part *find_part(const struct cli *cli, struct cgpol_error *err)
{
	const char *name = cli->words.count ? cli->words.word[0] : parts[0].name;
	struct guess guess = {.word = name};
	char hint[96];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (strcmp(parts[i].name, name) == 0)
			return &parts[i];
		guess_offer(&guess, parts[i].name);
	}
	(void)snprintf(hint, sizeof(hint), guess.best ? "did you mean %s?" : "it is show, set or top%s",
		       guess.best ? guess.best : "");
	error_set(err, EINVAL, CGPOL_USAGE, "overcommit cannot \"%s\"", name);
	error_detail(err, NULL, name, hint);
	return NULL;
}

/* Which options belong to which part. */
static int check_part(const struct overcommit_config *config, const struct part *part,
		      struct cgpol_error *err)
{
	const struct {
		bool is_given;
		const char *name;
		unsigned flags;
	} given[] = {
		{config->mode >= 0, "--mode", OF_SET},
		{config->ratio.is_set, "--ratio", OF_SET},
		{config->kbytes.is_set, "--kbytes", OF_SET},
		{config->force, "--force", OF_SET},
		{config->persist, "--persist", OF_SET},
		{config->top.is_set, "--top", OF_TOP},
		{config->cgroups, "--cgroups", OF_TOP},
		{config->estimate, "--estimate", OF_TOP},
		{config->style.columns != NULL, "--output", OF_TOP},
		{config->style.raw, "--raw", OF_TOP},
		{config->style.noheadings, "--noheadings", OF_TOP},
		{config->style.bytes, "--bytes", OF_TOP | OF_SHOW},
	};

	for (size_t i = 0; i < ARRAY_SIZE(given); i++) {
		if (!given[i].is_given || given[i].flags & part->flag)
			continue;
		error_set(err, EINVAL, CGPOL_USAGE, "%s does not go with overcommit %s", given[i].name,
			  part->name);
		error_detail(err, NULL, given[i].name,
			     given[i].flags & OF_SET ? "it belongs to overcommit set"
						     : "it belongs to overcommit top");
		return -EINVAL;
	}
	return 0;
}

static int check_set(const struct overcommit_config *config, struct cgpol_error *err)
{
	/* The kernel's int: kernel/sysctl.c proc_dointvec. */
	enum { RATIO_MAX = 2147483647 };

	if (config->mode < 0 && !config->ratio.is_set && !config->kbytes.is_set)
		return reject(err, NULL, "give --mode, --ratio or --kbytes", "there is nothing to set");
	if (config->ratio.is_set && config->kbytes.is_set)
		return reject(err, NULL, "give one of them: setting one switches the other off",
			      "--ratio and --kbytes exclude each other");
	if (config->ratio.is_set && (config->ratio.number < 0 || config->ratio.number > RATIO_MAX))
		return reject(err, NULL, NULL, "--ratio: a percentage from 0 is wanted");
	if (config->kbytes.is_set && config->kbytes.number < 0)
		return reject(err, NULL, NULL, "--kbytes: a number of KiB is wanted");
	if (config->kbytes.is_set && config->kbytes.number == 0)
		return reject(err, "0", "--ratio PERCENT ends a limit by kbytes",
			      "--kbytes 0 would set the ratio to 0 too, and leave only swap");
	return 0;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	struct overcommit_config config = *(const struct overcommit_config *)given;
	const struct part *part = find_part(cli, err);
	int rc;

	if (!part)
		return -EINVAL;
	rc = cli_no_words(cli, 1, err);
	if (config.mode >= 0)
		config.mode %= OVERCOMMIT_MODES;
	if (rc == 0)
		rc = check_part(&config, part, err);
	if (rc == 0 && part->flag == OF_SET)
		rc = check_set(&config, err);
	if (rc == 0 && config.top.is_set && config.top.number < 0)
		rc = reject(err, NULL, NULL, "--top: a number of rows from 0 is wanted");
	return rc < 0 ? rc : part->run(cli, &config, err);
}

const struct cmd cmd_overcommit = {
	.name = "overcommit",
	.summary = "Show or set the overcommit policy, or rank who commits",
	.usage = "[show|set|top] [OPTION...]",
	.about = "show tells the policy, its limit and how much of it is committed; set changes\n"
		 "it, and refuses what would make every allocation fail; top ranks processes or\n"
		 "cgroups by what they commit.",
	.operands = "show set top",
	.options = options,
	.columns = overcommit_columns,
	.defaults = &defaults,
	.config_size = sizeof(defaults),
	.run = run,
};
