/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as users give them: bytes, units, max, and percentages of something. */
#ifndef CGPOL_POLICY_SIZE_H
#define CGPOL_POLICY_SIZE_H

#include "base/nodeset.h"

enum size_kind {
	SIZE_FIXED,
	SIZE_UNLIMITED,	    /* "max" or "infinity": no limit */
	SIZE_PERCENT,	    /* of the parent's effective limit, or of MemTotal where there is none */
	SIZE_PERCENT_NODES, /* "50% of nodes:0-1": of those nodes' memory */
};

struct size {
	enum size_kind kind;
	uint64_t bytes;
	uint32_t percent_ppm; /* parts per million: 50% is 500000; at most 1000000 */
	struct nodeset nodes; /* SIZE_PERCENT_NODES */
};

/* "1048576", "512M", "1.5GiB" (rounded down to a byte), "max", "infinity", "50%", "12.5%", "50% of
 * nodes:0-1". K M G T, with or without i or iB, are powers of 1024, in either case for the letter; only a
 * lone "m" is refused, which means milli elsewhere. CGPOL_USAGE with the reason otherwise: "KB" (which of
 * 1000 and 1024?), "-1", "0x10", "010", "1e6", "10 0M", more than 2^63 - 1 (-ERANGE). `size` is replaced on
 * success only; zero it before its first use, and give it back with size_clear. */
int size_parse(const char *text, struct size *size, struct cgpol_error *err);
void size_clear(struct size *size);

#endif
