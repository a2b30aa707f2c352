/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies in the words of numa_maps, parsed and printed (mm/mempolicy.c mpol_to_str). */
#include "memory/mempolicy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"

/* What the kernel calls each mode, and what the mode may have beside it. A longer word that begins like a
 * shorter one ("prefer (many)") stands before it. */
static const struct mode_word {
	enum mempolicy_mode mode;
	const char *word;
	bool has_nodes;
	bool can_balance; /* MPOL_F_NUMA_BALANCING: bind since 5.12, prefer (many) later */
} mode_words[] = {
	{MEMPOLICY_DEFAULT, "default", false, false},
	{MEMPOLICY_PREFERRED_MANY, "prefer (many)", true, true},
	{MEMPOLICY_PREFERRED, "prefer", true, false},
	{MEMPOLICY_BIND, "bind", true, true},
	{MEMPOLICY_INTERLEAVE, "interleave", true, false},
	{MEMPOLICY_WEIGHTED_INTERLEAVE, "weighted interleave", true, false},
	{MEMPOLICY_LOCAL, "local", false, false},
};

static const struct flag_word {
	unsigned flag;
	const char *word;
} flag_words[] = {
	{MEMPOLICY_STATIC, "static"},
	{MEMPOLICY_RELATIVE, "relative"},
	{MEMPOLICY_BALANCING, "balancing"},
};

void mempolicy_clear(struct mempolicy *policy)
{
	nodeset_clear(&policy->nodes);
	memset(policy, 0, sizeof(*policy));
}

/* Cuts the mode's word off the text; NULL when it is none. */
static const struct mode_word *cut_mode(const char **text)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_words); i++) {
		size_t size = strlen(mode_words[i].word);

		if (strncmp(*text, mode_words[i].word, size) == 0 && strchr("=:", (*text)[size])) {
			*text += size;
			return &mode_words[i];
		}
	}
	return NULL;
}

static bool cut_flag(const char **text, unsigned *flags)
{
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++) {
		size_t size = strlen(flag_words[i].word);

		if (strncmp(*text, flag_words[i].word, size) == 0 && strchr("|:", (*text)[size]) &&
		    !(*flags & flag_words[i].flag)) {
			*text += size;
			*flags |= flag_words[i].flag;
			return true;
		}
	}
	return false;
}

/* "=static|balancing". The first kernels with numa_maps wrote "=" in front of the nodes too:
 * "interleave=0-7". Gives the reason when it is malformed. */
static const char *cut_flags(const char **text, unsigned *flags)
{
	if (**text != '=')
		return NULL;
	if ((*text)[1] >= '0' && (*text)[1] <= '9')
		return NULL;
	do {
		(*text)++;
		if (!cut_flag(text, flags))
			return "a flag is static, relative or balancing";
	} while (**text == '|');
	return NULL;
}

/* The kernel's own rules (mm/mempolicy.c mpol_new, sanitize_mpol_flags). */
static const char *judge(const struct mode_word *mode, unsigned flags, bool has_list,
			 const struct nodeset *nodes)
{
	if (!mode->has_nodes && has_list)
		return "this mode takes no nodes";
	if (!mode->has_nodes && flags)
		return "this mode takes no flags";
	if (mode->has_nodes && nodeset_is_empty(nodes))
		return "this mode needs nodes";
	if ((flags & MEMPOLICY_STATIC) && (flags & MEMPOLICY_RELATIVE))
		return "static and relative exclude each other";
	if ((flags & MEMPOLICY_BALANCING) && !mode->can_balance)
		return "balancing is for bind and prefer (many)";
	if (mode->mode == MEMPOLICY_PREFERRED && nodeset_count(nodes) > 1)
		return "prefer takes one node, prefer (many) takes several";
	return NULL;
}

/* -EINVAL with *reason, or with the reason in *err when the list of nodes is at fault. */
static int parse(const char *text, struct mempolicy *policy, const char **reason, struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	const struct mode_word *mode = cut_mode(&text);
	unsigned flags = 0;
	bool has_list;
	int rc;

	*reason = mode ? cut_flags(&text, &flags)
		       : "the modes are default, local, bind, prefer, prefer (many), interleave and "
			 "weighted interleave";
	if (*reason)
		return -EINVAL;
	has_list = *text != '\0';
	if (has_list) {
		rc = nodeset_parse(text + 1, NODESET_NODES_MAX, &nodes, err);
		if (rc < 0)
			return rc;
	}
	*reason = judge(mode, flags, has_list, &nodes);
	if (*reason)
		return -EINVAL;
	policy->mode = mode->mode;
	policy->flags = flags;
	policy->nodes = nodes;
	nodes = (struct nodeset){0, NULL};
	return 0;
}

int mempolicy_parse(const char *text, struct mempolicy *policy, struct cgpol_error *err)
{
	struct mempolicy made = {.mode = MEMPOLICY_DEFAULT};
	const char *reason = NULL;
	char shown[sizeof(err->value)];
	int rc = parse(text, &made, &reason, err);

	if (rc == 0) {
		nodeset_clear(&policy->nodes);
		*policy = made;
		return 0;
	}
	if (rc == -ENOMEM)
		return error_set(err, ENOMEM, CGPOL_FAILED, "out of memory");
	text_escape(text, shown, sizeof(shown));
	if (!reason)
		return error_wrap(err, -EINVAL, "policy \"%s\"", shown);
	error_set(err, EINVAL, CGPOL_USAGE, "policy \"%s\": %s", shown, reason);
	error_detail(err, NULL, shown, "write it as numa_maps does: bind:1, prefer:1, interleave:0-1");
	return -EINVAL;
}

int mempolicy_parse_span(struct span text, struct mempolicy *policy)
{
	/* fs/proc/task_mmu.c show_numa_map formats into char buffer[64]: a column this long may have lost the
	 * end of its list. */
	enum { COLUMN_MAX = 63 };
	AUTO(free_p) char *copy = NULL;
	struct mempolicy made = {.mode = MEMPOLICY_OTHER};
	const char *reason;
	int rc = -EINVAL;

	if (text.size < COLUMN_MAX) {
		copy = span_dup(text);
		if (!copy)
			return -ENOMEM;
		rc = parse(copy, &made, &reason, NULL);
		if (rc == -ENOMEM)
			return rc;
	}
	nodeset_clear(&policy->nodes);
	*policy = made;
	return 0;
}

static const char *find_word(enum mempolicy_mode mode)
{
	for (size_t i = 0; i < ARRAY_SIZE(mode_words); i++)
		if (mode_words[i].mode == mode)
			return mode_words[i].word;
	return "unknown"; /* the kernel's word for a mode it cannot name */
}

char *mempolicy_format(const struct mempolicy *policy)
{
	AUTO(free_p) char *nodes = nodeset_format(&policy->nodes);
	char flags[sizeof("=static|relative|balancing")] = "";
	char *text;

	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++) {
		if (policy->flags & flag_words[i].flag) {
			strcat(flags, flags[0] ? "|" : "=");
			strcat(flags, flag_words[i].word);
		}
	}
	if (!nodes)
		return NULL;
	if (asprintf(&text, "%s%s%s%s", find_word(policy->mode), flags, nodes[0] ? ":" : "", nodes) < 0)
		return NULL;
	return text;
}

bool mempolicy_is_equal(const struct mempolicy *a, const struct mempolicy *b)
{
	return a->mode == b->mode && a->flags == b->flags && nodeset_is_equal(&a->nodes, &b->nodes);
}
