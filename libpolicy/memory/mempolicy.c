/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory policies: in the words of numa_maps, parsed and printed (mm/mempolicy.c mpol_to_str), and as the
 * system calls take them. */
#include "memory/mempolicy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <numaif.h>

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
	int bit; /* include/uapi/linux/mempolicy.h MPOL_F_*, which older headers lack */
} flag_words[] = {
	{MEMPOLICY_STATIC, "static", 1 << 15},
	{MEMPOLICY_RELATIVE, "relative", 1 << 14},
	{MEMPOLICY_BALANCING, "balancing", 1 << 13},
};

_Static_assert((int)MEMPOLICY_PREFERRED == MPOL_PREFERRED && (int)MEMPOLICY_BIND == MPOL_BIND &&
		       (int)MEMPOLICY_INTERLEAVE == MPOL_INTERLEAVE && (int)MEMPOLICY_LOCAL == MPOL_LOCAL,
	       "the modes have the kernel's numbers");

enum {
	WORD_BITS = sizeof(unsigned long) * CHAR_BIT,
	READ_BITS_MAX = 4096 * CHAR_BIT, /* mm/mempolicy.c copy_nodes_to_user: at most a page */
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
		return error_no_memory(err);
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

static bool takes_nodes(enum mempolicy_mode mode)
{
	return mode != MEMPOLICY_DEFAULT && mode != MEMPOLICY_LOCAL;
}

static int highest(const struct nodeset *nodes)
{
	int last = -1;

	for (int node = nodeset_next(nodes, 0); node >= 0; node = nodeset_next(nodes, node + 1))
		last = node;
	return last;
}

static unsigned long *make_words(const struct nodeset *nodes, size_t words)
{
	unsigned long *word = calloc(words, sizeof(*word));

	for (int node = nodeset_next(nodes, 0); word && node >= 0; node = nodeset_next(nodes, node + 1))
		word[node / WORD_BITS] |= 1UL << node % WORD_BITS;
	return word;
}

int mempolicy_prepare(const struct mempolicy *policy, struct mempolicy_call *call)
{
	struct mempolicy_call made = {(int)policy->mode, NULL, 0};
	int last = highest(&policy->nodes);
	size_t words = (size_t)(last + WORD_BITS) / WORD_BITS;

	if (policy->mode == MEMPOLICY_PREFERRED && last < 0 && policy->flags == 0)
		made.mode = MEMPOLICY_LOCAL;
	else if (policy->mode >= MEMPOLICY_OTHER || takes_nodes(policy->mode) != (last >= 0))
		return -EINVAL;
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++) {
		if (policy->flags & flag_words[i].flag)
			made.mode |= flag_words[i].bit;
	}
	if (last >= 0) {
		made.word = make_words(&policy->nodes, words);
		if (!made.word)
			return -ENOMEM;
		made.maxnode = words * WORD_BITS + 1;
	}
	*call = made;
	return 0;
}

void mempolicy_call_clear(struct mempolicy_call *call)
{
	free(call->word);
	*call = (struct mempolicy_call){0, NULL, 0};
}

int mempolicy_call(const struct mempolicy_call *call)
{
	return set_mempolicy(call->mode, call->word, call->maxnode) < 0 ? -errno : 0;
}

int mempolicy_read(int *mode, unsigned long *word, unsigned long maxnode)
{
	return get_mempolicy(mode, word, maxnode, NULL, 0) < 0 ? -errno : 0;
}

static int add_bits(const unsigned long *word, unsigned long bits, struct nodeset *nodes)
{
	for (unsigned long bit = 0; bit < bits; bit++) {
		if (!(word[bit / WORD_BITS] >> bit % WORD_BITS & 1))
			continue;
		int rc = nodeset_add(nodes, (unsigned)bit);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int mempolicy_decode(int mode, const unsigned long *word, unsigned long maxnode, struct mempolicy *policy)
{
	AUTO(mempolicy_clear) struct mempolicy made = {.mode = MEMPOLICY_OTHER};
	int rc = add_bits(word, maxnode > 0 ? maxnode - 1 : 0, &made.nodes);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < ARRAY_SIZE(flag_words); i++) {
		if (mode & flag_words[i].bit)
			made.flags |= flag_words[i].flag;
		mode &= ~flag_words[i].bit;
	}
	if (mode >= 0 && mode < (int)MEMPOLICY_OTHER)
		made.mode = (enum mempolicy_mode)mode;
	if (made.mode == MEMPOLICY_PREFERRED && nodeset_is_empty(&made.nodes))
		made.mode = MEMPOLICY_LOCAL;
	mempolicy_clear(policy);
	*policy = made;
	made.nodes = (struct nodeset){0, NULL};
	return 0;
}

int mempolicy_set(const struct mempolicy *policy)
{
	AUTO(mempolicy_call_clear) struct mempolicy_call call = {0, NULL, 0};
	int rc = mempolicy_prepare(policy, &call);

	return rc < 0 ? rc : mempolicy_call(&call);
}

/* Asks with a mask that grows until the kernel finds it large enough for its possible nodes. */
static int ask(unsigned flags, int *mode, unsigned long **word, unsigned long *maxnode)
{
	for (unsigned long bits = MEMPOLICY_READ_BITS; bits <= READ_BITS_MAX; bits *= 2) {
		AUTO(free_p) unsigned long *mask = calloc(bits / WORD_BITS, sizeof(*mask));

		if (!mask)
			return -ENOMEM;
		/* Not bits + 1: the kernel compares maxnode itself with its number of nodes, and rounds the
		 * bits it copies up to whole words. */
		if (get_mempolicy(mode, mask, bits, NULL, flags) == 0) {
			*word = TAKE(mask);
			*maxnode = bits + 1;
			return 0;
		}
		if (errno != EINVAL)
			return -errno;
	}
	return -EINVAL;
}

int mempolicy_get(struct mempolicy *policy)
{
	AUTO(free_p) unsigned long *word = NULL;
	unsigned long maxnode = 1;
	int mode = 0, rc = ask(0, &mode, &word, &maxnode);

	return rc < 0 ? rc : mempolicy_decode(mode, word, maxnode, policy);
}

int mempolicy_get_allowed(struct nodeset *nodes)
{
	AUTO(nodeset_clear_p) struct nodeset allowed = {0, NULL};
	AUTO(free_p) unsigned long *word = NULL;
	unsigned long maxnode = 1;
	int rc = ask(MPOL_F_MEMS_ALLOWED, NULL, &word, &maxnode);

	if (rc == 0)
		rc = add_bits(word, maxnode - 1, &allowed);
	if (rc < 0)
		return rc;
	nodeset_clear(nodes);
	*nodes = allowed;
	allowed = (struct nodeset){0, NULL};
	return 0;
}

bool mempolicy_is_confirmed(const struct mempolicy *read, const struct mempolicy *wanted,
			    const struct mempolicy *effective)
{
	enum mempolicy_mode mode = wanted->mode;

	if (mode == MEMPOLICY_PREFERRED && nodeset_is_empty(&wanted->nodes))
		mode = MEMPOLICY_LOCAL;
	if (read->mode != mode || read->flags != wanted->flags)
		return false;
	/* mm/mempolicy.c do_get_mempolicy(): with a flag that keeps the user's mask it is that which is told;
	 * balancing was one of those flags for some versions. */
	if (wanted->flags & (MEMPOLICY_STATIC | MEMPOLICY_RELATIVE | MEMPOLICY_BALANCING) &&
	    nodeset_is_equal(&read->nodes, &wanted->nodes))
		return true;
	return !(wanted->flags & (MEMPOLICY_STATIC | MEMPOLICY_RELATIVE)) &&
	       nodeset_is_equal(&read->nodes, &effective->nodes);
}
