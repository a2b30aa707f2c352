/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options as a table: parsing into a config struct, and the help text, from the same rows. */
#ifndef CGPOL_CLI_OPT_H
#define CGPOL_CLI_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <cgpol/cgpol.h>

/* Words of the command line; the array is owned, the words are argv's. */
struct words {
	char **word;
	size_t count;
};

struct pids {
	pid_t *pid; /* each once, in the order given */
	size_t count;
};

/* The type names the member: bool, const char *, struct words, pid_t, struct pids, uint64_t, int, struct
 * opt_int. */
enum opt_type { OPT_FLAG, OPT_STRING, OPT_STRINGS, OPT_PID, OPT_PIDS, OPT_U64, OPT_ENUM, OPT_INT };

/* A whole number that may be negative, and whether it was given. */
struct opt_int {
	int64_t number;
	bool is_set;
};

struct opt {
	const char *name; /* without the dashes; NULL ends a table */
	char letter;	  /* 0: none */
	enum opt_type type;
	size_t offset;		  /* of the member in the config struct */
	const char *value;	  /* what the help calls the value; NULL for a flag */
	const char *const *words; /* OPT_ENUM: ends with NULL; the member gets the index */
	const char *help;	  /* NULL: known, but offered to nobody */
};

#define OPT_AT(config, member) offsetof(struct config, member)
#define OPT_TABLES 2

struct opt_parser {
	const struct opt *table[OPT_TABLES]; /* NULL: unused */
	void *config[OPT_TABLES];
	const char *command; /* for hints; NULL before the command */
	char **argv;	     /* ends with NULL */
	size_t at;	     /* next argument */
	bool stop_at_word;   /* leave the first word that is no option, and all behind it */
};

/* Parses to the end; a mistake does not stop it, so that a later --json is seen, but the first one is what is
 * returned. Words that are no options are appended to `words`. */
int opt_parse(struct opt_parser *parser, struct words *words, struct cgpol_error *err);
/* Gives back what parsing allocated. */
void opt_clear(const struct opt *table, void *config);

int opt_words_add(struct words *words, char *word);
/* A process id as a whole argument. CGPOL_USAGE when it is none; `what` is named in the sentence. */
int opt_pid(const char *what, const char *text, pid_t *pid, struct cgpol_error *err);
int opt_pids_add(struct pids *pids, pid_t pid);
bool opt_is_digits(const char *text);

void opt_print_help(const struct opt *table, FILE *out);

#endif
