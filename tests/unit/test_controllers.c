/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup rows of doctor: every reason why a controller, a mount option or a right is missing. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/controllers.h"

/* A machine by few words; what is NULL is not there. */
struct machine {
	const char *name;
	const char *mountinfo, *cgroups, *cmdline, *features, *filesystems;
	const char *cgroup2, *cgroup2_root; /* cgroup2_root: "/" when NULL */
	/* From the root to the own cgroup: "NAME|CONTROLLERS|SUBTREE_CONTROL|LOCKED"; a controllers part of
	 * "?" cannot be read, an empty locked part may be written. */
	const char *level[5];
	int is_whole, mounts_error, own_error;
	bool is_captured, is_read_only, has_systemd;
	unsigned major, minor; /* 0: 6.1 */
	uint64_t uid;
	/* What is expected of one row. */
	const char *row;
	enum doctor_state state;
	const char *reason, *remedy; /* remedy NULL: none */
};

#define UNIFIED "29 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n"
#define HYBRID                                                                           \
	"34 31 0:31 / /sys/fs/cgroup/cpuset rw,relatime - cgroup cgroup rw,cpuset\n"     \
	"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"     \
	"38 31 0:35 / /sys/fs/cgroup/blkio rw,relatime - cgroup cgroup rw,blkio\n"       \
	"40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n" \
	"41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"
#define HYBRID_CGROUPS                                                                     \
	"#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t3\t1\t1\nblkio\t7\t1\t1\n" \
	"memory\t4\t41\t1\nhugetlb\t0\t1\t1\npids\t0\t1\t0\n"
#define ALL "cpuset cpu io memory hugetlb pids"
#define LISTED "cpuset 0 9 1\ncpu 0 9 1\nblkio 0 9 1\nmemory 0 9 1\nhugetlb 0 9 1\npids 0 9 1\n"
#define PART .mountinfo = UNIFIED, .cgroup2 = "/sys/fs/cgroup", .cgroups = LISTED
#define WHOLE PART, .is_whole = 1
#define SHELL                                                                                              \
	.level = {"/|" ALL "|cpu memory pids|/sys/fs/cgroup", "/user.slice|cpu memory pids|memory pids|x", \
		  "/user.slice/u|memory pids|memory|", "/user.slice/u/shell|memory||"},                    \
	.uid = 1000

static const struct machine machines[] = {
	{"a root user of v2", WHOLE, .level = {"/|" ALL "||"}, .row = "controller.memory", .state = DOCTOR_OK,
	 .reason = "in cgroup.controllers of /"},
	{"a root user needs no ancestor to hand it down", WHOLE, .level = {"/|" ALL "||", "/a||||"},
	 .row = "controller.cpuset", .state = DOCTOR_OK, .reason = "in cgroup.controllers of /"},
	{"v1 memory, with cgroups", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS,
	 .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|hugetlb||"}, .is_whole = 1,
	 .row = "controller.memory", .state = DOCTOR_MISSING,
	 .reason = "bound to cgroup v1 at /sys/fs/cgroup/memory", .remedy = "boot with cgroup_no_v1=memory"},
	{"v1 cpuset, without cgroups", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS,
	 .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|hugetlb||"}, .is_whole = 1,
	 .row = "controller.cpuset", .state = DOCTOR_MISSING,
	 .reason = "bound to cgroup v1 at /sys/fs/cgroup/cpuset",
	 .remedy = "umount /sys/fs/cgroup/cpuset, which has no cgroups; or boot with cgroup_no_v1=cpuset"},
	{"v1 blkio is io", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS,
	 .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|hugetlb||"}, .has_systemd = true,
	 .row = "controller.io", .state = DOCTOR_MISSING,
	 .reason = "bound to cgroup v1 at /sys/fs/cgroup/blkio",
	 .remedy = "boot with systemd.unified_cgroup_hierarchy=1"},
	{"what v2 has beside v1", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS,
	 .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|hugetlb||"}, .row = "controller.hugetlb",
	 .state = DOCTOR_OK, .reason = "in cgroup.controllers of /"},
	{"no line on an old kernel", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS,
	 .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|hugetlb||"}, .row = "controller.cpu",
	 .state = DOCTOR_MISSING, .reason = "not built into this kernel",
	 .remedy = "use a kernel with CONFIG_CGROUP_SCHED"},
	{"enabled is 0", .mountinfo = HYBRID, .cgroups = HYBRID_CGROUPS, .cgroup2 = "/sys/fs/cgroup/unified",
	 .level = {"/|hugetlb||"}, .row = "controller.pids", .state = DOCTOR_MISSING,
	 .reason = "switched off in this kernel (/proc/cgroups)",
	 .remedy =
		 "boot without cgroup_disable=pids, or with cgroup_enable= where the distribution has that"},
	{"v1 that is mounted elsewhere", .mountinfo = UNIFIED, .cgroups = "memory 4 3 1\n",
	 .cgroup2 = "/sys/fs/cgroup", .level = {"/|pids||"}, .row = "controller.memory",
	 .state = DOCTOR_MISSING, .reason = "bound to cgroup v1: hierarchy 4, which is not mounted here",
	 .remedy = "boot with cgroup_no_v1=memory"},
	{"the command line", WHOLE, .level = {"/|pids||"}, .cmdline = "ro cgroup_disable=memory",
	 .row = "controller.memory", .state = DOCTOR_MISSING,
	 .reason = "switched off on the kernel's command line (cgroup_disable=memory)",
	 .remedy = "boot without cgroup_disable=memory"},
	{"the command line, where /proc/cgroups leaves memory out", .mountinfo = UNIFIED,
	 .cgroups = "pids 0 9 1\n", .cgroup2 = "/sys/fs/cgroup", .is_whole = 1, .major = 6, .minor = 18,
	 .level = {"/|pids||"}, .cmdline = "cgroup_disable=memory", .row = "controller.memory",
	 .state = DOCTOR_MISSING,
	 .reason = "switched off on the kernel's command line (cgroup_disable=memory)",
	 .remedy = "boot without cgroup_disable=memory"},
	{"no line on a new kernel, seen from the root", .mountinfo = UNIFIED, .cgroups = "pids 0 9 1\n",
	 .cgroup2 = "/sys/fs/cgroup", .is_whole = 1, .major = 6, .minor = 18, .level = {"/|pids||"},
	 .row = "controller.memory", .state = DOCTOR_MISSING, .reason = "not built into this kernel",
	 .remedy = "use a kernel with CONFIG_MEMCG"},
	{"no line on a new kernel, seen from a container", .mountinfo = UNIFIED, .cgroups = "pids 0 9 1\n",
	 .cgroup2 = "/sys/fs/cgroup", .is_whole = 0, .major = 6, .minor = 13, .level = {"/|pids||"},
	 .row = "controller.memory", .state = DOCTOR_MISSING,
	 .reason = "not in cgroup.controllers of the cgroup at /sys/fs/cgroup: the cgroups above it, which "
		   "cannot "
		   "be seen here, do not hand it down",
	 .remedy = "outside, enable it in cgroup.subtree_control of the cgroups above"},
	{"no line on the last kernel that lists all", .mountinfo = UNIFIED, .cgroups = "pids 0 9 1\n",
	 .cgroup2 = "/sys/fs/cgroup", .is_whole = 0, .major = 6, .minor = 12, .level = {"/|pids||"},
	 .row = "controller.memory", .state = DOCTOR_MISSING, .reason = "not built into this kernel",
	 .remedy = "use a kernel with CONFIG_MEMCG"},
	{"a container that is not given cpuset", PART, .level = {"/|memory pids||"},
	 .row = "controller.cpuset", .state = DOCTOR_MISSING,
	 .reason = "not in cgroup.controllers of the cgroup at /sys/fs/cgroup: the cgroups above it, which "
		   "cannot "
		   "be seen here, do not hand it down",
	 .remedy = "outside, enable it in cgroup.subtree_control of the cgroups above"},
	{"no cgroup2 mount", .mountinfo = "", .cgroups = LISTED, .row = "controller.memory",
	 .state = DOCTOR_MISSING, .reason = "no cgroup2 file system is mounted",
	 .remedy = "mount -t cgroup2 none /sys/fs/cgroup"},
	{"no mountinfo", .mounts_error = -ENOENT, .row = "controller.memory", .state = DOCTOR_UNKNOWN,
	 .reason = "/proc/self/mountinfo cannot be read"},
	{"no cgroup.controllers", .mountinfo = UNIFIED, .cgroup2 = "/sys/fs/cgroup", .level = {"/|?||"},
	 .row = "controller.memory", .state = DOCTOR_UNKNOWN,
	 .reason = "/sys/fs/cgroup/cgroup.controllers cannot be read"},
	{"a read-only mount", WHOLE, .is_read_only = true, .level = {"/|" ALL "||"},
	 .row = "controller.memory", .state = DOCTOR_MISSING,
	 .reason = "the cgroup2 mount at /sys/fs/cgroup is read-only",
	 .remedy = "mount -o remount,rw,bind /sys/fs/cgroup, or have the container get it writable"},
	{"a capture that asked nothing", WHOLE, .is_captured = true, .level = {"/|" ALL "||"},
	 .row = "controller.memory", .state = DOCTOR_OK, .reason = "in cgroup.controllers of /"},

	{"a user whose delegated cgroup has it", WHOLE, SHELL, .row = "controller.memory", .state = DOCTOR_OK,
	 .reason = "in cgroup.controllers of /user.slice/u"},
	{"a user whose delegated cgroup lacks it", WHOLE, SHELL, .row = "controller.cpuset",
	 .state = DOCTOR_MISSING,
	 .reason =
		 "in cgroup.controllers of /, but not enabled for /user.slice/u: the first that lacks it is "
		 "/user.slice, as cgroup.subtree_control of / does not have it",
	 .remedy = "as root: echo +cpuset >/sys/fs/cgroup/cgroup.subtree_control"},
	{"it ends half way", WHOLE, SHELL, .row = "controller.cpu", .state = DOCTOR_MISSING,
	 .reason =
		 "in cgroup.controllers of /, but not enabled for /user.slice/u: the first that lacks it is "
		 "/user.slice/u, as cgroup.subtree_control of /user.slice does not have it",
	 .remedy = "as root: echo +cpu >/sys/fs/cgroup/user.slice/cgroup.subtree_control"},
	{"with systemd the drop-in helps", WHOLE, SHELL, .has_systemd = true, .row = "controller.cpuset",
	 .state = DOCTOR_MISSING,
	 .reason =
		 "in cgroup.controllers of /, but not enabled for /user.slice/u: the first that lacks it is "
		 "/user.slice, as cgroup.subtree_control of / does not have it",
	 .remedy =
		 "as root, put \"[Service]\" and \"Delegate=cpu cpuset io memory pids\" into "
		 "/etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload, and log in "
		 "again"},
	{"an ancestor that cannot be read", WHOLE, .level = {"/|" ALL "||x", "/a|?||x"}, .uid = 5,
	 .row = "controller.memory", .state = DOCTOR_UNKNOWN,
	 .reason = "cgroup.controllers of /a cannot be read"},

	{"root's delegation", WHOLE, .level = {"/|" ALL "||", "/a|||"}, .row = "delegation",
	 .state = DOCTOR_OK, .reason = "uid 0 may make cgroups anywhere below /sys/fs/cgroup"},
	{"a delegated ancestor", WHOLE, SHELL, .row = "delegation", .state = DOCTOR_OK,
	 .reason = "uid 1000 may make cgroups below /user.slice/u"},
	{"only the own cgroup", WHOLE, .level = {"/|" ALL "||x", "/a|||x", "/a/b|||"}, .uid = 7,
	 .row = "delegation", .state = DOCTOR_LIMITED,
	 .reason = "only its own cgroup /a/b may be written: controllers can be enabled there once its "
		   "processes "
		   "are in a child of it",
	 .remedy = "have root make a cgroup and give its directory, cgroup.procs, cgroup.threads and "
		   "cgroup.subtree_control to uid 7"},
	{"nothing delegated", WHOLE, .level = {"/|" ALL "||x", "/a|||/sys/fs/cgroup/a/cgroup.procs"},
	 .uid = 7, .has_systemd = true, .row = "delegation", .state = DOCTOR_MISSING,
	 .reason = "uid 7 may write none of the cgroups from / to its own: /sys/fs/cgroup/a/cgroup.procs "
		   "belongs "
		   "to uid 0, mode 0644",
	 .remedy = "systemd-run --user --scope -p Delegate=yes COMMAND, or be root"},
	{"an own cgroup out of sight", WHOLE, .level = {"/|" ALL "||/sys/fs/cgroup"}, .uid = 7,
	 .own_error = -EXDEV, .row = "delegation", .state = DOCTOR_MISSING,
	 .reason = "uid 7 may not write /sys/fs/cgroup, and its own cgroup cannot be seen here (EXDEV)",
	 .remedy = "have root make a cgroup and give its directory, cgroup.procs, cgroup.threads and "
		   "cgroup.subtree_control to uid 7"},
	{"delegation in a capture", WHOLE, .is_captured = true, .level = {"/|" ALL "||"}, .row = "delegation",
	 .state = DOCTOR_UNKNOWN, .reason = "the capture was made without asking"},
	{"delegation of a read-only mount", WHOLE, .is_read_only = true, .level = {"/|" ALL "||"},
	 .row = "delegation", .state = DOCTOR_MISSING, .reason = "/sys/fs/cgroup is mounted read-only"},
	{"delegation without a mount", .mountinfo = "", .row = "delegation", .state = DOCTOR_MISSING,
	 .reason = "no cgroup2 mount to look at"},

	{"unified", WHOLE, .level = {"/|||"}, .row = "cgroup2.mode", .state = DOCTOR_OK,
	 .reason = "unified: cgroup2 at /sys/fs/cgroup"},
	{"hybrid", .mountinfo = HYBRID, .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|||"},
	 .row = "cgroup2.mode", .state = DOCTOR_LIMITED,
	 .reason =
		 "hybrid: cgroup2 at /sys/fs/cgroup/unified; v1: cpuset at /sys/fs/cgroup/cpuset, memory at "
		 "/sys/fs/cgroup/memory, blkio at /sys/fs/cgroup/blkio, name=systemd at "
		 "/sys/fs/cgroup/systemd",
	 .remedy = "boot with cgroup_no_v1=all"},
	{"legacy",
	 .mountinfo = "1 1 0:1 / /m rw - cgroup c rw,release_agent=/x,memory,hugetlb\n"
		      "1 1 0:2 / /n rw - cgroup c rw,noprefix\n",
	 .has_systemd = true, .row = "cgroup2.mode", .state = DOCTOR_MISSING,
	 .reason = "legacy: v1 only: memory,hugetlb at /m, no controller at /n",
	 .remedy = "boot with systemd.unified_cgroup_hierarchy=1"},
	{"nothing mounted", .mountinfo = "", .row = "cgroup2.mode", .state = DOCTOR_MISSING,
	 .reason = "no cgroup file system is mounted, neither v2 nor v1",
	 .remedy = "mount -t cgroup2 none /sys/fs/cgroup"},
	{"mode without mountinfo", .mounts_error = -EACCES, .row = "cgroup2.mode", .state = DOCTOR_UNKNOWN,
	 .reason = "/proc/self/mountinfo cannot be read"},

	{"mount", WHOLE, .level = {"/|||"}, .row = "cgroup2.mount", .state = DOCTOR_OK,
	 .reason = "mounted at /sys/fs/cgroup"},
	{"mount of a part", .mountinfo = "1 1 0:1 /docker/a /cg rw - cgroup2 c rw\n", .cgroup2 = "/cg",
	 .cgroup2_root = "/docker/a", .level = {"/|||"}, .row = "cgroup2.mount", .state = DOCTOR_LIMITED,
	 .reason = "at /cg only the cgroup /docker/a is mounted",
	 .remedy = "mount -t cgroup2 none on a directory of its own"},
	{"mount from outside", .mountinfo = "1 1 0:1 /../.. /cg rw - cgroup2 c rw\n", .cgroup2 = "/cg",
	 .cgroup2_root = "/../..", .level = {"/|||"}, .row = "cgroup2.mount", .state = DOCTOR_LIMITED,
	 .reason = "at /cg only the cgroup /../.. is mounted",
	 .remedy = "mount cgroup2 anew inside of this cgroup namespace"},
	{"a kernel without cgroup2", .mountinfo = "", .filesystems = "nodev\tcgroup\nnodev\tproc\n",
	 .row = "cgroup2.mount", .state = DOCTOR_MISSING, .reason = "this kernel has no cgroup2 file system",
	 .remedy = "use Linux 4.5 or newer, with CONFIG_CGROUPS"},
	{"a kernel with it", .mountinfo = "", .filesystems = "nodev\tcgroup2\n", .row = "cgroup2.mount",
	 .state = DOCTOR_MISSING, .reason = "no cgroup2 file system is mounted",
	 .remedy = "mount -t cgroup2 none /sys/fs/cgroup"},
	{"mount without mountinfo", .mounts_error = -EACCES, .row = "cgroup2.mount", .state = DOCTOR_UNKNOWN,
	 .reason = "/proc/self/mountinfo cannot be read"},

	{"writable", WHOLE, .level = {"/|||"}, .row = "cgroup2.writable", .state = DOCTOR_OK,
	 .reason = "/sys/fs/cgroup is mounted read-write"},
	{"not writable", WHOLE, .is_read_only = true, .level = {"/|||"}, .row = "cgroup2.writable",
	 .state = DOCTOR_MISSING, .reason = "/sys/fs/cgroup is mounted read-only",
	 .remedy = "mount -o remount,rw,bind /sys/fs/cgroup, or have the container get it writable"},
	{"writable without mountinfo", .mounts_error = -EACCES, .row = "cgroup2.writable",
	 .state = DOCTOR_UNKNOWN, .reason = "no cgroup2 mount to look at"},

	{"nsdelegate", WHOLE, .level = {"/|||"}, .row = "cgroup2.nsdelegate", .state = DOCTOR_OK,
	 .reason = "the mount at /sys/fs/cgroup has it"},
	{"no nsdelegate", .mountinfo = HYBRID, .cgroup2 = "/sys/fs/cgroup/unified", .level = {"/|||"},
	 .row = "cgroup2.nsdelegate", .state = DOCTOR_LIMITED,
	 .reason = "off: a container with a cgroup namespace could change its own limits",
	 .remedy = "mount -o remount,nsdelegate /sys/fs/cgroup/unified"},
	{"a kernel without recursiveprot", .mountinfo = HYBRID, .cgroup2 = "/sys/fs/cgroup/unified",
	 .features = "nsdelegate\nmemory_localevents\n", .level = {"/|||"},
	 .row = "cgroup2.memory_recursiveprot", .state = DOCTOR_MISSING,
	 .reason = "this kernel does not have it", .remedy = "use Linux 5.7 or newer"},
	{"hugetlb accounting is off by default", WHOLE, .features = "memory_hugetlb_accounting\n",
	 .level = {"/|||"}, .row = "cgroup2.memory_hugetlb_accounting", .state = DOCTOR_INFO,
	 .reason = "off: hugetlb pages do not count in memory.current"},
	{"options without a mount", .mountinfo = "", .row = "cgroup2.nsdelegate", .state = DOCTOR_UNKNOWN,
	 .reason = "no cgroup2 mount to look at"},

	{"no namespace", WHOLE, .level = {"/|||"}, .row = "cgroup2.namespace", .state = DOCTOR_INFO,
	 .reason = "none: the mount shows the whole hierarchy"},
	{"a namespace", PART, .level = {"/|||"}, .row = "cgroup2.namespace", .state = DOCTOR_INFO,
	 .reason = "in a cgroup namespace: the cgroup at /sys/fs/cgroup is one of the host's, and with "
		   "nsdelegate "
		   "its limits are the host's too: make a child"},
	{"a namespace without nsdelegate", .mountinfo = "1 1 0:1 / /cg rw - cgroup2 c rw\n", .cgroup2 = "/cg",
	 .level = {"/|||"}, .row = "cgroup2.namespace", .state = DOCTOR_INFO,
	 .reason = "in a cgroup namespace: the cgroup at /cg is one of the host's"},
	{"a bind mount", .mountinfo = "1 1 0:1 /a /cg rw - cgroup2 c rw\n", .cgroup2 = "/cg",
	 .cgroup2_root = "/a", .level = {"/|||"}, .row = "cgroup2.namespace", .state = DOCTOR_INFO,
	 .reason = "a part of the hierarchy is mounted, as in some containers"},
	{"a namespace that is not known", PART, .is_whole = -1, .level = {"/|||"}, .row = "cgroup2.namespace",
	 .state = DOCTOR_UNKNOWN, .reason = "the cgroup at the mount cannot be examined"},
	{"a namespace without a mount", .mountinfo = "", .row = "cgroup2.namespace", .state = DOCTOR_UNKNOWN,
	 .reason = "no cgroup2 mount to look at"},
};

static char *dup_or_null(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void add_level(struct facts *facts, const char *text)
{
	char part[4][128];
	struct facts_cgroup *level = &facts->level[facts->levels++];

	for (size_t i = 0; i < 4; i++) {
		size_t size = strcspn(text, "|");

		(void)snprintf(part[i], sizeof(part[i]), "%.*s", (int)size, text);
		text += size + (text[size] == '|');
	}
	*level = (struct facts_cgroup){.name = strdup(part[0])};
	level->controllers = strcmp(part[1], "?") == 0 ? NULL : strdup(part[1]);
	level->subtree_control = strdup(part[2]);
	level->locked = *part[3] ? strdup(part[3]) : NULL;
	level->locked_mode = 0644;
}

static void make(const struct machine *machine, struct facts *facts)
{
	*facts = (struct facts){.major = machine->major ? machine->major : 6,
				.minor = machine->major ? machine->minor : 1,
				.is_asked = !machine->is_captured,
				.mounts_error = machine->mounts_error,
				.cgroup2 = dup_or_null(machine->cgroup2),
				.is_read_only = machine->is_read_only,
				.is_whole = machine->is_whole,
				.own_error = machine->own_error,
				.has_systemd = machine->has_systemd,
				.cmdline = dup_or_null(machine->cmdline),
				.features = dup_or_null(machine->features),
				.filesystems = dup_or_null(machine->filesystems),
				.self.uid = machine->uid};
	facts->cgroup2_root = machine->cgroup2 ? strdup(machine->cgroup2_root ? machine->cgroup2_root : "/")
					       : NULL;
	if (machine->mountinfo)
		assert_int_equal(mounts_parse(machine->mountinfo, &facts->mounts), 0);
	if (machine->cgroups)
		assert_int_equal(facts_parse_controllers(machine->cgroups, facts), 0);
	facts->level = calloc(ARRAY_SIZE(machine->level), sizeof(*facts->level));
	assert_non_null(facts->level);
	for (size_t i = 0; i < ARRAY_SIZE(machine->level) && machine->level[i]; i++)
		add_level(facts, machine->level[i]);
}

static const struct doctor_row *find(const struct doctor *doctor, const char *name)
{
	for (size_t i = 0; i < doctor->rows; i++)
		if (strcmp(doctor->row[i].name, name) == 0)
			return &doctor->row[i];
	fail_msg("there is no row %s", name);
	return NULL;
}

static void tells_the_exact_reason_and_remedy(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		const struct machine *machine = &machines[i];
		struct facts facts;
		struct doctor doctor = {0};
		const struct doctor_row *row;

		make(machine, &facts);
		controllers_judge(&facts, &doctor);
		assert_false(doctor.is_short);
		row = find(&doctor, machine->row);
		if (row->state != machine->state || strcmp(row->reason, machine->reason) != 0)
			fail_msg("%s: %s is %s: %s", machine->name, row->name, doctor_state_name(row->state),
				 row->reason);
		if ((row->remedy == NULL) != (machine->remedy == NULL) ||
		    (row->remedy && strcmp(row->remedy, machine->remedy) != 0))
			fail_msg("%s: the remedy is: %s", machine->name, row->remedy ? row->remedy : "none");
		doctor_clear(&doctor);
		facts_clear(&facts);
	}
}

static void requires_memory_and_cpuset_only(void **state)
{
	struct facts facts;
	struct doctor doctor = {0};

	(void)state;
	make(&machines[0], &facts);
	controllers_judge(&facts, &doctor);
	for (size_t i = 0; i < doctor.rows; i++) {
		const char *name = doctor.row[i].name;
		bool is_one = strcmp(name, "controller.memory") == 0 ||
			      strcmp(name, "controller.cpuset") == 0;

		assert_int_equal(doctor.row[i].is_required, is_one);
	}
	doctor_clear(&doctor);
	facts_clear(&facts);
}

static void shows_only_some_of_very_many_mounts(void **state)
{
	static const char line[] = "1 1 0:1 / /m rw - cgroup c rw,memory\n";
	struct machine machine = machines[0];
	struct doctor doctor = {0};
	struct facts facts;
	char text[20 * sizeof(line)] = "";

	(void)state;
	for (int i = 0; i < 19; i++)
		memcpy(text + strlen(text), line, sizeof(line));
	machine.mountinfo = text;
	machine.cgroup2 = NULL;
	make(&machine, &facts);
	controllers_judge(&facts, &doctor);
	assert_non_null(strstr(find(&doctor, "cgroup2.mode")->reason, ", memory at /m and 3 more"));
	doctor_clear(&doctor);
	facts_clear(&facts);
}

static void finds_the_place_for_a_user(void **state)
{
	struct facts facts;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		int place, want;

		if (strcmp(machines[i].row, "delegation") != 0)
			continue;
		make(&machines[i], &facts);
		place = controllers_place(&facts);
		want = machines[i].state == DOCTOR_LIMITED ? (int)facts.levels - 1
		       : machines[i].state != DOCTOR_OK	   ? -1
		       : machines[i].uid == 0		   ? 0
							   : 2;
		if (place != want)
			fail_msg("%s: %d", machines[i].name, place);
		facts_clear(&facts);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_exact_reason_and_remedy),
		cmocka_unit_test(requires_memory_and_cpuset_only),
		cmocka_unit_test(shows_only_some_of_very_many_mounts),
		cmocka_unit_test(finds_the_place_for_a_user),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
