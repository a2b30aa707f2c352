/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cgroup's life on the live machine through libcgroup: discovery, creation, attaching, deletion. */
#include "host/cgroupfs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <libcgroup.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/cgroup.h"
#include "host/proc.h"
#include "host/subtree.h"

/* Of a name in a sentence, and for the dead to go. */
enum { SHOWN_SIZE = 160, WAIT_MS = 1000 };

#define LIBRARY "libcgroup.so.2"

/* For packagers, who see no NEEDED entry: https://systemd.io/ELF_DLOPEN_METADATA/ */
#define NOTE_JSON                                                                                      \
	"[{\"soname\":[\"" LIBRARY "\"],\"feature\":\"cgroup\",\"description\":\"Making and removing " \
	"cgroups\",\"priority\":\"required\"}]"

__attribute__((used, section(".note.dlopen"))) _Alignas(4) static const struct {
	uint32_t name_size, json_size, type;
	char name[sizeof("FDO")];
	_Alignas(4) char json[sizeof(NOTE_JSON)];
} dlopen_note = {sizeof("FDO"), sizeof(NOTE_JSON), 0x407c0c0a, "FDO", NOTE_JSON};

/* The functions that are used, by their own names. */
/* clang-format off */
#define CALLS(X) \
	X(cgroup_set_logger) X(cgroup_init) X(cgroup_get_subsys_mount_point) X(cgroup_get_last_errno) \
	X(cgroup_new_cgroup) X(cgroup_free) X(cgroup_add_controller) X(cgroup_set_uid_gid) \
	X(cgroup_set_permissions) X(cgroup_create_cgroup) X(cgroup_attach_task_pid) X(cgroup_delete_cgroup_ext)
/* clang-format on */
#define POINTER(name) __typeof__(name) *name;
#define SYMBOL(name) {#name, offsetof(struct calls, name)},

struct calls {
	CALLS(POINTER)
};

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {CALLS(SYMBOL)};

struct cgroupfs {
	struct cgroupfs_hands hands; /* stays the first: cgroupfs_hands() */
	struct cgpol_host *host;
	void *library;
	struct calls call;
	bool is_usable; /* libcgroup knows cgroup2: only where that has a controller */
};

int cgroupfs_errno(int code, int last)
{
	static const struct {
		int code, number;
	} known[] = {
		{ECGROUPNOTMOUNTED, ENODEV},	{ECGROUPSUBSYSNOTMOUNTED, ENODEV},
		{ECGROUPNOTEXIST, ENOENT},	{ECGROUPNOTOWNER, EPERM},
		{ECGROUPNOTALLOWED, EACCES},	{ECGMAXVALUESEXCEEDED, E2BIG},
		{ECGCONTROLLEREXISTS, EEXIST},	{ECGINVAL, EINVAL},
		{ECGROUPNOTINITIALIZED, ENXIO}, {ECGROUPVALUENOTEXIST, ENOENT},
		{ECGNONEMPTY, EBUSY},		{ECGROUPUNSUPP, EOPNOTSUPP},
	};

	if (code == 0)
		return 0;
	if (code == ECGOTHER && last > 0)
		return last;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (known[i].code == code)
			return known[i].number;
	return EIO;
}

/* ---- loading it ---- */

/* It prints on stdout otherwise: cgroup_init() takes its own logger when it finds none. */
static void drop_log(void *userdata, int level, const char *format, va_list arguments)
{
	(void)userdata, (void)level, (void)format, (void)arguments;
}

static int load(struct cgroupfs *fs, struct cgpol_error *err)
{
	const char *lacking = NULL;

	fs->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; fs->library && !lacking && i < ARRAY_SIZE(symbols); i++) {
		void *found = dlsym(fs->library, symbols[i].name);

		memcpy((char *)&fs->call + symbols[i].offset, &found, sizeof(found));
		if (!found)
			lacking = symbols[i].name;
	}
	if (fs->library && !lacking)
		return 0;
	error_set(err, ELIBACC, CGPOL_UNSUPPORTED, "%s %s%s", LIBRARY,
		  lacking ? "has no " : "cannot be loaded", lacking ? lacking : "");
	error_detail(err, LIBRARY, lacking, "install libcgroup 2 (Debian: libcgroup2)");
	return -ELIBACC;
}

static int read_file(struct cgpol_host *host, const char *name, const char *file, char **text)
{
	AUTO(free_p) char *path = cgroup_path(host, name, file);

	return path ? root_read(host->root, path, text, NULL) : -ENOMEM;
}

static int write_file(struct cgpol_host *host, const char *name, const char *file, const char *text)
{
	AUTO(free_p) char *path = cgroup_path(host, name, file);

	return path ? root_write(host->root, path, text) : -ENOMEM;
}

/* The first word of a cgroup's list of controllers; NULL when there is none. */
static int first_word(struct cgpol_host *host, const char *name, const char *file, char **word)
{
	AUTO(free_p) char *text = NULL;
	int rc = read_file(host, name, file, &text);

	*word = NULL;
	if (rc < 0 || *text == '\0')
		return rc == -ENOMEM ? rc : 0;
	*word = strndup(text, strcspn(text, " "));
	return *word ? 0 : -ENOMEM;
}

/* Where cgroup2 is mounted, by both. Without a controller there libcgroup does not know of it. */
static int compare_views(struct cgroupfs *fs, struct cgpol_error *err)
{
	AUTO(free_p) char *controller = NULL;
	AUTO(free_p) char *theirs = NULL;
	char shown[SHOWN_SIZE], ours[SHOWN_SIZE];
	int rc = first_word(fs->host, "/", "cgroup.controllers", &controller);

	if (rc < 0 || !controller)
		return rc;
	rc = cgroupfs_mount_point(fs, controller, &theirs);
	if (rc == 0 && strcmp(theirs, fs->host->cgroup2) == 0) {
		fs->is_usable = true;
		return 0;
	}
	error_set(err, EXDEV, CGPOL_FAILED, "libcgroup finds cgroup2 at %s, but it is used at %s here",
		  rc == 0 ? text_escape(theirs, shown, sizeof(shown)) : "no place",
		  text_escape(fs->host->cgroup2, ours, sizeof(ours)));
	error_detail(err, "/proc/self/mounts", controller, NULL);
	return -EXDEV;
}

static int start(struct cgroupfs *fs, struct cgpol_error *err)
{
	int code, number;

	fs->call.cgroup_set_logger(drop_log, CGROUP_LOG_ERROR, NULL);
	code = fs->call.cgroup_init();
	/* What it calls not mounted has no controller. */
	if (code == 0 || code == ECGROUPNOTMOUNTED)
		return code == 0 ? compare_views(fs, err) : 0;
	number = cgroupfs_errno(code, fs->call.cgroup_get_last_errno());
	return error_set(err, number, CGPOL_FAILED, "libcgroup does not start: its error %d (%s)", code,
			 strerror(number));
}

static int open_with(struct cgpol_host *host, bool has_library, struct cgroupfs **fs, struct cgpol_error *err)
{
	AUTO(cgroupfs_close_p) struct cgroupfs *made = NULL;
	int rc = 0;

	if (!host->root->is_live || !host->root->ops->rmdir)
		return error_set(err, EROFS, CGPOL_REFUSED, "cgroups are changed on the live machine only");
	if (!host->cgroup2)
		return host_need_cgroup2(host, err);
	made = calloc(1, sizeof(*made));
	if (!made)
		return error_no_memory(err);
	made->hands = (struct cgroupfs_hands){cgroupfs_create, cgroupfs_attach, cgroupfs_remove};
	made->host = host;
	if (has_library && (rc = load(made, err)) == 0)
		rc = start(made, err);
	if (rc == 0)
		*fs = TAKE(made);
	return rc;
}

int cgroupfs_open(struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err)
{
	return open_with(host, true, fs, err);
}

int cgroupfs_open_bare(struct cgpol_host *host, struct cgroupfs **fs, struct cgpol_error *err)
{
	return open_with(host, false, fs, err);
}

void cgroupfs_close(struct cgroupfs *fs)
{
	if (!fs)
		return;
	/* RTLD_NODELETE: its code stays, with what cgroup_init() has found. */
	if (fs->library)
		(void)dlclose(fs->library);
	free(fs);
}

int cgroupfs_mount_point(struct cgroupfs *fs, const char *controller, char **path)
{
	char *found = NULL;

	if (!fs->library || fs->call.cgroup_get_subsys_mount_point(controller, &found) != 0 || !found)
		return -ENOENT;
	*path = found;
	return 0;
}

/* ---- what libcgroup is asked to do ---- */

enum action { CREATE, ATTACH, DELETE };

/* The result is no more than a hint: 2.0.2 says 0 for a cgroup that it did not remove. It cuts what is longer
 * than FILENAME_MAX, and would then act on another cgroup. */
static int ask(struct cgroupfs *fs, enum action action, const char *name, const char *controller, pid_t pid)
{
	struct cgroup *cgroup;
	int code = ECGFAIL;

	if (!fs->is_usable || !controller || strlen(fs->host->cgroup2) + strlen(name) + 64 > FILENAME_MAX)
		return -EOPNOTSUPP;
	cgroup = fs->call.cgroup_new_cgroup(name);
	if (!cgroup)
		return -ENOMEM;
	if (fs->call.cgroup_add_controller(cgroup, controller)) {
		(void)fs->call.cgroup_set_uid_gid(cgroup, NO_UID_GID, NO_UID_GID, NO_UID_GID, NO_UID_GID);
		fs->call.cgroup_set_permissions(cgroup, NO_PERMS, NO_PERMS, NO_PERMS);
		if (action == CREATE)
			code = fs->call.cgroup_create_cgroup(cgroup, 1);
		else if (action == ATTACH)
			code = fs->call.cgroup_attach_task_pid(cgroup, pid);
		else
			code = fs->call.cgroup_delete_cgroup_ext(cgroup, CGFLAG_DELETE_EMPTY_ONLY);
	}
	fs->call.cgroup_free(&cgroup);
	return -cgroupfs_errno(code, fs->call.cgroup_get_last_errno());
}

static bool exists(struct cgroupfs *fs, const char *name)
{
	uint64_t inode;

	return cgroup_inode(fs->host, name, &inode) == 0;
}

/* "cgroup "/a": WHAT: No such file or directory", with the file. */
static int complain(int rc, const char *name, const char *file, const char *what, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(name, shown, sizeof(shown));
	error_set(err, -rc, CGPOL_FAILED, "cgroup \"%s\" %s: %s", shown, what, strerror(-rc));
	error_detail(err, file, shown, NULL);
	return rc;
}

int cgroupfs_remove(struct cgroupfs *fs, const char *name)
{
	AUTO(free_p) char *path = cgroup_path(fs->host, name, NULL);
	uint64_t before, after;
	int rc = path ? cgroup_inode(fs->host, name, &before) : -ENOMEM;

	if (rc < 0 || strcmp(name, "/") == 0)
		return rc < 0 ? rc : -EINVAL;
	/* Its name for cgroup2 without a controller. Empty only: else it moves the processes upwards. */
	(void)ask(fs, DELETE, name, "cgroup", 0);
	rc = cgroup_inode(fs->host, name, &after);
	/* What has the name by now may be a new one, of somebody else. */
	if (rc == 0 && after == before)
		rc = root_rmdir(fs->host->root, path);
	return rc == -ENOENT || rc == -ENODEV ? 0 : rc;
}

/* ---- creation, and the owners ---- */

/* What was done on the way, to be undone. */
struct made {
	struct {
		char *cgroup;
		const char *controller; /* enabled in it; NULL: the cgroup was made */
	} * step;
	size_t steps;
};

static int note_step(struct made *made, const char *cgroup, const char *controller)
{
	void *more = reallocarray(made->step, made->steps + 1, sizeof(*made->step));

	if (!more)
		return -ENOMEM;
	made->step = more;
	made->step[made->steps].cgroup = strdup(cgroup);
	made->step[made->steps].controller = controller;
	if (!made->step[made->steps].cgroup)
		return -ENOMEM;
	made->steps++;
	return 0;
}

static int write_controller(struct cgpol_host *host, const char *name, char sign, const char *controller)
{
	AUTO(free_p) char *text = NULL;

	if (asprintf(&text, "%c%s", sign, controller) < 0) {
		text = NULL;
		return -ENOMEM;
	}
	return write_file(host, name, "cgroup.subtree_control", text);
}

static void forget_step(struct made *made)
{
	free(made->step[--made->steps].cgroup);
}

static void undo(struct cgroupfs *fs, struct made *made)
{
	for (; made->steps > 0; forget_step(made)) {
		const char *cgroup = made->step[made->steps - 1].cgroup;
		const char *controller = made->step[made->steps - 1].controller;

		/* Other children would lose what was set on them meanwhile, in silence: there it stays. */
		if (controller && cgroup_has_children(fs->host, cgroup) == 0)
			(void)write_controller(fs->host, cgroup, '-', controller);
		else if (!controller)
			(void)cgroupfs_remove(fs, cgroup);
	}
}

static void made_clear(struct made *made)
{
	while (made->steps > 0)
		forget_step(made);
	free(made->step);
}

/* Is the controller in the list of that file? < 0 when the file cannot be read. */
static int lists(struct cgpol_host *host, const char *name, const char *file, const char *controller)
{
	AUTO(free_p) char *text = NULL;
	struct span line, word;
	int rc = read_file(host, name, file, &text);

	line = (struct span){text, rc == 0 ? strlen(text) : 0};
	while (rc == 0 && text_word(&line, &word))
		rc = span_is(word, controller);
	return rc;
}

static int explain_enabling(int rc, const char *parent, const char *controller, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE], word[SHOWN_SIZE];
	const char *reason = strerror(-rc), *hint = NULL;
	enum cgpol_kind kind = CGPOL_FAILED;

	text_escape(parent, shown, sizeof(shown));
	text_escape(controller, word, sizeof(word));
	if (rc == -EBUSY) {
		reason = "it has processes of its own, and a cgroup has either those or controllers";
		hint = "move the processes into a child first";
		kind = CGPOL_REFUSED;
	} else if (rc == -EOPNOTSUPP) {
		reason = "it does not have the controller, or is threaded";
		hint = "the cgroups above must have it in cgroup.subtree_control";
		kind = CGPOL_UNSUPPORTED;
	}
	error_set(err, -rc, kind, "controller %s cannot be enabled in cgroup \"%s\": %s", word, shown,
		  reason);
	error_detail(err, "cgroup.subtree_control", word, hint);
	return rc;
}

/* Only what is not enabled yet is written: each write looks at all tasks below. */
static int enable(struct cgroupfs *fs, const char *parent, const char *const *controllers, struct made *made,
		  struct cgpol_error *err)
{
	for (; controllers && *controllers; controllers++) {
		int rc = lists(fs->host, parent, "cgroup.subtree_control", *controllers);

		if (rc > 0)
			continue;
		if (rc == 0)
			rc = lists(fs->host, parent, "cgroup.controllers", *controllers);
		if (rc == 0)
			rc = -EOPNOTSUPP;
		if (rc > 0)
			rc = note_step(made, parent, *controllers);
		if (rc == 0 && (rc = write_controller(fs->host, parent, '+', *controllers)) < 0)
			forget_step(made);
		if (rc < 0)
			return explain_enabling(rc, parent, *controllers, err);
	}
	return 0;
}

/* libcgroup makes a cgroup only together with a controller, which it then enables above. One that is enabled
 * there already changes nothing. */
static int make_level(struct cgroupfs *fs, const char *parent, const char *name, struct made *made,
		      struct cgpol_error *err)
{
	AUTO(free_p) char *controller = NULL;
	AUTO(free_p) char *path = cgroup_path(fs->host, name, NULL);
	int rc = path ? 0 : -ENOMEM;

	if (rc == 0 && exists(fs, name))
		return 0;
	if (rc == 0)
		rc = first_word(fs->host, parent, "cgroup.subtree_control", &controller);
	if (rc == 0)
		rc = note_step(made, name, NULL);
	if (rc < 0)
		return complain(rc, name, NULL, "cannot be made", err);
	(void)ask(fs, CREATE, name, controller, 0);
	if (exists(fs, name))
		return 0;
	rc = root_mkdir(fs->host->root, path);
	if (rc == 0)
		return 0;
	/* Not ours to undo: another made it at the same time, or nobody did. */
	forget_step(made);
	return rc == -EEXIST ? 0 : complain(rc, name, path, "cannot be made", err);
}

static int make_levels(struct cgroupfs *fs, const char *name, const char *const *controllers,
		       struct made *made, struct cgpol_error *err)
{
	AUTO(free_p) char *parent = strdup("/");
	int rc = parent ? 0 : -ENOMEM;

	for (size_t end = 1; rc == 0 && name[end - 1] != '\0' && name[1] != '\0'; end++) {
		if (name[end] != '/' && name[end] != '\0')
			continue;
		AUTO(free_p) char *level = strndup(name, end);
		rc = level ? enable(fs, parent, controllers, made, err) : -ENOMEM;
		if (rc == 0)
			rc = make_level(fs, parent, level, made, err);
		free(parent);
		parent = TAKE(level);
	}
	return rc;
}

static int chown_files(int directory, const char *files, const struct cgroupfs_owner *owner)
{
	struct span line;

	while (text_line(&files, &line)) {
		AUTO(free_p) char *file = span_dup(line);

		if (!file)
			return -ENOMEM;
		if (*file == '\0' || strchr(file, '/'))
			continue;
		/* The list has files of controllers that are not enabled, too. */
		if (fchownat(directory, file, owner->uid, owner->gid, AT_SYMLINK_NOFOLLOW) < 0 &&
		    errno != ENOENT)
			return -errno;
	}
	return 0;
}

/* What may be given to a delegatee (kernel Documentation/admin-guide/cgroup-v2.rst, "Model of Delegation"):
 * libcgroup would give away every file, memory.max too. */
static int set_owner(struct cgroupfs *fs, const char *name, const struct cgroupfs_owner *owner,
		     struct cgpol_error *err)
{
	AUTO(free_p) char *path = cgroup_path(fs->host, name, NULL);
	AUTO(free_p) char *files = NULL;
	AUTO(close_p) int directory = -1;
	int rc = path ? 0 : -ENOMEM;

	if (!owner || (owner->uid == (uid_t)-1 && owner->gid == (gid_t)-1))
		return 0;
	/* The file is there since 4.15. */
	if (rc == 0 && root_read(fs->host->root, "/sys/kernel/cgroup/delegate", &files, NULL) < 0)
		files = strdup("cgroup.procs\ncgroup.threads\ncgroup.subtree_control\n");
	if (rc == 0 && !files)
		rc = -ENOMEM;
	if (rc == 0)
		rc = directory = root_open_directory(fs->host->root, path);
	if (rc >= 0)
		rc = fchownat(directory, "", owner->uid, owner->gid, AT_EMPTY_PATH) < 0 ? -errno : 0;
	if (rc == 0)
		rc = chown_files(directory, files, owner);
	return rc == 0 ? 0 : complain(rc, name, path, "cannot be given to another owner", err);
}

int cgroupfs_create(struct cgroupfs *fs, const char *name, const char *const *controllers,
		    const struct cgroupfs_owner *owner, struct cgpol_error *err)
{
	AUTO(made_clear) struct made made = {0};
	int rc = make_levels(fs, name, controllers, &made, err);

	if (rc == 0)
		rc = set_owner(fs, name, owner, err);
	if (rc < 0)
		undo(fs, &made);
	return rc;
}

/* ---- attaching ---- */

static bool is_there(struct cgroupfs *fs, const char *name, pid_t pid)
{
	AUTO(free_p) char *now = NULL;

	return proc_read_cgroup(fs->host, pid, &now) == 0 && strcmp(now, name) == 0;
}

/* In a threaded cgroup libcgroup moves one thread; the root has no type. */
static bool is_threaded(struct cgroupfs *fs, const char *name)
{
	AUTO(free_p) char *type = NULL;

	return read_file(fs->host, name, "cgroup.type", &type) == 0 && strcmp(type, "threaded") == 0;
}

int cgroupfs_attach(struct cgroupfs *fs, const char *name, pid_t pid, struct cgpol_error *err)
{
	AUTO(free_p) char *controller = NULL;
	char text[16], what[64];
	int rc;

	if (is_there(fs, name, pid))
		return 0;
	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	(void)snprintf(what, sizeof(what), "does not take process %d", (int)pid);
	/* A controller that is not enabled for the cgroup is an error to libcgroup. */
	rc = first_word(fs->host, name, "cgroup.controllers", &controller);
	if (rc < 0)
		return complain(rc, name, NULL, what, err);
	if (strcmp(name, "/") != 0 && !is_threaded(fs, name))
		(void)ask(fs, ATTACH, name, controller, pid);
	if (is_there(fs, name, pid))
		return 0;
	rc = write_file(fs->host, name, "cgroup.procs", text);
	if (rc == 0 && !is_there(fs, name, pid))
		rc = -EAGAIN; /* somebody moved it on */
	return rc < 0 ? complain(rc, name, "cgroup.procs", what, err) : 0;
}

/* ---- deletion ---- */

static int refuse_busy(const char *name, const char *living, struct cgpol_error *err)
{
	char shown[SHOWN_SIZE];

	text_escape(name, shown, sizeof(shown));
	error_set(err, EBUSY, CGPOL_REFUSED, "cgroup \"%s\" has living processes%s%s", shown,
		  living && *living ? ": " : "", living ? living : "");
	error_detail(err, "cgroup.procs", shown, NULL);
	return -EBUSY;
}

int cgroupfs_delete(struct cgroupfs *fs, const char *name, struct cgpol_error *err)
{
	AUTO(subtree_clear) struct subtree tree = {0};
	AUTO(free_p) char *living = NULL;
	int rc;

	if (strcmp(name, "/") == 0)
		return error_set(err, EINVAL, CGPOL_USAGE, "the root cgroup cannot be removed");
	rc = subtree_list(fs->host, name, &tree);
	if (rc == 0)
		rc = subtree_wait(fs->host, &tree, WAIT_MS, &living);
	if (rc == -EBUSY)
		return refuse_busy(name, living, err);
	if (rc < 0)
		return complain(rc, name, NULL, "cannot be removed", err);
	for (size_t i = tree.count; rc == 0 && i-- > 0;) {
		rc = cgroupfs_remove(fs, tree.name[i]);
		if (rc == -ENOENT || rc == -ENODEV)
			rc = 0;
		else if (rc < 0)
			complain(rc, tree.name[i], NULL, "cannot be removed", err);
	}
	return rc;
}
