/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whether what a file of a cgroup says is what was asked for: the kernel does not always print what was
 * written.
 */
#include "policy/agreement.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

static struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static bool is_same(struct span a, struct span b)
{
	return a.size == b.size && (a.size == 0 || memcmp(a.at, b.at, a.size) == 0);
}

/* "50" and "50.00": digits without a fraction, or with one of zeros at the end. */
static struct span cut_zeros(struct span word)
{
	const char *dot = memchr(word.at, '.', word.size);

	if (!dot || strspn(word.at, "0123456789.") < word.size)
		return word;
	while (word.at[word.size - 1] == '0')
		word.size--;
	if (word.at[word.size - 1] == '.')
		word.size--;
	return word;
}

static bool is_same_word(struct span a, struct span b)
{
	return is_same(a, b) || is_same(cut_zeros(a), cut_zeros(b));
}

static bool has_word(struct span line, struct span wanted)
{
	struct span word;

	while (text_word(&line, &word)) {
		if (is_same_word(word, wanted))
			return true;
	}
	return false;
}

/* Has the line all the words, and the first one first? */
static bool line_agrees(struct span line, struct span wanted)
{
	struct span first_wanted, first, word;

	if (!text_word(&wanted, &first_wanted) || !text_word(&line, &first) ||
	    !is_same_word(first, first_wanted))
		return false;
	while (text_word(&wanted, &word)) {
		if (!has_word(line, word))
			return false;
	}
	return true;
}

static bool ends_in_max(struct span word)
{
	return word.size >= 3 && memcmp(word.at + word.size - 3, "max", 3) == 0;
}

/* "8:16 rbps=max wbps=max": the kernel prints no line for a device without limits. */
static bool asks_for_no_limit(struct span wanted)
{
	struct span word;
	bool has_any = false;

	if (!text_word(&wanted, &word) || !memchr(word.at, ':', word.size))
		return false;
	while (text_word(&wanted, &word)) {
		if (!ends_in_max(word))
			return false;
		has_any = true;
	}
	return has_any;
}

static bool has_line_of(const char *found, struct span key)
{
	struct span line, word;

	while (text_line(&found, &line)) {
		if (text_word(&line, &word) && is_same(word, key))
			return true;
	}
	return false;
}

static bool text_agrees(const char *wanted, const char *found)
{
	struct span asked = span_of(wanted), rest = asked, first, line;
	const char *next = found;

	while (text_line(&next, &line)) {
		struct span word, behind = line;

		if (line_agrees(line, asked))
			return true;
		if (text_word(&behind, &word) && span_is(word, "default") && line_agrees(behind, asked))
			return true;
	}
	return text_word(&rest, &first) && asks_for_no_limit(asked) && !has_line_of(found, first);
}

static bool list_agrees(const struct setting *setting, const char *wanted, const char *found)
{
	unsigned limit = setting->key->type == KEY_CPUS ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
	AUTO(nodeset_clear_p) struct nodeset a = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset b = {0, NULL};

	return nodeset_parse(wanted, limit, &a, NULL) == 0 && nodeset_parse(found, limit, &b, NULL) == 0 &&
	       nodeset_is_equal(&a, &b);
}

/* The words that sysfs prints for a flag (lib/vsprintf.c has none; mm/mempolicy.c auto_show). */
static bool flag_agrees(const char *wanted, const char *found)
{
	return strcmp(found, wanted[0] == '1' ? "true" : "false") == 0;
}

/* cgroup.max.depth and .descendants print INT_MAX, which may be written as a number, as "max". */
static bool limit_agrees(const struct key *key, const char *wanted, const char *found)
{
	int64_t number;

	return strcmp(found, "max") == 0 && text_i64(wanted, &number) == 0 && number == key->max;
}

/* kernel/sched/core.c cpu_uclamp_print(): 100 percent is "max". */
static bool clamp_agrees(const struct setting *setting, const char *wanted, const char *found)
{
	return strncmp(setting->name, "cpu.uclamp.", 11) == 0 && strcmp(found, "max") == 0 &&
	       is_same_word(span_of("100"), span_of(wanted));
}

bool agreement_holds(const struct setting *setting, const char *wanted, const char *found)
{
	switch (setting->key ? setting->key->type : KEY_TEXT) {
	case KEY_CPUS:
	case KEY_NODES:
		return strcmp(wanted, found) == 0 || list_agrees(setting, wanted, found);
	case KEY_TEXT:
		return strcmp(wanted, found) == 0 || text_agrees(wanted, found) ||
		       clamp_agrees(setting, wanted, found);
	case KEY_FLAG:
		return strcmp(wanted, found) == 0 || flag_agrees(wanted, found);
	case KEY_LIMIT:
		return strcmp(wanted, found) == 0 || limit_agrees(setting->key, wanted, found);
	default:
		return strcmp(wanted, found) == 0;
	}
}
