/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the mappings of one process commit, by its smaps. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/commitmaps.h"

enum { MIB = 1024 * 1024 };

#define FLAGS(flags) "Size: 1 kB\nAnonymous: 0 kB\nVmFlags: " flags " \n"

/* As 6.1 writes them (fs/proc/task_mmu.c). */
/* clang-format off */
static const char maps_text[] =
	"00400000-00401000 r-xp 00000000 08:01 11                         /bin/x\n" FLAGS("rd ex mr mw me")
	/* 8 KiB of a file, written to */
	"00600000-00602000 rw-p 00000000 08:01 11                         /bin/x\n" FLAGS("rd wr mr mw me ac")
	/* made read-only by the loader after it was written: the charge stays */
	"00602000-00603000 r--p 00002000 08:01 11                         /bin/x\n" FLAGS("rd mr mw me ac")
	/* an arena of malloc, which is mapped with MAP_NORESERVE */
	"7f0000000000-7f0004000000 rw-p 00000000 00:00 0 \n" FLAGS("rd wr mr mw me nr")
	/* promised only: PROT_NONE */
	"7f0004000000-7f0008000000 ---p 00000000 00:00 0 \n" FLAGS("mr mw me")
	/* huge pages have a pool of their own */
	"7f0010000000-7f0010200000 rw-p 00000000 00:0f 77 /anon_hugepage (deleted)\n" FLAGS("rd wr de ht")
	"7f0010200000-7f0010400000 rw-s 00000000 00:0f 4 /SYSV00000000 (deleted)\n" FLAGS("rd wr sh ht")
	/* 1 MiB shared, in two pieces */
	"7f0020000000-7f0020080000 rw-s 00000000 00:01 1024          /dev/zero (deleted)\n" FLAGS("rd wr sh mr")
	"7f0020080000-7f0020100000 r--s 00080000 00:01 1024          /dev/zero (deleted)\n" FLAGS("rd sh mr mw")
	/* a segment of the same number is another object */
	"7f0021000000-7f0021010000 rw-s 00000000 00:01 1024 /SYSV00000005 (deleted)\n" FLAGS("rd wr sh")
	/* counted by the page: not promised, or a file */
	"7f0022000000-7f0022010000 rw-s 00000000 00:01 9 /dev/zero (deleted)\n" FLAGS("rd wr sh nr")
	"7f0023000000-7f0023010000 rw-s 00000000 00:01 10 /memfd:x (deleted)\n" FLAGS("rd wr sh")
	/* names that only look so */
	"7f0024000000-7f0024010000 rw-s 00000000 08:01 12 /dev/zero (deleted)\n" FLAGS("rd wr sh")
	"7f0024010000-7f0024020000 rw-s 00000000 00:01 13 /dev/zero\\040(deleted)\n" FLAGS("rd wr sh")
	"7ffd00000000-7ffd00021000 rw-p 00000000 00:00 0                  [stack]\n" FLAGS("rd wr mr me gd ac")
	"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0          [vsyscall]\n" FLAGS("ex");
/* clang-format on */

static void takes_what_the_kernel_accounts(void **state)
{
	AUTO(commit_maps_clear) struct commit_maps maps = {.private_bytes = 0};

	(void)state;
	assert_int_equal(commit_maps_parse(maps_text, &maps), 0);
	assert_int_equal(maps.private_bytes, 0x2000 + 0x1000 + 0x21000);
	assert_int_equal(maps.objects, 2);
	assert_int_equal(maps.object[0].size, MIB);
	assert_int_equal(maps.object[0].inode, 1024);
	assert_false(maps.object[0].is_segment);
	assert_true(maps.object[1].is_segment);
	assert_int_equal(maps.object[1].size, 0x10000);
}

static void takes_nothing_of_a_malformed_text(void **state)
{
	static const char *const texts[] = {
		"00400000-00401000 rw-p 00000000 00:00 0 \nSize: 4 kB\n", /* before 3.8 */
		("00400000-00401000 rw-p 00000000 00:00 0 \n00401000-00402000 rw-p 00000000 00:00 0 \n"
		 "VmFlags: ac\n"),
		"VmFlags: ac\n",
		"00401000-00400000 rw-p 00000000 00:00 0 \nVmFlags: ac\n",
		"0040000000000000000-1 rw-p 00000000 00:00 0 \nVmFlags: ac\n",
		"00400000 rw-p 00000000 00:00 0 \nVmFlags: ac\n",
		"00400000-00401000 rw 00000000 00:00 0 \nVmFlags: ac\n",
		"00400000-00401000 rw-p x 00:00 0 \nVmFlags: ac\n",
		"00400000-00401000 rw-p 00000000 00:00 x\nVmFlags: ac\n",
		"00400000-00401000 rw-p ffffffffffffffff 00:00 0\nVmFlags: ac\n",
		"0-ffffffffffffffff rw-p 0 00:00 0\nVmFlags: ac\n0-2 rw-p 0 00:00 0\nVmFlags: ac\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct commit_maps maps = {.private_bytes = 7};

		assert_int_equal(commit_maps_parse(texts[i], &maps), -EINVAL);
		assert_int_equal(maps.private_bytes, 7);
	}
}

static bool is_short;
void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);

void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return is_short ? NULL : __real_reallocarray(p, count, size);
}

static void takes_nothing_when_memory_is_short(void **state)
{
	struct commit_maps maps = {.private_bytes = 7};

	(void)state;
	is_short = true;
	assert_int_equal(commit_maps_parse(maps_text, &maps), -ENOMEM);
	is_short = false;
	assert_int_equal(maps.private_bytes, 7);
}

static void takes_no_mappings_as_nothing(void **state)
{
	AUTO(commit_maps_clear) struct commit_maps maps = {.private_bytes = 7};

	(void)state;
	assert_int_equal(commit_maps_parse("", &maps), 0);
	assert_int_equal(maps.private_bytes, 0);
	assert_int_equal(maps.objects, 0);
}

static void keeps_the_largest_of_an_object_that_is_there_twice(void **state)
{
	static const struct commit_object objects[] = {
		{"00:01", 5, false, MIB},     {"00:01", 5, true, 3}, /* a segment has numbers of its own */
		{"00:01", 5, false, 2 * MIB}, {"00:01", 4, false, 7}, {"00:05", 5, false, 1},
	};
	AUTO(commit_maps_clear) struct commit_maps maps = {.private_bytes = 0};

	(void)state;
	assert_int_equal(commit_maps_merge(&maps), 0);
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		assert_int_equal(commit_maps_add(&maps, &objects[i]), 0);
	assert_int_equal(commit_maps_merge(&maps), 2 * MIB + 3 + 7 + 1);
	assert_int_equal(maps.objects, 4);
	assert_int_equal(maps.object[0].inode, 4);
	assert_int_equal(maps.object[1].size, 2 * MIB);
}

static void ends_a_sum_at_the_largest_number(void **state)
{
	static const struct commit_object objects[] = {{"00:01", 1, false, UINT64_MAX},
						       {"00:01", 2, false, 2}};
	AUTO(commit_maps_clear) struct commit_maps maps = {.private_bytes = 0};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		assert_int_equal(commit_maps_add(&maps, &objects[i]), 0);
	assert_int_equal(commit_maps_merge(&maps), UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_the_kernel_accounts),
		cmocka_unit_test(takes_nothing_of_a_malformed_text),
		cmocka_unit_test(takes_nothing_when_memory_is_short),
		cmocka_unit_test(takes_no_mappings_as_nothing),
		cmocka_unit_test(keeps_the_largest_of_an_object_that_is_there_twice),
		cmocka_unit_test(ends_a_sum_at_the_largest_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
