/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kernel errno on a cgroup file, as one sentence: which file, which value, what the kernel objects to,
 * which ancestor is the cause, what to do. */
#include "policy/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/proc.h"
#include "policy/cause.h"
#include "policy/need.h"

enum { SHOWN_SIZE = 160, WHY_SIZE = 320 };

/* What is being explained, and the sentence in the making: "cannot WHAT: WHY". */
struct question {
	struct cgpol_host *host;
	const struct step *step; /* NULL: a process is started */
	const char *cgroup;
	int errnum;
	char shown[SHOWN_SIZE];	 /* the cgroup, safe to print */
	char parent[SHOWN_SIZE]; /* its parent, safe to print */
	char why[WHY_SIZE];
	char hint[sizeof(((struct cgpol_error *)NULL)->hint)];
	enum cgpol_kind kind;
};

typedef void answer_fn(struct question *question);

__attribute__((format(printf, 2, 3))) static void say(struct question *question, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(question->why, sizeof(question->why), format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void advise(struct question *question, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(question->hint, sizeof(question->hint), format, args);
	va_end(args);
}

/* The part of a cpuset that the parent lets through. */
static void show_above(struct question *question, const char *file, char *text, size_t size)
{
	AUTO(free_p) char *parent = cause_parent(question->cgroup);
	AUTO(free_p) char *have = parent ? cause_read(question->host, parent, file) : NULL;

	text_escape(have ? have : "?", text, size);
}

static void why_not_permitted(struct question *question)
{
	say(question, "%s",
	    question->errnum == EROFS ? "the file system is mounted read-only"
				      : "permission denied; the cgroup belongs to somebody else");
	advise(question, "%s",
	       question->errnum == EROFS ? "in a container: start it with a writable cgroup mount"
					 : "run it as root, or below a cgroup that is delegated to you: "
					   "systemd-run --user --scope -p "
					   "Delegate=yes");
	if (question->errnum != EROFS && question->step && question->step->op == STEP_ENABLE)
		advise(question, "%s",
		       "run it as root, or have the controller delegated; for users of systemd: systemctl "
		       "edit "
		       "user@.service, with [Service] and Delegate=cpu cpuset io memory pids");
	if (question->errnum == EROFS && !question->host->root->ops->write) {
		question->kind = CGPOL_REFUSED;
		say(question, "this is a capture of another machine, which cannot be changed");
		advise(question, "leave --root and --record out");
	}
	/* kernel/cgroup/cgroup.c cgroup_file_write(): with nsdelegate the files of the namespace's root are
	 * its owner's. */
	if (question->errnum == EPERM && strcmp(question->cgroup, "/") == 0) {
		say(question,
		    "it is the root of this cgroup namespace, whose files belong to the host (nsdelegate)");
		advise(question, "use a cgroup below it");
	}
}

static void why_gone(struct question *question)
{
	AUTO(free_p) char *list = cause_read(question->host, question->cgroup, "cgroup.controllers");

	question->kind = CGPOL_FAILED;
	if (list)
		say(question, "the kernel says that it is not there");
	else
		say(question, "cgroup %s does not exist", question->shown);
	advise(question, "somebody removed it meanwhile: try again");
}

static void why_no_parent(struct question *question)
{
	question->kind = CGPOL_FAILED;
	say(question, "cgroup %s above it does not exist", question->parent);
	advise(question, "somebody removed it meanwhile: try again");
}

static void why_too_many(struct question *question)
{
	AUTO(free_p) char *parent = cause_parent(question->cgroup);
	AUTO(free_p) char *name = NULL;
	const char *file = "cgroup.max.descendants";
	char shown[SHOWN_SIZE];
	uint64_t limit;

	if (parent && cause_find_limit(question->host, parent, file, NULL, &name, &limit) < 0) {
		file = "cgroup.max.depth";
		(void)cause_find_limit(question->host, parent, file, NULL, &name, &limit);
	}
	if (!name) {
		say(question, "there are as many cgroups as are allowed");
		return;
	}
	text_escape(name, shown, sizeof(shown));
	say(question, "%s of cgroup %s allows no more than %" PRIu64, file, shown, limit);
	advise(question, "raise it, or remove cgroups that are not used: cgpol reap");
}

static void why_no_id(struct question *question)
{
	/* mm/memcontrol.c mem_cgroup_alloc(): MEM_CGROUP_ID_MAX is 65535. */
	say(question, "the kernel has no more than 65535 memory cgroups, with those that are removed but "
		      "still hold memory");
	advise(question, "remove cgroups that are not used: cgpol reap");
}

static void why_bad_name(struct question *question)
{
	say(question, "the kernel does not take this name");
}

static const char *controller_of(const struct question *question)
{
	return question->step->new_value + 1;
}

static void why_not_available(struct question *question)
{
	AUTO(free_p) char *list = cause_read(question->host, question->cgroup, "cgroup.controllers");
	AUTO(free_p)
	char *first = cause_first_without(question->host, question->cgroup, controller_of(question));
	char shown[SHOWN_SIZE];

	if (!list) {
		why_gone(question);
		return;
	}
	text_escape(first ? first : question->cgroup, shown, sizeof(shown));
	say(question, "it is not available: cgroup.controllers of cgroup %s does not list it", shown);
	if (first && strcmp(first, "/") != 0)
		advise(question,
		       "enable it above: on a systemd machine with Delegate=%.64s of the unit that has %.80s",
		       controller_of(question), shown);
}

static void why_internal(struct question *question)
{
	say(question,
	    "cgroup %s has processes of its own, and the kernel lets a cgroup have either processes or "
	    "children with controllers",
	    question->shown);
	advise(question, "move its processes into a child of it first, or choose another place");
}

static void why_threaded(struct question *question)
{
	AUTO(free_p) char *type = cause_read(question->host, question->cgroup, "cgroup.type");

	say(question, "cgroup %s is \"%.32s\", and only one that is \"domain\" can have it", question->shown,
	    type ? type : "threaded");
	advise(question, "choose a place whose cgroup.type is \"domain\"");
}

static void why_realtime(struct question *question)
{
	char text[200] = "";

	if (strcmp(controller_of(question), "cpu") == 0)
		cause_list_realtime(question->host, text, sizeof(text));
	if (text[0] == '\0') {
		say(question, "the kernel does not know it");
		return;
	}
	/* kernel/sched/core.c cpu_cgroup_can_attach(): CONFIG_RT_GROUP_SCHED */
	say(question,
	    "this kernel can enable it only while no realtime process is outside the root cgroup: %s", text);
	advise(question, "move them to the root cgroup, or use a kernel without CONFIG_RT_GROUP_SCHED");
}

static void why_no_file(struct question *question)
{
	const char *file = question->step->file;
	const struct key *key = key_find(file);
	AUTO(free_p) char *controller = key_controller(file);
	AUTO(free_p) char *list = cause_read(question->host, question->cgroup, "cgroup.controllers");
	const char *hint = cause_of_missing(file);

	if (!list) {
		why_gone(question);
		return;
	}
	if (controller && !need_list_has(list, controller)) {
		say(question, "controller %.64s is not enabled in cgroup %s", controller, question->parent);
		advise(question, "write \"+%.64s\" into cgroup.subtree_control of %.120s", controller,
		       question->parent);
		return;
	}
	if (key && key->since)
		say(question, "this kernel (%u.%u) has no such file: it came with %s", question->host->major,
		    question->host->minor, key->since);
	else
		say(question, "this kernel (%u.%u) has no such file", question->host->major,
		    question->host->minor);
	if (hint)
		advise(question, "%s", hint);
}

static void why_no_device(struct question *question)
{
	char device[48];

	text_escape(question->step->new_value, device, sizeof(device));
	device[strcspn(device, " ")] = '\0';
	say(question, "this machine has no block device %s", device);
	advise(question, "lsblk shows the numbers of the devices (MAJ:MIN)");
}

/* kernel/cgroup/rdma.c rdmacg_resource_set_max(): the first word is the name of a device. */
static void why_no_rdma(struct question *question)
{
	AUTO(free_p) char *list = cause_read(question->host, question->cgroup, "cgroup.controllers");
	char device[80];

	if (!list) {
		why_gone(question);
		return;
	}
	text_escape(question->step->new_value, device, sizeof(device));
	device[strcspn(device, " ")] = '\0';
	say(question, "this machine has no RDMA device %s", device);
	advise(question, "/sys/class/infiniband lists their names");
}

static void why_not_possible(struct question *question)
{
	bool is_cpus = strcmp(question->step->file, "cpuset.mems") != 0;
	const char *path = is_cpus ? "/sys/devices/system/cpu/possible" : "/sys/devices/system/node/possible";
	AUTO(free_p) char *possible = NULL;

	(void)root_read(question->host->root, path, &possible, NULL);
	say(question, "the list has %s that this machine can never have; possible are %.80s",
	    is_cpus ? "cpus" : "nodes", possible ? possible : "?");
}

static void why_in_conflict(struct question *question)
{
	AUTO(free_p) char *cpus = NULL;
	const char *list = question->step->new_value;
	AUTO(free_p) char *sibling = cause_find_partition(question->host, question->cgroup, list, &cpus);
	char above[96], shown[SHOWN_SIZE];

	show_above(question, "cpuset.cpus.effective", above, sizeof(above));
	text_escape(sibling ? sibling : "", shown, sizeof(shown));
	if (sibling)
		say(question, "the partition %.120s has cpus %.60s for itself; cgroup %.80s has %s left",
		    shown, cpus, question->parent, above);
	else
		say(question, "the cpus are in use by a partition beside or below it; cgroup %.120s has %s",
		    question->parent, above);
	advise(question, "compare cpuset.cpus and cpuset.cpus.partition of its siblings");
}

static void why_deadline(struct question *question)
{
	say(question, "the cpus would not suffice for the SCHED_DEADLINE processes that run there");
}

static void why_emptied(struct question *question)
{
	bool is_cpus = strcmp(question->step->file, "cpuset.mems") != 0;
	char above[96];

	show_above(question, is_cpus ? "cpuset.cpus.effective" : "cpuset.mems.effective", above,
		   sizeof(above));
	say(question, "the processes in it would be left without %s; cgroup %.120s has %s",
	    is_cpus ? "cpus" : "nodes", question->parent, above);
	advise(question, "name what it may use, or end its processes first");
}

static void why_not_partition(struct question *question)
{
	say(question, "a partition needs cpuset.cpus of its own, which no sibling has, and a partition or "
		      "the root above it");
}

static void why_bad_cpu_max(struct question *question)
{
	say(question,
	    "it takes \"QUOTA PERIOD\" in microseconds: a quota of at least 1000 or max, and a period of "
	    "1000 to 1000000");
}

static void why_not_taken(struct question *question)
{
	say(question, "the kernel does not take this value");
}

static void why_out_of_range(struct question *question)
{
	const struct key *key = key_find(question->step->file);

	if (key && key->max > key->min)
		say(question, "the kernel takes %" PRId64 " to %" PRId64, key->min, key->max);
	else
		say(question, "the kernel does not take a value of this size");
}

static void why_by_errno(struct question *question)
{
	const char *text = strerrordesc_np(question->errnum);

	say(question, "%s", text ? text : "unknown error");
}

static void why_not_enabled_anyway(struct question *question)
{
	say(question, "the kernel took it, but does not list it afterwards");
}

/* The first row that fits answers. A file that ends in "." or "*" is a prefix; NULL is every file. */
static const struct row {
	enum step_op op;
	const char *file;
	int errnum;
	enum cgpol_kind kind;
	answer_fn *answer;
} rows[] = {
	{STEP_MKDIR, NULL, ENOENT, CGPOL_FAILED, why_no_parent},
	{STEP_MKDIR, NULL, ENODEV, CGPOL_FAILED, why_no_parent},
	{STEP_MKDIR, NULL, EAGAIN, CGPOL_REFUSED, why_too_many},
	{STEP_MKDIR, NULL, ENOSPC, CGPOL_REFUSED, why_no_id},
	{STEP_MKDIR, NULL, EINVAL, CGPOL_REFUSED, why_bad_name},
	{STEP_ENABLE, NULL, ENOENT, CGPOL_UNSUPPORTED, why_not_available},
	{STEP_ENABLE, NULL, ENODEV, CGPOL_FAILED, why_gone},
	{STEP_ENABLE, NULL, EBUSY, CGPOL_REFUSED, why_internal},
	{STEP_ENABLE, NULL, EOPNOTSUPP, CGPOL_REFUSED, why_threaded},
	{STEP_ENABLE, NULL, EINVAL, CGPOL_REFUSED, why_realtime},
	{STEP_ENABLE, NULL, EIO, CGPOL_FAILED, why_not_enabled_anyway},
	{STEP_SET, NULL, ENOENT, CGPOL_UNSUPPORTED, why_no_file},
	{STEP_SET, "io.", ENODEV, CGPOL_UNSUPPORTED, why_no_device},
	{STEP_SET, "rdma.", ENODEV, CGPOL_UNSUPPORTED, why_no_rdma},
	{STEP_SET, NULL, ENODEV, CGPOL_FAILED, why_gone},
	{STEP_SET, "cpuset.cpus.partition", EINVAL, CGPOL_REFUSED, why_not_partition},
	{STEP_SET, "cpuset.mems", EINVAL, CGPOL_REFUSED, why_not_possible},
	{STEP_SET, "cpuset.cpus", EINVAL, CGPOL_REFUSED, why_in_conflict},
	{STEP_SET, "cpuset.", ERANGE, CGPOL_REFUSED, why_not_possible},
	{STEP_SET, "cpuset.", EBUSY, CGPOL_REFUSED, why_deadline},
	{STEP_SET, "cpuset.", ENOSPC, CGPOL_REFUSED, why_emptied},
	{STEP_SET, "cpu.max", EINVAL, CGPOL_REFUSED, why_bad_cpu_max},
	{STEP_SET, NULL, ERANGE, CGPOL_REFUSED, why_out_of_range},
	{STEP_SET, NULL, EINVAL, CGPOL_REFUSED, why_not_taken},
	{STEP_SET, NULL, EOPNOTSUPP, CGPOL_REFUSED, why_by_errno},
	{STEP_SET, NULL, EBUSY, CGPOL_REFUSED, why_by_errno},
	{STEP_SET, NULL, ENOSPC, CGPOL_REFUSED, why_by_errno},
};

static bool fits(const struct row *row, const struct question *question)
{
	const char *file = question->step->file;
	size_t size = row->file ? strlen(row->file) : 0;

	if (row->op != question->step->op || row->errnum != question->errnum)
		return false;
	if (!row->file)
		return true;
	return row->file[size - 1] == '.' ? strncmp(row->file, file, size) == 0
					  : strcmp(row->file, file) == 0;
}

static void answer(struct question *question)
{
	question->kind = CGPOL_FAILED;
	if (question->errnum == EACCES || question->errnum == EPERM || question->errnum == EROFS) {
		why_not_permitted(question);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (fits(&rows[i], question)) {
			question->kind = rows[i].kind;
			rows[i].answer(question);
			return;
		}
	}
	why_by_errno(question);
}

static void begin(struct question *question)
{
	AUTO(free_p) char *parent = cause_parent(question->cgroup);

	text_escape(question->cgroup, question->shown, sizeof(question->shown));
	text_escape(parent ? parent : "/", question->parent, sizeof(question->parent));
}

int explain_step(struct cgpol_host *host, const struct step *step, int rc, struct cgpol_error *err)
{
	struct question question = {.host = host, .step = step, .cgroup = step->cgroup, .errnum = -rc};
	char value[80];

	if (!err)
		return rc;
	begin(&question);
	answer(&question);
	text_escape(step->new_value ? step->new_value : "", value, sizeof(value));
	switch (step->op) {
	case STEP_MKDIR:
		(void)error_set(err, -rc, question.kind, "cannot make cgroup %s: %s", question.shown,
				question.why);
		break;
	case STEP_ENABLE:
		(void)error_set(err, -rc, question.kind,
				"cannot enable controller %.64s for the children of cgroup %s: %s", value + 1,
				question.shown, question.why);
		break;
	case STEP_SET:
		(void)error_set(err, -rc, question.kind, "cannot set %.64s of cgroup %s to \"%s\": %s",
				step->file, question.shown, value, question.why);
		break;
	default:
		break;
	}
	error_detail(err, step->file ? step->file : question.shown, step->new_value ? value : NULL,
		     question.hint[0] ? question.hint : NULL);
	if (step->op == STEP_ENABLE && rc == -EBUSY)
		cause_add_processes(host, step->cgroup, err);
	return rc;
}

static void start_not_permitted(struct question *question)
{
	AUTO(free_p) char *own = NULL;
	size_t size = 0, last = 0;
	char shown[SHOWN_SIZE];

	if (proc_read_cgroup(question->host, question->host->root->facts.self, &own) < 0) {
		why_not_permitted(question);
		return;
	}
	/* kernel/cgroup/cgroup.c cgroup_procs_write_permission(): also cgroup.procs of the common ancestor
	 * must be writable. */
	while (own[size] && own[size] == question->cgroup[size]) {
		size++;
		if ((own[size] == '/' || own[size] == '\0') &&
		    (question->cgroup[size] == '/' || question->cgroup[size] == '\0'))
			last = size;
	}
	own[last > 0 ? last : 1] = '\0';
	text_escape(own, shown, sizeof(shown));
	say(question,
	    "permission denied; starting a process there needs write access to cgroup.procs of cgroup %s, "
	    "the "
	    "nearest one above both, too",
	    shown);
	advise(question, "run it as root, or as a part of the delegated tree: systemd-run --user --scope -p "
			 "Delegate=yes, "
			 "or systemd's AttachProcessesToUnit");
}

static void start_internal(struct question *question)
{
	AUTO(free_p) char *list = cause_read(question->host, question->cgroup, "cgroup.subtree_control");

	say(question,
	    "controllers are enabled for its children (%.100s), and the kernel lets a cgroup have either "
	    "processes or such children",
	    list && *list ? list : "?");
	advise(question, "name a cgroup below it");
}

static void start_threaded(struct question *question)
{
	AUTO(free_p) char *type = cause_read(question->host, question->cgroup, "cgroup.type");

	say(question,
	    "its cgroup.type is \"%.32s\", which takes threads of a process that is there already, not "
	    "processes",
	    type ? type : "?");
	advise(question, "choose a cgroup whose cgroup.type is \"domain\"");
}

static void start_gone(struct question *question)
{
	say(question, "it was removed meanwhile");
	advise(question, "try again");
}

static void start_nowhere(struct question *question)
{
	AUTO(free_p) char *mems = cause_read(question->host, question->cgroup, "cpuset.mems.effective");
	AUTO(free_p) char *cpus = cause_read(question->host, question->cgroup, "cpuset.cpus.effective");

	say(question,
	    "its cpuset has no cpus or no nodes (cpuset.cpus.effective \"%.60s\", cpuset.mems.effective "
	    "\"%.60s\")",
	    cpus ? cpus : "?", mems ? mems : "?");
	advise(question, "give it, or those above it, cpuset.cpus and cpuset.mems that exist");
}

static void start_too_many(struct question *question)
{
	AUTO(free_p) char *name = NULL;
	char shown[SHOWN_SIZE];
	uint64_t limit;

	if (cause_find_limit(question->host, question->cgroup, "pids.max", "pids.current", &name, &limit) <
	    0) {
		say(question, "there are as many processes as this user or this machine may have");
		advise(question, "see ulimit -u, and kernel.pid_max and kernel.threads-max of sysctl");
		return;
	}
	text_escape(name, shown, sizeof(shown));
	say(question, "pids.max of cgroup %s allows no more than %" PRIu64 " processes and threads", shown,
	    limit);
	advise(question, "raise it, or end some");
}

static void start_no_memory(struct question *question)
{
	say(question,
	    "the kernel is out of memory, or a memory limit of the cgroup leaves none for a new process");
}

static const struct start_row {
	int errnum;
	enum cgpol_kind kind;
	answer_fn *answer;
} start_rows[] = {
	{EACCES, CGPOL_FAILED, start_not_permitted},
	{EPERM, CGPOL_FAILED, start_not_permitted},
	{EROFS, CGPOL_FAILED, why_not_permitted},
	{EBUSY, CGPOL_REFUSED, start_internal},
	{EOPNOTSUPP, CGPOL_REFUSED, start_threaded},
	{ENODEV, CGPOL_FAILED, start_gone},
	{ENOENT, CGPOL_FAILED, start_gone},
	{ENOSPC, CGPOL_REFUSED, start_nowhere},
	{EAGAIN, CGPOL_REFUSED, start_too_many},
	{ENOMEM, CGPOL_FAILED, start_no_memory},
	{0, CGPOL_FAILED, why_by_errno},
};

int explain_start(struct cgpol_host *host, const char *cgroup, int rc, struct cgpol_error *err)
{
	struct question question = {.host = host, .cgroup = cgroup, .errnum = -rc};
	const struct start_row *row = start_rows;

	if (!err)
		return rc;
	begin(&question);
	while (row->errnum != 0 && row->errnum != -rc)
		row++;
	question.kind = row->kind;
	row->answer(&question);
	(void)error_set(err, -rc, question.kind, "cannot start a process in cgroup %s: %s", question.shown,
			question.why);
	error_detail(err, question.shown, NULL, question.hint[0] ? question.hint : NULL);
	return rc;
}
