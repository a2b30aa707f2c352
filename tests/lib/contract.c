/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of calls and what the kernel answers, played on any root: the fake kernel or a real one. */
#include "contract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/nodeset.h"
#include "base/text.h"

#define MOUNT "/sys/fs/cgroup"

enum { NAMES = 26, PATH_SIZE = 512, WAIT_MS = 5000 };

struct playing {
	struct root *root;
	const struct contract_processes *processes;
	unsigned major, minor;
	pid_t pid[NAMES]; /* by letter: processes and threads named "a" to "z" */
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

/* So that an answer is one line. */
static void bar_newlines(char *text)
{
	for (; *text; text++) {
		if (*text == '\n')
			*text = '|';
	}
}

static void judge_text(struct playing *playing, const struct rule *rule, char *text, int rc)
{
	char got[PATH_SIZE];

	if (rc < 0) {
		judge(playing, rule, name_of(rc));
		return;
	}
	bar_newlines(text);
	(void)snprintf(got, sizeof(got), "\"%s\"", text);
	judge(playing, rule, got);
}

static pid_t *named(struct playing *playing, char letter)
{
	return &playing->pid[letter - 'a'];
}

static bool is_letter(const char *text)
{
	return text[0] >= 'a' && text[0] <= 'z' && text[1] == '\0';
}

/* "X [Y] [16M]" */
static int start(struct playing *playing, const struct rule *rule, const char *path)
{
	AUTO(free_p) char *copy = strdup(rule->value);
	struct contract_task task = {false, 0, 0, 0};
	pid_t *second = NULL;
	char *save = NULL, *word = copy ? strtok_r(copy, " ", &save) : NULL;
	int rc;

	for (word = word ? strtok_r(NULL, " ", &save) : NULL; word; word = strtok_r(NULL, " ", &save)) {
		if (is_letter(word))
			second = named(playing, *word);
		else
			task.bytes = strtoull(word, NULL, 10) << 20;
	}
	task.has_thread = second != NULL;
	rc = playing->processes->start(playing->root, path, &task);
	if (rc == 0)
		*named(playing, rule->value[0]) = task.pid;
	if (rc == 0 && second)
		*second = task.tid;
	return rc;
}

static int move_task(struct playing *playing, const struct rule *rule, const char *path)
{
	char file[PATH_SIZE + 16], text[16];

	(void)snprintf(file, sizeof(file), "%s/%s", path,
		       strcmp(rule->verb, "move") == 0 ? "cgroup.procs" : "cgroup.threads");
	(void)snprintf(text, sizeof(text), "%d", (int)*named(playing, rule->value[0]));
	return root_write(playing->root, file, text);
}

static int write_text(struct playing *playing, const struct rule *rule, const char *path)
{
	return root_write(playing->root, path, strcmp(rule->value, "\\n") == 0 ? "\n" : rule->value);
}

static int make_cgroup(struct playing *playing, const struct rule *rule, const char *path)
{
	(void)rule;
	return root_mkdir(playing->root, path);
}

static int remove_cgroup(struct playing *playing, const struct rule *rule, const char *path)
{
	(void)rule;
	return root_rmdir(playing->root, path);
}

static int look(struct playing *playing, const struct rule *rule, const char *path)
{
	struct root_info info;

	(void)rule;
	return root_stat(playing->root, path, &info);
}

static int give(struct playing *playing, const struct rule *rule, const char *path)
{
	return root_chown(playing->root, path, (uid_t)strtoul(rule->value, NULL, 10), (gid_t)-1);
}

static int mark(struct playing *playing, const struct rule *rule, const char *path)
{
	return root_set_xattr(playing->root, path, "user.contract", rule->value);
}

static int unmark(struct playing *playing, const struct rule *rule, const char *path)
{
	(void)rule;
	return root_remove_xattr(playing->root, path, "user.contract");
}

/* affinity / X LIST: the path is of no use. */
static int bind_task(struct playing *playing, const struct rule *rule, const char *path)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};

	(void)path;
	if (nodeset_parse(rule->value + 2, NODESET_CPUS_MAX, &cpus, NULL) < 0)
		return -EDOM;
	return root_set_affinity(playing->root, *named(playing, rule->value[0]), &cpus);
}

static void pause_a_little(unsigned *waited)
{
	const struct timespec step = {0, 10000000};

	(void)nanosleep(&step, NULL);
	*waited += 10;
}

/* What the kernel does a little later: -ETIMEDOUT when it did not. */
static int await_text(struct playing *playing, const struct rule *rule, const char *path)
{
	unsigned waited = 0;

	for (;;) {
		AUTO(free_p) char *text = NULL;
		int rc = root_read(playing->root, path, &text, NULL);

		if (rc < 0)
			return rc;
		bar_newlines(text);
		if (strcmp(text, rule->value) == 0)
			return 0;
		if (waited >= WAIT_MS)
			return -ETIMEDOUT;
		pause_a_little(&waited);
	}
}

static int await_end(struct playing *playing, const struct rule *rule, const char *path)
{
	pid_t *pid = named(playing, rule->value[0]);
	unsigned waited = 0;

	(void)path;
	for (;; pause_a_little(&waited)) {
		AUTO(close_p) int fd = root_open_process(playing->root, *pid);

		if (fd == -ESRCH)
			*pid = 0;
		if (fd < 0)
			return fd == -ESRCH ? 0 : fd;
		if (waited >= WAIT_MS)
			return -ETIMEDOUT;
	}
}

/* Is a process or thread in the list that the file is? -ESRCH when it is not. */
static int look_for(struct playing *playing, const struct rule *rule, const char *path)
{
	AUTO(free_p) char *text = NULL;
	const char *at;
	struct span line;
	char number[16];
	int rc = root_read(playing->root, path, &text, NULL);

	if (rc < 0)
		return rc;
	(void)snprintf(number, sizeof(number), "%d", (int)*named(playing, rule->value[0]));
	at = text;
	while (text_line(&at, &line)) {
		if (strlen(number) == line.size && memcmp(line.at, number, line.size) == 0)
			return 0;
	}
	return -ESRCH;
}

/* Is a number in a file at least so much? -ERANGE when it is less. */
static int weigh(struct playing *playing, const struct rule *rule, const char *path)
{
	uint64_t number;
	int rc = root_read_u64(playing->root, path, &number);

	return rc < 0 ? rc : number < strtoull(rule->value, NULL, 10) ? -ERANGE : 0;
}

static const struct verb {
	const char *name;
	int (*play)(struct playing *playing, const struct rule *rule, const char *path);
	bool is_of_task; /* the value begins with a letter */
} verbs[] = {
	{"mkdir", make_cgroup, false},	 {"rmdir", remove_cgroup, false},
	{"write", write_text, false},	 {"stat", look, false},
	{"start", start, true},		 {"move", move_task, true},
	{"movethread", move_task, true}, {"own", give, false},
	{"mark", mark, false},		 {"unmark", unmark, false},
	{"affinity", bind_task, true},	 {"await", await_text, false},
	{"gone", await_end, true},	 {"lists", look_for, true},
	{"least", weigh, false},
};

/* The value behind a key: of "KEY VALUE" or "KEY:\tVALUE". */
static int read_field(struct playing *playing, const char *path, const char *key, char **value)
{
	AUTO(free_p) char *text = NULL;
	const char *at;
	struct span line, word;
	int rc = root_read(playing->root, path, &text, NULL);

	if (rc < 0)
		return rc;
	at = text;
	while (text_line(&at, &line)) {
		if (!text_word(&line, &word) || word.size < strlen(key) ||
		    memcmp(word.at, key, strlen(key)) != 0 ||
		    (word.size > strlen(key) && word.at[strlen(key)] != ':'))
			continue;
		if (!text_word(&line, &word))
			return -ENODATA;
		*value = span_dup(word);
		return *value ? 0 : -ENOMEM;
	}
	return -ENODATA;
}

static int read_owner(struct playing *playing, const char *path, char **value)
{
	struct root_info info;
	int rc = root_stat(playing->root, path, &info);

	if (rc < 0)
		return rc;
	return asprintf(value, "%u", info.uid) < 0 ? -ENOMEM : 0;
}

/* Those whose answer is a text. False: it is none of them. */
static bool play_question(struct playing *playing, const struct rule *rule, const char *path)
{
	AUTO(free_p) char *text = NULL;
	int rc;

	if (strcmp(rule->verb, "read") == 0)
		rc = root_read(playing->root, path, &text, NULL);
	else if (strcmp(rule->verb, "field") == 0)
		rc = read_field(playing, path, rule->value, &text);
	else if (strcmp(rule->verb, "owner") == 0)
		rc = read_owner(playing, path, &text);
	else if (strcmp(rule->verb, "marked") == 0)
		rc = root_get_xattr(playing->root, path, "user.contract", &text);
	else
		return false;
	judge_text(playing, rule, text, rc);
	return true;
}

/* "@x/FILE" is of a process, "/proc/..." the machine's, the others are below the mount. */
static bool find_path(struct playing *playing, const struct rule *rule, char path[PATH_SIZE])
{
	const char *given = rule->path;

	if (given[0] == '@') {
		if (given[1] < 'a' || given[1] > 'z')
			return false;
		(void)snprintf(path, PATH_SIZE, "/proc/%d%s", (int)*named(playing, given[1]), given + 2);
	} else if (strncmp(given, "/proc/", 6) == 0) {
		(void)snprintf(path, PATH_SIZE, "%s", given);
	} else {
		(void)snprintf(path, PATH_SIZE, "%s%s", MOUNT, strcmp(given, "/") == 0 ? "" : given);
	}
	return given[0] == '@' || given[0] == '/';
}

static bool play(struct playing *playing, const struct rule *rule)
{
	char path[PATH_SIZE];

	if (!find_path(playing, rule, path))
		return false;
	if (play_question(playing, rule, path))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i].name, rule->verb) != 0)
			continue;
		if (verbs[i].is_of_task && (rule->value[0] < 'a' || rule->value[0] > 'z'))
			return false;
		judge(playing, rule, name_of(verbs[i].play(playing, rule, path)));
		return true;
	}
	return false;
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
		if (*named(playing, rest[4]) > 0)
			playing->processes->end(playing->root, *named(playing, rest[4]));
		*named(playing, rest[4]) = 0;
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
	return play(playing, &rule);
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
