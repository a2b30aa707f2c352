/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol shield: keeps cpus free of everything else. */
#include <errno.h>
#include <string.h>

#include "act/shield.h"
#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "host/cgroup.h"
#include "host/proc.h"

enum { THREADS_NAMED = 8 };

enum shield_type { TYPE_ISOLATED, TYPE_ROOT };

static const char *const types[] = {"isolated", "root", NULL};

struct config {
	const char *cgroup, *mems;
	int type;
	bool force;
};

static const struct opt options[] = {
	{"cgroup", 0, OPT_STRING, OPT_AT(config, cgroup), "CGROUP", NULL, "instead of " SHIELD_CGROUP},
	{"type", 0, OPT_ENUM, OPT_AT(config, type), "TYPE", types,
	 "isolated (the default): without load balancing; root: with it"},
	{"mems", 0, OPT_STRING, OPT_AT(config, mems), "LIST", NULL, "nodes that its memory comes from"},
	{"force", 0, OPT_FLAG, OPT_AT(config, force), NULL, NULL, "also when others insist on these cpus"},
	{0},
};

struct shielding {
	struct cli *cli;
	struct cgpol_host *host;
	struct shield_request request;
	struct cgpol_policy *policy;
	struct shield shield;
	bool is_shown_only;
};

static void clear_p(struct shielding *shielding)
{
	policy_free(shielding->policy);
	shield_clear(&shielding->shield);
}

/* ---- telling ---- */

static void print_threads(const struct shield_thread *thread, size_t count, FILE *out)
{
	for (size_t i = 0; i < count && i < THREADS_NAMED; i++) {
		char comm[4 * PROC_COMM_SIZE];

		(void)fprintf(out, "%s%d (%s)", i ? ", " : ": ", (int)thread[i].tid,
			      text_escape(thread[i].comm, comm, sizeof(comm)));
	}
	if (count > THREADS_NAMED)
		(void)fprintf(out, " and %zu more", count - THREADS_NAMED);
	(void)fputc('\n', out);
}

static int print(void *arg, FILE *out)
{
	const struct shielding *shielding = arg;
	const struct shield *shield = &shielding->shield;
	/* Behind the commands of a dry run, which a shell can read. */
	const char *mark = shielding->cli->dry_run ? "# " : "";

	if (shielding->cli->quiet && !shielding->is_shown_only)
		return 0;
	(void)fprintf(out, "%scpus of the shield: %s\n", mark, shield->cpus);
	if (shield->left)
		(void)fprintf(out, "%sleft for everybody else: %s\n", mark,
			      *shield->left ? shield->left : "none");
	(void)fprintf(out, "%skernel threads bound to them, which stay: %zu", mark, shield->kthreads);
	print_threads(shield->kthread, shield->kthreads, out);
	(void)fprintf(out, "%sthreads of others that want these cpus only%s: %zu", mark,
		      shielding->is_shown_only ? "" : ", and get others", shield->tasks);
	print_threads(shield->task, shield->tasks, out);
	for (size_t i = 0; i < shield->notes; i++)
		(void)fprintf(out, "%snote: %s\n", mark, shield->note[i]);
	return 0;
}

static void put_threads(struct json *json, const char *key, const struct shield_thread *thread, size_t count)
{
	json_open_array(json, key);
	for (size_t i = 0; i < count; i++) {
		json_open_object(json, NULL);
		json_put_int(json, "pid", thread[i].pid);
		json_put_int(json, "tid", thread[i].tid);
		json_put_name(json, "comm", thread[i].comm);
		json_put_text(json, "cpus", thread[i].cpus);
		json_close(json);
	}
	json_close(json);
}

static void put_json(void *arg, struct json *json)
{
	const struct shielding *shielding = arg;
	const struct shield *shield = &shielding->shield;
	AUTO(partition_clear) struct partition partition = {0};
	bool is_there = partition_read(shielding->host, shielding->request.cgroup, &partition, NULL) == 0;

	json_put_name(json, "cgroup", shielding->request.cgroup);
	json_put_text(json, "partition", is_there ? partition.type : NULL);
	json_put_bool(json, "valid",
		      is_there && strcmp(partition.type, "member") != 0 && !partition.is_invalid);
	json_put_text(json, "reason", partition.reason);
	json_put_text(json, "cpus", shield->cpus);
	json_put_text(json, "left", shield->left);
	put_threads(json, "kernel_threads", shield->kthread, shield->kthreads);
	put_threads(json, "threads", shield->task, shield->tasks);
	json_put_text(json, "isolated_at_boot", shield->isolated);
	json_put_text(json, "nohz_full", shield->nohz_full);
	json_open_array(json, "notes");
	for (size_t i = 0; i < shield->notes; i++)
		json_put_text(json, NULL, shield->note[i]);
	json_close(json);
}

/* ---- showing ---- */

/* What is there; one that is no valid partition shields nothing. */
static int show(struct cli *cli, struct shielding *shielding, struct cgpol_error *err)
{
	const char *cgroup = shielding->request.cgroup;
	AUTO(partition_clear) struct partition partition = {0};
	AUTO(json_free_p) struct json *json = NULL;
	char shown[160];
	int rc = partition_read(shielding->host, cgroup, &partition, err);

	rc = rc < 0 ? rc : shield_read(shielding->host, cgroup, &shielding->shield, err);
	if (rc < 0)
		return rc;
	shielding->is_shown_only = true;
	if (partition.is_invalid || strcmp(partition.type, "member") == 0)
		cli->status = CGPOL_REFUSED;
	if (cli->json) {
		json = json_new();
		if (!json)
			return -ENOMEM;
		put_json(shielding, json);
		return cli_print_json(cli, json);
	}
	text_escape(cgroup, shown, sizeof(shown));
	(void)fprintf(cli->out, "cgroup %s: %s%s%s\n", shown, partition.type,
		      partition.is_invalid ? ", invalid: " : "",
		      partition.is_invalid ? partition.reason : "");
	return print(shielding, cli->out);
}

/* ---- changing ---- */

static int make_plan(void *arg, struct cgpol_host *host, struct plan **plan,
		     const struct cgpol_policy **policy, struct cgpol_error *err)
{
	struct shielding *shielding = arg;
	int rc = shield_plan(host, &shielding->request, plan, &shielding->policy, &shielding->shield, err);

	if (rc < 0)
		return rc;
	(*plan)->is_lasting = true;
	*policy = shielding->policy;
	return 0;
}

static int change(struct cli *cli, const struct config *config, struct shielding *shielding,
		  struct cgpol_error *err)
{
	const struct partition_request partition = {.cgroup = shielding->request.cgroup,
						    .type = shielding->request.type};
	const struct change_request request = {.plan = make_plan,
					       .put_json = put_json,
					       .print = print,
					       .arg = shielding,
					       .is_forced = config->force};
	int rc = change_run(cli, &request, err);

	if (rc < 0)
		partition_explain(shielding->host, &partition, err);
	return rc;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct config *config = given;
	AUTO(clear_p) struct shielding shielding = {.cli = cli};
	AUTO(free_p) char *name = NULL;
	int rc = cli_no_words(cli, 1, err);

	rc = rc < 0 ? rc : cgroup_name(config->cgroup ? config->cgroup : SHIELD_CGROUP, &name, err);
	rc = rc < 0 ? rc : cli_host(cli, &shielding.host, err);
	if (rc < 0)
		return rc;
	shielding.request = (struct shield_request){.cgroup = name,
						    .cpus = cli->words.count ? cli->words.word[0] : NULL,
						    .mems = config->mems,
						    .type = types[config->type]};
	return shielding.request.cpus ? change(cli, config, &shielding, err) : show(cli, &shielding, err);
}

const struct cmd cmd_shield = {
	.name = "shield",
	.summary = "Keep cpus for one cgroup alone",
	.usage = "[OPTION...] [CPUS]",
	.about = "Makes " SHIELD_CGROUP
		 " a cpuset partition that has CPUS alone, and tells what still runs there;\n"
		 "cgpol run --cgroup " SHIELD_CGROUP
		 " COMMAND uses it, cgpol undo takes it back. Without CPUS: what\n"
		 "there is.",
	.options = options,
	.config_size = sizeof(struct config),
	.run = run,
};
