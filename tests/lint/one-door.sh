#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Only host/root.c and host/record.c may open, list, change or look up files; the command line asks, it does not read.
# shellcheck source=tests/lint/lint.bash
. "$(dirname "$(readlink -f "$0")")/lint.bash"

door='^libpolicy/host/(root|record)\.c$'
calls="open|open64|openat|openat2|creat|fopen|fopen64|freopen|fdopendir|opendir|scandir|ftw|nftw|fts_open|glob"
calls+="|mkdir|mkdirat|rmdir|unlink|unlinkat|remove|rename|renameat2?|link|linkat|symlink|symlinkat|mkn?od(at)?|mkfifo"
calls+="|readlink|readlinkat|realpath|canonicalize_file_name|access|faccessat2?|eaccess|euidaccess"
calls+="|[fl]?stat|[fl]?stat64|fstatat|statx|f?statfs|f?statvfs|f?truncate|[fl]?chown|fchownat|f?chmod|fchmodat"
calls+="|[fl]?getxattr|[fl]?setxattr|[fl]?listxattr|[fl]?removexattr|f?chdir|chroot|mount|umount2?"
calls+="|inotify_add_watch|name_to_handle_at|open_by_handle_at|mkstemp|mkdtemp|tmpfile|popen|system|syscall|dlopen"
# A member that is called (ops->stat) goes through the door; a name that only begins so is another name.
pattern="(?<![\\w.>])(?<!struct )($calls)\\s*\\("

check() {
	local f
	while read -r f; do
		[[ $f =~ $door ]] || grep_code "$f" "$pattern" "touches files itself"
	done < <(files_like '^(libpolicy|cli)/.*\.[ch]$')
	# Freeing a list of names is all it may.
	while read -r f; do
		grep_code "$f" '^\s*#\s*include\s*"host/(root|record)\.h"' "the command line includes the door" 1
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
plant_file libpolicy/host/root.c <<'E'
int fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
E
plant libpolicy/host/host.c clean <<'E'
int rc = root->ops->stat(root, path, &st) + root_stat(root, path, &st) + proc_read_stat(host, pid, &stat);
struct stat (*list)(int);
E

lint_run "read and write through libpolicy/host/root.h (the command line: through the room that has the answer)"
