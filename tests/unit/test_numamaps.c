/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* numa_maps: bytes by node and kind, what a death frees, and the policy of the thread. */
#include "test.h"

#include "base/cleanup.h"
#include "host/root.h"
#include "memory/numamaps.h"

#define PAGE 4096
#define MIB (1024 * 1024)

static const struct numamaps_context plain = {PAGE, 2 * MIB, NULL};

static const struct numamaps_node *node_of(const struct numamaps *maps, unsigned id)
{
	for (size_t i = 0; i < maps->nodes; i++)
		if (maps->node[i].id == id)
			return &maps->node[i];
	fail_msg("no node %u", id);
	return NULL;
}

/* A task of Debian 6.12 with 2 MiB on node 2 besides the program, and seven of its kind. */
static void reads_a_process(void **state)
{
	static const char text[] =
		"00400000 default file=/bin/hog dirty=1 mapmax=7 active=0 N2=1 kernelpagesize_kB=4\n"
		"00401000 default file=/bin/hog dirty=120 mapmax=7 N0=30 N1=30 N2=30 N3=30 "
		"kernelpagesize_kB=4\n"
		"004a0000 default file=/bin/hog anon=2 dirty=4 mapmax=7 active=2 N2=1 N3=3 "
		"kernelpagesize_kB=4\n"
		"004a4000 default file=/bin/hog anon=3 dirty=3 active=0 N3=3 kernelpagesize_kB=4\n"
		"09c98000 default heap anon=3 dirty=3 active=0 N3=3 kernelpagesize_kB=4\n"
		"7fd41a237000 default anon=512 dirty=512 active=0 N3=512 kernelpagesize_kB=4\n"
		"7fffc605c000 default stack anon=4 dirty=4 active=1 N1=1 N3=3 kernelpagesize_kB=4\n"
		"7fffc615f000 default\n"
		"7fffc6163000 default\n";
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse(text, &plain, &maps), 0);
	assert_int_equal(maps.malformed, 0);
	assert_int_equal(maps.nodes, 4);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_FILE], 30 * PAGE);
	assert_int_equal(node_of(&maps, 1)->bytes[NUMA_ANON], 1 * PAGE);
	/* of the two copies and two file pages on 2 and 3, 1:3, one half and three halves are anonymous */
	assert_int_equal(node_of(&maps, 2)->bytes[NUMA_ANON] + node_of(&maps, 3)->bytes[NUMA_ANON],
			 (2 + 3 + 3 + 512 + 3) * PAGE);
	assert_int_equal(node_of(&maps, 2)->bytes[NUMA_FILE] + node_of(&maps, 3)->bytes[NUMA_FILE],
			 (1 + 60 + 2) * PAGE);
	/* the copies in a mapping with mapmax=7 may be shared: not counted */
	assert_int_equal(node_of(&maps, 3)->freed, (3 + 3 + 512 + 3) * PAGE);
	assert_int_equal(node_of(&maps, 2)->freed, 0);
}

static void counts_transparent_huge_pages_in_base_pages(void **state)
{
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse("7f37a4200000 interleave:0-1 anon=4096 dirty=4096 active=0 N0=2048 "
					"N1=2048 kernelpagesize_kB=4",
					&plain, &maps),
			 0);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_ANON], 8 * MIB);
	assert_int_equal(node_of(&maps, 0)->freed, 8 * MIB);
}

static void counts_hugetlb_in_its_own_pages(void **state)
{
	static const char text[] =
		"7f0000000000 default file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N0=2 N1=1 "
		"kernelpagesize_kB=2048\n"
		"7f8000000000 bind:1 file=/mnt/huge/x huge dirty=1 N1=1 kernelpagesize_kB=1048576\n";
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse(text, &plain, &maps), 0);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_HUGE], 4 * MIB);
	assert_int_equal(node_of(&maps, 1)->bytes[NUMA_HUGE], 2 * MIB + 1024 * MIB);
	assert_int_equal(node_of(&maps, 1)->bytes[NUMA_ANON], 0);
	assert_int_equal(node_of(&maps, 1)->freed, 0); /* back to the pool */
}

/* Kernels before 3.15 print no page size. The four lines of one process with 2 MiB pages. */
static void assumes_the_page_size_where_none_is_printed(void **state)
{
	static const char text[] =
		"80000000 default file=/anon_hugepage\\040(deleted) huge anon=4 dirty=4 N0=3 N1=1\n"
		"581a00000 default file=/anon_hugepage\\040(deleted) huge anon=258 dirty=258 N0=150 N1=108\n"
		"7f6c40400000 default file=/anon_hugepage\\040(deleted) huge\n"
		"7f6ce5000000 default file=/anon_hugepage\\040(deleted) huge anon=1 dirty=1 N0=1\n"
		"00600000 default anon=5 dirty=5 N1=5\n";
	static const struct numamaps_context unknown = {PAGE, 0, NULL};
	AUTO(numamaps_clear) struct numamaps maps = {0}, few = {0};

	(void)state;
	assert_int_equal(numamaps_parse(text, &plain, &maps), 0);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_HUGE], 154 * 2 * MIB);
	assert_int_equal(node_of(&maps, 1)->bytes[NUMA_HUGE], 109 * 2 * MIB);
	assert_int_equal(node_of(&maps, 1)->bytes[NUMA_ANON], 5 * PAGE);
	assert_int_equal(numamaps_parse(text, &unknown, &few), 0);
	assert_int_equal(few.malformed, 3);
	assert_int_equal(few.nodes, 1);
}

static void reads_every_form_of_policy_and_name(void **state)
{
	static const char text[] =
		"7f1000000000 prefer=relative:4 anon=3 dirty=3 N4=3 kernelpagesize_kB=4\n"
		"7f1000100000 prefer (many):4-5 anon=8 dirty=8 N4=4 N5=4 kernelpagesize_kB=4\n"
		"7f1000200000 interleave=static:0-3 anon=4 dirty=4 N0=1 N1=1 N2=1 N3=1 kernelpagesize_kB=4\n"
		"7f1000300000 weighted interleave:2-3 heap anon=2 dirty=2 N2=2 kernelpagesize_kB=4\n"
		"7f1000400000 bind=static:4-5 anon=1 dirty=1 N5=1 kernelpagesize_kB=4\n"
		"7f1000600000 default file=/srv/my\\040data/a\\012b\\011c\\075d mapped=7 N0=7 "
		"kernelpagesize_kB=4\n"
		"7f1000700000 default file=/srv/N9\\0753 mapped=1 newcount=5 N0=1 kernelpagesize_kB=4\n";
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse(text, &plain, &maps), 0);
	assert_int_equal(maps.malformed, 0);
	assert_int_equal(maps.nodes, 6);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_ANON], 1 * PAGE);
	assert_int_equal(node_of(&maps, 0)->bytes[NUMA_FILE], 8 * PAGE);
	assert_int_equal(node_of(&maps, 2)->bytes[NUMA_ANON], 3 * PAGE);
	assert_int_equal(node_of(&maps, 4)->bytes[NUMA_ANON], 7 * PAGE);
	assert_int_equal(node_of(&maps, 5)->bytes[NUMA_ANON], 5 * PAGE);
}

/* Largest remainder: exact in sum, and nearest to the proportion. */
static void spreads_private_copies_over_the_nodes_of_a_mapping(void **state)
{
	static const struct {
		const char *line;
		unsigned anon[3], file[3];
	} cases[] = {
		{"1 default file=/x anon=1 N0=3 N1=1", {1, 0, 0}, {2, 1, 0}},
		{"1 default file=/x anon=1 N0=1 N1=3", {0, 1, 0}, {1, 2, 0}},
		{"1 default file=/x anon=1 N0=1 N1=1", {1, 0, 0}, {0, 1, 0}},
		{"1 default file=/x anon=2 N0=1 N1=1 N2=1", {1, 1, 0}, {0, 0, 1}},
		{"1 default file=/x anon=5 N0=2 N1=4 N2=4", {1, 2, 2}, {1, 2, 2}},
		{"1 default file=/x anon=10 N0=2 N1=4 N2=4", {2, 4, 4}, {0, 0, 0}},
		{"1 default file=/x N0=2 N1=4", {0, 0, 0}, {2, 4, 0}},
		{"1 default file=/x anon=7 N0=10 N1=1", {6, 1, 0}, {4, 0, 0}},
		{"1 default file=/x N0=0 N1=0", {0, 0, 0}, {0, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};

		assert_int_equal(numamaps_parse(cases[i].line, &plain, &maps), 0);
		for (size_t j = 0; j < maps.nodes; j++) {
			assert_int_equal(maps.node[j].bytes[NUMA_ANON], cases[i].anon[j] * PAGE);
			assert_int_equal(maps.node[j].bytes[NUMA_FILE], cases[i].file[j] * PAGE);
		}
	}
}

static const char mountinfo[] =
	"22 27 0:21 / /proc rw,relatime - proc proc rw\n"
	"24 27 0:6 / /dev rw,relatime shared:2 - devtmpfs devtmpfs rw,size=12334432k,mode=755\n"
	"27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n"
	"28 27 0:23 / /run rw,nosuid shared:13 master:1 - tmpfs tmpfs rw,size=24683652k\n"
	"29 28 254:1 / /run/disk rw - ext4 /dev/vdb rw\n"
	"30 27 0:24 / /mnt/my\\040ram rw - tmpfs - rw\n"
	"31 27 0:25 / /stacked rw - tmpfs none rw\n"
	"32 31 254:2 / /stacked rw - xfs /dev/vdc rw\n"
	"33 27 0:26 / /ram rw - ramfs none rw\n"
	"broken\n"
	"34 27 0:27 / /cut rw -\n";

static void knows_shared_memory_by_its_name_and_mount(void **state)
{
	static const struct {
		const char *file;
		enum numa_kind kind;
		bool is_freed;
	} cases[] = {
		{"/dev/zero\\040(deleted)", NUMA_SHMEM, true}, /* mmap(MAP_SHARED | MAP_ANONYMOUS) */
		{"/memfd:buffer\\040(deleted)", NUMA_SHMEM, true},
		{"/SYSV0052e2c1\\040(deleted)", NUMA_SHMEM, false}, /* lives until IPC_RMID */
		{"/dev/shm/db.0", NUMA_SHMEM, false},
		{"/dev/shm/db.0\\040(deleted)", NUMA_SHMEM, true},
		{"/run/x", NUMA_SHMEM, false},
		{"/run/x\\040(deleted)", NUMA_SHMEM, true},
		{"/run", NUMA_SHMEM, false},
		{"/running", NUMA_FILE, false},
		{"/run/disk/x", NUMA_FILE, false},
		{"/run/diskette", NUMA_SHMEM, false},
		{"/mnt/my\\040ram/x", NUMA_SHMEM, false},
		{"/stacked/x", NUMA_FILE, false}, /* the later mount covers the first */
		{"/ram/x", NUMA_FILE, false},	  /* a ramfs's pages are file pages */
		{"/usr/bin/cat", NUMA_FILE, false},
		{"/usr/bin/cat\\040(deleted)", NUMA_FILE, false},
		{"anon_inode:[perf_event]", NUMA_FILE, false},
		{"/", NUMA_FILE, false},
	};
	static const struct numamaps_context context = {PAGE, 2 * MIB, mountinfo};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};
		char line[256];

		(void)snprintf(line, sizeof(line),
			       "7f00 default file=%s dirty=5 active=0 N1=5 kernelpagesize_kB=4",
			       cases[i].file);
		assert_int_equal(numamaps_parse(line, &context, &maps), 0);
		if (maps.node[0].bytes[cases[i].kind] != 5 * PAGE)
			fail_msg("%s is not of kind %d", cases[i].file, cases[i].kind);
		assert_int_equal(maps.node[0].freed, cases[i].is_freed ? 5 * PAGE : 0);
	}
}

/* The root of an initramfs is a tmpfs when it has a size, and a ramfs else. */
static void knows_the_two_kinds_of_rootfs(void **state)
{
	static const struct {
		const char *mounts;
		enum numa_kind kind;
	} cases[] = {
		{"1 1 0:2 / / rw - rootfs rootfs rw,size=361504k,nr_inodes=90376,inode64\n", NUMA_SHMEM},
		{"1 1 0:2 / / rw - rootfs rootfs rw\n", NUMA_FILE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct numamaps_context context = {PAGE, 2 * MIB, cases[i].mounts};
		AUTO(numamaps_clear) struct numamaps maps = {0};

		assert_int_equal(
			numamaps_parse("00400000 default file=/bin/hog mapped=1 N0=1", &context, &maps), 0);
		assert_int_equal(maps.node[0].bytes[cases[i].kind], PAGE);
	}
}

static void counts_as_freed_only_what_nobody_else_maps(void **state)
{
	static const struct {
		const char *line;
		unsigned freed;
	} cases[] = {
		{"1 default anon=5 N0=5", 5},
		{"1 default anon=5 mapmax=1 N0=5", 5},
		{"1 default anon=5 mapmax=2 N0=5", 0}, /* shared since a fork */
		{"1 default file=/dev/zero\\040(deleted) mapmax=2 N0=5", 0},
		{"1 default file=/usr/lib/x.so mapped=5 N0=5", 0},
		{"1 default file=/usr/lib/x.so anon=3 mapped=5 N0=5", 3},
		{"1 default file=/usr/lib/x.so anon=3 mapped=5 mapmax=9 N0=5", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};

		assert_int_equal(numamaps_parse(cases[i].line, &plain, &maps), 0);
		assert_int_equal(maps.node[0].freed, cases[i].freed * PAGE);
	}
}

static void skips_lines_that_lie_and_keeps_the_others(void **state)
{
	static const char *const cases[] = {
		"7f00",
		"7f00 default anon=-1 N0=1",
		"7f00 default anon=2 N0=1", /* more copies than pages */
		"7f00 default N0=18446744073709551616",
		"7f00 default N0=9007199254740992", /* 2^53 pages of 2^12 bytes */
		"7f00 default N0=18446744073709551615 N1=1",
		"7f00 default N4096=1",
		"7f00 default N4294967297=1",
		"7f00 default N1=1 N1=1",
		"7f00 default N1=1 N0=1",
		"7f00 default N0=1 N0x=1",
		"7f00 default N0=1 mapmax=many",
		"7f00 default file=/x huge N0=1 kernelpagesize_kB=18446744073709551615",
		"7f00 default file=/x huge N0=18446744073709551615 kernelpagesize_kB=2048",
		"7f00 default N0=1 kernelpagesize_kB=",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};
		char text[256];

		(void)snprintf(text, sizeof(text), "%s\n\n1 default anon=2 N5=2\n", cases[i]);
		assert_int_equal(numamaps_parse(text, &plain, &maps), 0);
		if (maps.malformed != 1 || maps.nodes != 1)
			fail_msg("accepted: %s", cases[i]);
		assert_int_equal(maps.node[0].id, 5);
		assert_int_equal(maps.node[0].bytes[NUMA_ANON], 2 * PAGE);
	}
}

static void does_not_wrap(void **state)
{
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse("1 default N0=4503599627370495\n2 default N0=4503599627370495\n",
					&plain, &maps),
			 0);
	assert_true(maps.node[0].bytes[NUMA_ANON] == UINT64_MAX);
	assert_true(maps.node[0].freed == UINT64_MAX);
}

static void has_nothing_of_an_empty_file(void **state)
{
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse("", &plain, &maps), 0);
	assert_int_equal(maps.nodes, 0);
	assert_int_equal(maps.malformed, 0);
}

static void tells_the_policy_of_the_thread(void **state)
{
	static const struct {
		const char *head, *policy;
		bool mixed;
	} cases[] = {
		{"00400000 bind:1 file=/bin/hog dirty=1 N3=1\n09c98000 bind:1 heap anon=3 N1=3\n7ff00000 "
		 "bind:1\n",
		 "bind:1", false},
		/* a mapping was bound: the program's text is asked, wherever it stands */
		{"00300000 bind:1 anon=3 N1=3\n00400000 default file=/bin/hog dirty=1 N3=1\n7ff0 default "
		 "stack N1=1\n",
		 "default", true},
		{"00400000 interleave:0-1 file=/bin/hog N3=1\n7ff00000 bind:0 anon=3 N0=3\n",
		 "interleave:0-1", true},
		/* no file: the stack */
		{"00300000 bind:1 anon=3 N1=3\n7ff0 prefer:3 stack N1=1\n", "prefer:3", true},
		{"00300000 prefer (many):4-5 anon=3 N4=3\n", "prefer (many):4-5", false},
		{"00300000 weighted interleave:0-3 stack anon=3 N1=3\n", "weighted interleave:0-3", false},
		{"00400000 weighted interleave=static:0-3 file=/x\n", "weighted interleave=static:0-3",
		 false},
		{"00400000 default file=/x\n00401000 default file=/x mapped=1 N0=1", "default", false},
		{"garbage\n00400000 bind:0 file=/x\n", "bind:0", false},
		{"00400000 unheard of:0-1 file=/x\n", "unknown", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(mempolicy_clear) struct mempolicy policy = {0};
		AUTO(free_p) char *text = NULL;
		bool mixed = !cases[i].mixed;

		assert_int_equal(numamaps_task_policy(cases[i].head, &policy, &mixed), 0);
		text = mempolicy_format(&policy);
		assert_string_equal(text, cases[i].policy);
		assert_int_equal(mixed, cases[i].mixed);
	}
}

/* A head of a full block ends within a line, here before the end of "bind:1-3". */
static void ignores_the_line_that_a_head_cuts(void **state)
{
	AUTO(mempolicy_clear) struct mempolicy policy = {0};
	char head[ROOT_HEAD_SIZE + 1];
	bool mixed = true;
	size_t used = 0;

	(void)state;
	while (used + 32 < ROOT_HEAD_SIZE)
		used += (size_t)snprintf(head + used, sizeof(head) - used, "00400000 default\n");
	(void)snprintf(head + used, sizeof(head) - used, "00400000 bind:1%64s", "");
	assert_int_equal(strlen(head), ROOT_HEAD_SIZE);
	assert_int_equal(numamaps_task_policy(head, &policy, &mixed), 0);
	assert_int_equal(policy.mode, MEMPOLICY_DEFAULT);
	assert_false(mixed);
	memset(head, 'a', ROOT_HEAD_SIZE);
	assert_int_equal(numamaps_task_policy(head, &policy, &mixed), -ENODATA);
}

static void has_no_policy_to_tell_of_an_empty_head(void **state)
{
	struct mempolicy policy = {.mode = MEMPOLICY_LOCAL};
	bool mixed = true;

	(void)state;
	assert_int_equal(numamaps_task_policy("", &policy, &mixed), -ENODATA);
	assert_int_equal(numamaps_task_policy("\n\n7f00\n", &policy, &mixed), -ENODATA);
	assert_int_equal(policy.mode, MEMPOLICY_LOCAL);
	assert_true(mixed);
}

static void is_unsure_of_anonymous_memory_where_a_page_is_shared(void **state)
{
	static const struct {
		const char *line;
		unsigned unsure;
	} cases[] = {
		{"1 default anon=5 mapmax=2 N0=5", 5},
		{"1 default anon=5 mapmax=1 N0=5", 0},
		{"1 default anon=5 N0=5", 0},
		{"1 default file=/usr/lib/x.so anon=3 mapped=5 mapmax=9 N0=5", 3},
		{"1 default file=/usr/lib/x.so mapped=5 mapmax=9 N0=5", 0},
		{"1 default file=/dev/zero\\040(deleted) mapmax=2 N0=5", 0},
		{"1 default file=/anon_hugepage\\040(deleted) huge anon=5 mapmax=2 N0=5", 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};

		assert_int_equal(numamaps_parse(cases[i].line, &plain, &maps), 0);
		assert_int_equal(maps.node[0].unsure, cases[i].unsure * PAGE);
	}
}

/* 900 MiB, of which one page is shared with a child; and parts on two nodes. */
static void settles_what_is_not_shared(void **state)
{
	static const struct {
		const char *text;
		uint64_t shared, freed[2], unsure[2]; /* pages */
	} cases[] = {
		{"1 default anon=230400 mapmax=2 N0=230400", 1, {230399}, {1}},
		{"1 default anon=230400 mapmax=2 N0=230400", 0, {230400}, {0}},
		{"1 default anon=230400 mapmax=2 N0=230400", 230400, {0}, {230400}},
		{"1 default anon=230400 mapmax=2 N0=230400", 999999, {0}, {230400}},
		{"1 default anon=100 N0=100\n2 default anon=8 mapmax=2 N0=6 N1=2", 4, {103, 1}, {3, 1}},
		/* 5 of 8 pages are private: 3.75 and 1.25 are rounded down */
		{"1 default anon=100 N0=100\n2 default anon=8 mapmax=2 N0=6 N1=2", 3, {103, 1}, {3, 1}},
		{"1 default anon=100 N0=70 N1=30", 0, {70, 30}, {0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		AUTO(numamaps_clear) struct numamaps maps = {0};

		assert_int_equal(numamaps_parse(cases[i].text, &plain, &maps), 0);
		numamaps_settle(&maps, cases[i].shared * PAGE, PAGE);
		for (size_t node = 0; node < maps.nodes; node++) {
			assert_int_equal(maps.node[node].freed, cases[i].freed[node] * PAGE);
			assert_int_equal(maps.node[node].unsure, cases[i].unsure[node] * PAGE);
		}
	}
}

static void settles_numbers_that_were_capped(void **state)
{
	AUTO(numamaps_clear) struct numamaps maps = {0};

	(void)state;
	assert_int_equal(numamaps_parse("1 default mapmax=2 N0=4503599627370495 \n2 default mapmax=2 "
					"N1=4503599627370495\n",
					&plain, &maps),
			 0);
	numamaps_settle(&maps, 0, PAGE);
	for (size_t node = 0; node < 2; node++)
		assert_true(maps.node[node].freed + maps.node[node].unsure ==
			    UINT64_C(4503599627370495) * PAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_a_process),
		cmocka_unit_test(counts_transparent_huge_pages_in_base_pages),
		cmocka_unit_test(counts_hugetlb_in_its_own_pages),
		cmocka_unit_test(assumes_the_page_size_where_none_is_printed),
		cmocka_unit_test(reads_every_form_of_policy_and_name),
		cmocka_unit_test(spreads_private_copies_over_the_nodes_of_a_mapping),
		cmocka_unit_test(knows_shared_memory_by_its_name_and_mount),
		cmocka_unit_test(knows_the_two_kinds_of_rootfs),
		cmocka_unit_test(counts_as_freed_only_what_nobody_else_maps),
		cmocka_unit_test(skips_lines_that_lie_and_keeps_the_others),
		cmocka_unit_test(does_not_wrap),
		cmocka_unit_test(has_nothing_of_an_empty_file),
		cmocka_unit_test(tells_the_policy_of_the_thread),
		cmocka_unit_test(ignores_the_line_that_a_head_cuts),
		cmocka_unit_test(has_no_policy_to_tell_of_an_empty_head),
		cmocka_unit_test(is_unsure_of_anonymous_memory_where_a_page_is_shared),
		cmocka_unit_test(settles_what_is_not_shared),
		cmocka_unit_test(settles_numbers_that_were_capped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
