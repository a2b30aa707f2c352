/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Policies in one line for tests. */
#include "policies.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

struct cgpol_policy *policies_make(const char *setting, ...)
{
	struct cgpol_policy *policy = NULL;
	va_list args;

	if (policy_new(&policy) < 0)
		abort();
	va_start(args, setting);
	for (; setting; setting = va_arg(args, const char *)) {
		const char *equals = strchr(setting, '=');
		AUTO(free_p) char *name = strndup(setting, (size_t)(equals - setting));
		struct cgpol_error err = {0};

		if (!name || policy_set(policy, name, equals + 1, &err) < 0) {
			(void)fprintf(stderr, "%s: %s\n", setting, err.text);
			abort();
		}
	}
	va_end(args);
	return policy;
}
