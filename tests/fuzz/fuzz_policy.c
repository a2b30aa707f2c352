/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: settings as "name=value" lines. What a policy keeps it takes again, and it stays the same. */
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Fuzz targets must fail also where NDEBUG is defined. */
static void require(int condition)
{
	if (!condition)
		abort();
}

static void check_round_trip(const struct setting *setting)
{
	struct cgpol_policy *again = NULL;

	if (policy_new(&again) < 0)
		return;
	require(!strpbrk(setting->name, "/\n") && !strchr(setting->value, '\n'));
	require(policy_set_any(again, setting->name, setting->value, NULL) == 0);
	require(strcmp(again->setting[0].value, setting->value) == 0);
	policy_free(again);
}

static void set_line(struct cgpol_policy *policy, char *line)
{
	struct cgpol_error err = {0};
	size_t before = policy->settings;
	char *value = strchr(line, '=');

	if (!value)
		return;
	*value++ = '\0';
	/* A cgroup's settings are some of all. */
	if (policy_set(policy, line, value, &err) < 0 && key_scope_of(line) != KEY_CGROUP)
		require(err.kind == CGPOL_USAGE || err.kind == CGPOL_FAILED);
	err = (struct cgpol_error){0};
	before = policy->settings;
	if (policy_set_any(policy, line, value, &err) == 0) {
		require(policy_get(policy, line) != NULL);
		check_round_trip(policy_get(policy, line));
	} else {
		require(err.text[0] != '\0' && policy->settings == before);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *save = NULL;
	struct cgpol_policy *policy = NULL;

	if (text && policy_new(&policy) == 0) {
		for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
			set_line(policy, line);
	}
	policy_free(policy);
	free(text);
	return 0;
}
