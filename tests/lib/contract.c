/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of calls and what the kernel answers, played on any root: the fake kernel or a real one. */
#include "contract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

#define MOUNT "/sys/fs/cgroup"

enum { NAMES = 26, PATH_SIZE = 512 };

struct playing {
	struct root *root;
	const struct contract_processes *processes;
	unsigned major, minor;
	pid_t pid[NAMES]; /* by letter: processes named "a" to "z" */
	FILE *out;
	unsigned line, played;
	int wrong;
};

/* One rule: VERB PATH [VALUE] = ANSWER. Each part is NUL terminated. */
struct rule {
	char *verb, *path, *value, *answer;
};

static const char *name_of(int rc)
{
	const char *name = rc < 0 ? error_name(-rc) : "ok";

	return name ? name : "?";
}

static void judge(struct playing *playing, const struct rule *rule, const char *got)
{
	playing->played++;
	if (strcmp(rule->answer, got) == 0)
		return;
	playing->wrong++;
	(void)fprintf(playing->out, "line %u: %s %s %s: expected %s, got %s\n", playing->line, rule->verb,
		      rule->path, rule->value, rule->answer, got);
}

/* Newlines as "|", so that an answer is one line. */
static void judge_text(struct playing *playing, const struct rule *rule, char *text, int rc)
{
	char got[PATH_SIZE];

	if (rc < 0) {
		judge(playing, rule, name_of(rc));
		return;
	}
	for (char *at = text; *at; at++) {
		if (*at == '\n')
			*at = '|';
	}
	(void)snprintf(got, sizeof(got), "\"%s\"", text);
	judge(playing, rule, got);
}

static int start(struct playing *playing, const struct rule *rule, const char *path)
{
	return playing->processes->start(playing->root, path, &playing->pid[rule->value[0] - 'a']);
}

static int move_process(struct playing *playing, const struct rule *rule, const char *path)
{
	char file[PATH_SIZE + 16], text[16];

	(void)snprintf(file, sizeof(file), "%s/cgroup.procs", path);
	(void)snprintf(text, sizeof(text), "%d", (int)playing->pid[rule->value[0] - 'a']);
	return root_write(playing->root, file, text);
}

static bool is_process(const struct rule *rule)
{
	return rule->value[0] >= 'a' && rule->value[0] <= 'z' && rule->value[1] == '\0';
}

static bool play(struct playing *playing, const struct rule *rule)
{
	char path[PATH_SIZE];
	AUTO(free_p) char *text = NULL;
	struct root_info info;

	(void)snprintf(path, sizeof(path), "%s%s", MOUNT, strcmp(rule->path, "/") == 0 ? "" : rule->path);
	if (strcmp(rule->verb, "read") == 0) {
		int rc = root_read(playing->root, path, &text, NULL);

		judge_text(playing, rule, text, rc);
	} else if (strcmp(rule->verb, "mkdir") == 0)
		judge(playing, rule, name_of(root_mkdir(playing->root, path)));
	else if (strcmp(rule->verb, "rmdir") == 0)
		judge(playing, rule, name_of(root_rmdir(playing->root, path)));
	else if (strcmp(rule->verb, "write") == 0)
		judge(playing, rule,
		      name_of(root_write(playing->root, path,
					 strcmp(rule->value, "\\n") == 0 ? "\n" : rule->value)));
	else if (strcmp(rule->verb, "stat") == 0)
		judge(playing, rule, name_of(root_stat(playing->root, path, &info)));
	else if (strcmp(rule->verb, "start") == 0 && is_process(rule))
		judge(playing, rule, name_of(start(playing, rule, path)));
	else if (strcmp(rule->verb, "move") == 0 && is_process(rule))
		judge(playing, rule, name_of(move_process(playing, rule, path)));
	else
		return false;
	return true;
}

static char *strip(char *text)
{
	size_t size;

	text += strspn(text, " \t");
	size = strlen(text);
	while (size > 0 && strchr(" \t", text[size - 1]))
		text[--size] = '\0';
	return text;
}

static char *next_word(char **rest)
{
	char *word = strip(*rest);
	char *end = word + strcspn(word, " \t");

	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

/* Takes one "since 6.1" or "before 6.7" off the rule. False when it does not hold. */
static bool take_version(const struct playing *playing, char **rest)
{
	bool is_since = strncmp(*rest, "since ", 6) == 0, is_older;
	unsigned major = 0, minor = 0;

	*rest = strip(*rest + (is_since ? 6 : 7));
	(void)sscanf(next_word(rest), "%u.%u", &major, &minor); /* NOLINT(cert-err34-c): our own table */
	is_older = playing->major < major || (playing->major == major && playing->minor < minor);
	*rest = strip(*rest);
	return is_since != is_older;
}

static bool play_line(struct playing *playing, char *line)
{
	struct rule rule = {.value = (char *)(uintptr_t) ""};
	char *rest = strip(line), *equals;

	if (*rest == '#' || *rest == '\0')
		return true;
	while (strncmp(rest, "since ", 6) == 0 || strncmp(rest, "before ", 7) == 0) {
		if (!take_version(playing, &rest))
			return true;
	}
	if (strncmp(rest, "end ", 4) == 0) {
		playing->processes->end(playing->root, playing->pid[rest[4] - 'a']);
		playing->pid[rest[4] - 'a'] = 0;
		return true;
	}
	equals = strstr(rest, " = ");
	if (!equals)
		return false;
	*equals = '\0';
	rule.answer = strip(equals + 3);
	rule.verb = next_word(&rest);
	rule.path = next_word(&rest);
	rule.value = strip(rest);
	return rule.path[0] == '/' && play(playing, &rule);
}

int contract_play(struct root *root, const struct contract_processes *processes, const char *rules, FILE *out,
		  unsigned *played)
{
	struct playing playing = {.root = root, .processes = processes, .out = out};
	struct span line;
	bool is_good = true;

	(void)sscanf(root->facts.release, "%u.%u", &playing.major, &playing.minor); /* NOLINT(cert-err34-c) */
	while (is_good && text_line(&rules, &line)) {
		AUTO(free_p) char *copy = span_dup(line);

		playing.line++;
		is_good = copy && play_line(&playing, copy);
	}
	if (!is_good)
		(void)fprintf(out, "line %u is not understood\n", playing.line);
	for (size_t i = 0; i < NAMES; i++) {
		if (playing.pid[i] > 0)
			processes->end(root, playing.pid[i]);
	}
	*played = playing.played;
	return is_good ? playing.wrong : -1;
}
