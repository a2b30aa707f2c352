/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A list of cpus or nodes for one cgroup, from any form that people write it in. */
#include "policy/choice.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/topology.h"

enum {
	TERMS_MAX = 16,
	DISTANCE_MAX = 255, /* a byte of ACPI's SLIT */
	TIERS_MAX = 4096,
	PROCESSOR_FIELD = 39, /* of /proc/PID/stat (proc(5)) */
};

static const char tiering[] = "/sys/devices/virtual/memory_tiering";

/* What a choice works with; read once, when the first form asks for it. */
struct work {
	struct cgpol_host *host;
	const struct choice *choice;
	struct nodeset allowed; /* of the parent */
	struct topology topology;
	bool has_topology;
	struct cgpol_error *err;
};

static void clear_work(struct work *work)
{
	nodeset_clear(&work->allowed);
	topology_clear(&work->topology);
}

__attribute__((format(printf, 5, 6))) static int
refuse(const struct work *work, int errnum, enum cgpol_kind kind, const char *text, const char *format, ...)
{
	char shown[sizeof(work->err->value)], reason[320];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	text_escape(text, shown, sizeof(shown));
	(void)error_set(work->err, errnum, kind, "\"%s\" %s", shown, reason);
	error_detail(work->err, NULL, shown, NULL);
	return -errnum;
}

/* ---- what there is ---- */

static int need_topology(struct work *work)
{
	int rc = work->has_topology ? 0 : topology_read(work->host, &work->topology, work->err);

	work->has_topology = work->has_topology || rc == 0;
	return rc;
}

static unsigned limit_of(bool is_cpus)
{
	return is_cpus ? NODESET_CPUS_MAX : NODESET_NODES_MAX;
}

/* A list in a file of a cgroup. -ENOENT: there is none. */
static int read_set(const struct work *work, const char *cgroup, const char *file, bool is_cpus,
		    struct nodeset *set)
{
	AUTO(free_p) char *path = work->host->cgroup2 ? cgroup_path(work->host, cgroup, file) : NULL;
	AUTO(free_p) char *text = NULL;
	int rc;

	if (!work->host->cgroup2)
		return -ENOENT;
	rc = path ? root_read(work->host->root, path, &text, NULL) : -ENOMEM;
	return rc < 0 ? rc : nodeset_parse(text, limit_of(is_cpus), set, NULL);
}

static int fail_read(const struct work *work, const char *file, int rc)
{
	if (rc == -ENOMEM)
		return error_no_memory(work->err);
	(void)error_set(work->err, -rc, CGPOL_FAILED, "cannot read %s: %s", file, strerrordesc_np(-rc));
	error_detail(work->err, file, NULL, NULL);
	return rc;
}

/* Cuts the last part off a name; false at the root. */
static bool go_up(char *name)
{
	char *slash = strrchr(name, '/');

	if (!slash || name[1] == '\0')
		return false;
	slash[slash == name ? 1 : 0] = '\0';
	return true;
}

static int read_online(struct work *work, bool is_cpus, struct nodeset *set)
{
	static const char file[] = "/sys/devices/system/cpu/online";
	AUTO(free_p) char *text = NULL;
	int rc;

	if (!is_cpus) {
		rc = need_topology(work);
		return rc < 0					       ? rc
		       : nodeset_copy(set, &work->topology.memory) < 0 ? error_no_memory(work->err)
								       : 0;
	}
	rc = root_read(work->host->root, file, &text, NULL);
	if (rc == 0)
		rc = nodeset_parse(text, NODESET_CPUS_MAX, set, NULL);
	return rc < 0 ? fail_read(work, file, rc) : 0;
}

/* What the cgroup (or, when it says so, the nearest one above it) has in effect; that of the machine where no
 * cgroup has the files. */
static int read_effective(struct work *work, bool is_above, bool is_cpus, struct nodeset *set)
{
	const char *file = is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective";
	AUTO(free_p) char *name = strdup(work->choice->cgroup);
	int rc = -ENOENT;

	if (!name)
		return error_no_memory(work->err);
	if (is_above)
		(void)go_up(name);
	do {
		rc = read_set(work, name, file, is_cpus, set);
	} while ((rc == -ENOENT || rc == -ENODEV) && go_up(name));
	if (rc == -ENOENT || rc == -ENODEV)
		return read_online(work, is_cpus, set);
	return rc < 0 ? fail_read(work, file, rc) : 0;
}

/* ---- forms of nodes ---- */

static int take_number(const struct work *work, const char *term, unsigned most, unsigned *number)
{
	const char *digits = strchr(term, ':') + 1;
	uint64_t value;

	if (!isdigit((unsigned char)digits[0]) || text_u64(digits, &value) < 0)
		return refuse(work, EINVAL, CGPOL_USAGE, term, "has no number behind the colon");
	if (value > most)
		return refuse(work, ERANGE, CGPOL_USAGE, term, "is out of range: 0 to %u", most);
	*number = (unsigned)value;
	return 0;
}

static int take_has_cpu(struct work *work, const char *term, struct nodeset *set)
{
	(void)term;
	return nodeset_copy(set, &work->topology.cpu);
}

static int take_has_memory(struct work *work, const char *term, struct nodeset *set)
{
	(void)term;
	return nodeset_copy(set, &work->topology.memory);
}

static int take_cpu_less(struct work *work, const char *term, struct nodeset *set)
{
	(void)term;
	return nodeset_subtract(set, &work->topology.online, &work->topology.cpu);
}

/* The cpu that this process is on, which no system call of the door tells. */
static int find_processor(const struct work *work, unsigned *cpu)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(work->host->root, "/proc/self/stat", &text, NULL);
	const char *end = rc < 0 ? NULL : strrchr(text, ')');
	struct span line, word = {NULL, 0};
	uint64_t number;

	if (rc < 0)
		return fail_read(work, "/proc/self/stat", rc);
	line = (struct span){end ? end + 1 : "", end ? strlen(end + 1) : 0};
	/* The name, which may hold anything, is field 2. */
	for (int field = 3; field <= PROCESSOR_FIELD; field++) {
		if (!text_word(&line, &word))
			return fail_read(work, "/proc/self/stat", -EINVAL);
	}
	if (span_u64(word, &number) < 0 || number >= NODESET_CPUS_MAX)
		return fail_read(work, "/proc/self/stat", -EINVAL);
	*cpu = (unsigned)number;
	return 0;
}

static int take_local(struct work *work, const char *term, struct nodeset *set)
{
	unsigned cpu = 0;
	int rc = find_processor(work, &cpu);

	for (size_t i = 0; rc == 0 && i < work->topology.nodes; i++) {
		if (nodeset_has(&work->topology.node[i].cpus, cpu))
			return nodeset_add(set, work->topology.node[i].id);
	}
	return rc < 0 ? rc
		      : refuse(work, ENODATA, CGPOL_UNSUPPORTED, term,
			       "is unknown: no node says that it has cpu %u, on which cgpol runs", cpu);
}

static int read_own_cpus(struct work *work, struct nodeset *cpus)
{
	if (work->choice->cpus && !nodeset_is_empty(work->choice->cpus))
		return nodeset_copy(cpus, work->choice->cpus);
	return read_effective(work, false, true, cpus);
}

static int take_of_cpus(struct work *work, const char *term, struct nodeset *set)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	int rc = read_own_cpus(work, &cpus);

	(void)term;
	for (size_t i = 0; rc == 0 && i < work->topology.nodes; i++) {
		if (nodeset_intersects(&work->topology.node[i].cpus, &cpus))
			rc = nodeset_add(set, work->topology.node[i].id);
	}
	return rc;
}

/* Adds the nodes that are no farther than `most` from one of the node's; its row has a number for each online
 * node (drivers/base/node.c node_read_distance). */
static int add_near(const struct topology *topology, const struct topology_node *from, unsigned most,
		    struct nodeset *set)
{
	for (size_t i = 0; i < from->distances && i < topology->nodes; i++) {
		if (from->distance[i] <= most && nodeset_add(set, topology->node[i].id) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int take_distance(struct work *work, const char *term, struct nodeset *set)
{
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	unsigned most = 0;
	int rc = take_number(work, term, DISTANCE_MAX, &most);

	if (rc == 0)
		rc = read_own_cpus(work, &cpus);
	for (size_t i = 0; rc == 0 && i < work->topology.nodes; i++) {
		const struct topology_node *node = &work->topology.node[i];

		if (!nodeset_intersects(&node->cpus, &cpus))
			continue;
		if (!node->distance)
			return refuse(work, ENODATA, CGPOL_UNSUPPORTED, term,
				      "is unknown: node %u has no list of distances", node->id);
		rc = add_near(&work->topology, node, most, set);
	}
	return rc;
}

static int refuse_tier(const struct work *work, const char *term)
{
	AUTO(nodeset_clear_p) struct nodeset tiers = {0, NULL};
	AUTO(free_p) char *list = NULL;
	char **names = NULL;
	size_t count = 0;
	int rc = root_list(work->host->root, tiering, &names, &count);

	if (rc == -ENOENT)
		return refuse(work, ENODATA, CGPOL_UNSUPPORTED, term,
			      "is unknown: this kernel (%u.%u) does not tell memory tiers, as those since "
			      "6.1 do",
			      work->host->major, work->host->minor);
	if (rc < 0)
		return fail_read(work, tiering, rc);
	for (size_t i = 0; i < count; i++) {
		static const char prefix[] = "memory_tier";
		uint64_t tier;

		if (strncmp(names[i], prefix, sizeof(prefix) - 1) == 0 &&
		    text_u64(names[i] + sizeof(prefix) - 1, &tier) == 0 && tier < TIERS_MAX)
			rc = nodeset_add(&tiers, (unsigned)tier) < 0 ? -ENOMEM : rc;
	}
	root_list_free(names, count);
	list = rc < 0 ? NULL : nodeset_format(&tiers);
	if (!list)
		return error_no_memory(work->err);
	return refuse(work, ENODATA, CGPOL_UNSUPPORTED, term, "does not exist: the memory tiers are %.100s",
		      *list ? list : "none");
}

static int take_tier(struct work *work, const char *term, struct nodeset *set)
{
	AUTO(free_p) char *text = NULL;
	unsigned tier = 0;
	char path[96];
	int rc = take_number(work, term, TIERS_MAX - 1, &tier);

	if (rc < 0)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/memory_tier%u/nodelist", tiering, tier);
	rc = root_read(work->host->root, path, &text, NULL);
	if (rc == -ENOENT)
		return refuse_tier(work, term);
	if (rc == 0)
		rc = nodeset_parse(text, NODESET_NODES_MAX, set, NULL);
	return rc < 0 ? fail_read(work, path, rc) : 0;
}

/* A name that ends in a colon takes something behind it. */
static const struct property {
	const char *name;
	int (*take)(struct work *work, const char *term, struct nodeset *set);
} properties[] = {
	{"has-cpu", take_has_cpu}, {"has-mem", take_has_memory}, {"cpu-less", take_cpu_less},
	{"local", take_local},	   {"max-dist:", take_distance}, {"tier:", take_tier},
	{"of-cpus", take_of_cpus},
};

static const struct property *find_property(const char *term)
{
	for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
		const char *name = properties[i].name;
		size_t size = strlen(name);

		if (name[size - 1] == ':' ? strncmp(term, name, size) == 0 : strcmp(term, name) == 0)
			return &properties[i];
	}
	return NULL;
}

/* A property says which nodes are like that; of them the cgroup can only have what its parent has. */
static int take_property(struct work *work, const struct property *property, const char *term,
			 struct nodeset *set)
{
	AUTO(nodeset_clear_p) struct nodeset all = {0, NULL};
	int rc = need_topology(work);

	if (rc == 0)
		rc = property->take(work, term, &all);
	if (rc == 0)
		rc = nodeset_and(set, &all, &work->allowed);
	return rc == -ENOMEM ? error_no_memory(work->err) : rc;
}

/* ---- all forms ---- */

static int take_same(struct work *work, const char *term, struct nodeset *set)
{
	bool is_cpus = work->choice->is_cpus;
	int rc = read_set(work, work->choice->cgroup, is_cpus ? "cpuset.cpus" : "cpuset.mems", is_cpus, set);
	char shown[160];

	if (rc != -ENOENT && rc != -ENODEV)
		return rc < 0 ? fail_read(work, is_cpus ? "cpuset.cpus" : "cpuset.mems", rc) : 0;
	text_escape(work->choice->cgroup, shown, sizeof(shown));
	return refuse(work, EINVAL, CGPOL_USAGE, term, "is nothing: cgroup %s has no list yet", shown);
}

static bool is_plain(const char *term)
{
	return term[0] == '\0' || (strpbrk(term, "aAN") == NULL && isdigit((unsigned char)term[0]) &&
				   strncasecmp(term, "0x", 2) != 0);
}

static int read_limit(struct work *work, bool is_cpus, unsigned *limit)
{
	AUTO(nodeset_clear_p) struct nodeset possible = {0, NULL};
	AUTO(free_p) char *text = NULL;
	unsigned count = 0;
	int rc = 0;

	if (!is_cpus)
		rc = topology_read_possible(work->host, &possible, work->err);
	else if (root_read(work->host->root, "/sys/devices/system/cpu/possible", &text, NULL) == 0)
		rc = nodeset_parse(text, NODESET_CPUS_MAX, &possible, work->err);
	if (rc < 0)
		return rc == -ENOMEM ? error_no_memory(work->err) : rc;
	for (int bit = nodeset_next(&possible, 0); bit >= 0; bit = nodeset_next(&possible, bit + 1))
		count = (unsigned)bit + 1;
	*limit = count ? count : limit_of(is_cpus);
	return 0;
}

/* A list, the empty one too, "all", "!", "+", a mask, or a device. */
static int take_list(struct work *work, bool is_cpus, const char *term, struct nodeset *set)
{
	struct placement placement = {.what = work->choice->what,
				      .allowed = work->allowed,
				      .limit = limit_of(is_cpus),
				      .is_cpus = is_cpus};
	struct cgpol_error why = {0};
	int rc = 0;

	if (term[0] == '\0')
		return 0;
	/* Of a plain list it is told later which of the numbers the machine can never have. */
	if (!is_plain(term))
		rc = read_limit(work, is_cpus, &placement.limit);
	if (rc == 0)
		rc = placement_parse(&placement, term, set, &why);
	if (rc == -EOPNOTSUPP && why.text[0] == '\0') {
		if (is_cpus)
			return refuse(work, EINVAL, CGPOL_USAGE, term,
				      "is a node; for its cpus write nodes:%.100s", term);
		rc = placement_of_device(work->host, term, set, &why);
	}
	if (rc < 0 && why.text[0] && work->err)
		*work->err = why;
	return rc;
}

static int take_node_term(struct work *work, const char *term, struct nodeset *set)
{
	const struct property *property = find_property(term);

	return property ? take_property(work, property, term, set) : take_list(work, false, term, set);
}

/* The cpus of these nodes: a node without memory is as good as another, one without cpus is not. */
static int add_cpus(struct work *work, const char *term, const struct nodeset *nodes, struct nodeset *cpus)
{
	for (int id = nodeset_next(nodes, 0); id >= 0; id = nodeset_next(nodes, id + 1)) {
		const struct topology_node *node = topology_find(&work->topology, (unsigned)id);

		if (!node)
			return refuse(work, ENODEV, CGPOL_UNSUPPORTED, term,
				      "needs node %d, which is not online", id);
		if (nodeset_is_empty(&node->cpus))
			return refuse(work, ENODEV, CGPOL_UNSUPPORTED, term,
				      "needs node %d, which has no cpus", id);
		if (nodeset_merge(cpus, &node->cpus) < 0)
			return error_no_memory(work->err);
	}
	return 0;
}

/* "nodes:0,1" for cpus. What a list of nodes is relative to are then all that have cpus. */
static int take_nodes(struct work *work, const char *term, struct nodeset *set)
{
	AUTO(nodeset_clear_p) struct nodeset nodes = {0, NULL};
	AUTO(nodeset_clear_p) struct nodeset cpus = {0, NULL};
	struct nodeset allowed = work->allowed;
	int rc = need_topology(work);

	if (rc < 0)
		return rc;
	work->allowed = work->topology.cpu;
	rc = take_node_term(work, strchr(term, ':') + 1, &nodes);
	work->allowed = allowed;
	if (rc == 0 && nodeset_is_empty(&nodes))
		return refuse(work, EINVAL, CGPOL_USAGE, term, "names no node");
	if (rc == 0)
		rc = add_cpus(work, term, &nodes, &cpus);
	if (rc == 0 && nodeset_and(set, &cpus, &work->allowed) < 0)
		return error_no_memory(work->err);
	return rc;
}

static int take_term(struct work *work, const char *term, struct nodeset *set)
{
	if (strcmp(term, "same") == 0)
		return take_same(work, term, set);
	if (!work->choice->is_cpus)
		return take_node_term(work, term, set);
	if (strncmp(term, "nodes:", 6) == 0)
		return take_nodes(work, term, set);
	if (find_property(term))
		return refuse(work, EINVAL, CGPOL_USAGE, term, "chooses nodes; for their cpus write nodes:%s",
			      term);
	return take_list(work, true, term, set);
}

/* May its result be empty? Only where it says so itself. */
static bool may_be_empty(const char *text)
{
	return text[0] == '\0' || strcmp(text, "same") == 0 || strcasecmp(text, "none") == 0 ||
	       strncasecmp(text, "0x", 2) == 0;
}

static int take_terms(struct work *work, char *text, struct nodeset *set)
{
	for (unsigned i = 0; text; i++) {
		AUTO(nodeset_clear_p) struct nodeset one = {0, NULL};
		char *next = strchr(text, '&');
		int rc;

		if (next)
			*next++ = '\0';
		if (i == TERMS_MAX)
			return refuse(work, E2BIG, CGPOL_USAGE, text, "is one too many behind \"&\"");
		if (text[0] == '\0' && (i > 0 || next))
			return refuse(work, EINVAL, CGPOL_USAGE, "&", "has nothing beside it");
		rc = take_term(work, text, &one);
		if (rc == 0)
			rc = i ? nodeset_and(set, set, &one) : nodeset_copy(set, &one);
		if (rc < 0)
			return rc == -ENOMEM ? error_no_memory(work->err) : rc;
		text = next;
	}
	return 0;
}

static int refuse_empty(const struct work *work, const char *text)
{
	AUTO(free_p) char *allowed = nodeset_format(&work->allowed);
	const char *many = work->choice->is_cpus ? "cpus" : "nodes";
	char hint[160];

	if (!allowed)
		return error_no_memory(work->err);
	(void)refuse(work, ENODEV, CGPOL_UNSUPPORTED, text,
		     "leaves none of the %s that the cgroup above has, which are %.100s", many,
		     *allowed ? allowed : "none");
	(void)snprintf(hint, sizeof(hint),
		       "\"cgpol nodes\" shows what there is; for the parent's %s write none", many);
	error_detail(work->err, NULL, text, hint);
	return -ENODEV;
}

int choice_make(struct cgpol_host *host, const struct choice *choice, const char *text, char **list,
		struct cgpol_error *err)
{
	AUTO(clear_work) struct work work = {.host = host, .choice = choice, .err = err};
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	AUTO(free_p) char *copy = strdup(text);
	char *made;
	int rc = copy ? 0 : error_no_memory(err);

	if (rc == 0 && !is_plain(text) && strcmp(text, "same") != 0)
		rc = read_effective(&work, true, choice->is_cpus, &work.allowed);
	if (rc == 0)
		rc = take_terms(&work, copy, &set);
	if (rc == 0 && nodeset_is_empty(&set) && !may_be_empty(text))
		rc = refuse_empty(&work, text);
	if (rc < 0)
		return rc == -ENOMEM ? rc : error_wrap(err, rc, "%s", choice->what);
	made = nodeset_format(&set);
	if (!made)
		return error_no_memory(err);
	*list = made;
	return 0;
}

/* NOLINTNEXTLINE(readability-function-size): choice_make has a struct for them. */
int choice_resolve(struct cgpol_host *host, const char *cgroup, bool is_cpus, const char *what,
		   const char *text, char **list, struct cgpol_error *err)
{
	const struct choice choice = {.what = what, .cgroup = cgroup, .is_cpus = is_cpus};

	return choice_make(host, &choice, text, list, err);
}
