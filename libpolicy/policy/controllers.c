/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cgroup part of doctor: the mounts, each controller and who lacks it, delegation. Pure. */
#include "policy/controllers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"

enum { MOUNTS_SHOWN = 16 };

/* `v1`: its name in cgroup v1, in /proc/cgroups and on the command line, which takes both. */
struct controller {
	const char *row, *name, *v1, *config;
	bool is_required;
};

static const struct controller controllers[] = {
	{"controller.memory", "memory", "memory", "CONFIG_MEMCG", true},
	{"controller.cpuset", "cpuset", "cpuset", "CONFIG_CPUSETS", true},
	{"controller.cpu", "cpu", "cpu", "CONFIG_CGROUP_SCHED", false},
	{"controller.io", "io", "blkio", "CONFIG_BLK_CGROUP", false},
	{"controller.pids", "pids", "pids", "CONFIG_CGROUP_PIDS", false},
	{"controller.hugetlb", "hugetlb", "hugetlb", "CONFIG_CGROUP_HUGETLB", false},
};

/* Is it a word of cgroup.controllers or of another list with blanks or lines? */
static bool has_word(const char *text, const char *name)
{
	struct span line, word;

	while (text && text_line(&text, &line))
		while (text_word(&line, &word))
			if (span_is(word, name))
				return true;
	return false;
}

int controllers_place(const struct facts *facts)
{
	if (!facts->is_asked || facts->is_read_only || facts->levels == 0)
		return -1;
	if (!facts->level[0].locked)
		return 0;
	if (facts->own_error < 0)
		return -1;
	/* A cgroup that has processes cannot hand controllers down, so that one's own is the last choice. */
	for (size_t i = facts->levels - 1; i-- > 1;)
		if (!facts->level[i].locked)
			return (int)i;
	return facts->level[facts->levels - 1].locked ? -1 : (int)facts->levels - 1;
}

/* ---- why cgroup v2 does not have a controller at all ---- */

static void remedy_v1(const struct facts *facts, const struct controller *controller,
		      const struct mounts_one *mount, struct doctor *doctor)
{
	const struct facts_controller *line = facts_find(facts, controller->v1);

	if (facts->has_systemd)
		doctor_remedy(doctor, "boot with systemd.unified_cgroup_hierarchy=1");
	else if (mount && line && line->cgroups <= 1)
		doctor_remedy(doctor, "umount %s, which has no cgroups; or boot with cgroup_no_v1=%s",
			      mount->point, controller->name);
	else
		doctor_remedy(doctor, "boot with cgroup_no_v1=%s", controller->name);
}

/* True when the reason is found. */
static bool judge_v1(const struct facts *facts, const struct controller *controller, struct doctor *doctor)
{
	const struct mounts_one *mount = mounts_find_v1(&facts->mounts, controller->name, controller->v1);
	const struct facts_controller *line = facts_find(facts, controller->v1);

	if (mount) {
		doctor_add(doctor, controller->row, DOCTOR_MISSING, "bound to cgroup v1 at %s", mount->point);
		remedy_v1(facts, controller, mount, doctor);
		return true;
	}
	if (!line || line->hierarchy == 0)
		return false;
	doctor_add(doctor, controller->row, DOCTOR_MISSING,
		   "bound to cgroup v1: hierarchy %" PRIu64 ", which is not mounted here", line->hierarchy);
	remedy_v1(facts, controller, NULL, doctor);
	return true;
}

static bool judge_disabled(const struct facts *facts, const struct controller *controller,
			   struct doctor *doctor)
{
	const struct facts_controller *line = facts_find(facts, controller->v1);
	bool is_off = mounts_is_disabled(facts->cmdline, controller->name, controller->v1);

	if (!is_off && (!line || line->is_enabled))
		return false;
	if (is_off)
		doctor_add(doctor, controller->row, DOCTOR_MISSING,
			   "switched off on the kernel's command line (cgroup_disable=%s)", controller->name);
	else
		doctor_add(doctor, controller->row, DOCTOR_MISSING,
			   "switched off in this kernel (/proc/cgroups)");
	doctor_remedy(doctor, "boot without cgroup_disable=%s%s", controller->name,
		      is_off ? "" : ", or with cgroup_enable= where the distribution has that");
	return true;
}

static void judge_unbuilt(const struct controller *controller, struct doctor *doctor)
{
	doctor_add(doctor, controller->row, DOCTOR_MISSING, "not built into this kernel");
	doctor_remedy(doctor, "use a kernel with %s", controller->config);
}

/* No line in /proc/cgroups proves nothing from 6.13 on: see struct facts_controller. */
static bool is_certainly_unbuilt(const struct facts *facts, const struct controller *controller)
{
	if (!facts->has_controllers || facts_find(facts, controller->v1))
		return false;
	return facts->is_whole == 1 || facts->major < 6 || (facts->major == 6 && facts->minor < 13);
}

static void judge_absent(const struct facts *facts, const struct controller *controller,
			 struct doctor *doctor)
{
	if (judge_v1(facts, controller, doctor) || judge_disabled(facts, controller, doctor))
		return;
	if (is_certainly_unbuilt(facts, controller)) {
		judge_unbuilt(controller, doctor);
	} else if (facts->mounts_error < 0) {
		doctor_add(doctor, controller->row, DOCTOR_UNKNOWN, "/proc/self/mountinfo cannot be read");
	} else if (!facts->cgroup2) {
		doctor_add(doctor, controller->row, DOCTOR_MISSING, "no cgroup2 file system is mounted");
		doctor_remedy(doctor, "mount -t cgroup2 none /sys/fs/cgroup");
	} else if (facts->levels > 0 && facts->level[0].controllers) {
		doctor_add(doctor, controller->row, DOCTOR_MISSING,
			   "not in cgroup.controllers of the cgroup at %s: the cgroups above it, which "
			   "cannot be "
			   "seen here, do not hand it down",
			   facts->cgroup2);
		doctor_remedy(doctor, "outside, enable it in cgroup.subtree_control of the cgroups above");
	} else {
		doctor_add(doctor, controller->row, DOCTOR_UNKNOWN, "%s/cgroup.controllers cannot be read",
			   facts->cgroup2);
	}
}

/* ---- who lacks a controller that the root has ---- */

static void remedy_lacking(const struct facts *facts, const struct controller *controller, size_t lacks,
			   struct doctor *doctor)
{
	const char *parent = facts->level[lacks - 1].name;

	if (facts->has_systemd)
		doctor_remedy(
			doctor,
			"as root, put \"[Service]\" and \"Delegate=cpu cpuset io memory pids\" into "
			"/etc/systemd/system/user@.service.d/delegate.conf, run systemctl daemon-reload, "
			"and log in again");
	else
		doctor_remedy(doctor, "as root: echo +%s >%s%s/cgroup.subtree_control", controller->name,
			      facts->cgroup2, strcmp(parent, "/") == 0 ? "" : parent);
}

/* Whether the cgroup at `place` has it; for one who may write everything that is the root. */
static void judge_chain(const struct facts *facts, const struct controller *controller, int place,
			struct doctor *doctor)
{
	size_t end = place >= 0 ? (size_t)place : facts->levels - 1;
	size_t lacks = 0;

	while (lacks <= end && has_word(facts->level[lacks].controllers, controller->name))
		lacks++;
	if (lacks > end) {
		doctor_add(doctor, controller->row, DOCTOR_OK, "in cgroup.controllers of %s",
			   facts->level[end].name);
		return;
	}
	if (!facts->level[lacks].controllers) {
		doctor_add(doctor, controller->row, DOCTOR_UNKNOWN, "cgroup.controllers of %s cannot be read",
			   facts->level[lacks].name);
		return;
	}
	doctor_add(doctor, controller->row, DOCTOR_MISSING,
		   "in cgroup.controllers of /, but not enabled for %s: the first that lacks it is %s, as "
		   "cgroup.subtree_control of %s does not have it",
		   facts->level[end].name, facts->level[lacks].name, facts->level[lacks - 1].name);
	remedy_lacking(facts, controller, lacks, doctor);
}

static void judge_controller(const struct facts *facts, const struct controller *controller,
			     struct doctor *doctor)
{
	if (facts->levels == 0 || !has_word(facts->level[0].controllers, controller->name)) {
		judge_absent(facts, controller, doctor);
	} else if (facts->is_read_only) {
		doctor_add(doctor, controller->row, DOCTOR_MISSING, "the cgroup2 mount at %s is read-only",
			   facts->cgroup2);
		doctor_remedy(doctor, "mount -o remount,rw,bind %s, or have the container get it writable",
			      facts->cgroup2);
	} else if (!facts->is_asked) {
		doctor_add(doctor, controller->row, DOCTOR_OK, "in cgroup.controllers of /");
	} else {
		judge_chain(facts, controller, controllers_place(facts), doctor);
	}
	if (controller->is_required)
		doctor_require(doctor);
}

/* ---- mounts ---- */

static void judge_mount(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "cgroup2.mount";

	if (facts->mounts_error < 0) {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "/proc/self/mountinfo cannot be read");
	} else if (facts->cgroup2 && strcmp(facts->cgroup2_root, "/") != 0) {
		doctor_add(doctor, row, DOCTOR_LIMITED, "at %s only the cgroup %s is mounted", facts->cgroup2,
			   facts->cgroup2_root);
		doctor_remedy(doctor, strstr(facts->cgroup2_root, "/..")
					      ? "mount cgroup2 anew inside of this cgroup namespace"
					      : "mount -t cgroup2 none on a directory of its own");
	} else if (facts->cgroup2) {
		doctor_add(doctor, row, DOCTOR_OK, "mounted at %s", facts->cgroup2);
	} else if (facts->filesystems && !has_word(facts->filesystems, "cgroup2")) {
		doctor_add(doctor, row, DOCTOR_MISSING, "this kernel has no cgroup2 file system");
		doctor_remedy(doctor, "use Linux 4.5 or newer, with CONFIG_CGROUPS");
	} else {
		doctor_add(doctor, row, DOCTOR_MISSING, "no cgroup2 file system is mounted");
		doctor_remedy(doctor, "mount -t cgroup2 none /sys/fs/cgroup");
	}
}

/* "memory at /sys/fs/cgroup/memory": the words of the options that are no controllers are left out. */
static void print_v1(FILE *out, const struct mounts_one *mount)
{
	static const char *const others[] = {
		"rw", "ro", "xattr", "noprefix", "clone_children", "cpuset_v2_mode", "favordynmods"};
	const char *at = mount->options;
	bool is_first = true;

	while (*at != '\0') {
		size_t size = strcspn(at, ",");
		bool is_other = size >= 14 && strncmp(at, "release_agent=", 14) == 0;

		for (size_t i = 0; i < ARRAY_SIZE(others); i++)
			is_other |= strlen(others[i]) == size && strncmp(at, others[i], size) == 0;
		if (!is_other) {
			(void)fprintf(out, "%s%.*s", is_first ? "" : ",", (int)size, at);
			is_first = false;
		}
		at += size + (at[size] == ',');
	}
	(void)fprintf(out, "%s at %s", is_first ? "no controller" : "", mount->point);
}

/* Every mount of one version. */
static void print_mounts(FILE *out, const struct mounts *mounts, bool is_unified)
{
	size_t found = 0;

	for (size_t i = 0; i < mounts->count; i++) {
		if (mounts->mount[i].is_unified != is_unified || found++ >= MOUNTS_SHOWN)
			continue;
		(void)fputs(found == 1 ? "" : is_unified ? " and " : ", ", out);
		if (is_unified)
			(void)fprintf(out, "at %s", mounts->mount[i].point);
		else
			print_v1(out, &mounts->mount[i]);
	}
	if (found > MOUNTS_SHOWN)
		(void)fprintf(out, " and %zu more", found - MOUNTS_SHOWN);
}

static size_t count_v1(const struct mounts *mounts)
{
	size_t count = 0;

	for (size_t i = 0; i < mounts->count; i++)
		count += !mounts->mount[i].is_unified;
	return count;
}

/* What the mounts are, in words; NULL when memory is short. */
static char *describe_mode(const struct facts *facts, size_t legacy)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	(void)fputs(!legacy ? "unified: cgroup2 " : facts->cgroup2 ? "hybrid: cgroup2 " : "legacy: ", out);
	print_mounts(out, &facts->mounts, true);
	if (legacy) {
		(void)fputs(facts->cgroup2 ? "; v1: " : "v1 only: ", out);
		print_mounts(out, &facts->mounts, false);
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

static void judge_mode(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "cgroup2.mode";
	size_t legacy = count_v1(&facts->mounts);
	AUTO(free_p) char *text = NULL;

	if (facts->mounts_error < 0) {
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "/proc/self/mountinfo cannot be read");
		return;
	}
	if (!facts->cgroup2 && !legacy) {
		doctor_add(doctor, row, DOCTOR_MISSING,
			   "no cgroup file system is mounted, neither v2 nor v1");
		doctor_remedy(doctor, "mount -t cgroup2 none /sys/fs/cgroup");
		return;
	}
	text = describe_mode(facts, legacy);
	if (!text) {
		doctor->is_short = true;
		return;
	}
	doctor_add(doctor, row,
		   !legacy	    ? DOCTOR_OK
		   : facts->cgroup2 ? DOCTOR_LIMITED
				    : DOCTOR_MISSING,
		   "%s", text);
	if (legacy)
		doctor_remedy(doctor, "boot with %s",
			      facts->has_systemd ? "systemd.unified_cgroup_hierarchy=1" : "cgroup_no_v1=all");
}

/* ---- options of the mount ---- */

struct mount_option {
	const char *row, *name, *since, *off;
	enum doctor_state state; /* when it is off */
};

static const struct mount_option mount_options[] = {
	{"cgroup2.nsdelegate", "nsdelegate", "4.13",
	 "a container with a cgroup namespace could change its own limits", DOCTOR_LIMITED},
	{"cgroup2.memory_recursiveprot", "memory_recursiveprot", "5.7",
	 "memory.min and memory.low do not reach the cgroups below", DOCTOR_LIMITED},
	{"cgroup2.memory_hugetlb_accounting", "memory_hugetlb_accounting", "6.7",
	 "hugetlb pages do not count in memory.current", DOCTOR_INFO},
};

static const struct mounts_one *find_unified(const struct facts *facts)
{
	const struct mounts_one *found = NULL;

	for (size_t i = 0; facts->cgroup2 && i < facts->mounts.count; i++) {
		const struct mounts_one *mount = &facts->mounts.mount[i];

		if (mount->is_unified && strcmp(mount->point, facts->cgroup2) == 0)
			found = mount;
	}
	return found;
}

static void judge_option(const struct facts *facts, const struct mount_option *option, struct doctor *doctor)
{
	const struct mounts_one *mount = find_unified(facts);

	if (!mount) {
		doctor_add(doctor, option->row, DOCTOR_UNKNOWN, "no cgroup2 mount to look at");
	} else if (mounts_has_option(mount->options, option->name)) {
		doctor_add(doctor, option->row, DOCTOR_OK, "the mount at %s has it", facts->cgroup2);
	} else if (facts->features && !has_word(facts->features, option->name)) {
		doctor_add(doctor, option->row, DOCTOR_MISSING, "this kernel does not have it");
		doctor_remedy(doctor, "use Linux %s or newer", option->since);
	} else {
		doctor_add(doctor, option->row, option->state, "off: %s", option->off);
		if (option->state == DOCTOR_LIMITED)
			doctor_remedy(doctor, "mount -o remount,%s %s", option->name, facts->cgroup2);
	}
}

static void judge_namespace(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "cgroup2.namespace";
	const struct mounts_one *mount = find_unified(facts);
	bool is_delegated = mount && mounts_has_option(mount->options, "nsdelegate");

	if (!mount || facts->is_whole < 0)
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "%s",
			   mount ? "the cgroup at the mount cannot be examined"
				 : "no cgroup2 mount to look at");
	else if (facts->is_whole || strcmp(facts->cgroup2_root, "/") != 0)
		doctor_add(doctor, row, DOCTOR_INFO, "%s",
			   facts->is_whole ? "none: the mount shows the whole hierarchy"
					   : "a part of the hierarchy is mounted, as in some containers");
	else
		doctor_add(doctor, row, DOCTOR_INFO,
			   "in a cgroup namespace: the cgroup at %s is one of the host's%s", facts->cgroup2,
			   is_delegated ? ", and with nsdelegate its limits are the host's too: make a child"
					: "");
}

/* ---- writing ---- */

static void judge_writable(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "cgroup2.writable";

	if (!facts->cgroup2) {
		doctor_add(doctor, row, facts->mounts_error < 0 ? DOCTOR_UNKNOWN : DOCTOR_MISSING,
			   "no cgroup2 mount to look at");
	} else if (facts->is_read_only) {
		doctor_add(doctor, row, DOCTOR_MISSING, "%s is mounted read-only", facts->cgroup2);
		doctor_remedy(doctor, "mount -o remount,rw,bind %s, or have the container get it writable",
			      facts->cgroup2);
	} else {
		doctor_add(doctor, row, DOCTOR_OK, "%s is mounted read-write", facts->cgroup2);
	}
}

static void remedy_delegation(const struct facts *facts, struct doctor *doctor)
{
	if (facts->has_systemd)
		doctor_remedy(doctor, "systemd-run --user --scope -p Delegate=yes COMMAND, or be root");
	else
		doctor_remedy(
			doctor,
			"have root make a cgroup and give its directory, cgroup.procs, cgroup.threads and "
			"cgroup.subtree_control to uid %" PRIu64,
			facts->self.uid);
}

static void judge_locked(const struct facts *facts, struct doctor *doctor)
{
	const struct facts_cgroup *own = &facts->level[facts->levels - 1];

	if (facts->own_error < 0)
		doctor_add(doctor, "delegation", DOCTOR_MISSING,
			   "uid %" PRIu64 " may not write %s, and its own cgroup cannot be seen here (%s)",
			   facts->self.uid, facts->level[0].locked, error_name(-facts->own_error));
	else
		doctor_add(doctor, "delegation", DOCTOR_MISSING,
			   "uid %" PRIu64
			   " may write none of the cgroups from / to its own: %s belongs to uid "
			   "%" PRIu32 ", mode %04" PRIo32,
			   facts->self.uid, own->locked, own->locked_uid, own->locked_mode);
	remedy_delegation(facts, doctor);
}

static void judge_delegation(const struct facts *facts, struct doctor *doctor)
{
	static const char row[] = "delegation";
	int place = controllers_place(facts);

	if (!facts->is_asked)
		doctor_add(doctor, row, DOCTOR_UNKNOWN, "the capture was made without asking");
	else if (!facts->cgroup2)
		doctor_add(doctor, row, facts->mounts_error < 0 ? DOCTOR_UNKNOWN : DOCTOR_MISSING,
			   "no cgroup2 mount to look at");
	else if (facts->is_read_only)
		doctor_add(doctor, row, DOCTOR_MISSING, "%s is mounted read-only", facts->cgroup2);
	else if (place == 0)
		doctor_add(doctor, row, DOCTOR_OK, "uid %" PRIu64 " may make cgroups anywhere below %s",
			   facts->self.uid, facts->cgroup2);
	else if (place < 0)
		judge_locked(facts, doctor);
	else if ((size_t)place == facts->levels - 1) {
		doctor_add(doctor, row, DOCTOR_LIMITED,
			   "only its own cgroup %s may be written: controllers can be enabled there once its "
			   "processes are in a child of it",
			   facts->level[place].name);
		remedy_delegation(facts, doctor);
	} else
		doctor_add(doctor, row, DOCTOR_OK, "uid %" PRIu64 " may make cgroups below %s",
			   facts->self.uid, facts->level[place].name);
}

void controllers_judge(const struct facts *facts, struct doctor *doctor)
{
	for (size_t i = 0; i < ARRAY_SIZE(controllers); i++)
		judge_controller(facts, &controllers[i], doctor);
	judge_mode(facts, doctor);
	judge_mount(facts, doctor);
	judge_writable(facts, doctor);
	for (size_t i = 0; i < ARRAY_SIZE(mount_options); i++)
		judge_option(facts, &mount_options[i], doctor);
	judge_namespace(facts, doctor);
	judge_delegation(facts, doctor);
}
