/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of cpus and nodes as numactl(8) and taskset(1) users write them. */
#include "policy/placement.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "host/mountinfo.h"

enum { PATH_SIZE = 512, BUS_LEVELS = 12 };

__attribute__((format(printf, 5, 6))) static int
refuse(struct cgpol_error *err, int errnum, enum cgpol_kind kind, const char *text, const char *format, ...)
{
	char shown[sizeof(err->value)], reason[320];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	text_escape(text, shown, sizeof(shown));
	(void)error_set(err, errnum, kind, "\"%s\" %s", shown, reason);
	error_detail(err, NULL, shown, NULL);
	return -errnum;
}

static const char *const schemes[] = {"netdev:", "block:", "file:", "pci:", "ip:"};

static bool is_device(const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
		if (strncmp(text, schemes[i], strlen(schemes[i])) == 0)
			return true;
	}
	return false;
}

/* "all" within a list would be all the machine may ever have, alone it is all that are allowed. */
static bool has_all(const char *text)
{
	for (; *text; text++) {
		if (strncasecmp(text, "all", 3) == 0)
			return true;
	}
	return false;
}

/* The list behind "!" and "+", which must have members. */
static int parse_members(const struct placement *placement, const char *text, unsigned limit,
			 struct nodeset *set, struct cgpol_error *err)
{
	int rc;

	if (has_all(text))
		return refuse(err, EINVAL, CGPOL_USAGE, text, "has \"all\" in it, which stands alone");
	rc = nodeset_parse(text, limit, set, err);
	if (rc == 0 && nodeset_is_empty(set))
		return refuse(err, EINVAL, CGPOL_USAGE, text, "lists no %s; write none for the empty set",
			      placement->is_cpus ? "cpus" : "nodes");
	return rc;
}

/* The n-th allowed ones for each n that is listed; one walk over both. */
static int relate(const struct nodeset *allowed, const struct nodeset *listed, struct nodeset *set)
{
	unsigned n = 0;

	for (int bit = nodeset_next(allowed, 0); bit >= 0; bit = nodeset_next(allowed, bit + 1)) {
		if (nodeset_has(listed, n++) && nodeset_add(set, (unsigned)bit) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int parse_relative(const struct placement *placement, const char *text, struct nodeset *set,
			  struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset listed = {0, NULL};
	size_t count = nodeset_count(&placement->allowed);
	const char *what = placement->is_cpus ? "cpu" : "node";
	int rc;

	if (count == 0)
		return refuse(err, EINVAL, CGPOL_USAGE, text, "counts allowed %ss, and there are none", what);
	rc = parse_members(placement, text + 1, (unsigned)count, &listed, err);
	if (rc == -ERANGE)
		return refuse(err, ERANGE, CGPOL_USAGE, text,
			      "counts beyond the %zu allowed %s%s: they are +0 to +%zu", count, what,
			      count == 1 ? "" : "s", count - 1);
	if (rc == 0 && relate(&placement->allowed, &listed, set) < 0)
		return error_no_memory(err);
	return rc;
}

static int parse_inverse(const struct placement *placement, const char *text, struct nodeset *set,
			 struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset listed = {0, NULL};
	int rc = parse_members(placement, text + 1, placement->limit, &listed, err);

	if (rc == 0 && nodeset_subtract(set, &placement->allowed, &listed) < 0)
		return error_no_memory(err);
	return rc;
}

static int parse(const struct placement *placement, const char *text, struct nodeset *set,
		 struct cgpol_error *err)
{
	if (strcasecmp(text, "none") == 0)
		return 0;
	if (strcasecmp(text, "all") == 0)
		return nodeset_copy(set, &placement->allowed) < 0 ? error_no_memory(err) : 0;
	if (text[0] == '!')
		return parse_inverse(placement, text, set, err);
	if (text[0] == '+')
		return parse_relative(placement, text, set, err);
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
		if (text[2] == '\0')
			return refuse(err, EINVAL, CGPOL_USAGE, text, "has no hexadecimal digits");
		return nodeset_parse_mask(text + 2, placement->limit, set, err);
	}
	return parse_members(placement, text, placement->limit, set, err);
}

int placement_parse(const struct placement *placement, const char *text, struct nodeset *set,
		    struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset made = {0, NULL};
	int rc;

	if (strcmp(text, "same") == 0 || is_device(text))
		return -EOPNOTSUPP;
	rc = parse(placement, text, &made, err);
	if (rc < 0)
		return error_wrap(err, rc, "%s", placement->what);
	nodeset_clear(set);
	*set = made;
	made = (struct nodeset){0, NULL};
	return 0;
}

/* A name that cannot lead out of its directory in sysfs. */
static bool is_device_name(const char *name)
{
	if (name[0] == '\0' || strlen(name) > 128 || strstr(name, "..") || strcmp(name, ".") == 0)
		return false;
	for (; *name; name++) {
		if (*name == '/' || !isgraph((unsigned char)*name))
			return false;
	}
	return true;
}

static int read_node(struct root *root, const char *path, int64_t *node)
{
	AUTO(free_p) char *text = NULL;
	int rc = root_read(root, path, &text, NULL);

	return rc < 0 ? rc : text_i64(text, node);
}

/* Asks a device and its ancestors from `first` levels up on, since only devices of some buses have numa_node:
 * a virtio disk's is that of the PCI device two levels above it. 1, 0 when none has it, or -errno. */
static int climb(struct root *root, const char *device, unsigned first, unsigned last, int64_t *node)
{
	char path[2 * PATH_SIZE], up[sizeof("/..") * BUS_LEVELS + 1] = "";

	for (unsigned level = 0; level <= last; level++, strcat(up, "/..")) {
		int rc;

		if (level < first)
			continue;
		(void)snprintf(path, sizeof(path), "%s%s/numa_node", device, up);
		rc = read_node(root, path, node);
		if (rc == 0)
			return 1;
		if (rc != -ENOENT && rc != -ENOTDIR)
			return rc;
	}
	return 0;
}

/* `directory`: a link in sysfs to the device itself (pci), or to one of a class, which links to the device of
 * a bus that it is made by. A partition lies below its disk. */
static int find_node(struct root *root, const char *directory, const char *text, struct nodeset *set,
		     struct cgpol_error *err)
{
	char device[PATH_SIZE + sizeof("/device")];
	int64_t node = -1;
	int rc = climb(root, directory, 0, 0, &node);

	(void)snprintf(device, sizeof(device), "%s/device", directory);
	if (rc == 0)
		rc = climb(root, device, 0, 0, &node);
	if (rc == 0)
		rc = climb(root, directory, 1, BUS_LEVELS, &node);
	if (rc == 0)
		rc = climb(root, device, 1, BUS_LEVELS, &node);
	if (rc < 0)
		return refuse(err, -rc, CGPOL_FAILED, text, "does not tell its node: %s", strerror(-rc));
	if (rc == 0)
		return refuse(err, ENODATA, CGPOL_UNSUPPORTED, text,
			      "is at no node: nothing above it in sysfs has a numa_node");
	if (node < 0)
		return refuse(err, ENODATA, CGPOL_UNSUPPORTED, text,
			      "is at no node: its numa_node is %lld (the firmware does not say)",
			      (long long)node);
	if (node >= NODESET_NODES_MAX)
		return refuse(err, ERANGE, CGPOL_FAILED, text, "has a numa_node that is out of range: %lld",
			      (long long)node);
	return nodeset_add(set, (unsigned)node) < 0 ? error_no_memory(err) : 0;
}

/* Looks a device up in a directory of sysfs. */
static int of_name(struct root *root, const char *directory, const char *name, const char *text,
		   struct nodeset *set, struct cgpol_error *err)
{
	char path[PATH_SIZE];
	struct root_info info;
	int rc;

	if (!is_device_name(name))
		return refuse(err, EINVAL, CGPOL_USAGE, text, "names no device");
	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	rc = root_stat(root, path, &info);
	if (rc == -ENOENT || rc == -ENOTDIR || rc == -ELOOP)
		return refuse(err, ENODEV, CGPOL_FAILED, text, "does not exist: there is no %s", path);
	if (rc < 0)
		return refuse(err, -rc, CGPOL_FAILED, text, "cannot be looked up: %s", strerror(-rc));
	return find_node(root, path, text, set, err);
}

/* How much of the path a mount point covers, in bytes; 0 when it does not. */
static size_t covers(struct span point, const char *path)
{
	const char *at = point.at, *end = point.at + point.size;
	size_t size = 0;

	while (at < end) {
		if (path[size] == '\0' || mountinfo_next(&at, end) != path[size])
			return 0;
		size++;
	}
	if (size == 1 && path[0] == '/')
		return 1;
	return path[size] == '\0' || path[size] == '/' ? size : 0;
}

/* The mount a path is on: of the longest mount points that cover it the last, which lies on top. */
static bool find_mount(const char *text, const char *path, struct mountinfo *found)
{
	size_t longest = 0;
	struct span line;

	while (text_line(&text, &line)) {
		struct mountinfo mount;
		size_t size;

		if (!mountinfo_parse(line, &mount))
			continue;
		size = covers(mount.point, path);
		if (size > 0 && size >= longest) {
			longest = size;
			*found = mount;
		}
	}
	return longest > 0;
}

static bool is_plain_path(const char *path)
{
	if (path[0] != '/')
		return false;
	for (const char *part = path; part; part = strchr(part + 1, '/')) {
		if (strcmp(part, "/..") == 0 || strncmp(part, "/../", 4) == 0 ||
		    strncmp(part, "/./", 3) == 0 || strcmp(part, "/.") == 0 || strncmp(part, "//", 2) == 0)
			return false;
	}
	return true;
}

/* File systems without a device of their own have major 0; some of them (btrfs) name one as their source. */
static int of_mount(struct root *root, const struct mountinfo *mount, const char *text, struct nodeset *set,
		    struct cgpol_error *err)
{
	static const char dev[] = "/dev/";
	AUTO(free_p) char *device = span_dup(mount->device), *type = span_dup(mount->type);
	AUTO(free_p) char *source = span_dup(mount->source);
	char shown[64];

	if (!device || !type || !source)
		return error_no_memory(err);
	if (strncmp(device, "0:", 2) != 0)
		return of_name(root, "/sys/dev/block", device, text, set, err);
	if (strncmp(source, dev, sizeof(dev) - 1) == 0 && is_device_name(source + sizeof(dev) - 1))
		return of_name(root, "/sys/class/block", source + sizeof(dev) - 1, text, set, err);
	return refuse(err, ENODATA, CGPOL_UNSUPPORTED, text,
		      "is at no node: its file system (%s) has no device that can be told",
		      text_escape(type, shown, sizeof(shown)));
}

static int of_file(struct root *root, const char *path, const char *text, struct nodeset *set,
		   struct cgpol_error *err)
{
	AUTO(free_p) char *mounts = NULL;
	struct root_info info;
	struct mountinfo mount;
	int rc;

	if (!is_plain_path(path))
		return refuse(err, EINVAL, CGPOL_USAGE, text,
			      "is no whole path: it begins with \"/\" and has no \".\", \"..\" or \"//\"");
	rc = root_stat(root, path, &info);
	if (rc < 0)
		return refuse(err, -rc, CGPOL_FAILED, text, "cannot be looked up: %s", strerror(-rc));
	rc = root_read(root, "/proc/self/mountinfo", &mounts, NULL);
	if (rc < 0)
		return refuse(err, -rc, CGPOL_FAILED, text, "is on an unknown mount: %s", strerror(-rc));
	if (!find_mount(mounts, path, &mount))
		return refuse(err, ENODATA, CGPOL_UNSUPPORTED, text,
			      "is at no node: no mount in /proc/self/mountinfo covers it");
	return of_mount(root, &mount, text, set, err);
}

static int of_device(struct root *root, const char *text, struct nodeset *set, struct cgpol_error *err)
{
	const char *name = strchr(text, ':') + 1;

	switch (text[0]) {
	case 'n':
		return of_name(root, "/sys/class/net", name, text, set, err);
	case 'b':
		return of_name(root, "/sys/class/block", name, text, set, err);
	case 'p':
		return of_name(root, "/sys/bus/pci/devices", name, text, set, err);
	case 'f':
		return of_file(root, name, text, set, err);
	default:
		return refuse(err, EOPNOTSUPP, CGPOL_USAGE, text,
			      "asks for the route to an address, which is not supported: name the interface "
			      "that ip route get shows, as netdev:NAME");
	}
}

int placement_of_device(struct cgpol_host *host, const char *text, struct nodeset *set,
			struct cgpol_error *err)
{
	AUTO(nodeset_clear_p) struct nodeset made = {0, NULL};
	int rc;

	if (!is_device(text))
		return refuse(err, EINVAL, CGPOL_USAGE, text, "is none of netdev:, block:, file: and pci:");
	rc = of_device(host->root, text, &made, err);
	if (rc < 0)
		return rc;
	nodeset_clear(set);
	*set = made;
	made = (struct nodeset){0, NULL};
	return 0;
}
