/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What cgpol predict asked, and its two ways to tell the answer. */
#ifndef CGPOL_CLI_PREDICT_H
#define CGPOL_CLI_PREDICT_H

#include "cmd.h"
#include "memory/forecast.h"

struct predict_config {
	pid_t pid;
	const char *cgroup, *policy, *nodes;
	bool system, all;
	int kind;	/* 0 user, 1 kernel */
	int constraint; /* enum cgpol_constraint */
	uint64_t top;	/* candidates to show; 0: all */
	struct table_style style;
};

struct predict {
	const struct predict_config *config;
	const struct table_choice *choice; /* columns of the candidates; NULL with --json */
	const struct oom_snapshot *snapshot;
	const struct oom_question *question;
	const struct oom_forecast *oom;
};

enum predict_column {
	PREDICT_RANK,
	PREDICT_PID,
	PREDICT_NAME,
	PREDICT_POINTS,
	PREDICT_RSS,
	PREDICT_SWAP,
	PREDICT_PGTABLES,
	PREDICT_GROW,
	PREDICT_ADJ,
	PREDICT_ADJ_PAGES,
	PREDICT_CGROUP,
	PREDICT_NODES,
};

extern const struct column predict_columns[];

/* How many candidates are shown. */
size_t predict_shown(const struct predict *predict);
/* Is a skipped task told without --all? */
bool predict_tells_skipped(const struct predict *predict, const struct oom_skipped *skipped);
/* The cgroup of a task, or NULL when it is not known. */
const char *predict_cgroup(const struct predict *predict, size_t task);

/* The raw bytes of a task's name, "" when it could not be read. */
const char *predict_comm(const struct predict *predict, size_t task);

/* The document. 0 or -ENOMEM. */
int predict_print_json(struct cli *cli, const struct predict *predict);
/* The sentence: "If c (pid 412) runs out of memory on node 1, the kernel kills a (pid 398): ...". */
void predict_print_sentence(const struct predict *predict, FILE *out);
/* Sentence, facts, candidates and the rest for a person. 0 or -ENOMEM. */
int predict_print_text(struct cli *cli, const struct predict *predict);

/* A task's escaped name, for sentences. */
enum { PREDICT_NAME_SIZE = 4 * 65 };
const char *predict_name(const struct predict *predict, size_t task, char name[static PREDICT_NAME_SIZE]);

#endif
