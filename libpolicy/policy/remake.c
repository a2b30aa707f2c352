/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup as text that outlives it, and making it again from that. */
#include "policy/remake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/mark.h"
#include "host/subtree.h"
#include "policy/cause.h"
#include "policy/inventory.h"
#include "policy/need.h"
#include "policy/step.h"

/* Lines of words, the last of which may be encoded:
 *	owner UID:GID [FILE]
 *	mark TEXT
 *	type threaded
 *	set FILE TEXT
 *	control CONTROLLER... */

/* The files that a delegatee gets, where the kernel does not tell (/sys/kernel/cgroup/delegate, 4.15). */
static const char delegated[] = "cgroup.procs\ncgroup.threads\ncgroup.subtree_control\n";

/* A setting may be refused until another is there (cpu.weight while cpu.idle is 1): so often all are tried.
 */
enum { PASSES = 3 };

struct saving {
	struct cgpol_host *host;
	const char *cgroup;
	FILE *file;
	char *text;
	size_t size;
};

/* ---- saving ---- */

static int save_owner(struct saving *saving, const char *file)
{
	AUTO(free_p) char *path = cgroup_path(saving->host, saving->cgroup, file);
	struct root_info info;
	int rc = path ? root_stat(saving->host->root, path, &info) : -ENOMEM;

	if (rc < 0)
		return file && rc != -ENOMEM ? 0 : rc;
	(void)fprintf(saving->file, "owner %u:%u%s%s\n", info.uid, info.gid, file ? " " : "",
		      file ? file : "");
	return 0;
}

static int save_owners(struct saving *saving)
{
	AUTO(free_p) char *files = NULL;
	struct span line;
	int rc = save_owner(saving, NULL);

	if (rc == 0 && root_read(saving->host->root, "/sys/kernel/cgroup/delegate", &files, NULL) < 0)
		files = strdup(delegated);
	if (!files)
		return rc < 0 ? rc : -ENOMEM;
	for (const char *rest = files; rc == 0 && text_line(&rest, &line);) {
		AUTO(free_p) char *file = span_dup(line);

		if (!file)
			return -ENOMEM;
		rc = *file && !strchr(file, '/') ? save_owner(saving, file) : 0;
	}
	return rc;
}

static int save_text(struct saving *saving, const char *word, const char *name, const char *text)
{
	size_t size = 3 * strlen(text) + 1;
	AUTO(free_p) char *encoded = malloc(size);

	if (!encoded || !text_encode(text, encoded, size))
		return -ENOMEM;
	(void)fprintf(saving->file, "%s %s%s%s\n", word, name, *name ? " " : "", encoded);
	return 0;
}

static int save_mark(struct saving *saving)
{
	AUTO(free_p) char *path = cgroup_path(saving->host, saving->cgroup, NULL);
	AUTO(free_p) char *mark = NULL;

	if (!path)
		return -ENOMEM;
	if (root_get_xattr(saving->host->root, path, MARK_ATTRIBUTE, &mark) < 0)
		return 0;
	return save_text(saving, "mark", "", mark);
}

/* "root invalid (Parent is not a partition root)": the reason is not the cgroup's own. */
static void cut_reason(char *text)
{
	char *reason = strstr(text, " invalid (");

	if (reason)
		reason[strlen(" invalid")] = '\0';
}

static int save_settings(struct saving *saving)
{
	AUTO(inventory_clear) struct inventory inventory = {0};
	int rc = inventory_read(saving->host, saving->cgroup, false, &inventory, NULL);

	for (size_t i = 0; rc == 0 && i < inventory.count; i++) {
		if (strcmp(inventory.item[i].name, "cpuset.cpus.partition") == 0)
			cut_reason(inventory.item[i].text);
		rc = save_text(saving, "set", inventory.item[i].name, inventory.item[i].text);
	}
	return rc;
}

static int save_rest(struct saving *saving)
{
	AUTO(free_p) char *type = cause_read(saving->host, saving->cgroup, "cgroup.type");
	AUTO(free_p) char *control = cause_read(saving->host, saving->cgroup, "cgroup.subtree_control");
	int rc;

	if (type && strcmp(type, "threaded") == 0)
		(void)fprintf(saving->file, "type threaded\n");
	rc = save_settings(saving);
	if (rc == 0 && control && *control)
		(void)fprintf(saving->file, "control %s\n", control);
	return rc;
}

int remake_save(struct cgpol_host *host, const char *cgroup, char **saved)
{
	struct saving saving = {.host = host, .cgroup = cgroup};
	int rc;

	saving.file = open_memstream(&saving.text, &saving.size);
	if (!saving.file)
		return -ENOMEM;
	rc = save_owners(&saving);
	if (rc == 0)
		rc = save_mark(&saving);
	if (rc == 0)
		rc = save_rest(&saving);
	if (fclose(saving.file) != 0 && rc == 0)
		rc = -ENOMEM;
	if (rc < 0)
		free(saving.text);
	else
		*saved = saving.text;
	return rc;
}

/* ---- making ---- */

struct making {
	struct cgpol_host *host;
	const char *cgroup;
};

/* A line's first word, and what is behind it. */
struct part {
	struct span word, rest;
};

static struct part part_of(struct span line)
{
	struct part part = {{NULL, 0}, line};

	(void)text_word(&part.rest, &part.word);
	if (part.rest.size > 0) {
		part.rest.at++;
		part.rest.size--;
	}
	return part;
}

static int decode(struct span span, char **text)
{
	AUTO(free_p) char *encoded = span_dup(span);

	return encoded ? text_decode(encoded, text, NULL) : -ENOMEM;
}

static int make_owner(const struct making *making, struct span text)
{
	struct part part = part_of(text);
	AUTO(free_p) char *owner = span_dup(part.word);
	AUTO(free_p) char *file = span_dup(part.rest);
	AUTO(free_p)
	char *path = file ? cgroup_path(making->host, making->cgroup, *file ? file : NULL) : NULL;
	struct root_info info;
	uid_t uid;
	gid_t gid;
	int rc;

	if (!owner || !path)
		return -ENOMEM;
	if (step_owner(owner, &uid, &gid) < 0 || strchr(file, '/'))
		return -EBADMSG;
	rc = root_stat(making->host->root, path, &info);
	if (rc < 0 || (info.uid == uid && info.gid == gid))
		return rc;
	return root_chown(making->host->root, path, uid, gid);
}

/* A file of several lines takes one with each write. */
static int write_lines(struct cgpol_host *host, const char *path, const char *text)
{
	struct span line;
	int rc = *text ? 0 : root_write(host->root, path, "\n");

	while (rc == 0 && text_line(&text, &line)) {
		AUTO(free_p) char *one = span_dup(line);

		if (!one)
			return -ENOMEM;
		rc = root_write(host->root, path, one);
	}
	return rc;
}

static int make_setting(const struct making *making, struct span text)
{
	struct part part = part_of(text);
	AUTO(free_p) char *file = span_dup(part.word);
	AUTO(free_p) char *value = NULL, *now = NULL, *path = NULL;
	char *invalid;
	int rc = decode(part.rest, &value);

	if (rc < 0 || !part.word.at)
		return rc == -ENOMEM ? rc : -EBADMSG;
	if (!file || strchr(file, '/'))
		return file ? -EBADMSG : -ENOMEM;
	path = cgroup_path(making->host, making->cgroup, file);
	if (!path)
		return -ENOMEM;
	if (root_read(making->host->root, path, &now, NULL) == 0 && strcmp(now, value) == 0)
		return 0;
	invalid = strstr(value, " invalid");
	if (invalid)
		*invalid = '\0';
	return write_lines(making->host, path, value);
}

static int make_controllers(const struct making *making, struct span text)
{
	AUTO(free_p) char *now = cause_read(making->host, making->cgroup, "cgroup.subtree_control");
	AUTO(free_p) char *path = cgroup_path(making->host, making->cgroup, "cgroup.subtree_control");
	struct span word;
	int rc = 0;

	if (!path)
		return -ENOMEM;
	while (rc == 0 && text_word(&text, &word)) {
		AUTO(free_p) char *plus = NULL;

		if (asprintf(&plus, "+%.*s", (int)word.size, word.at) < 0) {
			plus = NULL; /* asprintf(3) leaves it undefined */
			return -ENOMEM;
		}
		rc = need_list_has(now, plus + 1) ? 0 : root_write(making->host->root, path, plus);
	}
	return rc;
}

static int make_type(const struct making *making)
{
	AUTO(free_p) char *now = cause_read(making->host, making->cgroup, "cgroup.type");
	AUTO(free_p) char *path = cgroup_path(making->host, making->cgroup, "cgroup.type");

	if (!path)
		return -ENOMEM;
	return now && strcmp(now, "threaded") == 0 ? 0 : root_write(making->host->root, path, "threaded");
}

/* It is the last, and says that all else is done. */
static int make_mark(const struct making *making, struct span text)
{
	AUTO(free_p) char *path = cgroup_path(making->host, making->cgroup, NULL);
	AUTO(free_p) char *mark = NULL;
	int rc = decode(text, &mark);

	if (rc == 0)
		rc = path ? root_set_xattr(making->host->root, path, MARK_ATTRIBUTE, mark) : -ENOMEM;
	return rc;
}

static int remove_mark(const struct making *making)
{
	AUTO(free_p) char *path = cgroup_path(making->host, making->cgroup, NULL);
	int rc = path ? root_remove_xattr(making->host->root, path, MARK_ATTRIBUTE) : -ENOMEM;

	return rc == -ENODATA || rc == -EOPNOTSUPP ? 0 : rc;
}

/* One kind of line. The first failure of a setting is told when all were tried. */
static int make_lines(const struct making *making, const char *saved, const char *kind)
{
	struct span line;
	int first = 0;

	while (text_line(&saved, &line)) {
		struct part part = part_of(line);
		int rc = 0;

		if (!span_is(part.word, kind))
			continue;
		if (span_is(part.word, "owner"))
			rc = make_owner(making, part.rest);
		else if (span_is(part.word, "type"))
			rc = make_type(making);
		else if (span_is(part.word, "set"))
			rc = make_setting(making, part.rest);
		else if (span_is(part.word, "control"))
			rc = make_controllers(making, part.rest);
		else
			rc = make_mark(making, part.rest);
		if (rc == -ENOMEM || rc == -EBADMSG)
			return rc;
		first = first < 0 ? first : rc;
	}
	return first;
}

static bool has_lines(const char *saved, const char *kind)
{
	struct span line;

	while (text_line(&saved, &line)) {
		if (span_is(part_of(line).word, kind))
			return true;
	}
	return false;
}

static bool is_ours(const char *saved)
{
	static const char *const words[] = {"owner", "mark", "type", "set", "control"};
	struct span line;

	while (text_line(&saved, &line)) {
		size_t i = 0;

		while (i < ARRAY_SIZE(words) && !span_is(part_of(line).word, words[i]))
			i++;
		if (i == ARRAY_SIZE(words))
			return false;
	}
	return true;
}

static int make_directory(const struct making *making)
{
	AUTO(free_p) char *path = cgroup_path(making->host, making->cgroup, NULL);
	int rc = path ? root_mkdir(making->host->root, path) : -ENOMEM;

	if (rc < 0 && rc != -EEXIST)
		return rc;
	rc = root_set_xattr(making->host->root, path, MARK_ATTRIBUTE, REMAKE_MARK);
	/* Before 5.7 there are none; then it must do without. */
	return rc == -EOPNOTSUPP ? 0 : rc;
}

/* What is refused to the end shows when all is compared. */
static int make_settings(const struct making *making, const char *saved)
{
	int rc = -EAGAIN;

	for (int i = 0; rc < 0 && i < PASSES; i++) {
		rc = make_lines(making, saved, "set");
		if (rc == -ENOMEM || rc == -EBADMSG)
			return rc;
	}
	return 0;
}

/* The owners come late: who gives a cgroup away may not be able to write to it any more. */
static int make_all(const struct making *making, const char *saved)
{
	int rc = make_directory(making);

	if (rc == 0)
		rc = make_lines(making, saved, "type");
	rc = rc < 0 ? rc : make_settings(making, saved);
	if (rc == 0)
		rc = make_lines(making, saved, "control");
	if (rc == 0)
		rc = make_lines(making, saved, "owner");
	if (rc < 0)
		return rc;
	return has_lines(saved, "mark") ? make_lines(making, saved, "mark") : remove_mark(making);
}

int remake_make(struct cgpol_host *host, const char *cgroup, const char *saved)
{
	const struct making making = {.host = host, .cgroup = cgroup};
	AUTO(free_p) char *now = NULL;
	int rc = is_ours(saved) ? make_all(&making, saved) : -EBADMSG;

	if (rc == 0)
		rc = remake_save(host, cgroup, &now);
	return rc == 0 && strcmp(now, saved) != 0 ? -EIO : rc;
}

/* ---- looking ---- */

static bool has_settings(struct cgpol_host *host, const char *cgroup)
{
	AUTO(inventory_clear) struct inventory inventory = {0};
	AUTO(free_p) char *control = cause_read(host, cgroup, "cgroup.subtree_control");

	return !control || *control || inventory_read(host, cgroup, false, &inventory, NULL) < 0 ||
	       inventory.count > 0;
}

bool remake_is_bare(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	AUTO(free_p) char *mark = NULL;
	int rc = path ? root_get_xattr(host->root, path, MARK_ATTRIBUTE, &mark) : -ENOMEM;

	if (rc != -ENODATA && rc != -EOPNOTSUPP)
		return false;
	return cgroup_has_children(host, cgroup) == 0 && !subtree_is_populated(host, cgroup) &&
	       !has_settings(host, cgroup);
}

bool remake_is_unfinished(struct cgpol_host *host, const char *cgroup)
{
	AUTO(free_p) char *path = cgroup_path(host, cgroup, NULL);
	AUTO(free_p) char *mark = NULL;

	if (path && root_get_xattr(host->root, path, MARK_ATTRIBUTE, &mark) == 0)
		return strcmp(mark, REMAKE_MARK) == 0;
	return remake_is_bare(host, cgroup);
}
