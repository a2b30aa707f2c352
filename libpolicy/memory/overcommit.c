/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overcommit policy: limit, headroom, the error of the kernel's counter, and changing it. What decides is
 * pure; overcommit_plan_read is not. */
#include "memory/overcommit.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "memory/commit.h"

enum { KIB = 1024, PERCENT = 100 };

#define MODE_FILE "/proc/sys/vm/overcommit_memory"
#define RATIO_FILE "/proc/sys/vm/overcommit_ratio"
#define KBYTES_FILE "/proc/sys/vm/overcommit_kbytes"
#define MODE_KEY "vm.overcommit_memory"
#define RATIO_KEY "vm.overcommit_ratio"
#define KBYTES_KEY "vm.overcommit_kbytes"
#define LATE_FILE "/etc/sysctl.conf"

/* ---- arithmetic ---- */

const char *overcommit_mode_name(int mode)
{
	static const char *const names[OVERCOMMIT_MODES] = {"heuristic", "always", "never"};

	return mode >= 0 && mode < OVERCOMMIT_MODES ? names[mode] : "unknown";
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t page_size(const struct overcommit *overcommit)
{
	return overcommit->page_size ? overcommit->page_size : 4 * KIB;
}

uint64_t overcommit_huge(const struct overcommit *overcommit)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < overcommit->pools; i++)
		sum = add(sum, multiply(overcommit->pool[i].size, overcommit->pool[i].count));
	return sum;
}

/* In pages, and wrapping where the kernel's unsigned long does. */
static uint64_t base_pages(const struct overcommit *overcommit)
{
	uint64_t size = page_size(overcommit);

	if (overcommit->kbytes)
		return size >= KIB ? overcommit->kbytes / (size / KIB) : 0;
	return (overcommit->ram / size - overcommit_huge(overcommit) / size) * (uint64_t)overcommit->ratio /
	       PERCENT;
}

uint64_t overcommit_base(const struct overcommit *overcommit)
{
	return multiply(base_pages(overcommit), page_size(overcommit));
}

uint64_t overcommit_limit(const struct overcommit *overcommit)
{
	uint64_t size = page_size(overcommit);

	return multiply(add(base_pages(overcommit), overcommit->swap / size), size);
}

static int64_t difference(uint64_t a, uint64_t b)
{
	uint64_t distance = a > b ? a - b : b - a;

	if (distance > INT64_MAX)
		distance = INT64_MAX;
	return a > b ? (int64_t)distance : -(int64_t)distance;
}

int64_t overcommit_headroom(const struct overcommit *overcommit, bool is_admin)
{
	return difference(overcommit_limit(overcommit),
			  add(overcommit->committed, is_admin ? 0 : overcommit->admin_reserve));
}

uint64_t overcommit_batch(const struct overcommit *overcommit)
{
	/* 4 since 5.9 in the modes that do not enforce the limit. */
	enum { STRICT = 256, LAX = 4, LEAST = 32 };
	uint64_t cpus = overcommit->cpus ? overcommit->cpus : 1;
	bool is_lax = overcommit->has_exact_sum && overcommit->mode != OVERCOMMIT_NEVER;
	uint64_t sized = overcommit->ram / page_size(overcommit) / cpus / (is_lax ? LAX : STRICT);
	uint64_t least = 2 * cpus > LEAST ? 2 * cpus : LEAST;

	if (sized > INT_MAX)
		sized = INT_MAX;
	return sized > least ? sized : least;
}

uint64_t overcommit_error(const struct overcommit *overcommit)
{
	uint64_t cpus = overcommit->cpus ? overcommit->cpus : 1;

	return multiply(multiply(overcommit_batch(overcommit) - 1, cpus), page_size(overcommit));
}

/* meminfo has the count of the default size only, and since 4.20 the sum of all sizes. */
static void guess_pool(const char *meminfo, struct overcommit *made)
{
	uint64_t size = 0, count = 0, all;

	(void)text_field(meminfo, "Hugepagesize", &size);
	(void)text_field(meminfo, "HugePages_Total", &count);
	if (size && text_field(meminfo, "Hugetlb", &all) == 0)
		count = all / size;
	if (size && count)
		made->pool[made->pools++] = (struct overcommit_pool){multiply(size, KIB), count};
}

int overcommit_parse_meminfo(const char *meminfo, struct overcommit *overcommit, struct cgpol_error *err)
{
	struct overcommit made = *overcommit;
	const struct {
		const char *key;
		uint64_t *bytes;
	} fields[] = {
		{"MemTotal", &made.ram},
		{"SwapTotal", &made.swap},
		{"Committed_AS", &made.committed},
		{"CommitLimit", &made.told_limit},
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t kib;

		if (text_field(meminfo, fields[i].key, &kib) < 0) {
			error_set(err, EINVAL, CGPOL_FAILED, "/proc/meminfo has no %s", fields[i].key);
			error_detail(err, "/proc/meminfo", fields[i].key, NULL);
			return -EINVAL;
		}
		*fields[i].bytes = multiply(kib, KIB);
	}
	made.pools = 0;
	guess_pool(meminfo, &made);
	*overcommit = made;
	return 0;
}

/* ---- the plan ---- */

static void clear_step(struct overcommit_step *step)
{
	free(step->old_text);
	free(step->new_text);
}

void overcommit_plan_clear(struct overcommit_plan *plan)
{
	for (size_t i = 0; i < plan->steps; i++)
		clear_step(&plan->step[i]);
	memset(plan, 0, sizeof(*plan));
}

static const char *file_of(const char *key)
{
	if (strcmp(key, MODE_KEY) == 0)
		return MODE_FILE;
	return strcmp(key, RATIO_KEY) == 0 ? RATIO_FILE : KBYTES_FILE;
}

/* The settings as their files have them. The kernel takes every unsigned long as kbytes. */
static char *format_setting(const char *key, const struct overcommit *overcommit)
{
	char text[24];

	if (strcmp(key, KBYTES_KEY) == 0)
		(void)snprintf(text, sizeof(text), "%" PRIu64, overcommit->kbytes);
	else
		(void)snprintf(text, sizeof(text), "%" PRId64,
			       strcmp(key, MODE_KEY) == 0 ? (int64_t)overcommit->mode : overcommit->ratio);
	return strdup(text);
}

static int add_write(struct overcommit_plan *plan, const char *key)
{
	struct overcommit_step step = {
		.op = OVERCOMMIT_WRITE,
		.key = key,
		.file = file_of(key),
		.old_text = format_setting(key, &plan->before),
		.new_text = format_setting(key, &plan->after),
	};

	if (!step.old_text || !step.new_text) {
		clear_step(&step);
		return -ENOMEM;
	}
	plan->step[plan->steps++] = step;
	return 0;
}

/* The ratio or kbytes; writing one sets the other to 0 (mm/util.c overcommit_ratio_handler,
 * overcommit_kbytes_handler). */
static int add_limit(struct overcommit_plan *plan)
{
	const struct overcommit *before = &plan->before, *after = &plan->after;

	if (before->ratio == after->ratio && before->kbytes == after->kbytes)
		return 0;
	return add_write(plan, after->kbytes ? KBYTES_KEY : RATIO_KEY);
}

static int add_mode(struct overcommit_plan *plan)
{
	if (plan->before.mode == plan->after.mode)
		return 0;
	return add_write(plan, MODE_KEY);
}

static int refuse(const struct overcommit_plan *plan, struct cgpol_error *err)
{
	uint64_t limit = overcommit_limit(&plan->after);
	char value[32], hint[160];

	(void)snprintf(value, sizeof(value), "%" PRIu64, limit);
	/* The base that would leave a tenth of what is committed free. */
	(void)snprintf(hint, sizeof(hint),
		       "a limit that leaves room: --kbytes %" PRIu64 "; or add swap, or --force",
		       (add(plan->before.committed, plan->before.committed / 10) -
			(plan->after.swap < plan->before.committed ? plan->after.swap : 0)) /
			       KIB);
	error_set(err, ENOMEM, CGPOL_REFUSED,
		  "refused: %" PRIu64 " KiB are committed, and mode never would allow %" PRIu64
		  " KiB: with %" PRIu64 " KiB too much every fork and allocation would fail",
		  plan->before.committed / KIB, limit / KIB, plan->over / KIB);
	error_detail(err, MODE_FILE, value, hint);
	return -ENOMEM;
}

/* The kernel wants the counter, the request included, to be below the limit; so equal is full. Raising the
 * limit of a mode that is never already makes nothing worse. */
static void weigh(struct overcommit_plan *plan)
{
	uint64_t limit = overcommit_limit(&plan->after);
	bool was_never = plan->before.mode == OVERCOMMIT_NEVER;

	if (plan->after.mode != OVERCOMMIT_NEVER || plan->before.committed < limit)
		return;
	plan->over = plan->before.committed - limit;
	plan->is_risky = !was_never || limit < overcommit_limit(&plan->before);
}

int overcommit_plan_make(const struct overcommit *now, const struct overcommit_request *request,
			 struct overcommit_plan *plan, struct cgpol_error *err)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan made = {.before = *now, .after = *now};
	bool is_limit_first = true;
	int rc;

	if (request->mode >= 0)
		made.after.mode = request->mode;
	if (request->ratio >= 0) {
		made.after.ratio = request->ratio;
		made.after.kbytes = 0;
	} else if (request->kbytes > 0 && (uint64_t)request->kbytes != now->kbytes) {
		made.after.kbytes = (uint64_t)request->kbytes;
		made.after.ratio = 0;
	}
	weigh(&made);
	if (made.is_risky && !request->is_forced)
		return refuse(&made, err);
	if (made.before.mode == OVERCOMMIT_NEVER && made.after.mode != OVERCOMMIT_NEVER)
		is_limit_first = false;
	rc = is_limit_first ? add_limit(&made) : add_mode(&made);
	if (rc == 0)
		rc = is_limit_first ? add_mode(&made) : add_limit(&made);
	if (rc < 0)
		return error_no_memory(err);
	*plan = made;
	made.steps = 0;
	return 0;
}

/* ---- the file ---- */

static const char marker[] =
	"# Written by \"cgpol overcommit set --persist\", which replaces the whole file.\n";

static const char not_ours[] = "holds lines that cgpol did not write";

static int refuse_file(struct cgpol_error *err, const char *what)
{
	error_set(err, EEXIST, CGPOL_REFUSED, "%s %s", OVERCOMMIT_FILE, what);
	error_detail(err, OVERCOMMIT_FILE, NULL,
		     what == not_ours ? "move it to another name in /etc/sysctl.d, or remove it"
				      : "remove it, unless it is to keep such a file from being read");
	return -EEXIST;
}

static bool take_file_line(struct span line, struct overcommit_request *kept)
{
	struct span key, equals, number;
	uint64_t value;

	if (!text_word(&line, &key) || !text_word(&line, &equals) || !span_is(equals, "=") ||
	    !text_word(&line, &number) || span_u64(number, &value) < 0 || value > INT64_MAX ||
	    text_word(&line, &equals))
		return false;
	if (span_is(key, MODE_KEY) && value < OVERCOMMIT_MODES)
		kept->mode = (int)value;
	else if (span_is(key, RATIO_KEY))
		kept->ratio = (int64_t)value;
	else if (span_is(key, KBYTES_KEY) && value)
		kept->kbytes = (int64_t)value;
	else
		return false;
	return true;
}

int overcommit_file_text(const char *present, const struct overcommit_request *request, char **text,
			 struct cgpol_error *err)
{
	struct overcommit_request all = {.mode = -1, .ratio = -1, .kbytes = -1};
	char mode[64] = "", limit[64] = "";
	struct span line;

	if (present && !*present)
		return refuse_file(err, "is empty");
	if (present && (!text_line(&present, &line) || line.size != sizeof(marker) - 2 ||
			memcmp(line.at, marker, line.size) != 0))
		return refuse_file(err, not_ours);
	while (present && text_line(&present, &line))
		if (line.size && !take_file_line(line, &all))
			return refuse_file(err, not_ours);
	if (request->mode >= 0)
		all.mode = request->mode;
	if (request->ratio >= 0 || request->kbytes >= 0) {
		all.ratio = request->ratio;
		all.kbytes = request->kbytes;
	}
	if (all.mode >= 0)
		(void)snprintf(mode, sizeof(mode), MODE_KEY " = %d\n", all.mode);
	if (all.kbytes >= 0)
		(void)snprintf(limit, sizeof(limit), KBYTES_KEY " = %" PRId64 "\n", all.kbytes);
	else if (all.ratio >= 0)
		(void)snprintf(limit, sizeof(limit), RATIO_KEY " = %" PRId64 "\n", all.ratio);
	/* Its lines are done in order: the limit before the mode never. */
	if (asprintf(text, "%s%s%s", marker, all.mode == OVERCOMMIT_NEVER ? limit : mode,
		     all.mode == OVERCOMMIT_NEVER ? mode : limit) < 0)
		return error_no_memory(err);
	return 0;
}

/* sysctl(8) takes "vm/overcommit_ratio" too, and a dash in front: failures do not matter. */
static bool is_assignment(struct span line, const char *key)
{
	struct span word;
	size_t size = strlen(key);

	if (!text_word(&line, &word))
		return false;
	if (word.at[0] == '-')
		word = (struct span){word.at + 1, word.size - 1};
	if (word.size < size || (word.size > size && word.at[size] != '='))
		return false;
	for (size_t i = 0; i < size; i++)
		if (word.at[i] != key[i] && (word.at[i] != '/' || key[i] != '.'))
			return false;
	return word.size > size || (text_word(&line, &word) && word.at[0] == '=');
}

bool overcommit_conf_has(const char *text, const char *key)
{
	struct span line;

	while (text_line(&text, &line))
		if (is_assignment(line, key))
			return true;
	return false;
}

/* Adds the step that saves the file, when its text changes. */
static int add_save(struct root *root, const struct overcommit_request *request, struct overcommit_plan *plan,
		    struct cgpol_error *err)
{
	struct overcommit_step step = {.op = OVERCOMMIT_SAVE, .file = OVERCOMMIT_FILE};
	AUTO(free_p) char *late = NULL;
	size_t size = 0;
	int rc = root_read(root, OVERCOMMIT_FILE, &step.old_text, &size);

	/* A link to /dev/null is how an administrator masks a file (sysctl.d(5)). */
	if (rc == -EINVAL || rc == -EISDIR)
		return refuse_file(err, "is no regular file");
	if (rc < 0 && rc != -ENOENT)
		return commit_blame(OVERCOMMIT_FILE, rc, err);
	if (step.old_text && strlen(step.old_text) != size)
		rc = refuse_file(err, not_ours);
	else
		rc = overcommit_file_text(step.old_text, request, &step.new_text, err);
	if (rc < 0) {
		free(step.old_text);
		return rc;
	}
	if (root_read(root, LATE_FILE, &late, NULL) == 0)
		plan->is_shadowed =
			(request->mode >= 0 && overcommit_conf_has(late, MODE_KEY)) ||
			((request->ratio >= 0 || request->kbytes >= 0) &&
			 (overcommit_conf_has(late, RATIO_KEY) || overcommit_conf_has(late, KBYTES_KEY)));
	/* root_read strips the last newline. */
	size = strlen(step.new_text) - 1;
	if (step.old_text && strlen(step.old_text) == size && memcmp(step.old_text, step.new_text, size) == 0)
		clear_step(&step);
	else
		plan->step[plan->steps++] = step;
	return 0;
}

int overcommit_plan_read(struct cgpol_host *host, const struct overcommit_request *request,
			 struct overcommit_plan *plan, struct cgpol_error *err)
{
	AUTO(overcommit_plan_clear) struct overcommit_plan made = {.steps = 0};
	struct overcommit now;
	int rc = overcommit_read(host, &now, err);

	if (rc == 0)
		rc = overcommit_plan_make(&now, request, &made, err);
	if (rc == 0 && request->is_permanent)
		rc = add_save(host->root, request, &made, err);
	if (rc < 0)
		return rc;
	*plan = made;
	made.steps = 0;
	return 0;
}
