/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory by process, cgroup and node: rows from numa_maps and memory.numa_stat. */
#include "memory/usage.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/topology.h"
#include "memory/resident.h"
#include "memory/row.h"

enum { SHOWN_SIZE = 160 }; /* of a name in a sentence */

/* What every row needs of the machine. */
struct usage_source {
	struct nodeset memory; /* online nodes with memory */
	struct resident_source resident;
};

static void free_source(struct usage_source *source)
{
	if (!source)
		return;
	nodeset_clear(&source->memory);
	resident_clear(&source->resident);
	free(source);
}

int usage_new(struct cgpol_usage **usage)
{
	struct cgpol_usage *made = calloc(1, sizeof(*made));

	if (!made)
		return -ENOMEM;
	*usage = made;
	return 0;
}

static void drop_rows(struct cgpol_usage *usage, size_t from)
{
	while (usage->rows > from)
		row_clear(&usage->row[--usage->rows]);
}

void cgpol_usage_free(struct cgpol_usage *usage)
{
	if (!usage)
		return;
	drop_rows(usage, 0);
	free(usage->row);
	nodeset_clear(&usage->nodes);
	free_source(usage->source);
	free(usage);
}

static int load_source(struct cgpol_host *host, struct cgpol_usage *usage, struct cgpol_error *err)
{
	struct usage_source *source;
	int rc;

	if (usage->source)
		return 0;
	source = calloc(1, sizeof(*source));
	if (!source)
		return error_no_memory(err);
	rc = topology_read_memory(host, &source->memory, err);
	if (rc < 0) {
		free_source(source);
		return rc;
	}
	usage->source = source;
	return 0;
}

static int load_resident(struct cgpol_host *host, struct cgpol_usage *usage, struct cgpol_error *err)
{
	int rc = load_source(host, usage, err);

	if (rc == 0 && resident_prepare(host, &usage->source->resident) < 0)
		rc = error_no_memory(err);
	return rc;
}

/* Takes the row over. */
static int append_row(struct cgpol_usage *usage, struct usage_row *row)
{
	struct usage_row *grown;

	for (size_t i = 0; i < row->nodes; i++)
		if (nodeset_add(&usage->nodes, row->node[i].id) < 0)
			return -ENOMEM;
	/* Doubles at each power of two. */
	if ((usage->rows & (usage->rows - 1)) == 0) {
		grown = reallocarray(usage->row, usage->rows ? 2 * usage->rows : 1, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		usage->row = grown;
	}
	usage->row[usage->rows++] = *row;
	memset(row, 0, sizeof(*row));
	return 0;
}

static int read_row(struct cgpol_host *host, const struct usage_source *source, pid_t pid, const char *comm,
		    struct usage_row *row, bool *has_memory)
{
	int rc = resident_read(host, &source->resident, &source->memory, pid, row, has_memory);

	if (rc < 0)
		return rc;
	row->name = strdup(comm);
	return row->name ? 0 : -ENOMEM;
}

int usage_add_process(struct cgpol_host *host, struct cgpol_usage *usage, pid_t pid, struct cgpol_error *err)
{
	AUTO(row_clear) struct usage_row row = {.pid = 0};
	struct proc_stat stat;
	bool has_memory;
	int rc = load_resident(host, usage, err), denied;

	if (rc < 0)
		return rc;
	rc = proc_read_stat(host, pid, &stat);
	if (rc < 0)
		return resident_explain(pid, "", "stat", rc, err);
	rc = read_row(host, usage->source, pid, stat.comm, &row, &has_memory);
	if (rc < 0)
		return resident_explain(pid, stat.comm, "numa_maps", rc, err);
	denied = row.denied;
	if (append_row(usage, &row) < 0)
		return error_no_memory(err);
	return denied ? resident_explain(pid, stat.comm, "numa_maps", denied, err) : 0;
}

/* Compiled patterns. */
struct patterns {
	regex_t *regex;
	size_t count;
};

static void clear_patterns(struct patterns *patterns)
{
	for (size_t i = 0; i < patterns->count; i++)
		regfree(&patterns->regex[i]);
	free(patterns->regex);
}

static int compile(char *const *texts, size_t count, struct patterns *patterns, struct cgpol_error *err)
{
	patterns->regex = calloc(count + 1, sizeof(*patterns->regex));
	if (!patterns->regex)
		return error_no_memory(err);
	for (; patterns->count < count; patterns->count++) {
		regex_t *regex = &patterns->regex[patterns->count];
		char shown[SHOWN_SIZE], reason[SHOWN_SIZE];
		int rc = regcomp(regex, texts[patterns->count], REG_EXTENDED | REG_NOSUB);

		if (rc == REG_ESPACE)
			return error_no_memory(err);
		if (rc != 0) {
			(void)regerror(rc, regex, reason, sizeof(reason));
			text_escape(texts[patterns->count], shown, sizeof(shown));
			error_set(err, EINVAL, CGPOL_USAGE, "pattern \"%s\": %s", shown, reason);
			error_detail(err, NULL, shown, "patterns are extended regular expressions");
			return -EINVAL;
		}
	}
	return 0;
}

static bool is_match(const struct patterns *patterns, const char *comm)
{
	for (size_t i = 0; i < patterns->count; i++)
		if (regexec(&patterns->regex[i], comm, 0, NULL, 0) == 0)
			return true;
	return patterns->count == 0;
}

static void count_unreadable(struct cgpol_usage *usage, int rc)
{
	usage->unreadable++;
	if (rc == -EACCES || rc == -EPERM)
		usage->forbidden++;
}

/* One process of a scan. Only -ENOMEM is an error: what cannot be read is counted. */
static int scan_process(struct cgpol_host *host, struct cgpol_usage *usage, const struct patterns *patterns,
			pid_t pid)
{
	AUTO(row_clear) struct usage_row row = {.pid = 0};
	struct proc_stat stat;
	bool has_memory = false;
	int rc = proc_read_stat(host, pid, &stat);

	if (rc == 0) {
		if (!is_match(patterns, stat.comm))
			return 0;
		if (!(stat.flags & PROC_KTHREAD))
			rc = read_row(host, usage->source, pid, stat.comm, &row, &has_memory);
	}
	if (rc == 0 && row.denied)
		count_unreadable(usage, row.denied);
	if (rc == 0 && has_memory)
		return append_row(usage, &row);
	if (rc == 0)
		usage->others++;
	else if (proc_is_gone(rc))
		usage->vanished++;
	else
		count_unreadable(usage, rc);
	return rc == -ENOMEM ? rc : 0;
}

/* Largest first. */
static int compare_rows(const void *left, const void *right)
{
	const struct usage_row *a = left, *b = right;

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return (a->pid > b->pid) - (a->pid < b->pid);
}

/* Only in the initial pid namespace are all processes listed, and not where a mount with hidepid=2 leaves out
 * those of others; the global init is one of them for all but those who may see everything. */
static int list_processes(struct cgpol_host *host, struct cgpol_usage *usage, pid_t **pids, size_t *count,
			  struct cgpol_error *err)
{
	int rc = proc_list(host, pids, count);

	if (rc < 0)
		return error_set(err, -rc, CGPOL_FAILED, "/proc cannot be listed: %s",
				 strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown error");
	if (*count == 0) {
		error_set(err, ESRCH, CGPOL_FAILED, "/proc lists no process");
		error_detail(err, "/proc", NULL, "is a proc file system mounted there?");
		return -ESRCH;
	}
	usage->hides |= !host->root->facts.initial_pidns || (*pids)[0] != 1;
	return 0;
}

int usage_add_matching(struct cgpol_host *host, struct cgpol_usage *usage, char *const *patterns,
		       size_t count, struct cgpol_error *err)
{
	AUTO(clear_patterns) struct patterns compiled = {.regex = NULL};
	AUTO(free_p) pid_t *pids = NULL;
	size_t before = usage->rows, listed = 0;
	int rc = compile(patterns, count, &compiled, err);

	if (rc == 0)
		rc = load_resident(host, usage, err);
	if (rc < 0)
		return rc;
	rc = list_processes(host, usage, &pids, &listed, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < listed; i++) {
		/* The reader itself is no workload; it can be named. */
		if (pids[i] == host->root->facts.self)
			continue;
		if (scan_process(host, usage, &compiled, pids[i]) < 0) {
			drop_rows(usage, before);
			return error_no_memory(err);
		}
	}
	if (usage->rows > before)
		qsort(usage->row + before, usage->rows - before, sizeof(*usage->row), compare_rows);
	return 0;
}

/* What a key of memory.numa_stat counts as; USAGE_KINDS: nothing. Other keys are parts of these. */
static enum usage_kind find_kind(struct span key)
{
	static const struct {
		const char *key;
		enum usage_kind kind;
	} keys[] = {
		{"anon", USAGE_ANON},
		{"file", USAGE_FILE},
		{"shmem", USAGE_SHMEM},
		{"kernel_stack", USAGE_KERNEL},
		{"pagetables", USAGE_KERNEL},
		{"sec_pagetables", USAGE_KERNEL},
		{"slab_reclaimable", USAGE_KERNEL},
		{"slab_unreclaimable", USAGE_KERNEL},
	};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (span_is(key, keys[i].key))
			return keys[i].kind;
	return USAGE_KINDS;
}

/* "N2=10250747904" */
static int take_value(struct span word, enum usage_kind kind, struct usage_row *row)
{
	const char *equals = memchr(word.at, '=', word.size);
	struct usage_node *node;
	struct span id_word;
	uint64_t id, bytes;

	if (!equals || word.at[0] != 'N')
		return -EINVAL;
	id_word = (struct span){word.at + 1, (size_t)(equals - word.at) - 1};
	word = (struct span){equals + 1, word.size - id_word.size - 2};
	if (span_u64(id_word, &id) < 0 || id >= NODESET_NODES_MAX || span_u64(word, &bytes) < 0)
		return -EINVAL;
	if (row_get_node(row, (unsigned)id, &node) < 0)
		return -ENOMEM;
	node->bytes[kind] = row_add_capped(node->bytes[kind], bytes);
	return 0;
}

int usage_parse_numa_stat(const char *text, struct usage_row *row)
{
	AUTO(row_clear) struct usage_row made = {.pid = 0};
	struct span line, word;

	while (text_line(&text, &line)) {
		enum usage_kind kind = text_word(&line, &word) ? find_kind(word) : USAGE_KINDS;

		while (kind != USAGE_KINDS && text_word(&line, &word)) {
			int rc = take_value(word, kind, &made);

			if (rc < 0)
				return rc;
		}
	}
	for (size_t i = 0; i < made.nodes; i++) {
		uint64_t *bytes = made.node[i].bytes;

		/* The counters are not read at one instant. */
		bytes[USAGE_FILE] -= bytes[USAGE_SHMEM] < bytes[USAGE_FILE] ? bytes[USAGE_SHMEM]
									    : bytes[USAGE_FILE];
	}
	row_sum(&made);
	free(row->node);
	row->node = TAKE(made.node);
	row->nodes = made.nodes;
	memcpy(row->bytes, made.bytes, sizeof(row->bytes));
	row->total = made.total;
	return 0;
}

/* A file of a cgroup: -ENOENT when the cgroup is gone, 1 when it only has no such file. */
static int read_cgroup_file(struct cgpol_host *host, const char *name, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, name, file);
	uint64_t inode;
	int rc = path ? root_read(host->root, path, text, NULL) : -ENOMEM;

	if (rc != -ENOENT && rc != -ENODEV)
		return rc;
	rc = cgroup_inode(host, name, &inode);
	if (rc == -ENODEV)
		return -ENOENT;
	return rc < 0 ? rc : 1;
}

/* Appends the row of one cgroup. 1 when it has no memory controller of its own. */
static int add_cgroup_row(struct cgpol_host *host, struct cgpol_usage *usage, const char *name)
{
	AUTO(row_clear) struct usage_row row = {.pid = 0};
	AUTO(free_p) char *text = NULL;
	AUTO(free_p) char *swap = NULL;
	int rc = read_cgroup_file(host, name, "memory.numa_stat", &text);

	if (rc != 0)
		return rc;
	rc = usage_parse_numa_stat(text, &row);
	if (rc < 0)
		return rc;
	rc = read_cgroup_file(host, name, "memory.swap.current", &swap);
	if (rc < 0)
		return rc;
	/* The root has no such file, and no cgroup has it where swap is not accounted. */
	row.has_swap = rc == 0 && text_u64(swap, &row.swap) == 0;
	row.name = strdup(name);
	if (!row.name || row_cover(&row, &usage->source->memory) < 0)
		return -ENOMEM;
	return append_row(usage, &row);
}

/* Names that are still to be walked, the next one last. */
struct walk {
	char **name;
	size_t count, room;
};

static void clear_walk(struct walk *walk)
{
	while (walk->count > 0)
		free(walk->name[--walk->count]);
	free(walk->name);
}

/* Takes the names over, whatever becomes of them; the first is walked first. */
static int push_names(struct walk *walk, char **names, size_t count)
{
	if (walk->room - walk->count < count) {
		size_t room = 2 * (walk->count + count);
		char **grown = reallocarray(walk->name, room, sizeof(*grown));

		if (!grown) {
			root_list_free(names, count);
			return -ENOMEM;
		}
		walk->name = grown;
		walk->room = room;
	}
	while (count > 0)
		walk->name[walk->count++] = names[--count];
	free(names);
	return 0;
}

/* Appends one cgroup and notes its children. 1 when it is none with a memory controller: then none below is.
 */
static int visit_cgroup(struct cgpol_host *host, struct cgpol_usage *usage, const char *name,
			struct walk *walk)
{
	char **children = NULL;
	size_t count = 0;
	int rc = add_cgroup_row(host, usage, name);

	if (rc != 0)
		return rc;
	rc = cgroup_children(host, name, &children, &count);
	if (rc == -ENOENT) { /* it was read, and went away before its children could be listed */
		usage->vanished++;
		return 0;
	}
	return rc < 0 ? rc : push_names(walk, children, count);
}

static int explain_cgroup(const char *name, int rc, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	if (rc == -ENOMEM)
		return error_no_memory(err);
	text_escape(name, shown, sizeof(shown));
	if (rc == 1) {
		error_set(
			err, EOPNOTSUPP, CGPOL_UNSUPPORTED,
			"cgroup \"%s\" has no memory.numa_stat: the memory controller is not enabled for it",
			shown);
		error_detail(err, "memory.numa_stat", shown,
			     "write +memory to cgroup.subtree_control of its parent, or ask for an ancestor");
		return -EOPNOTSUPP;
	}
	if (rc == -ENOENT)
		error_set(err, ENOENT, CGPOL_FAILED, "cgroup \"%s\" does not exist", shown);
	else
		error_set(err, -rc, CGPOL_FAILED, "memory.numa_stat of cgroup \"%s\" cannot be read: %s",
			  shown, strerrordesc_np(-rc) ? strerrordesc_np(-rc) : "unknown error");
	error_detail(err, "memory.numa_stat", shown, NULL);
	return rc;
}

static int walk_cgroups(struct cgpol_host *host, struct cgpol_usage *usage, const char *name,
			struct cgpol_error *err)
{
	AUTO(clear_walk) struct walk walk = {.name = NULL};
	int rc = visit_cgroup(host, usage, name, &walk);

	if (rc != 0)
		return explain_cgroup(name, rc, err);
	while (walk.count > 0) {
		AUTO(free_p) char *child = walk.name[--walk.count];

		rc = visit_cgroup(host, usage, child, &walk);
		if (rc == -ENOENT)
			usage->vanished++;
		else if (rc < 0)
			return explain_cgroup(child, rc, err);
	}
	return 0;
}

int usage_add_cgroup(struct cgpol_host *host, struct cgpol_usage *usage, const char *name,
		     struct cgpol_error *err)
{
	AUTO(free_p) char *checked = NULL;
	size_t before = usage->rows;
	int rc = cgroup_name(name, &checked, err);

	if (rc == 0)
		rc = host_need_memory(host, err);
	if (rc == 0)
		rc = load_source(host, usage, err);
	if (rc == 0)
		rc = walk_cgroups(host, usage, checked, err);
	if (rc < 0)
		drop_rows(usage, before);
	return rc;
}

int cgpol_usage_read(struct cgpol_host *host, const char *cgroup, struct cgpol_usage **usage,
		     struct cgpol_error *err)
{
	struct cgpol_usage *made;
	int rc = usage_new(&made);

	if (rc < 0)
		return error_no_memory(err);
	rc = usage_add_cgroup(host, made, cgroup, err);
	if (rc < 0) {
		cgpol_usage_free(made);
		return rc;
	}
	*usage = made;
	return 0;
}

size_t cgpol_usage_rows(const struct cgpol_usage *usage)
{
	return usage->rows;
}

const char *cgpol_usage_name(const struct cgpol_usage *usage, size_t row)
{
	return row < usage->rows ? usage->row[row].name : NULL;
}

uint64_t cgpol_usage_bytes(const struct cgpol_usage *usage, size_t row, int node)
{
	if (row >= usage->rows)
		return 0;
	for (size_t i = 0; i < usage->row[row].nodes; i++) {
		const struct usage_node *at = &usage->row[row].node[i];

		if (node >= 0 && at->id == (unsigned)node)
			return row_add_capped(row_add_capped(at->bytes[USAGE_ANON], at->bytes[USAGE_FILE]),
					      at->bytes[USAGE_SHMEM]);
	}
	return 0;
}
