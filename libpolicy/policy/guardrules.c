/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a step would do to those who live there, judged by what was read of them. Pure. */
#include "policy/guardrules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

enum { SIZE_TEXT = 32 };

char *guardrules_show_size(uint64_t bytes, char *text, size_t size)
{
	static const char units[] = "KMGTPE";
	uint64_t unit = 1024;
	size_t i = 0;

	if (bytes < unit) {
		(void)snprintf(text, size, "%" PRIu64, bytes);
		return text;
	}
	while (i + 1 < sizeof(units) - 1 && bytes / 1024 >= unit) {
		unit *= 1024;
		i++;
	}
	/* One digit behind the point, rounded down; none when it is a whole number. */
	if (bytes % unit == 0)
		(void)snprintf(text, size, "%" PRIu64 "%c", bytes / unit, units[i]);
	else
		(void)snprintf(text, size, "%" PRIu64 ".%u%c", bytes / unit,
			       (unsigned)(bytes % unit * 10 / unit), units[i]);
	return text;
}

__attribute__((format(printf, 2, 3))) static void say(struct guard_finding *finding, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(finding->text, sizeof(finding->text), format, args);
	va_end(args);
}

__attribute__((format(printf, 2, 3))) static void advise(struct guard_finding *finding, const char *format,
							 ...)
{
	va_list args;

	va_start(args, format);
	(void)vsnprintf(finding->hint, sizeof(finding->hint), format, args);
	va_end(args);
}

/* What reclaim cannot take, at least. */
static uint64_t floor_of(const struct guardfacts_memory *memory)
{
	uint64_t to_swap = memory->anon < memory->swap_room ? memory->anon : memory->swap_room;
	uint64_t goes = memory->cache + to_swap;

	return goes < memory->current ? memory->current - goes : 0;
}

static const char *why_it_stays(const struct guardfacts_memory *memory)
{
	return memory->swap_room == 0		  ? "anonymous memory, and it has no swap left"
	       : memory->swap_room < memory->anon ? "anonymous memory, and too little swap is left"
						  : "locked, or the kernel's";
}

/* mm/memcontrol.c memory_max_write(): sets the limit, reclaims, and then kills until it holds. */
bool guardrules_max(const struct guardfacts_memory *memory, uint64_t limit, bool is_forced,
		    struct guard_finding *finding)
{
	uint64_t rest = floor_of(memory);
	char now[SIZE_TEXT], most[SIZE_TEXT];

	if (memory->current <= limit)
		return false;
	finding->kind = GUARD_MEMORY_MAX;
	finding->bytes = memory->current - limit;
	finding->is_solved = rest <= limit && !is_forced;
	guardrules_show_size(memory->current, now, sizeof(now));
	guardrules_show_size(rest, most, sizeof(most));
	if (rest <= limit) {
		say(finding, "%s are in use: %s", now,
		    is_forced ? "the kernel reclaims, and kills where that is not enough"
			      : "reclaimed first, so that nobody is killed");
		finding->hint[0] = '\0';
		return true;
	}
	say(finding, "%s are in use, and %s of it cannot be reclaimed (%s): the kernel would kill", now, most,
	    why_it_stays(memory));
	advise(finding,
	       "choose more than %s, give it swap, or end processes first; with --force the kernel kills",
	       most);
	return true;
}

/* mm/memcontrol.c mem_cgroup_handle_over_high(): who allocates above it sleeps, up to 2 s each time, and
 * nobody is ever killed. */
bool guardrules_high(const struct guardfacts_memory *memory, uint64_t limit, struct guard_finding *finding)
{
	uint64_t rest = floor_of(memory);
	char most[SIZE_TEXT];

	if (memory->current <= limit || rest <= limit)
		return false;
	finding->kind = GUARD_MEMORY_STALL;
	finding->bytes = rest - limit;
	finding->is_solved = false;
	guardrules_show_size(rest, most, sizeof(most));
	say(finding,
	    "%s of its memory cannot be reclaimed (%s): its processes would stall without end, and nobody be "
	    "killed",
	    most, why_it_stays(memory));
	advise(finding,
	       "choose more than %s, or give it swap; or set memory.max close above memory.high, which ends "
	       "it "
	       "instead; --force",
	       most);
	return true;
}

bool guardrules_mems(const struct guardfacts_nodes *nodes, struct guard_finding *finding)
{
	AUTO(free_p) char *list = nodeset_format(&nodes->dropped);
	const char *plural = nodeset_count(&nodes->dropped) == 1 ? "" : "s";
	char bytes[SIZE_TEXT];

	if (!nodes->is_populated || nodeset_is_empty(&nodes->dropped) ||
	    (nodes->has_bytes && nodes->bytes == 0))
		return false;
	finding->kind = GUARD_MEMS;
	finding->bytes = nodes->bytes;
	guardrules_show_size(nodes->bytes, bytes, sizeof(bytes));
	finding->is_solved = !nodes->migrates || !nodes->has_bytes;
	if (!nodes->migrates) {
		say(finding, "%s of its memory stay on node%s %.80s: kernels before 5.16 migrate nothing",
		    nodes->has_bytes ? bytes : "parts", plural, list ? list : "?");
		advise(finding, "migratepages moves them, or start it there anew");
	} else if (!nodes->has_bytes) {
		say(finding,
		    "what of its memory lies on node%s %.80s is migrated now; how much cannot be told "
		    "without "
		    "the memory controller",
		    plural, list ? list : "?");
	} else {
		say(finding,
		    "up to %s of its memory lie on node%s %.80s, and would be migrated at once, while its "
		    "processes wait",
		    bytes, plural, list ? list : "?");
		advise(finding, "do it while it is idle, or start it there anew (cgpol run --mems); --force "
				"migrates now");
	}
	return true;
}

/* kernel/cgroup/cpuset.c validate_change(): -ENOSPC */
bool guardrules_empty(const char *what, bool is_populated, struct guard_finding *finding)
{
	if (!is_populated)
		return false;
	finding->kind = GUARD_EMPTY;
	finding->bytes = 0;
	finding->is_solved = false;
	say(finding, "it has processes, and this kernel empties no list under them");
	advise(finding, "name the %s of the cgroup above instead, which is the same for now", what);
	return true;
}

/* kernel/cgroup/cgroup.c cgroup_enable_threaded(), cgroup_is_valid_domain() */
bool guardrules_threads(const struct guardfacts_threads *threads, const char *parent,
			struct guard_finding *finding)
{
	char shown[96];

	/* The real root stays what it is; a domain of threads, and those in it, have changed before. */
	if (strcmp(threads->type, "domain") != 0)
		return false;
	text_escape(parent, shown, sizeof(shown));
	finding->kind = GUARD_THREADED;
	finding->bytes = 0;
	finding->is_solved = threads->busy == 0 && !threads->has_controllers;
	if (threads->has_controllers)
		say(finding,
		    "cgroup %s above it has controllers for whole processes enabled, which threads cannot "
		    "have",
		    shown);
	else if (threads->busy > 0)
		say(finding,
		    "cgroup %s above it turns \"domain threaded\", and its other children \"domain "
		    "invalid\", "
		    "for good: %s%s",
		    shown, threads->names, threads->busy > GUARDFACTS_SHOWN ? " and others" : "");
	else if (threads->others > 0)
		say(finding,
		    "cgroup %s above it turns \"domain threaded\", and its other children, which are empty, "
		    "\"domain invalid\": %s%s",
		    shown, threads->names, threads->others > GUARDFACTS_SHOWN ? " and others" : "");
	else
		say(finding, "cgroup %s above it turns \"domain threaded\" as long as it is there", shown);
	if (!finding->is_solved)
		advise(finding, "make a cgroup of their own for the threads: below a parent that has no "
				"other children");
	return true;
}

bool guardrules_affinity(const struct guardfacts_affinity *affinity, struct guard_finding *finding)
{
	if (affinity->threads == 0)
		return false;
	finding->kind = GUARD_PARTITION;
	finding->bytes = 0;
	finding->is_solved = true;
	say(finding,
	    "%zu thread%s outside may run on its cpus only, and the kernel will move %s elsewhere: %s%s",
	    affinity->threads, affinity->threads == 1 ? "" : "s", affinity->threads == 1 ? "it" : "them",
	    affinity->names, affinity->threads > GUARDFACTS_SHOWN ? " and others" : "");
	advise(finding, "give them other cpus first: cgpol set --pid PID affinity=LIST");
	return true;
}

/* kernel/cgroup/pids.c: the limit is looked at by fork(2) only. */
bool guardrules_pids(uint64_t current, uint64_t limit, struct guard_finding *finding)
{
	if (current <= limit)
		return false;
	finding->kind = GUARD_PIDS;
	finding->bytes = 0;
	finding->is_solved = true;
	say(finding,
	    "it has %" PRIu64 " processes and threads: nothing new can start in it until some have ended",
	    current);
	finding->hint[0] = '\0';
	return true;
}
