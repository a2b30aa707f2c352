/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sizes as people read them, powers of 1024. */
#ifndef CGPOL_CLI_SIZE_H
#define CGPOL_CLI_SIZE_H

#include <stdint.h>

enum { SIZE_TEXT = 24 };

/* For tables: "512B", "3.9K", "510.3M", "2G". Returns `text`. */
const char *size_short(uint64_t bytes, char text[static SIZE_TEXT]);
/* For sentences: "512 bytes", "3.9 KiB", "510 MiB". Returns `text`. */
const char *size_long(uint64_t bytes, char text[static SIZE_TEXT]);

#endif
