/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who may have processes, threads and controllers in the fake kernel: domains and threaded cgroups. The rules
 * are those of kernel/cgroup/cgroup.c. */
#include "fakedomain.h"

#include <errno.h>
#include <string.h>

bool fakedomain_parse(const char *text, unsigned *plus, unsigned *minus)
{
	char *copy = faketree_must(strdup(text)), *save = NULL;
	bool is_good = true;

	for (char *word = strtok_r(copy, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		bool is_minus = *word == '-';
		unsigned bit = fakevalue_controller(*word == '+' || is_minus ? word + 1 : word);

		is_good = is_good && bit != 0;
		*(is_minus ? minus : plus) |= bit;
		*(is_minus ? plus : minus) &= ~bit;
	}
	free(copy);
	return is_good;
}

char *fakedomain_format(unsigned controllers)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = faketree_must(open_memstream(&text, &size));
	const char *blank = "";

	for (size_t i = 0; fakevalue_controllers[i]; i++) {
		if (controllers & 1U << i) {
			(void)fprintf(out, "%s%s", blank, fakevalue_controllers[i]);
			blank = " ";
		}
	}
	(void)fclose(out);
	return faketree_must(text);
}

/* cgroup_control(): threaded cgroups have threaded controllers only. */
unsigned faketree_controllers(const struct cgroup_tree *tree, const struct cgroup *cgroup)
{
	if (!cgroup->parent)
		return tree->available;
	return cgroup->is_threaded ? cgroup->parent->subtree & FAKEVALUE_THREADED : cgroup->parent->subtree;
}

bool faketree_is_populated(const struct cgroup *cgroup)
{
	if (cgroup->tasks > 0)
		return true;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (faketree_is_populated(child))
			return true;
	}
	return false;
}

static bool is_thread_root(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return false;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (child->is_threaded)
			return true;
	}
	return cgroup->tasks > 0 && (cgroup->subtree & FAKEVALUE_THREADED);
}

static bool can_be_thread_root(const struct cgroup *cgroup)
{
	if (!cgroup->parent)
		return true;
	if (cgroup->is_threaded)
		return false;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (!child->is_threaded && faketree_is_populated(child))
			return false;
	}
	return !(cgroup->subtree & ~(unsigned)FAKEVALUE_THREADED);
}

static bool is_valid_domain(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return false;
	for (cgroup = cgroup->parent; cgroup; cgroup = cgroup->parent) {
		if (cgroup->is_threaded || (cgroup->parent && is_thread_root(cgroup)))
			return false;
	}
	return true;
}

const struct cgroup *fakedomain_of(const struct cgroup *cgroup)
{
	while (cgroup->is_threaded)
		cgroup = cgroup->parent;
	return cgroup;
}

const char *fakedomain_type(const struct cgroup *cgroup)
{
	if (cgroup->is_threaded)
		return "threaded";
	if (!is_valid_domain(cgroup))
		return "domain invalid";
	return is_thread_root(cgroup) ? "domain threaded" : "domain";
}

/* cgroup_migrate_vet_dst() */
int fakedomain_vet_entry(const struct cgroup *cgroup)
{
	if (!is_valid_domain(fakedomain_of(cgroup)))
		return -EOPNOTSUPP;
	if (can_be_thread_root(cgroup) || cgroup->is_threaded)
		return 0;
	return cgroup->subtree ? -EBUSY : 0;
}

/* cgroup_vet_subtree_control_enable() */
static int vet_enable(const struct cgroup *cgroup, unsigned enable)
{
	if (!enable)
		return 0;
	if (!is_valid_domain(fakedomain_of(cgroup)))
		return -EOPNOTSUPP;
	if (!cgroup->parent)
		return 0;
	if (enable & ~(unsigned)FAKEVALUE_THREADED) {
		if (is_thread_root(cgroup) || cgroup->is_threaded)
			return -EOPNOTSUPP;
	} else if (can_be_thread_root(cgroup) || cgroup->is_threaded) {
		return 0;
	}
	return cgroup->tasks > 0 ? -EBUSY : 0;
}

/* The state of a controller that is switched off is lost; so are the owners of its files. */
static void forget_values(struct cgroup *cgroup, unsigned controllers)
{
	for (size_t i = 0; fakevalue_table[i].name; i++) {
		if (fakevalue_bit(&fakevalue_table[i]) & controllers) {
			free(cgroup->value[i]);
			cgroup->value[i] = NULL;
			cgroup->file_owner[i] = cgroup->made_by;
		}
	}
}

/* cgroup_subtree_control_write() */
int fakedomain_write_subtree(struct cgroup_tree *tree, struct cgroup *cgroup, const char *text)
{
	unsigned enable = 0, disable = 0;
	int rc;

	if (!fakedomain_parse(text, &enable, &disable) || (*text && *text != '+' && *text != '-'))
		return -EINVAL;
	enable &= ~cgroup->subtree;
	disable &= cgroup->subtree;
	if (enable & ~faketree_controllers(tree, cgroup))
		return -ENOENT;
	for (const struct cgroup *child = cgroup->child; child; child = child->next) {
		if (child->subtree & disable)
			return -EBUSY;
	}
	rc = vet_enable(cgroup, enable);
	if (rc < 0)
		return rc;
	cgroup->subtree = (cgroup->subtree | enable) & ~disable;
	for (struct cgroup *child = cgroup->child; child; child = child->next)
		forget_values(child, disable);
	return 0;
}

/* cgroup_enable_threaded() */
int fakedomain_write_type(struct cgroup *cgroup, const char *text)
{
	const struct cgroup *domain = fakedomain_of(cgroup->parent);

	if (strcmp(text, "threaded") != 0)
		return -EINVAL;
	if (cgroup->is_threaded)
		return 0;
	if (faketree_is_populated(cgroup) || cgroup->subtree & ~(unsigned)FAKEVALUE_THREADED ||
	    !is_valid_domain(domain) || !can_be_thread_root(domain))
		return -EOPNOTSUPP;
	cgroup->is_threaded = true;
	forget_values(cgroup, ~(unsigned)FAKEVALUE_THREADED);
	return 0;
}
