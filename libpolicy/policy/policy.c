/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A policy: a checked set of key = value, what is wanted of a cgroup. */
#include "policy/policy.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum {
	NAME_SIZE_MAX = 255,   /* NAME_MAX */
	VALUE_SIZE_MAX = 4095, /* kernfs takes less than a page with one write */
	SETTINGS_MAX = 1024,   /* far more than there are files */
	TYPO_DISTANCE =
		1, /* a name that is this near to a known one is a slip, not a file of a newer kernel */
};

static void clear_setting(struct setting *setting)
{
	free(setting->name);
	free(setting->value);
	size_clear(&setting->size);
	nodeset_clear(&setting->set);
	memset(setting, 0, sizeof(*setting));
}

int policy_new(struct cgpol_policy **policy)
{
	struct cgpol_policy *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	*policy = made;
	return 0;
}

void policy_free(struct cgpol_policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->settings; i++)
		clear_setting(&policy->setting[i]);
	free(policy->setting);
	free(policy);
}

static struct setting *find(const struct cgpol_policy *policy, const char *name)
{
	for (size_t i = 0; i < policy->settings; i++) {
		if (strcmp(policy->setting[i].name, name) == 0)
			return &policy->setting[i];
	}
	return NULL;
}

const struct setting *policy_get(const struct cgpol_policy *policy, const char *name)
{
	return find(policy, name);
}

__attribute__((format(printf, 4, 5))) static int refuse_name(struct cgpol_error *err, const char *name,
							     const char *hint, const char *format, ...)
{
	char shown[sizeof(err->value)], reason[256];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	text_escape(name, shown, sizeof(shown));
	(void)error_set(err, EINVAL, CGPOL_USAGE, "\"%s\" %s", shown, reason);
	error_detail(err, NULL, shown, hint);
	return -EINVAL;
}

__attribute__((format(printf, 5, 6))) static int refuse_value(struct cgpol_error *err, int errnum,
							      const char *name, const char *value,
							      const char *format, ...)
{
	char shown[sizeof(err->value)], file[sizeof(err->file)], reason[320];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	text_escape(value, shown, sizeof(shown));
	text_escape(name, file, sizeof(file));
	(void)error_set(err, errnum, CGPOL_USAGE, "%.96s: \"%s\" %s", file, shown, reason);
	error_detail(err, file, shown, NULL);
	return -errnum;
}

static bool is_name(const char *name)
{
	if (!isalnum((unsigned char)name[0]) || strlen(name) > NAME_SIZE_MAX)
		return false;
	for (; *name; name++) {
		if (!isalnum((unsigned char)*name) && !strchr("._-", *name))
			return false;
	}
	return true;
}

static int refuse_v1(struct cgpol_error *err, const char *name, const char *now, const char *advice)
{
	char hint[sizeof(err->hint)] = "";

	if (now[0] == '\0')
		return refuse_name(err, name, advice, "is of cgroup v1: %s", advice);
	if (advice)
		(void)snprintf(hint, sizeof(hint), "%s", advice);
	else
		(void)snprintf(hint, sizeof(hint), "use %s", now);
	return refuse_name(err, name, hint, "is of cgroup v1; in cgroup v2 the file is %s", now);
}

/* A name that the table does not know: of a newer kernel, or a slip. */
static int judge_unknown(const char *name, bool is_any, struct cgpol_error *err)
{
	AUTO(free_p) char *controller = key_controller(name);
	unsigned distance = 0;
	const char *nearest = key_nearest(name, &distance);
	char hint[sizeof(err->hint)];
	const char *behind;

	if (!controller && strchr(name, '.') && strncmp(name, "cgroup.", 7) != 0 && name[0] != '.')
		return error_no_memory(err);
	behind = controller ? name + strlen(controller) + 1 : "";
	if (controller && key_is_controller(controller) && isalnum((unsigned char)behind[0]) &&
	    !(nearest && distance <= TYPO_DISTANCE))
		return 0;
	if (nearest)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", nearest);
	return refuse_name(err, name, nearest ? hint : NULL,
			   is_any ? "is no setting that cgpol knows" : "is no setting of a cgroup");
}

/* Settings of processes and of the machine have commands of their own. */
static int refuse_scope(const char *name, enum key_scope scope, const char *value, struct cgpol_error *err)
{
	char hint[sizeof(err->hint)], shown[64];

	text_escape(value, shown, sizeof(shown));
	(void)snprintf(hint, sizeof(hint), "%s%s=%s",
		       scope == KEY_HOST ? "cgpol set " : "cgpol set --pid PID ", name, shown);
	return refuse_name(err, name, hint, "is a setting of %s, not of a cgroup",
			   scope == KEY_HOST ? "the machine" : "a process");
}

static int judge_name(const char *name, bool is_any, const struct key **key, struct cgpol_error *err)
{
	const char *advice = NULL, *now, *reason;

	if (strchr(name, '/'))
		return refuse_name(err, name, NULL, "has a \"/\": name %s, not a path",
				   is_any ? "a setting" : "a file of the cgroup");
	if (!is_name(name))
		return refuse_name(err, name, NULL,
				   is_any ? "is no name of a setting" : "is no name of a file of a cgroup");
	now = key_of_v1(name, &advice);
	if (now)
		return refuse_v1(err, name, now, advice);
	reason = key_refusal(name);
	if (reason)
		return refuse_name(err, name, NULL, "%s", reason);
	*key = key_find(name);
	return *key ? 0 : judge_unknown(name, is_any, err);
}

/* What no file takes: a second line (the kernel reads one), other control characters, too much. */
static int judge_value(const char *name, const char *value, struct cgpol_error *err)
{
	if (strlen(value) > VALUE_SIZE_MAX)
		return refuse_value(err, EINVAL, name, value, "is longer than %d bytes", VALUE_SIZE_MAX);
	for (const char *at = value; *at; at++) {
		if (iscntrl((unsigned char)*at) && *at != '\t')
			return refuse_value(err, EINVAL, name, value, "has a control character");
	}
	return 0;
}

static int print_number(int64_t number, char **text)
{
	return asprintf(text, "%" PRId64, number) < 0 ? -ENOMEM : 0;
}

static int set_size(struct setting *setting, const char *value, struct cgpol_error *err)
{
	int rc = size_parse(value, &setting->size, err);

	if (rc < 0) {
		error_detail(err, setting->name, NULL, NULL);
		return error_wrap(err, rc, "%s", setting->name);
	}
	if (setting->size.kind == SIZE_FIXED)
		rc = print_number((int64_t)setting->size.bytes, &setting->value);
	else
		setting->value = strdup(setting->size.kind == SIZE_UNLIMITED ? "max" : value);
	return rc < 0 || !setting->value ? error_no_memory(err) : 0;
}

static int set_flag(struct setting *setting, const char *value, struct cgpol_error *err)
{
	static const char *const words[][2] = {{"0", "1"}, {"no", "yes"}, {"off", "on"}, {"false", "true"}};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		for (size_t j = 0; j < 2; j++) {
			if (strcasecmp(value, words[i][j]) != 0)
				continue;
			setting->value = strdup(j ? "1" : "0");
			return setting->value ? 0 : error_no_memory(err);
		}
	}
	return refuse_value(err, EINVAL, setting->name, value, "is neither yes nor no (1 or 0)");
}

/* The kernel takes a leading zero for octal (kstrtoull with base 0): nobody may have meant that. */
static bool has_leading_zero(const char *value)
{
	if (*value == '-')
		value++;
	return value[0] == '0' && isdigit((unsigned char)value[1]);
}

static void list_words(const struct key *key, char *list, size_t size)
{
	for (const char *const *word = key->words; *word; word++) {
		size_t used = strlen(list);

		(void)snprintf(list + used, size - used, "%s%s", used ? ", " : "", *word);
	}
}

/* "never": the index of the word, counted from min; -1 when it is none. */
static int64_t find_word(const struct key *key, const char *value)
{
	for (int64_t i = 0; key->words && key->words[i]; i++) {
		if (strcasecmp(key->words[i], value) == 0)
			return key->min + i;
	}
	return -1;
}

static int refuse_number(const struct setting *setting, const char *value, struct cgpol_error *err)
{
	char list[160] = "";

	if (setting->key->words) {
		list_words(setting->key, list, sizeof(list));
		return refuse_value(err, EINVAL, setting->name, value, "is none of %s", list);
	}
	return refuse_value(err, EINVAL, setting->name, value, "is not a whole number%s",
			    setting->key->type == KEY_LIMIT ? " or max" : "");
}

static int set_number(struct setting *setting, const char *value, struct cgpol_error *err)
{
	const struct key *key = setting->key;
	int64_t number = find_word(key, value);
	int rc;

	if (number >= 0)
		return print_number(number, &setting->value) < 0 ? error_no_memory(err) : 0;

	if (key->type == KEY_LIMIT && (strcmp(value, "max") == 0 || strcmp(value, "infinity") == 0)) {
		setting->value = strdup("max");
		return setting->value ? 0 : error_no_memory(err);
	}
	if (has_leading_zero(value))
		return refuse_value(err, EINVAL, setting->name, value,
				    "has a leading zero, which could mean octal; leave it out");
	rc = isspace((unsigned char)value[0]) ? -EINVAL : text_i64(value, &number);
	if (rc == -EINVAL)
		return refuse_number(setting, value, err);
	if (rc < 0 || number < key->min || number > key->max)
		return refuse_value(err, ERANGE, setting->name, value,
				    "is out of range: %" PRId64 " to %" PRId64, key->min, key->max);
	return print_number(number, &setting->value) < 0 ? error_no_memory(err) : 0;
}

/* Empty is the parent's set. */
static int set_list(struct setting *setting, const char *value, struct cgpol_error *err)
{
	unsigned limit = setting->key->type == KEY_CPUS ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	int rc;

	/* The kernel knows "all" and "N" since 5.15 and 5.13, and what they mean differs by machine. */
	if (strpbrk(value, "aAN"))
		return refuse_value(
			err, EINVAL, setting->name, value,
			"is not a list of numbers like 0-3,8; leave it empty for all of the parent's");
	rc = nodeset_parse(value, limit, &setting->set, err);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		error_detail(err, setting->name, err ? err->value : NULL, "write a list like 0-3,8");
		return error_wrap(err, rc, "%s", setting->name);
	}
	setting->value = nodeset_format(&setting->set);
	return setting->value ? 0 : error_no_memory(err);
}

static int set_word(struct setting *setting, const char *value, struct cgpol_error *err)
{
	char list[160] = "";

	for (const char *const *word = setting->key->words; *word; word++) {
		if (strcmp(value, *word) == 0) {
			setting->value = strdup(value);
			return setting->value ? 0 : error_no_memory(err);
		}
	}
	list_words(setting->key, list, sizeof(list));
	return refuse_value(err, EINVAL, setting->name, value, "is none of %s", list);
}

/* "bind=static:0-1" as numa_maps has it (mm/mempolicy.c mpol_to_str). Only the shape: what the nodes are
 * worth depends on the machine, and who applies it parses it whole (memory/mempolicy.h). */
static int set_mempolicy(struct setting *setting, const char *value, struct cgpol_error *err)
{
	static const char *const with_nodes[] = {"bind", "prefer", "prefer (many)", "interleave",
						 "weighted interleave"};
	size_t size = strcspn(value, "=:");
	const char *nodes = strchr(value, ':');
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	bool is_known = false;

	if (strcmp(value, "default") == 0 || strcmp(value, "local") == 0) {
		setting->value = strdup(value);
		return setting->value ? 0 : error_no_memory(err);
	}
	for (size_t i = 0; i < ARRAY_SIZE(with_nodes); i++)
		is_known |= strlen(with_nodes[i]) == size && strncmp(with_nodes[i], value, size) == 0;
	if (!is_known)
		return refuse_value(err, EINVAL, setting->name, value,
				    "is no memory policy: default, local, or bind, prefer, prefer (many), "
				    "interleave or weighted interleave with a list of nodes, like bind:0-1");
	if (!nodes || strpbrk(nodes, "aAN") || nodeset_parse(nodes + 1, NODESET_NODES_MAX, &set, NULL) < 0 ||
	    nodeset_is_empty(&set))
		return refuse_value(err, EINVAL, setting->name, value, "has no list of nodes, like bind:0-1");
	setting->value = strdup(value);
	return setting->value ? 0 : error_no_memory(err);
}

static int set_text(struct setting *setting, const char *value, struct cgpol_error *err)
{
	if (value[strspn(value, " \t")] == '\0')
		return refuse_value(err, EINVAL, setting->name, value, "is empty");
	if (setting->key && setting->key->scope == KEY_TASK)
		return set_mempolicy(setting, value, err);
	setting->value = strdup(value);
	return setting->value ? 0 : error_no_memory(err);
}

static int set_value(struct setting *setting, const char *value, struct cgpol_error *err)
{
	switch (setting->key ? setting->key->type : KEY_TEXT) {
	case KEY_SIZE:
		return set_size(setting, value, err);
	case KEY_FLAG:
		return set_flag(setting, value, err);
	case KEY_NUMBER:
	case KEY_LIMIT:
		return set_number(setting, value, err);
	case KEY_CPUS:
	case KEY_NODES:
		return set_list(setting, value, err);
	case KEY_WORDS:
		return set_word(setting, value, err);
	case KEY_TEXT:
		break;
	}
	return set_text(setting, value, err);
}

/* Takes over what `made` holds. */
static int keep(struct cgpol_policy *policy, struct setting *made)
{
	struct setting *place = find(policy, made->name);

	if (place) {
		clear_setting(place);
	} else {
		place = reallocarray(policy->setting, policy->settings + 1, sizeof(*place));
		if (!place)
			return -ENOMEM;
		policy->setting = place;
		place += policy->settings++;
	}
	*place = *made;
	*made = (struct setting){0};
	return 0;
}

/* `made` has its row of the table, or NULL. */
static int set(struct cgpol_policy *policy, const char *name, const char *value, struct setting *made,
	       struct cgpol_error *err)
{
	int rc = judge_value(name, value, err);

	if (rc < 0)
		return rc;
	if (policy->settings >= SETTINGS_MAX && !find(policy, name))
		return error_set(err, E2BIG, CGPOL_USAGE, "more than %d settings", SETTINGS_MAX);
	made->name = strdup(name);
	if (!made->name)
		return error_no_memory(err);
	rc = set_value(made, value, err);
	if (rc < 0)
		return rc;
	return keep(policy, made) < 0 ? error_no_memory(err) : 0;
}

int policy_set_any(struct cgpol_policy *policy, const char *name, const char *value, struct cgpol_error *err)
{
	AUTO(clear_setting) struct setting made = {0};
	int rc = judge_name(name, true, &made.key, err);

	return rc < 0 ? rc : set(policy, name, value, &made, err);
}

int policy_set(struct cgpol_policy *policy, const char *name, const char *value, struct cgpol_error *err)
{
	AUTO(clear_setting) struct setting made = {0};
	int rc = judge_name(name, false, &made.key, err);

	if (rc == 0 && made.key && made.key->scope != KEY_CGROUP)
		rc = refuse_scope(name, made.key->scope, value, err);
	return rc < 0 ? rc : set(policy, name, value, &made, err);
}
