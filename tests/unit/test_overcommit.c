/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limit, headroom and counter error of the overcommit policy, and changing it, by the kernel's rules. */
#include "test.h"

#include "base/cleanup.h"
#include "memory/commit.h"

enum { KIB = 1024, MIB = 1024 * 1024 };
#define GIB (1024ULL * MIB)

static const struct overcommit plain = {
	.ratio = 50,
	.page_size = 4096,
	.ram = 8 * GIB,
	.swap = 2 * GIB,
	.cpus = 4,
	.has_exact_sum = true,
	.committed = 3 * GIB,
};

/* MemTotal, SwapTotal and CommitLimit of real kernels with vm.overcommit_ratio = 50 and no huge pages
 * (tests/roots), in KiB. */
static void agrees_with_real_kernels(void **state)
{
	static const uint64_t seen[][3] = {
		{1002724, 131068, 632428}, {996900, 131068, 629516}, {991412, 131068, 626772},
		{733172, 131068, 497652},  {989596, 131068, 625864}, {720668, 0, 360332},
		{964132, 0, 482064},	   {462620, 0, 231308},	     {976788, 0, 488392},
		{24683652, 0, 12341824},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(seen); i++) {
		struct overcommit o = plain;

		o.ram = seen[i][0] * KIB;
		o.swap = seen[i][1] * KIB;
		assert_int_equal(overcommit_limit(&o), seen[i][2] * KIB);
	}
}

static void takes_huge_pages_of_every_size_off_the_ratio(void **state)
{
	struct overcommit o = plain;

	(void)state;
	o.pool[0] = (struct overcommit_pool){2 * MIB, 512};
	o.pool[1] = (struct overcommit_pool){GIB, 1};
	o.pools = 2;
	assert_int_equal(overcommit_huge(&o), 2 * GIB);
	assert_int_equal(overcommit_base(&o), 3 * GIB);
	assert_int_equal(overcommit_limit(&o), 5 * GIB);
	/* Nothing is taken off a limit by kbytes. */
	o.kbytes = 4 * MIB;
	o.ratio = 0;
	assert_int_equal(overcommit_base(&o), 4 * GIB);
}

static void rounds_as_the_kernel_does(void **state)
{
	struct overcommit o = plain;

	(void)state;
	o.kbytes = 4099;
	assert_int_equal(overcommit_base(&o), 4096 * KIB);
	o.page_size = 65536;
	o.kbytes = 127;
	assert_int_equal(overcommit_base(&o), 65536);
	o = plain;
	o.ram = 199 * 4096;
	o.ratio = 1;
	assert_int_equal(overcommit_base(&o), 4096);
	o.ratio = 0;
	assert_int_equal(overcommit_limit(&o), 2 * GIB);
	o.ratio = 150;
	o.ram = 8 * GIB;
	assert_int_equal(overcommit_base(&o), 12 * GIB);
}

static void bears_figures_beyond_all_machines(void **state)
{
	struct overcommit o = plain;

	(void)state;
	o.kbytes = UINT64_MAX;
	assert_int_equal(overcommit_limit(&o), UINT64_MAX);
	assert_int_equal(overcommit_headroom(&o, true), INT64_MAX);
	o.kbytes = 1;
	o.swap = 0;
	o.committed = UINT64_MAX;
	assert_int_equal(overcommit_headroom(&o, false), -INT64_MAX);
	o = (struct overcommit){.ratio = -1};
	(void)overcommit_limit(&o);
	assert_true(overcommit_batch(&o) >= 32);
}

static void leaves_the_reserve_to_administrators(void **state)
{
	struct overcommit o = plain;

	(void)state;
	o.admin_reserve = 8 * MIB;
	assert_int_equal(overcommit_headroom(&o, true), 3 * GIB);
	assert_int_equal(overcommit_headroom(&o, false), 3 * GIB - 8 * MIB);
	o.committed = 7 * GIB;
	assert_int_equal(overcommit_headroom(&o, true), -(int64_t)GIB);
	assert_int_equal(overcommit_headroom(&o, false), -(int64_t)GIB - 8 * MIB);
}

/* mm/mm_init.c mm_compute_batch(): max(max(2 n, 32), pages / n / (256 or 4)). */
static void knows_the_batch(void **state)
{
	static const struct {
		uint64_t ram;
		unsigned cpus;
		int mode;
		bool is_new;
		uint64_t batch;
	} rows[] = {
		{8 * GIB, 2, OVERCOMMIT_NEVER, true, 4096},
		{8 * GIB, 2, OVERCOMMIT_HEURISTIC, true, 262144},
		{8 * GIB, 2, OVERCOMMIT_ALWAYS, true, 262144},
		{8 * GIB, 2, OVERCOMMIT_HEURISTIC, false, 4096},
		{8 * GIB, 144, OVERCOMMIT_NEVER, true, 288},
		{8 * GIB, 144, OVERCOMMIT_ALWAYS, true, 3640},
		{1536 * GIB, 144, OVERCOMMIT_NEVER, true, 10922},
		{1536 * GIB, 144, OVERCOMMIT_HEURISTIC, true, 699050},
		{1536 * GIB, 144, OVERCOMMIT_HEURISTIC, false, 10922},
		{64 * MIB, 4, OVERCOMMIT_NEVER, true, 32},
		{1ULL << 57, 1, OVERCOMMIT_HEURISTIC, true, INT32_MAX},
		{8 * GIB, 0, OVERCOMMIT_NEVER, true, 8192},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct overcommit o = {
			.ram = rows[i].ram,
			.cpus = rows[i].cpus,
			.mode = rows[i].mode,
			.has_exact_sum = rows[i].is_new,
			.page_size = 4096,
		};

		assert_int_equal(overcommit_batch(&o), rows[i].batch);
		assert_int_equal(overcommit_error(&o),
				 (rows[i].batch - 1) * (rows[i].cpus ? rows[i].cpus : 1) * 4096);
	}
}

static void names_the_modes(void **state)
{
	(void)state;
	assert_string_equal(overcommit_mode_name(0), "heuristic");
	assert_string_equal(overcommit_mode_name(1), "always");
	assert_string_equal(overcommit_mode_name(2), "never");
	assert_string_equal(overcommit_mode_name(3), "unknown");
	assert_string_equal(overcommit_mode_name(-1), "unknown");
}

/* ---- plans ---- */

static const struct overcommit_request nothing = {.mode = -1, .ratio = -1, .kbytes = -1};

/* "KEY old>new KEY old>new" */
static const char *told(const struct overcommit_plan *plan)
{
	static char text[256];

	*text = '\0';
	for (size_t i = 0; i < plan->steps; i++)
		(void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s %s>%s", i ? " " : "",
			       plan->step[i].key ? plan->step[i].key + strlen("vm.overcommit_") : "save",
			       plan->step[i].old_text ? plan->step[i].old_text : "-", plan->step[i].new_text);
	return text;
}

static void puts_the_limit_in_force_before_the_mode_never(void **state)
{
	static const struct {
		int mode, to;
		int64_t ratio, kbytes;
		const char *steps;
	} rows[] = {
		{0, 2, 80, -1, "ratio 50>80 memory 0>2"},
		{0, 2, -1, 5 << 20, "kbytes 0>5242880 memory 0>2"},
		{1, 2, -1, -1, "memory 1>2"},
		{2, 0, 10, -1, "memory 2>0 ratio 50>10"},
		{2, 1, -1, 1, "memory 2>1 kbytes 0>1"},
		{2, 2, 60, -1, "ratio 50>60"},
		{2, -1, 60, -1, "ratio 50>60"},
		{0, 0, 50, -1, ""},
		{2, 2, -1, -1, ""},
		{0, 1, 5, -1, "ratio 50>5 memory 0>1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
		struct overcommit now = plain;
		struct overcommit_request request = {rows[i].to, rows[i].ratio, rows[i].kbytes, false, false};

		now.mode = rows[i].mode;
		assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
		assert_string_equal(told(&plan), rows[i].steps);
	}
}

/* Each zeroes the other, so a value that is there already may still need its write. */
static void knows_that_ratio_and_kbytes_switch_each_other_off(void **state)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = nothing;
	struct overcommit now = plain;

	(void)state;
	now.ratio = 0;
	now.kbytes = 4 << 20;
	request.ratio = 0;
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
	assert_string_equal(told(&plan), "ratio 0>0");
	assert_int_equal(plan.after.kbytes, 0);
	assert_int_equal(overcommit_limit(&plan.after), 2 * GIB);
	request = nothing;
	request.kbytes = 4 << 20;
	overcommit_plan_clear(&plan);
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
	assert_int_equal(plan.steps, 0);
	now = plain;
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
	assert_int_equal(plan.after.ratio, 0);
}

static void refuses_what_would_fail_every_request(void **state)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {.mode = OVERCOMMIT_NEVER, .ratio = 5, .kbytes = -1};
	struct overcommit now = plain;
	struct cgpol_error err = {0};

	(void)state;
	assert_true(overcommit_plan_make(&now, &request, &plan, &err) < 0);
	assert_int_equal(err.kind, CGPOL_REFUSED);
	/* 3 GiB; 5 % of 8 GiB, by pages, and 2 GiB; the difference. */
	assert_non_null(strstr(err.text, " 3145728 KiB "));
	assert_non_null(strstr(err.text, " 2516580 KiB"));
	assert_non_null(strstr(err.text, " 629148 KiB too much"));
	assert_non_null(strstr(err.hint, "--force"));
	assert_int_equal(plan.steps, 0);
	request.is_forced = true;
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, &err), 0);
	assert_int_equal(plan.over, (3145728 - 2516580) * KIB);
	assert_true(plan.is_risky);
	assert_string_equal(told(&plan), "ratio 50>5 memory 0>2");
	/* What the hint offers is accepted. */
	request = (struct overcommit_request){.mode = OVERCOMMIT_NEVER, .ratio = -1, .kbytes = 1};
	assert_true(overcommit_plan_make(&now, &request, &plan, &err) < 0);
	request.kbytes = strtoll(strstr(err.hint, "--kbytes ") + strlen("--kbytes "), NULL, 10);
	overcommit_plan_clear(&plan);
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, &err), 0);
	/* A tenth more than the largest number is the largest number. */
	overcommit_plan_clear(&plan);
	now.committed = UINT64_MAX;
	assert_true(overcommit_plan_make(&now, &request, &plan, &err) < 0);
	assert_non_null(strstr(err.hint, "--kbytes 18014398507384831;"));
	now.committed = plain.committed;
	/* In the other modes the limit is only told. */
	overcommit_plan_clear(&plan);
	request = (struct overcommit_request){.mode = OVERCOMMIT_ALWAYS, .ratio = 1, .kbytes = -1};
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, &err), 0);
	assert_int_equal(plan.over, 0);
}

/* mm/util.c __vm_enough_memory() wants the sum to be below the limit. */
static void calls_a_limit_that_is_just_reached_full(void **state)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {.mode = OVERCOMMIT_NEVER, .ratio = -1, .kbytes = -1};
	struct overcommit now = plain;

	(void)state;
	now.committed = overcommit_limit(&now);
	assert_true(overcommit_plan_make(&now, &request, &plan, NULL) < 0);
	now.committed -= 4096;
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
}

static void lets_a_strict_limit_be_raised_though_it_stays_too_low(void **state)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan plan = {.steps = 0};
	struct overcommit_request request = {.mode = -1, .ratio = 11, .kbytes = -1};
	struct overcommit now = plain;

	(void)state;
	now.mode = OVERCOMMIT_NEVER;
	now.ratio = 10;
	assert_int_equal(overcommit_plan_make(&now, &request, &plan, NULL), 0);
	assert_true(plan.over > 0 && !plan.is_risky);
	request.ratio = 9;
	overcommit_plan_clear(&plan);
	assert_true(overcommit_plan_make(&now, &request, &plan, NULL) < 0);
}

/* ---- the file ---- */

#define MARKER "# Written by \"cgpol overcommit set --persist\", which replaces the whole file.\n"

static void writes_the_file_in_the_order_of_the_writes(void **state)
{
	static const struct {
		const char *present;
		struct overcommit_request request;
		const char *text;
	} rows[] = {
		{NULL, {2, 80, -1, false, true}, "vm.overcommit_ratio = 80\nvm.overcommit_memory = 2\n"},
		{NULL, {0, 80, -1, false, true}, "vm.overcommit_memory = 0\nvm.overcommit_ratio = 80\n"},
		{NULL, {-1, -1, 9, false, true}, "vm.overcommit_kbytes = 9\n"},
		{NULL, {1, -1, -1, false, true}, "vm.overcommit_memory = 1\n"},
		/* What was asked before stays, but for what the new value switches off. */
		{MARKER "vm.overcommit_memory = 2",
		 {-1, -1, 9, false, true},
		 "vm.overcommit_kbytes = 9\nvm.overcommit_memory = 2\n"},
		{MARKER "vm.overcommit_kbytes = 9\n\nvm.overcommit_memory = 2\n",
		 {-1, 7, -1, false, true},
		 "vm.overcommit_ratio = 7\nvm.overcommit_memory = 2\n"},
		{MARKER "vm.overcommit_ratio = 9",
		 {0, -1, -1, false, true},
		 "vm.overcommit_memory = 0\nvm.overcommit_ratio = 9\n"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		AUTO(free_p) char *text = NULL;

		assert_int_equal(overcommit_file_text(rows[i].present, &rows[i].request, &text, NULL), 0);
		assert_memory_equal(text, MARKER, strlen(MARKER));
		assert_string_equal(text + strlen(MARKER), rows[i].text);
	}
}

static void keeps_off_a_file_of_others(void **state)
{
	static const char *const texts[] = {
		"",
		"vm.overcommit_memory = 1\n",
		"# mine\n" MARKER,
		MARKER "vm.swappiness = 1\n",
		MARKER "vm.overcommit_memory = 3\n",
		MARKER "vm.overcommit_memory = 1 2\n",
		MARKER "vm.overcommit_ratio = -1\n",
		MARKER "vm.overcommit_ratio\n",
		MARKER "vm.overcommit_kbytes = 0\n",
		MARKER "# a remark\n",
	};
	struct overcommit_request request = {.mode = 1, .ratio = -1, .kbytes = -1};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct cgpol_error err = {0};
		char *text = NULL;

		assert_true(overcommit_file_text(texts[i], &request, &text, &err) < 0);
		assert_int_equal(err.kind, CGPOL_REFUSED);
		assert_null(text);
	}
}

static void finds_keys_in_a_configuration(void **state)
{
	static const char *const yes[] = {
		"vm.overcommit_ratio=5",
		"  vm.overcommit_ratio = 5\n",
		"-vm/overcommit_ratio = 5",
		"#\n;\nkernel.x = 1\nvm.overcommit_ratio =5",
	};
	static const char *const no[] = {
		"",
		"#vm.overcommit_ratio=5",
		"; vm.overcommit_ratio = 5",
		"vm.overcommit_ratiox = 5",
		"vm.overcommit_rati = 5",
		"x.vm.overcommit_ratio = 5",
		"vm.overcommit_ratio",
		"- = 5",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(yes); i++)
		assert_true(overcommit_conf_has(yes[i], "vm.overcommit_ratio"));
	for (size_t i = 0; i < ARRAY_SIZE(no); i++)
		assert_false(overcommit_conf_has(no[i], "vm.overcommit_ratio"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_real_kernels),
		cmocka_unit_test(takes_huge_pages_of_every_size_off_the_ratio),
		cmocka_unit_test(rounds_as_the_kernel_does),
		cmocka_unit_test(bears_figures_beyond_all_machines),
		cmocka_unit_test(leaves_the_reserve_to_administrators),
		cmocka_unit_test(knows_the_batch),
		cmocka_unit_test(names_the_modes),
		cmocka_unit_test(puts_the_limit_in_force_before_the_mode_never),
		cmocka_unit_test(knows_that_ratio_and_kbytes_switch_each_other_off),
		cmocka_unit_test(refuses_what_would_fail_every_request),
		cmocka_unit_test(calls_a_limit_that_is_just_reached_full),
		cmocka_unit_test(lets_a_strict_limit_be_raised_though_it_stays_too_low),
		cmocka_unit_test(writes_the_file_in_the_order_of_the_writes),
		cmocka_unit_test(keeps_off_a_file_of_others),
		cmocka_unit_test(finds_keys_in_a_configuration),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
