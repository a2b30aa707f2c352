/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of doctor together: names, order, what is required, and short memory. */
#include "test.h"

#include "base/cleanup.h"
#include "policy/doctor.h"

static int allocations_until_failure;

static bool fails_now(void)
{
	return allocations_until_failure > 0 && --allocations_until_failure == 0;
}

void *__real_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size);
void *__wrap_reallocarray(void *p, size_t count, size_t size)
{
	return fails_now() ? NULL : __real_reallocarray(p, count, size);
}

int __real_vasprintf(char **text, const char *format, va_list arguments);
int __wrap_vasprintf(char **text, const char *format, va_list arguments);
int __wrap_vasprintf(char **text, const char *format, va_list arguments)
{
	return fails_now() ? -1 : __real_vasprintf(text, format, arguments);
}

FILE *__real_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size);
FILE *__wrap_open_memstream(char **text, size_t *size)
{
	return fails_now() ? NULL : __real_open_memstream(text, size);
}

/* A machine with v1 memory, of whose system calls none works. */
static void make_ill(struct facts *facts)
{
	static char locked[] = "/cg", name[] = "/", empty[] = "", mount[] = "/cg", list[] = "0";
	static struct facts_cgroup level = {.name = name, .controllers = empty, .locked = locked};
	static struct facts_killer killer = {7, "earlyoom"};

	*facts = (struct facts){.self.uid = 5,
				.is_asked = true,
				.cgroup2 = mount,
				.cgroup2_root = name,
				.level = &level,
				.levels = 1,
				.has_nodes = true,
				.memory_nodes = 1,
				.with_memory = list,
				.memoryless = empty,
				.cpuless = empty,
				.killer = &killer,
				.killers = 1};
	for (size_t i = 0; i < FACTS_PROBES; i++)
		facts->probe[i] = -EPERM;
	assert_int_equal(
		mounts_parse("1 1 0:1 / /m rw - cgroup c rw,memory\n1 1 0:2 / /cg rw - cgroup2 c rw\n",
			     &facts->mounts),
		0);
}

static const char *const all_names[] = {
	"controller.memory",
	"controller.cpuset",
	"controller.cpu",
	"controller.io",
	"controller.pids",
	"controller.hugetlb",
	"cgroup2.mode",
	"cgroup2.mount",
	"cgroup2.writable",
	"cgroup2.nsdelegate",
	"cgroup2.memory_recursiveprot",
	"cgroup2.memory_hugetlb_accounting",
	"cgroup2.namespace",
	"delegation",
	"privileges",
	"pidfd",
	"clone3.into_cgroup",
	"set_mempolicy",
	"get_mempolicy",
	"mempolicy.bind",
	"mempolicy.bind.static",
	"mempolicy.bind.relative",
	"mempolicy.bind.balancing",
	"mempolicy.preferred",
	"mempolicy.preferred_many",
	"mempolicy.preferred_many.balancing",
	"mempolicy.interleave",
	"mempolicy.weighted_interleave",
	"mempolicy.local",
	"home_node",
	"process_mrelease",
	"seccomp",
	"systemd",
	"numa.nodes",
	"numa.memoryless",
	"numa.balancing",
	"psi",
	"swap",
	"oom.killers",
	"vm.overcommit_memory",
	"vm.panic_on_oom",
	"vm.oom_kill_allocating_task",
	"vm.zone_reclaim_mode",
	"vm.min_free_kbytes",
	"kernel.numa_balancing",
	"isolated_cpus",
};

static void names_are_stable_and_stand_once_each(void **state)
{
	struct facts facts = {0};
	struct doctor doctor;

	(void)state;
	for (int is_ill = 0; is_ill < 2; is_ill++) {
		if (is_ill)
			make_ill(&facts);
		assert_int_equal(doctor_examine(&facts, &doctor), 0);
		assert_int_equal(doctor.rows, ARRAY_SIZE(all_names));
		for (size_t i = 0; i < doctor.rows; i++)
			assert_string_equal(doctor.row[i].name, all_names[i]);
		doctor_clear(&doctor);
		mounts_clear(&facts.mounts);
	}
}

static void only_these_six_are_required(void **state)
{
	static const char *const names[] = {"controller.memory",  "controller.cpuset", "privileges", "pidfd",
					    "clone3.into_cgroup", "set_mempolicy"};
	struct facts facts;
	struct doctor doctor;
	size_t found = 0;

	(void)state;
	make_ill(&facts);
	assert_int_equal(doctor_examine(&facts, &doctor), 0);
	for (size_t i = 0; i < doctor.rows; i++)
		if (doctor.row[i].is_required)
			assert_string_equal(doctor.row[i].name, names[found++]);
	assert_int_equal(found, ARRAY_SIZE(names));
	assert_int_equal(doctor_required(&doctor, DOCTOR_MISSING), ARRAY_SIZE(names));
	assert_int_equal(doctor_required(&doctor, DOCTOR_OK), 0);
	doctor_clear(&doctor);
	mounts_clear(&facts.mounts);
}

static void what_is_well_needs_no_remedy_and_what_is_missing_has_a_reason(void **state)
{
	struct facts facts;
	struct doctor doctor;

	(void)state;
	make_ill(&facts);
	assert_int_equal(doctor_examine(&facts, &doctor), 0);
	for (size_t i = 0; i < doctor.rows; i++) {
		const struct doctor_row *row = &doctor.row[i];

		assert_true(row->reason && *row->reason != '\0');
		if (row->state != DOCTOR_MISSING && row->state != DOCTOR_LIMITED)
			assert_null(row->remedy);
	}
	doctor_clear(&doctor);
	mounts_clear(&facts.mounts);
}

static void tells_when_memory_is_short(void **state)
{
	struct doctor doctor = {.rows = 4242};
	struct facts facts;
	int n = 0, rc = -ENOMEM;

	(void)state;
	make_ill(&facts);
	while (rc < 0) {
		allocations_until_failure = ++n;
		rc = doctor_examine(&facts, &doctor);
		if (rc < 0) {
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(doctor.rows, 4242);
		}
	}
	allocations_until_failure = 0;
	/* Each row, its reason and some remedies. */
	assert_true((size_t)n > 2 * doctor.rows);
	doctor_clear(&doctor);
	mounts_clear(&facts.mounts);
}

static void states_have_names(void **state)
{
	(void)state;
	assert_string_equal(doctor_state_name(DOCTOR_OK), "ok");
	assert_string_equal(doctor_state_name(DOCTOR_MISSING), "missing");
	assert_string_equal(doctor_state_name(DOCTOR_LIMITED), "limited");
	assert_string_equal(doctor_state_name(DOCTOR_UNKNOWN), "unknown");
	assert_string_equal(doctor_state_name(DOCTOR_INFO), "info");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_stable_and_stand_once_each),
		cmocka_unit_test(only_these_six_are_required),
		cmocka_unit_test(what_is_well_needs_no_remedy_and_what_is_missing_has_a_reason),
		cmocka_unit_test(tells_when_memory_is_short),
		cmocka_unit_test(states_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
