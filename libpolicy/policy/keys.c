/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of what can be set: file, controller, type, range, since when, help. */
#include "policy/keys.h"

#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/nodeset.h"
#include "base/text.h"

enum {
	PIDS_MAX = 4194304, /* kernel/cgroup/pids.c: PID_MAX_LIMIT; "max" is one more */
	NAME_MAX_SIZE = 64, /* of names that are compared by letters: longer ones resemble none */
	DISTANCE_MAX = 3,
	NODE_DIGITS = 4, /* of NODESET_NODES_MAX */
};

/* kernel/sched/core.c tg_set_cfs_burst(): U64_MAX / NSEC_PER_USEC */
#define BURST_MAX INT64_C(18446744073709551)

static const char *const partitions[] = {"member", "root", "isolated", NULL};
/* block/blk-ioprio.c policy_name[]: promote-to-rt since 6.5, where none-to-rt became another name of it */
static const char *const priorities[] = {"no-change", "promote-to-rt", "restrict-to-be",
					 "idle",      "none-to-rt",    NULL};
static const char *const overcommit_modes[] = {"heuristic", "always", "never", NULL};

#define KEY(what, in, how, text) .name = what, .controller = in, .type = how, .help = text
#define RANGE(least_, most_) .min = (least_), .max = (most_)
#define BYTES .units = "bytes"
#define KIB .units = "KiB", RANGE(0, INT64_MAX)
#define HOST .scope = KEY_HOST
#define TASK .scope = KEY_TASK
#define ON_ROOT .is_on_root = true

/* Documentation/admin-guide/cgroup-v2.rst: every file that is a setting; sysctl/vm.rst, sysctl/kernel.rst and
 * ABI/testing/sysfs-kernel-mm-mempolicy-weighted-interleave for the machine's. What a row says of the file,
 * its range and its first value is compared with kernels by tests/vm/scenarios/keys.sh. */
const struct key key_table[] = {
	{KEY("memory.min", "memory", KEY_SIZE, "memory that is never reclaimed while others have some"),
	 BYTES, .initial = "0"},
	{KEY("memory.low", "memory", KEY_SIZE, "memory that is reclaimed only when there is no other"), BYTES,
	 .initial = "0"},
	{KEY("memory.high", "memory", KEY_SIZE,
	     "above this much the processes are slowed down and reclaimed from"),
	 BYTES, .initial = "max"},
	{KEY("memory.max", "memory", KEY_SIZE, "hard limit: above it the OOM killer comes"), BYTES,
	 .initial = "max"},
	{KEY("memory.oom.group", "memory", KEY_FLAG,
	     "the OOM killer kills all processes of the cgroup, or none"),
	 .initial = "0"},
	{KEY("memory.swap.high", "memory", KEY_SIZE, "above this much swap the processes are slowed down"),
	 BYTES, .initial = "max"},
	{KEY("memory.swap.max", "memory", KEY_SIZE, "hard limit of swap"), BYTES, .initial = "max"},
	{KEY("memory.zswap.max", "memory", KEY_SIZE, "hard limit of compressed swap in memory"), BYTES,
	 .since = "5.19", .initial = "max"},
	{KEY("memory.zswap.writeback", "memory", KEY_FLAG,
	     "compressed swap may be written to the swap device"),
	 .since = "6.8", .initial = "1", ON_ROOT},

	{KEY("cpuset.cpus", "cpuset", KEY_CPUS, "the cpus that may be used; empty: the parent's"),
	 .initial = ""},
	{KEY("cpuset.mems", "cpuset", KEY_NODES, "the nodes that memory may come from; empty: the parent's"),
	 .initial = ""},
	{KEY("cpuset.cpus.exclusive", "cpuset", KEY_CPUS,
	     "cpus kept for partitions of this cgroup or below it"),
	 .since = "6.7", .initial = ""},
	{KEY("cpuset.cpus.partition", "cpuset", KEY_WORDS,
	     "member, root: cpus of its own, isolated (6.1): without load balancing"),
	 .words = partitions, .initial = "member"},

	{KEY("cpu.weight", "cpu", KEY_NUMBER, "share of cpu time among siblings, 1-10000"), RANGE(1, 10000),
	 .initial = "100"},
	{KEY("cpu.weight.nice", "cpu", KEY_NUMBER, "cpu.weight as a nice value"), RANGE(-20, 19),
	 .initial = "0"},
	{KEY("cpu.max", "cpu", KEY_TEXT,
	     "cpu time in microseconds for each period: \"50000 100000\", \"max\""),
	 .units = "microseconds", .initial = "max 100000"},
	{KEY("cpu.max.burst", "cpu", KEY_NUMBER, "unused time that may be saved for later, in microseconds"),
	 RANGE(0, BURST_MAX), .units = "microseconds", .since = "5.14", .initial = "0"},
	{KEY("cpu.idle", "cpu", KEY_FLAG, "run only when nobody else wants the cpu (SCHED_IDLE)"),
	 .since = "5.15", .initial = "0"},
	{KEY("cpu.uclamp.min", "cpu", KEY_TEXT, "least utilization to assume, in percent, or \"max\""),
	 .units = "percent", .initial = "0.00"},
	{KEY("cpu.uclamp.max", "cpu", KEY_TEXT, "highest utilization to assume, in percent, or \"max\""),
	 .units = "percent", .initial = "max"},

	{KEY("io.weight", "io", KEY_TEXT, "share of a device's time: \"100\", \"8:16 200\""),
	 .initial = "default 100"},
	{KEY("io.bfq.weight", "io", KEY_TEXT, "the same for the scheduler bfq"), .initial = "default 100"},
	{KEY("io.max", "io", KEY_TEXT, "limits of a device: \"8:16 rbps=2097152 wiops=120\""), .initial = ""},
	{KEY("io.latency", "io", KEY_TEXT, "latency to aim at: \"8:16 target=75\" (microseconds)"),
	 .units = "microseconds", .initial = ""},
	{KEY("io.prio.class", "io", KEY_WORDS, "what becomes of the I/O priority class"), .words = priorities,
	 .since = "5.14", .initial = "no-change", ON_ROOT},
	{KEY("io.cost.qos", "io", KEY_TEXT, "quality of service of the cost model; of the root cgroup only"),
	 ON_ROOT, .is_root_only = true},
	{KEY("io.cost.model", "io", KEY_TEXT, "the cost model of a device; of the root cgroup only"), ON_ROOT,
	 .is_root_only = true},

	{KEY("pids.max", "pids", KEY_LIMIT, "how many processes and threads there may be"),
	 RANGE(0, PIDS_MAX), .initial = "max"},
	{KEY("hugetlb.*.max", "hugetlb", KEY_SIZE, "huge pages of one size in use, in bytes"), BYTES,
	 .initial = "max"},
	{KEY("hugetlb.*.rsvd.max", "hugetlb", KEY_SIZE, "huge pages of one size reserved, in bytes"), BYTES,
	 .initial = "max"},
	{KEY("rdma.max", "rdma", KEY_TEXT, "\"DEVICE hca_handle=2 hca_object=2000\"")},
	{KEY("misc.max", "misc", KEY_TEXT, "\"RESOURCE NUMBER\""), .since = "5.13"},
	{KEY("dmem.min", "dmem", KEY_TEXT, "\"REGION BYTES\": device memory that is not evicted"), BYTES,
	 .since = "6.14"},
	{KEY("dmem.low", "dmem", KEY_TEXT, "\"REGION BYTES\": device memory that is evicted last"), BYTES,
	 .since = "6.14"},
	{KEY("dmem.max", "dmem", KEY_TEXT, "\"REGION BYTES\": hard limit of device memory"), BYTES,
	 .since = "6.14"},

	{KEY("cgroup.freeze", NULL, KEY_FLAG, "stop all processes"), .initial = "0"},
	{KEY("cgroup.pressure", NULL, KEY_FLAG, "account stalls (PSI) of this cgroup"), .since = "6.1",
	 .initial = "1", ON_ROOT},
	{KEY("cgroup.max.depth", NULL, KEY_LIMIT, "how deep cgroups below may be nested"), RANGE(0, INT_MAX),
	 .initial = "max", ON_ROOT},
	{KEY("cgroup.max.descendants", NULL, KEY_LIMIT, "how many cgroups may be below"), RANGE(0, INT_MAX),
	 .initial = "max", ON_ROOT},

	/* What a process has is its parent's, so there is no first value. */
	{KEY("mempolicy", NULL, KEY_TEXT,
	     "memory policy in numa_maps' words: \"bind:1\", \"interleave:0-3\""),
	 TASK},
	{KEY("home_node", NULL, KEY_NUMBER, "node that bind and preferred-many try first"),
	 RANGE(0, NODESET_NODES_MAX - 1), .since = "5.17", TASK},
	{KEY("oom_score_adj", NULL, KEY_NUMBER, "what the OOM killer adds, 1/1000 of memory; -1000: never"),
	 RANGE(-1000, 1000), TASK},
	{KEY("affinity", NULL, KEY_CPUS, "the cpus that a thread may run on, within its cpuset"), TASK},

	{KEY("vm.overcommit_memory", NULL, KEY_NUMBER, "heuristic (0), always (1) or never (2) overcommit"),
	 RANGE(0, 2), .words = overcommit_modes, .initial = "0", HOST},
	{KEY("vm.overcommit_ratio", NULL, KEY_NUMBER,
	     "limit of never: part of RAM; sets overcommit_kbytes to 0"),
	 RANGE(0, INT_MAX), .units = "percent", .initial = "50", HOST},
	{KEY("vm.overcommit_kbytes", NULL, KEY_NUMBER,
	     "limit of never as a size; sets overcommit_ratio to 0"),
	 KIB, .initial = "0", HOST},
	{KEY("vm.user_reserve_kbytes", NULL, KEY_NUMBER, "with never: what one process must leave to others"),
	 KIB, HOST},
	{KEY("vm.admin_reserve_kbytes", NULL, KEY_NUMBER, "kept for processes with CAP_SYS_ADMIN"), KIB,
	 HOST},
	{KEY("vm.panic_on_oom", NULL, KEY_NUMBER,
	     "panic instead of killing: 1 if the whole machine is short, 2 always"),
	 RANGE(0, 2), .initial = "0", HOST},
	{KEY("vm.oom_kill_allocating_task", NULL, KEY_FLAG, "the OOM killer takes who asked for memory"),
	 .initial = "0", HOST},
	{KEY("vm.swappiness", NULL, KEY_NUMBER,
	     "how readily anonymous memory is swapped, against page cache"),
	 RANGE(0, 200), .initial = "60", HOST},
	{KEY("vm.zone_reclaim_mode", NULL, KEY_NUMBER,
	     "reclaim on the near node first: 1, also 2: write, also 4: unmap"),
	 RANGE(0, 7), .initial = "0", HOST},
	{KEY("kernel.numa_balancing", NULL, KEY_NUMBER,
	     "move pages to the cpus that use them: 1; to faster tiers (5.18): 2"),
	 RANGE(0, 3), HOST},
	{KEY("weighted_interleave.auto", NULL, KEY_FLAG, "weights by the bandwidth that the firmware tells"),
	 .since = "6.16", .initial = "1", HOST},
	{KEY("weighted_interleave.node*", NULL, KEY_NUMBER, "how many pages in turn a node gets"),
	 RANGE(1, 255), .units = "pages", .since = "6.9", HOST},
	{.name = NULL},
};

static const char membership[] =
	"names who is in the cgroup; it is not a setting: start the command in it with cgpol run";
static const char read_only[] = "can only be read";

static const struct refusal {
	const char *name;
	const char *reason;
} refusals[] = {
	{"cgroup.procs", membership},
	{"cgroup.threads", membership},
	{"cgroup.subtree_control", "is not a setting: controllers are enabled as the settings need them"},
	{"cgroup.type", "is not a setting: a threaded cgroup can never become a domain again"},
	{"cgroup.kill", "is a command that kills every process of the cgroup, not a setting"},
	{"memory.reclaim", "is a command that reclaims once, not a setting"},
	{"cgroup.controllers", read_only},
};

/* Endings of files that the kernel only lets read, or (pressure, peak) whose writes last as long as the file
 * is open. */
static const char *const read_only_ends[] = {
	".current",   ".stat", ".stat.local", ".events",   ".events.local",
	".effective", ".peak", ".numa_stat",  ".isolated", ".capacity",
};

/* "*" stands for one word without dots. */
static bool matches(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t before, word;

	if (!star)
		return strcmp(pattern, name) == 0;
	before = (size_t)(star - pattern);
	if (strncmp(pattern, name, before) != 0)
		return false;
	word = strcspn(name + before, ".*");
	return word > 0 && strcmp(star + 1, name + before + word) == 0;
}

/* "weighted_interleave.node12": the star there is a number, as the kernel writes it. */
static bool is_node(const char *digits)
{
	size_t size = strspn(digits, "0123456789");

	return digits[size] == '\0' && size > 0 && size <= NODE_DIGITS && (digits[0] != '0' || size == 1);
}

const struct key *key_find(const char *name)
{
	for (const struct key *key = key_table; key->name; key++) {
		size_t star = strcspn(key->name, "*");

		if (matches(key->name, name) &&
		    (key->scope != KEY_HOST || key->name[star] == '\0' || is_node(name + star)))
			return key;
	}
	return NULL;
}

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), tail = strlen(end);

	return size > tail && strcmp(name + size - tail, end) == 0;
}

const char *key_refusal(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
		if (strcmp(refusals[i].name, name) == 0)
			return refusals[i].reason;
	}
	if (key_find(name))
		return NULL;
	if (ends_with(name, ".pressure"))
		return "takes triggers for poll(2), which live as long as the file is open: not a setting";
	for (size_t i = 0; i < ARRAY_SIZE(read_only_ends); i++) {
		if (ends_with(name, read_only_ends[i]))
			return read_only;
	}
	return NULL;
}

enum key_scope key_scope_of(const char *name)
{
	const struct key *key = key_find(name);
	return key ? key->scope : KEY_CGROUP;
}

char *key_controller(const char *name)
{
	const char *dot = strchr(name, '.');

	if (!dot || dot == name || strncmp(name, "cgroup.", 7) == 0 || key_scope_of(name) != KEY_CGROUP)
		return NULL;
	return strndup(name, (size_t)(dot - name));
}

bool key_is_later(const struct key *key, unsigned major, unsigned minor)
{
	const char *at;
	uint64_t since_major, since_minor;

	if (!key->since || text_u64_head(key->since, &at, &since_major) < 0 || *at != '.' ||
	    text_u64_head(at + 1, &at, &since_minor) < 0)
		return false;
	return since_major > major || (since_major == major && since_minor > minor);
}

bool key_is_controller(const char *name)
{
	for (const struct key *key = key_table; key->name; key++) {
		if (key->controller && strcmp(key->controller, name) == 0)
			return true;
	}
	return false;
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: what key_nearest counts. Both are shorter than NAME_MAX_SIZE. */
static unsigned measure(const char *a, const char *b)
{
	unsigned row[3][NAME_MAX_SIZE];
	size_t width = strlen(b);

	for (size_t j = 0; j <= width; j++)
		row[0][j] = (unsigned)j;
	for (size_t i = 1; a[i - 1] != '\0'; i++) {
		unsigned *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t j = 1; j <= width; j++) {
			now[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				now[j] = least(now[j], before[j - 2] + 1);
		}
	}
	return row[strlen(a) % 3][width];
}

const char *key_nearest(const char *name, unsigned *distance)
{
	unsigned shortest = DISTANCE_MAX + 1;
	const char *nearest = NULL;

	if (strlen(name) >= NAME_MAX_SIZE)
		return NULL;
	for (const struct key *key = key_table; key->name; key++) {
		unsigned far = measure(name, key->name);

		if (far < shortest) {
			shortest = far;
			nearest = key->name;
		}
	}
	if (nearest && distance)
		*distance = shortest;
	return nearest;
}
