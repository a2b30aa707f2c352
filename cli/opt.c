/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options as a table: parsing into a config struct, and the help text, from the same rows. */
#include "opt.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "guess.h"

static int usage(struct cgpol_error *err, const char *value, const char *hint)
{
	error_detail(err, NULL, value, hint);
	return -EINVAL;
}

bool opt_is_digits(const char *text)
{
	return *text && text[strspn(text, "0123456789")] == '\0';
}

int opt_words_add(struct words *words, char *word)
{
	char **grown = reallocarray(words->word, words->count + 1, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	words->word = grown;
	words->word[words->count++] = word;
	return 0;
}

int opt_pids_add(struct pids *pids, pid_t pid)
{
	pid_t *grown;

	for (size_t i = 0; i < pids->count; i++)
		if (pids->pid[i] == pid)
			return 0;
	grown = reallocarray(pids->pid, pids->count + 1, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	pids->pid = grown;
	pids->pid[pids->count++] = pid;
	return 0;
}

int opt_pid(const char *what, const char *text, pid_t *pid, struct cgpol_error *err)
{
	uint64_t number;

	if (!opt_is_digits(text) || text_u64(text, &number) < 0 || number == 0 || number > INT_MAX) {
		error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is not a process id", what, text);
		return usage(err, text, "a process id is a whole number from 1");
	}
	*pid = (pid_t)number;
	return 0;
}

static int set_pids(const char *what, const char *text, struct pids *pids, struct cgpol_error *err)
{
	for (const char *at = text;; at++) {
		size_t size = strcspn(at, ",");
		AUTO(free_p) char *part = strndup(at, size);
		pid_t pid;
		int rc;

		if (!part)
			return -ENOMEM;
		rc = opt_pid(what, part, &pid, err);
		if (rc == 0)
			rc = opt_pids_add(pids, pid);
		if (rc < 0)
			return rc;
		at += size;
		if (!*at)
			return 0;
	}
}

static int set_enum(const char *what, const struct opt *opt, const char *text, int *index,
		    struct cgpol_error *err)
{
	struct guess guess = {.word = text};
	char all[128] = "", hint[96] = "";

	for (int i = 0; opt->words[i]; i++) {
		if (strcmp(opt->words[i], text) == 0) {
			*index = i;
			return 0;
		}
		guess_offer(&guess, opt->words[i]);
		(void)snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", i ? ", " : "",
			       opt->words[i]);
	}
	if (guess.best)
		(void)snprintf(hint, sizeof(hint), "did you mean %s?", guess.best);
	error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is none of %s", what, text, all);
	return usage(err, text, guess.best ? hint : NULL);
}

static int set_u64(const char *what, const char *text, uint64_t *number, struct cgpol_error *err)
{
	if (opt_is_digits(text) && text_u64(text, number) == 0)
		return 0;
	error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is not a whole number", what, text);
	return usage(err, text, NULL);
}

static int set_int(const char *what, const char *text, struct opt_int *value, struct cgpol_error *err)
{
	if (text_i64(text, &value->number) == 0 && opt_is_digits(text + (*text == '-'))) {
		value->is_set = true;
		return 0;
	}
	error_set(err, EINVAL, CGPOL_USAGE, "%s: \"%s\" is not a whole number", what, text);
	return usage(err, text, NULL);
}

static int set_pid(const char *what, const char *text, pid_t *pid, struct cgpol_error *err)
{
	if (*pid == 0)
		return opt_pid(what, text, pid, err);
	error_set(err, EINVAL, CGPOL_USAGE, "%s takes one process here, and was given more than once", what);
	return usage(err, text, NULL);
}

/* `text` is NULL for a flag, and only there. */
static int set_value(const struct opt *opt, void *config, char *text, struct cgpol_error *err)
{
	void *member = (char *)config + opt->offset;
	char what[GUESS_WORD_MAX];

	(void)snprintf(what, sizeof(what), "--%s", opt->name);
	switch (opt->type) {
	case OPT_FLAG:
		*(bool *)member = true;
		return 0;
	case OPT_STRING:
		*(const char **)member = text;
		return 0;
	case OPT_STRINGS:
		return opt_words_add(member, text);
	case OPT_PID:
		return set_pid(what, text, member, err);
	case OPT_PIDS:
		return set_pids(what, text, member, err);
	case OPT_U64:
		return set_u64(what, text, member, err);
	case OPT_ENUM:
		return set_enum(what, opt, text, member, err);
	case OPT_INT:
		return set_int(what, text, member, err);
	}
	return -EINVAL;
}

/* Finds an option by its name or, with a name of NULL, by its letter. */
static const struct opt *find(const struct opt_parser *parser, const char *name, size_t size, char letter,
			      void **config)
{
	for (size_t t = 0; t < OPT_TABLES; t++)
		for (const struct opt *opt = parser->table[t]; opt && opt->name; opt++)
			if (name ? strlen(opt->name) == size && memcmp(opt->name, name, size) == 0
				 : opt->letter == letter) {
				*config = parser->config[t];
				return opt;
			}
	return NULL;
}

static int reject(const struct opt_parser *parser, const char *shown, size_t size, struct cgpol_error *err)
{
	char word[96], hint[200];
	struct guess guess = {.word = word + strspn(shown, "-")};

	(void)snprintf(word, sizeof(word), "%.*s", (int)(size < sizeof(word) ? size : sizeof(word) - 1),
		       shown);
	for (size_t t = 0; t < OPT_TABLES; t++)
		for (const struct opt *opt = parser->table[t]; opt && opt->name; opt++)
			if (opt->help)
				guess_offer(&guess, opt->name);
	if (guess.best)
		(void)snprintf(hint, sizeof(hint), "did you mean --%s?", guess.best);
	else if (parser->command)
		(void)snprintf(hint, sizeof(hint), "\"cgpol %s --help\" lists what there is",
			       parser->command);
	else
		(void)snprintf(hint, sizeof(hint), "options of a command stand behind it: cgpol COMMAND %s",
			       word);
	error_set(err, EINVAL, CGPOL_USAGE, "unknown option \"%s\"", word);
	return usage(err, word, hint);
}

static int need_value(const struct opt *opt, struct cgpol_error *err)
{
	error_set(err, EINVAL, CGPOL_USAGE, "--%s needs a value: %s", opt->name, opt->value);
	return usage(err, opt->name, NULL);
}

static int take_long(struct opt_parser *parser, char *argument, struct cgpol_error *err)
{
	char *name = argument + 2, *equals = strchr(name, '='), *value = equals ? equals + 1 : NULL;
	size_t size = equals ? (size_t)(equals - name) : strlen(name);
	void *config = NULL;
	const struct opt *opt = find(parser, name, size, 0, &config);

	if (!opt)
		return reject(parser, argument, size + 2, err);
	if (opt->type == OPT_FLAG && value) {
		error_set(err, EINVAL, CGPOL_USAGE, "--%s takes no value", opt->name);
		return usage(err, value, NULL);
	}
	if (opt->type != OPT_FLAG && !value) {
		value = parser->argv[parser->at];
		if (!value)
			return need_value(opt, err);
		parser->at++;
	}
	return set_value(opt, config, value, err);
}

/* "-Jn", "-o LIST", "-oLIST": flags may be joined, the last may have a value. */
static int take_short(struct opt_parser *parser, char *argument, struct cgpol_error *err)
{
	for (char *at = argument + 1; *at; at++) {
		void *config = NULL;
		const struct opt *opt = find(parser, NULL, 0, *at, &config);
		char *value = at + 1;
		int rc;

		if (!opt) {
			const char word[3] = {'-', *at, '\0'};

			return reject(parser, word, 2, err);
		}
		if (opt->type == OPT_FLAG) {
			rc = set_value(opt, config, NULL, err);
			if (rc < 0)
				return rc;
			continue;
		}
		if (!*value) {
			value = parser->argv[parser->at];
			if (!value)
				return need_value(opt, err);
			parser->at++;
		}
		return set_value(opt, config, value, err);
	}
	return 0;
}

int opt_parse(struct opt_parser *parser, struct words *words, struct cgpol_error *err)
{
	bool only_words = false;
	int first = 0;

	for (char *argument; (argument = parser->argv[parser->at]); parser->at++) {
		struct cgpol_error later = {0};
		int rc;

		if (only_words || argument[0] != '-' || !argument[1]) {
			if (parser->stop_at_word)
				break;
			rc = opt_words_add(words, argument);
		} else if (strcmp(argument, "--") == 0) {
			only_words = true;
			continue;
		} else {
			parser->at++; /* values are taken from here on */
			rc = (argument[1] == '-' ? take_long : take_short)(parser, argument,
									   first ? &later : err);
			parser->at--;
		}
		if (rc < 0 && first == 0)
			first = rc;
	}
	return first;
}

void opt_clear(const struct opt *table, void *config)
{
	for (const struct opt *opt = table; opt && opt->name; opt++) {
		void *member = (char *)config + opt->offset;

		if (opt->type == OPT_STRINGS) {
			free(((struct words *)member)->word);
			*(struct words *)member = (struct words){0};
		} else if (opt->type == OPT_PIDS) {
			free(((struct pids *)member)->pid);
			*(struct pids *)member = (struct pids){0};
		}
	}
}

void opt_print_help(const struct opt *table, FILE *out)
{
	for (const struct opt *opt = table; opt && opt->name; opt++) {
		char left[64], letter[8] = "    ";

		if (!opt->help)
			continue;
		if (opt->letter)
			(void)snprintf(letter, sizeof(letter), "-%c, ", opt->letter);
		(void)snprintf(left, sizeof(left), "%s--%s%s%s", letter, opt->name, opt->value ? " " : "",
			       opt->value ? opt->value : "");
		(void)fprintf(out, "  %-26s %s\n", left, opt->help);
	}
}
