/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A user of the installed library, compiled as C11 and as C++17. */
#include <stdio.h>
#include <string.h>

#include <cgpol/cgpol.h>

/* On any machine: this machine opens and forecasts, and a cgroup that cannot be is refused with a sentence.
 */
int main(void)
{
	struct cgpol_host *host = NULL;
	struct cgpol_usage *usage = NULL;
	struct cgpol_forecast *forecast = NULL;
	struct cgpol_question question = CGPOL_QUESTION_INIT;
	struct cgpol_error err;
	int rc;

	memset(&err, 0, sizeof(err));
	rc = cgpol_host_open(NULL, &host, &err);
	if (rc == 0)
		rc = cgpol_forecast_make(host, &question, &forecast, &err);
	if (rc < 0) {
		fprintf(stderr, "consumer: %s\n", err.text);
		return 1;
	}
	for (size_t i = 0; cgpol_forecast_at(forecast, i); i++)
		printf("%ld %s\n", (long)cgpol_forecast_at(forecast, i)->pid,
		       cgpol_forecast_at(forecast, i)->reason);
	rc = cgpol_usage_read(host, "a/../b", &usage, &err);
	cgpol_forecast_free(forecast);
	cgpol_usage_free(NULL);
	cgpol_host_free(host);
	if (rc >= 0 || usage || !err.text[0]) {
		fprintf(stderr, "consumer: a bad name was not refused\n");
		return 1;
	}
	return 0;
}
