/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which cpus and nodes a command will have: by the cpuset asked for, by the nearest one above, or by the
 * caller. */
#include "test.h"

#include "act/places.h"
#include "base/cleanup.h"
#include "fakekernel.h"
#include "fakeroot.h"
#include "host/host.h"

static struct root *root;
static struct cgpol_host *host;
static struct places places;

static void put_self(const char *file, const char *text)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", root->facts.self, file);
	fakekernel_put(root, path, text);
}

static int make_with(const char *controllers)
{
	root = fakekernel_new(controllers);
	fakekernel_put(root, "/sys/devices/system/cpu/isolated", "3\n");
	put_self("cgroup", "0::/own/deep\n");
	put_self("oom_score_adj", "0\n");
	put_self("status",
		 "Name:\tx\nState:\tR (running)\nTgid:\t1\nPid:\t1\nPPid:\t0\nMems_allowed_list:\t1\n");
	return host_open_root(root, &host, NULL);
}

static int make(void **state)
{
	(void)state;
	return make_with(NULL);
}

static int drop(void **state)
{
	(void)state;
	places_clear(&places);
	cgpol_host_free(host);
	return 0;
}

static void expect_set(const struct nodeset *set, const char *list)
{
	AUTO(free_p) char *text = nodeset_format(set);

	assert_string_equal(text, list);
}

static void expect_nodes(const struct place *place, const char *list, const char *from)
{
	struct cgpol_error err = {0};

	places_clear(&places);
	if (places_read_nodes(host, place, &places, &err) < 0)
		fail_msg("%s", err.text);
	expect_set(&places.mems_allowed, list);
	if (from)
		assert_string_equal(places.mems_from, from);
	else
		assert_null(places.mems_from);
}

static void the_machine_when_nothing_narrows(void **state)
{
	(void)state;
	expect_nodes(&(struct place){.cgroup = "/new/deep"}, "0-1", NULL);
	expect_set(&places.memory_nodes, "0-1");
	expect_set(&places.possible_nodes, "0-3");
	assert_int_equal(places_read_cpus(host, &(struct place){.cgroup = "/new"}, &places, NULL), 0);
	expect_set(&places.cpus_allowed, "0-3");
	expect_set(&places.possible_cpus, "0-7");
	expect_set(&places.isolated_cpus, "3");
	assert_null(places.cpus_from);
}

static void the_nearest_cpuset_above(void **state)
{
	(void)state;
	fakekernel_cgroup(root, "/a", "cpuset.mems=1", "cpuset.cpus=1-2", NULL);
	fakekernel_cgroup(root, "/a/b", NULL);
	expect_nodes(&(struct place){.cgroup = "/a/b"}, "1", "/a");
	expect_nodes(&(struct place){.cgroup = "/a/b/new/deep"}, "1", "/a");
	assert_int_equal(places_read_cpus(host, &(struct place){.cgroup = "/a/new"}, &places, NULL), 0);
	expect_set(&places.cpus_allowed, "1-2");
	assert_string_equal(places.cpus_from, "/a");
}

static void what_is_asked_for_counts_first(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset one = {0, NULL}, none = {0, NULL};

	(void)state;
	fakekernel_cgroup(root, "/a", "cpuset.mems=0", NULL);
	assert_int_equal(nodeset_add(&one, 1), 0);
	/* one without memory is not effective */
	assert_int_equal(nodeset_add(&one, 2), 0);
	expect_nodes(&(struct place){.cgroup = "/a/new", .mems = &one}, "1", "/a/new");
	/* empty: as above it */
	expect_nodes(&(struct place){.cgroup = "/a/new", .mems = &none}, "0", "/a");
}

static void without_a_cgroup_the_own_one_counts(void **state)
{
	const struct place own = {.cgroup = NULL};

	(void)state;
	fakekernel_cgroup(root, "/own", "cpuset.mems=0", NULL);
	expect_nodes(&own, "0", "/own");
	put_self("cgroup", "0::/../elsewhere\n");
	expect_nodes(&own, "1", NULL);
}

static void without_a_cpuset_mems_allowed_counts(void **state)
{
	(void)state;
	places_clear(&places);
	cgpol_host_free(host);
	assert_int_equal(make_with("memory"), 0);
	expect_nodes(&(struct place){.cgroup = "/new"}, "1", NULL);
	assert_int_equal(places_read_cpus(host, &(struct place){.cgroup = "/new"}, &places, NULL), 0);
	expect_set(&places.cpus_allowed, "0-3");
	put_self("status", "nonsense\n");
	expect_nodes(&(struct place){.cgroup = "/new"}, "0-1", NULL);
}

static void the_score_and_the_right_to_lower_it(void **state)
{
	struct preflight preflight = {.adj_min = 7};

	(void)state;
	root->facts.caps = 1ULL << 24;
	root->facts.initial_userns = true;
	put_self("oom_score_adj", "-500\n");
	assert_int_equal(places_read_adj(host, &places, NULL), 0);
	assert_true(places.has_sys_resource);
	assert_int_equal(places.adj_min, -500);
	root->facts.initial_userns = false;
	put_self("oom_score_adj", "200\n");
	assert_int_equal(places_read_adj(host, &places, NULL), 0);
	assert_false(places.has_sys_resource);
	assert_int_equal(places.adj_min, 0);
	places_lend(&places, &preflight);
	assert_int_equal(preflight.adj_min, 0);
	put_self("oom_score_adj", "much\n");
	assert_true(places_read_adj(host, &places, NULL) < 0);
}

static void old_kernels_need_the_effective_sets(void **state)
{
	AUTO(nodeset_clear_p) struct nodeset mems = {0, NULL}, cpus = {0, NULL};

	(void)state;
	fakekernel_cgroup(root, "/a", "cpuset.mems=1", "cpuset.cpus=1-2", NULL);
	assert_int_equal(places_read_effective(host, "/a/below", &mems, &cpus), 0);
	expect_set(&mems, "1");
	expect_set(&cpus, "1-2");
	host->minor = 4; /* 6.4 */
	assert_int_equal(places_read_effective(host, "/a", &mems, &cpus), -ENOENT);
	host->minor = 1;
	host->has_cpuset = false;
	assert_int_equal(places_read_effective(host, "/a", &mems, &cpus), -ENOENT);
}

static void each_read_may_fail(void **state)
{
	unsigned failed = 0;

	(void)state;
	fakekernel_cgroup(root, "/a", "cpuset.mems=1", NULL);
	for (unsigned n = 1; n <= 8; n++) {
		struct cgpol_error err = {0};
		int rc;

		places_clear(&places);
		fakekernel_fail_nth(root, FAKEKERNEL_READS, n, ENOMEM);
		rc = places_read_nodes(host, &(struct place){.cgroup = "/a"}, &places, &err);
		if (rc == 0)
			rc = places_read_cpus(host, &(struct place){.cgroup = "/a"}, &places, &err);
		failed += rc == -ENOMEM;
		fakekernel_fail_nth(root, FAKEKERNEL_READS, 0, 0);
	}
	assert_int_equal(failed, 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)

/* Distributions carry modes back: the kernel's own answer counts. */
static void a_mode_is_proven_by_the_kernel_alone(void **state)
{
	struct mempolicy policy = {.mode = MEMPOLICY_PREFERRED_MANY};
	struct root *plain = fakeroot_new();
	struct cgpol_host *asked;

	(void)state;
	assert_int_equal(host_open_root(plain, &asked, NULL), 0);
	fakeroot_set_probe(plain, "mempolicy:preferred_many", 0);
	fakeroot_set_probe(plain, "mempolicy:preferred_many=balancing", -EINVAL);
	assert_true(places_prove(asked, &policy));
	policy.flags = MEMPOLICY_BALANCING;
	assert_false(places_prove(asked, &policy));
	policy = (struct mempolicy){.mode = MEMPOLICY_WEIGHTED_INTERLEAVE};
	assert_false(places_prove(asked, &policy)); /* not asked: a capture */
	policy.mode = MEMPOLICY_LOCAL;
	assert_false(places_prove(asked, &policy));
	cgpol_host_free(asked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_machine_when_nothing_narrows),	    TEST(the_nearest_cpuset_above),
		TEST(what_is_asked_for_counts_first),	    TEST(without_a_cgroup_the_own_one_counts),
		TEST(without_a_cpuset_mems_allowed_counts), TEST(the_score_and_the_right_to_lower_it),
		TEST(old_kernels_need_the_effective_sets),  TEST(each_read_may_fail),
		TEST(a_mode_is_proven_by_the_kernel_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
