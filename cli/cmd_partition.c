/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cgpol partition: cpuset partitions, with the reason when one is invalid. */
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "change.h"
#include "host/cgroup.h"
#include "policy/partition.h"

struct config {
	const char *cpus, *exclusive;
	bool force;
	struct table_style style;
};

static const struct opt options[] = {
	{"cpus", 0, OPT_STRING, OPT_AT(config, cpus), "LIST", NULL, "sets cpuset.cpus as well"},
	{"exclusive", 0, OPT_STRING, OPT_AT(config, exclusive), "LIST", NULL,
	 "sets cpuset.cpus.exclusive as well, where it is needed on the way too (6.7)"},
	{"force", 0, OPT_FLAG, OPT_AT(config, force), NULL, NULL, "also when others insist on these cpus"},
	TABLE_OPTIONS(config, style),
	{0},
};

enum column_id { PART_CGROUP, PART_TYPE, PART_STATE, PART_CPUS, PART_EXCLUSIVE, PART_EFFECTIVE, PART_REASON };

static const struct column columns[] = {
	[PART_CGROUP] = {"CGROUP", 0, "the cgroup"},
	[PART_TYPE] = {"TYPE", 0, "member, root, isolated"},
	[PART_STATE] = {"STATE", 0, "valid or invalid"},
	[PART_CPUS] = {"CPUS", 0, "cpuset.cpus"},
	[PART_EXCLUSIVE] = {"EXCLUSIVE", 0, "cpuset.cpus.exclusive (6.7)"},
	[PART_EFFECTIVE] = {"EFFECTIVE", 0, "the cpus that it has"},
	[PART_REASON] = {"REASON", 0, "why it is invalid, in the kernel's words"},
	{0},
};

static const char default_columns[] = "CGROUP,TYPE,STATE,CPUS,EXCLUSIVE,EFFECTIVE,REASON";

/* What a change is about. */
struct changing {
	struct cgpol_host *host;
	struct partition_request request;
	struct cgpol_policy *policy;
	struct cgpol_error *err;
};

/* ---- showing ---- */

static void put_text(struct table *table, enum column_id column, const char *text)
{
	table_put_text(table, column, text ? text : "");
}

static int print_table(struct cli *cli, const struct config *config, const struct table_choice *choice,
		       const char *cgroup, const struct partition *partition)
{
	AUTO(table_free_p) struct table *table = table_new(columns, choice, &config->style);

	if (!table)
		return -ENOMEM;
	table_row(table);
	put_text(table, PART_CGROUP, cgroup);
	put_text(table, PART_TYPE, partition->type);
	put_text(table, PART_STATE, partition->is_invalid ? "invalid" : "valid");
	put_text(table, PART_CPUS, partition->cpus);
	put_text(table, PART_EXCLUSIVE, partition->exclusive);
	put_text(table, PART_EFFECTIVE, partition->effective);
	put_text(table, PART_REASON, partition->reason);
	return table_print(table, cli->out);
}

static void put_state(struct json *json, const char *cgroup, const struct partition *partition)
{
	json_put_name(json, "cgroup", cgroup);
	json_put_text(json, "partition", partition->type);
	json_put_bool(json, "valid", !partition->is_invalid);
	json_put_text(json, "reason", partition->reason);
	json_put_text(json, "cpus", partition->cpus);
	json_put_text(json, "exclusive", partition->exclusive);
	json_put_text(json, "effective", partition->effective);
}

static int print_json(struct cli *cli, const char *cgroup, const struct partition *partition)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	put_state(json, cgroup, partition);
	return cli_print_json(cli, json);
}

/* One that the kernel calls invalid is no partition: scripts see it by the exit code. */
static int show(struct cli *cli, const struct config *config, struct changing *changing)
{
	AUTO(partition_clear) struct partition partition = {0};
	const char *cgroup = changing->request.cgroup;
	struct table_choice choice = {0};
	int rc = table_choose(columns, default_columns, config->style.columns, &choice, changing->err);

	rc = rc < 0 ? rc : partition_read(changing->host, cgroup, &partition, changing->err);
	if (rc < 0)
		return rc;
	if (partition.is_invalid)
		cli->status = CGPOL_REFUSED;
	return cli->json ? print_json(cli, cgroup, &partition)
			 : print_table(cli, config, &choice, cgroup, &partition);
}

/* ---- changing ---- */

static int make_plan(void *arg, struct cgpol_host *host, struct plan **plan,
		     const struct cgpol_policy **policy, struct cgpol_error *err)
{
	struct changing *changing = arg;
	AUTO(partition_clear) struct partition before = {0};
	/* Also tells that the cgroup, or its cpuset, is not there. */
	int rc = partition_read(host, changing->request.cgroup, &before, err);

	rc = rc < 0 ? rc : partition_plan(host, &changing->request, plan, &changing->policy, err);
	if (rc == 0)
		*policy = changing->policy;
	return rc;
}

/* What came of it, beside the steps. */
static void put_json(void *arg, struct json *json)
{
	AUTO(partition_clear) struct partition partition = {0};
	const struct changing *changing = arg;

	if (partition_read(changing->host, changing->request.cgroup, &partition, NULL) == 0)
		put_state(json, changing->request.cgroup, &partition);
}

static int change(struct cli *cli, const struct config *config, struct changing *changing)
{
	const struct change_request request = {
		.plan = make_plan, .put_json = put_json, .arg = changing, .is_forced = config->force};
	int rc = change_run(cli, &request, changing->err);

	if (rc < 0)
		partition_explain(changing->host, &changing->request, changing->err);
	return rc;
}

static int check_type(const char *type, struct cgpol_error *err)
{
	char shown[96];

	if (!type || strcmp(type, "root") == 0 || strcmp(type, "isolated") == 0 ||
	    strcmp(type, "member") == 0)
		return 0;
	text_escape(type, shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" is no type of a partition", shown);
	error_detail(err, NULL, shown, "root, isolated and member are");
	return -EINVAL;
}

static int run(struct cli *cli, const void *given, struct cgpol_error *err)
{
	const struct config *config = given;
	struct changing changing = {.err = err};
	AUTO(free_p) char *name = NULL;
	int rc = cli_no_words(cli, 2, err);

	if (rc == 0 && cli->words.count == 0) {
		(void)error_set(err, EINVAL, CGPOL_USAGE, "partition: no cgroup is given");
		rc = -EINVAL;
	}
	if (rc == 0)
		rc = cgroup_name(cli->words.word[0], &name, err);
	changing.request = (struct partition_request){.cgroup = name,
						      .cpus = config->cpus,
						      .exclusive = config->exclusive,
						      .type = cli->words.count == 2 ? cli->words.word[1]
										    : NULL};
	rc = rc < 0 ? rc : check_type(changing.request.type, err);
	rc = rc < 0 ? rc : cli_host(cli, &changing.host, err);
	if (rc < 0)
		return rc;
	rc = changing.request.type || config->cpus || config->exclusive ? change(cli, config, &changing)
									: show(cli, config, &changing);
	policy_free(changing.policy);
	return rc;
}

const struct cmd cmd_partition = {
	.name = "partition",
	.summary = "Show or set the cpuset partition type of a cgroup",
	.usage = "[OPTION...] CGROUP [root|isolated|member]",
	.about = "A partition has its cpus alone: root with load balancing, isolated (6.1) without. An "
		 "invalid\n"
		 "one is exit code 4 with the kernel's reason, and when it was to be made all is taken back.",
	.operands = "cgroups root isolated member",
	.options = options,
	.columns = columns,
	.config_size = sizeof(struct config),
	.run = run,
};
