/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of cpus and nodes as numactl(8) and taskset(1) users write them, and the nodes of devices. */
#include "test.h"

#include "base/cleanup.h"
#include "fakeroot.h"
#include "policy/placement.h"

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

static bool allocation_fails;

void *__wrap_calloc(size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return allocation_fails ? NULL : __real_reallocarray(p, count, size);
}

static int parse(const char *allowed, unsigned limit, const char *text, struct nodeset *set,
		 struct cgpol_error *err)
{
	struct placement placement = {.what = "--membind", .limit = limit};
	int rc;

	assert_int_equal(nodeset_parse(allowed, 4096, &placement.allowed, NULL), 0);
	rc = placement_parse(&placement, text, set, err);
	nodeset_clear(&placement.allowed);
	return rc;
}

/* numactl(8), taskset(1), and lib/bitmap.c bitmap_parselist for the lists. */
static void reads_each_form(void **state)
{
	static const struct {
		const char *allowed;
		unsigned limit;
		const char *text, *set;
	} cases[] = {
		{"0-3", 4, "0-3", "0-3"},
		{"0-3", 4, "1,3", "1,3"},
		{"0-63", 64, "0-31:2/4", "0-1,4-5,8-9,12-13,16-17,20-21,24-25,28-29"},
		{"0-63", 64, "0-31:1/4,32-63:2/4",
		 "0,4,8,12,16,20,24,28,32-33,36-37,40-41,44-45,48-49,52-53,56-57,60-61"},
		{"0-63", 64, " ,,  0-3  ,, 5  ,,  ", "0-3,5"},
		{"0-3", 4, "0-N", "0-3"},
		/* Not allowed, but there: whether it may be used is another's question. */
		{"0-1", 4, "3", "3"},
		{"0,2", 4, "all", "0,2"},
		{"0,2", 4, "ALL", "0,2"},
		{"0-3", 4, "none", ""},
		{"0-3", 4, "!1", "0,2-3"},
		{"0,2,5", 8, "!0-2", "5"},
		{"0-1", 8, "!7", "0-1"},
		{"0-1", 8, "!0-1", ""},
		{"0,8,250-255", 256, "+0", "0"},
		{"0,8,250-255", 256, "+1", "8"},
		{"0,8,250-255", 256, "+7", "255"},
		{"0,8,250-255", 256, "+0-2,7", "0,8,250,255"},
		{"0,8,250-255", 256, "+N", "255"},
		{"5", 8, "+0", "5"},
		{"0-7", 8, "0xff", "0-7"},
		{"0-7", 8, "0X5", "0,2"},
		{"0-1", 8, "0x80", "7"},
		{"0-63", 64, "0x80000000,00000001", "0,63"},
		{"0-63", 64, "0x0", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		AUTO(free_p) char *text = NULL;
		struct cgpol_error err = {0};

		if (parse(cases[i].allowed, cases[i].limit, cases[i].text, &set, &err) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		text = nodeset_format(&set);
		if (strcmp(text, cases[i].set) != 0)
			fail_msg("%s of %s: %s", cases[i].text, cases[i].allowed, text);
	}
}

static void refuses_with_the_offending_part(void **state)
{
	static const struct {
		const char *text;
		int rc;
		const char *reason;
	} cases[] = {
		{"", -EINVAL, "--membind: \"\" lists no nodes"},
		{",,  ,", -EINVAL, "lists no nodes"},
		{"!", -EINVAL, "lists no nodes"},
		{"+", -EINVAL, "lists no nodes"},
		{"3-0", -EINVAL, "--membind: \"3-0\" is malformed"},
		{"0-", -EINVAL, "\"0-\" is malformed"},
		{"-1", -EINVAL, "\"-1\" is malformed"},
		{"-0", -EINVAL, "\"-0\" is malformed"},
		{"0,x", -EINVAL, "\"x\" is malformed"},
		{"a-3", -EINVAL, "malformed"},
		{"0-a1", -EINVAL, "malformed"},
		{"0-3:", -EINVAL, "malformed"},
		{"0-3:0/0", -EINVAL, "malformed"},
		{"0-3:1/0", -EINVAL, "malformed"},
		{"0-3:10/1", -EINVAL, "malformed"},
		{"1:59", -EINVAL, "malformed"},
		{"4", -ERANGE, "the highest number is 3"},
		{"0-4", -ERANGE, "the highest number is 3"},
		{"!4", -ERANGE, "the highest number is 3"},
		{"0-98765432123456789", -EOVERFLOW, "too large"},
		{"0,all", -EINVAL, "stands alone"},
		{"!all", -EINVAL, "stands alone"},
		{"+ALL", -EINVAL, "stands alone"},
		{"all:1/2", -EINVAL, "stands alone"},
		{"+2", -ERANGE, "counts beyond the 2 allowed nodes: they are +0 to +1"},
		{"+0-2", -ERANGE, "counts beyond the 2 allowed nodes"},
		{"+-1", -EINVAL, "malformed"},
		{"!!1", -EINVAL, "malformed"},
		{"+!1", -EINVAL, "malformed"},
		{"!none", -EINVAL, "malformed"},
		{"none,1", -EINVAL, "malformed"},
		{"0x", -EINVAL, "no hexadecimal digits"},
		{"0xg", -EINVAL, "malformed"},
		{"0x10", -ERANGE, "the highest number is 3"},
		{"netdev", -EINVAL, "malformed"},
		{"usb:1", -EINVAL, "malformed"},
		{"0\n1", -EINVAL, "malformed"},
		{"\x1b[31m", -EINVAL, "\"\\x1b[31m\" is malformed"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		struct cgpol_error err = {0};
		int rc = parse("0,2", 4, cases[i].text, &set, &err);

		if (rc != cases[i].rc)
			fail_msg("\"%s\" gives %d", cases[i].text, rc);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].text, err.text, cases[i].reason);
		assert_int_equal(err.kind, CGPOL_USAGE);
		assert_true(nodeset_is_empty(&set));
	}
}

static void leaves_other_forms_to_others(void **state)
{
	static const char *const cases[] = {"same",	 "netdev:eth0",	     "block:sda",
					    "file:/tmp", "pci:0000:00:02.0", "ip:10.0.0.1",
					    "netdev:"};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		struct cgpol_error err = {0};

		assert_int_equal(parse("0", 1, cases[i], &set, &err), -EOPNOTSUPP);
		assert_string_equal(err.text, "");
	}
}

static void counts_nothing_when_nothing_is_allowed(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
	struct cgpol_error err = {0};

	(void)state;
	assert_int_equal(parse("", 4, "+0", &set, &err), -EINVAL);
	assert_non_null(strstr(err.text, "there are none"));
	assert_int_equal(parse("", 4, "all", &set, &err), 0);
	assert_true(nodeset_is_empty(&set));
}

static void says_when_memory_is_short(void **state)
{
	static const char *const cases[] = {"0-1", "all", "+0", "!0", "0x1"};
	struct placement placement = {.what = "--cpus", .limit = 4, .is_cpus = true};

	(void)state;
	assert_int_equal(nodeset_parse("0-3", 4, &placement.allowed, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nodeset set = {0, NULL};
		struct cgpol_error err = {0};
		int rc;

		allocation_fails = true;
		rc = placement_parse(&placement, cases[i], &set, &err);
		allocation_fails = false;
		assert_int_equal(rc, -ENOMEM);
		assert_int_equal(err.kind, CGPOL_FAILED);
	}
	nodeset_clear(&placement.allowed);
}

#define PCI "/sys/bus/pci/devices/0000:00:02.0"

/* Links of sysfs lead to the device, so ".." of /sys/class/block/vda is .../virtio1/block. */
static struct root *make_devices(void)
{
	struct root *root = fakeroot_new();

	fakeroot_put(root, PCI "/numa_node", "1\n");
	fakeroot_put(root, "/sys/bus/pci/devices/0000:00:03.0/numa_node", "-1\n");
	fakeroot_put(root, "/sys/bus/pci/devices/0000:00:04.0/numa_node", "many\n");
	fakeroot_put(root, "/sys/bus/pci/devices/0000:00:05.0/numa_node", "4096\n");
	fakeroot_put(root, "/sys/class/net/eth0/device/numa_node", "3\n");
	fakeroot_mkdir(root, "/sys/class/net/lo");
	fakeroot_put(root, "/sys/class/block/nvme0n1/device/numa_node", "2\n");
	fakeroot_put(root, "/sys/class/block/vda/../../../numa_node", "5\n");
	fakeroot_put(root, "/sys/class/block/vda1/../../../../numa_node", "5\n");
	fakeroot_put(root, "/sys/class/block/old/device/../../numa_node", "6\n");
	fakeroot_mkdir(root, "/sys/class/block/loop0");
	fakeroot_put(root, "/sys/dev/block/254:1/../../../../numa_node", "5\n");
	fakeroot_put(root, "/sys/class/block/sdb2/../device/../../numa_node", "x\n");
	fakeroot_put(root, "/sys/class/block/sdc/../../numa_node", "7\n");
	fakeroot_put(root, "/proc/self/mountinfo",
		     "1 0 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
		     "2 1 0:21 / /proc rw - proc proc rw\n"
		     "3 1 0:30 / /data rw master:1 propagate_from:2 - btrfs /dev/sdc rw\n"
		     "4 1 0:31 / /data\\040x rw - overlay overlay rw\n"
		     "5 1 254:9 / /gone rw - ext4 /dev/vdz rw\n"
		     "6 1 0:32 / /over rw - tmpfs tmpfs rw\n"
		     "7 1 254:1 / /over rw - ext4 /dev/root rw\n"
		     "8 1 0:33 / /map rw - btrfs /dev/mapper/vg-lv rw\n"
		     "9 1 259:0\n");
	for (size_t i = 0; i < 9; i++) {
		static const char *const files[] = {"/etc/x",  "/proc/x", "/data/x",   "/data x/x", "/gone/x",
						    "/over/x", "/map/x",  "/database", "/data"};

		fakeroot_put(root, files[i], "");
	}
	return root;
}

static void finds_the_node_of_a_device(void **state)
{
	static const struct {
		const char *text, *node;
	} cases[] = {
		{"pci:0000:00:02.0", "1"}, {"netdev:eth0", "3"},    {"block:nvme0n1", "2"},
		{"block:vda", "5"},	   {"block:vda1", "5"},	    {"block:old", "6"},
		{"file:/etc/x", "5"},	   {"file:/database", "5"}, {"file:/data/x", "7"},
		{"file:/data", "7"},	   {"file:/over/x", "5"},
	};
	struct root *root = make_devices();
	struct cgpol_host host = {.root = root};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		AUTO(free_p) char *node = NULL;
		struct cgpol_error err = {0};

		if (placement_of_device(&host, cases[i].text, &set, &err) != 0)
			fail_msg("%s: %s", cases[i].text, err.text);
		node = nodeset_format(&set);
		if (strcmp(node, cases[i].node) != 0)
			fail_msg("%s: %s", cases[i].text, node);
	}
	root_free(root);
}

static void refuses_what_cannot_be_told(void **state)
{
	static const struct {
		const char *text;
		enum cgpol_kind kind;
		const char *reason;
	} cases[] = {
		{"pci:0000:00:03.0", CGPOL_UNSUPPORTED, "numa_node is -1"},
		{"pci:0000:00:04.0", CGPOL_FAILED, "does not tell its node"},
		{"pci:0000:00:05.0", CGPOL_FAILED, "out of range: 4096"},
		{"pci:0000:00:09.0", CGPOL_FAILED, "there is no /sys/bus/pci/devices/0000:00:09.0"},
		{"netdev:lo", CGPOL_UNSUPPORTED, "nothing above it in sysfs has a numa_node"},
		{"netdev:eth9", CGPOL_FAILED, "does not exist"},
		{"block:loop0", CGPOL_UNSUPPORTED, "is at no node"},
		{"netdev:", CGPOL_USAGE, "names no device"},
		{"netdev:..", CGPOL_USAGE, "names no device"},
		{"netdev:.", CGPOL_USAGE, "names no device"},
		{"block:../net/eth0", CGPOL_USAGE, "names no device"},
		{"block:mapper/x", CGPOL_USAGE, "names no device"},
		{"block:a b", CGPOL_USAGE, "names no device"},
		{"block:a\x1b", CGPOL_USAGE, "names no device"},
		{"ip:10.0.0.1", CGPOL_USAGE, "netdev:NAME"},
		{"usb:1", CGPOL_USAGE, "is none of netdev:"},
		{"0-3", CGPOL_USAGE, "is none of netdev:"},
		{"file:etc/x", CGPOL_USAGE, "is no whole path"},
		{"file:", CGPOL_USAGE, "is no whole path"},
		{"file:/data/../etc/x", CGPOL_USAGE, "is no whole path"},
		{"file:/data/..", CGPOL_USAGE, "is no whole path"},
		{"file:/./etc/x", CGPOL_USAGE, "is no whole path"},
		{"file:/etc//x", CGPOL_USAGE, "is no whole path"},
		{"file:/nowhere", CGPOL_FAILED, "cannot be looked up"},
		{"file:/proc/x", CGPOL_UNSUPPORTED, "its file system (proc) has no device"},
		{"file:/data x/x", CGPOL_UNSUPPORTED, "its file system (overlay) has no device"},
		{"file:/map/x", CGPOL_UNSUPPORTED, "its file system (btrfs) has no device"},
		{"file:/gone/x", CGPOL_FAILED, "there is no /sys/dev/block/254:9"},
	};
	struct root *root = make_devices();
	struct cgpol_host host = {.root = root};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		struct cgpol_error err = {0};

		if (placement_of_device(&host, cases[i].text, &set, &err) >= 0)
			fail_msg("accepted: %s", cases[i].text);
		if (!strstr(err.text, cases[i].reason))
			fail_msg("%s: \"%s\" lacks \"%s\"", cases[i].text, err.text, cases[i].reason);
		if (err.kind != (int)cases[i].kind)
			fail_msg("%s: kind %d", cases[i].text, err.kind);
		assert_true(nodeset_is_empty(&set));
		assert_true(placement_of_device(&host, cases[i].text, &set, NULL) < 0);
	}
	root_free(root);
}

static void fails_when_any_access_fails(void **state)
{
	static const char *const cases[] = {"pci:0000:00:02.0", "netdev:eth0", "block:vda", "file:/etc/x"};
	struct root *root = make_devices();
	struct cgpol_host host = {.root = root};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(nodeset_clear_p) struct nodeset set = {0, NULL};
		unsigned before = fakeroot_accesses(root), accesses;

		assert_int_equal(placement_of_device(&host, cases[i], &set, NULL), 0);
		accesses = fakeroot_accesses(root) - before;
		for (unsigned n = 1; n <= accesses; n++) {
			struct cgpol_error err = {0};

			fakeroot_fail_nth(root, n, EIO);
			assert_int_equal(placement_of_device(&host, cases[i], &set, &err), -EIO);
			assert_int_equal(err.kind, CGPOL_FAILED);
			fakeroot_fail_nth(root, 0, 0);
		}
	}
	root_free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_each_form),
		cmocka_unit_test(refuses_with_the_offending_part),
		cmocka_unit_test(leaves_other_forms_to_others),
		cmocka_unit_test(counts_nothing_when_nothing_is_allowed),
		cmocka_unit_test(says_when_memory_is_short),
		cmocka_unit_test(finds_the_node_of_a_device),
		cmocka_unit_test(refuses_what_cannot_be_told),
		cmocka_unit_test(fails_when_any_access_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
