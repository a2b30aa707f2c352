#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Only the door's files may open, list, change or look up files: the two kinds of root (directory, live), the recorder
# and the probes. The command line asks, it does not read. A few others have leave for a few calls.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

door='^libpolicy/host/(directory|live|record|probe)\.c$'
# File (a regular expression), and the calls that it may make besides.
leave=(
	# Between clone3 and exec a child has its own few files, and no memory to allocate.
	'^libpolicy/act/spawn\.c$' 'syscall|open|openat'
	'^libpolicy/memory/mempolicy\.c$' 'syscall'
	# libcgroup is loaded where it is needed; it gives away a whole directory or nothing.
	'^libpolicy/host/cgroupfs\.c$' 'dlopen|fchownat'
	# Its own directory, of which no kernel knows; nothing in it is ever renamed or replaced.
	'^libpolicy/host/state\.c$' 'open|openat|fdopendir|mkdir|unlinkat|fstat|fstatat|ftruncate'
	# Where the whole program lies, beside this one.
	'^cli/front\.c$' 'readlink'
)
calls="open|open64|openat|openat2|creat|fopen|fopen64|freopen|fdopendir|opendir|scandir|ftw|nftw|fts_open|glob"
calls+="|mkdir|mkdirat|rmdir|unlink|unlinkat|remove|rename|renameat2?|link|linkat|symlink|symlinkat|mkn?od(at)?|mkfifo"
calls+="|readlink|readlinkat|realpath|canonicalize_file_name|access|faccessat2?|eaccess|euidaccess"
calls+="|[fl]?stat|[fl]?stat64|fstatat|statx|f?statfs|f?statvfs|f?truncate|[fl]?chown|fchownat|f?chmod|fchmodat"
calls+="|[fl]?getxattr|[fl]?setxattr|[fl]?listxattr|[fl]?removexattr|f?chdir|chroot|mount|umount2?"
calls+="|inotify_init1?|inotify_add_watch|name_to_handle_at|open_by_handle_at|mkstemp|mkdtemp|tmpfile|popen|system|syscall|klogctl|dlopen"

# usage: pattern_for FILE
pattern_for() {
	local i but='(?!)'
	for ((i = 0; i < ${#leave[@]}; i += 2)); do
		[[ ! $1 =~ ${leave[i]} ]] || but=${leave[i + 1]}
	done
	# A member that is called (ops->stat) goes through the door; a name that only begins so is another name.
	printf '%s' "(?<![\\w.>])(?<!struct )(?!($but)\\b)($calls)\\s*\\("
}

check() {
	local f
	while read -r f; do
		[[ $f =~ $door ]] || grep_code "$f" "$(pattern_for "$f")" "touches files itself"
	done < <(files_like '^(libpolicy|cli)/.*\.[ch]$')
	# Freeing a list of names is all it may.
	while read -r f; do
		grep_code "$f" '^\s*#\s*include\s*"host/(root|directory|live|record|probe)\.h"' "the command line includes the door" 1
		grep_code "$f" '(?<![\w.>])(root(?!_list_free)|record)_\w+\s*\(' "the command line goes through the door by itself"
	done < <(files_like '^cli/.*\.[ch]$')
}

plant libpolicy/memory/oom.c 3 <<'E'
/* open(2) in a comment is fine */
static const char *text = "open(\"/proc\")";
int fd = open("/proc/meminfo", 0);
E
plant libpolicy/host/proc.c 2 <<'E'
/* a comment that
   ends here */ FILE *f = fopen (path, "re");
E
plant libpolicy/host/host.c 1 <<'E'
long same = syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
E
plant libpolicy/host/cgroup.h 2 <<'E'
/**/
static inline int look(void) { struct stat st; return stat("/sys", &st); }
E
plant cli/main.c 1 <<'E'
DIR *dir = opendir("/proc");
E
plant cli/main.c 2 <<'E'
#include "host/host.h"
#include "host/root.h"
E
plant cli/main.c 1 <<'E'
int rc = root_read(host->root, "proc/meminfo", &text, &size);
E
plant libpolicy/host/root.c 1 <<'E'
int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
E
plant libpolicy/act/spawn.c 2 <<'E'
long pid = syscall(SYS_clone3, &args, sizeof(args)) + open("/proc/self/oom_score_adj", O_RDWR);
int rc = unlink(path);
E
plant libpolicy/act/spawn.c 1 <<'E'
int fd = openat2(cgroup, "cgroup.procs", &how);
E
plant libpolicy/host/cgroupfs.c 2 <<'E'
void *library = dlopen("libcgroup.so.2", RTLD_NOW);
int fd = open(path, O_PATH);
E
plant libpolicy/host/state.c 1 <<'E'
int fd = openat(dir, name, O_WRONLY) + rename(path, other);
E
plant libpolicy/act/await.c 1 <<'E'
int fd = inotify_init1(IN_CLOEXEC);
E
plant libpolicy/host/scope.c 1 <<'E'
int size = klogctl(3, text, sizeof(text));
E
plant_file libpolicy/host/directory.c <<'E'
int fd = openat(dir, path, O_RDONLY | O_CLOEXEC) + syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0);
E
plant_file libpolicy/act/spawn.c <<'E'
long pid = syscall(SYS_clone3, &args, sizeof(args));
E
plant libpolicy/host/host.c clean <<'E'
int rc = root->ops->stat(root, path, &st) + root_stat(root, path, &st) + proc_read_stat(host, pid, &stat);
struct stat (*list)(int);
E

lint_run "read and write through libpolicy/host/root.h (the command line: through the room that has the answer)"
