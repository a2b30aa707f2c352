/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Global options, finding the command, printing errors once, the exit code. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/text.h"
#include "cmd.h"

static const char *const color_words[] = {"auto", "always", "never", NULL};

const struct opt cli_options[] = {
	{"root", 0, OPT_STRING, OPT_AT(cli, root), "DIR", NULL, "read a capture instead of this machine"},
	{"record", 0, OPT_STRING, OPT_AT(cli, record), "DIR", NULL, "make a capture of all that is read"},
	{"state", 0, OPT_STRING, OPT_AT(cli, state), "DIR", NULL,
	 "where changes are written down, to be undone"},
	{"json", 'J', OPT_FLAG, OPT_AT(cli, json), NULL, NULL, "print one JSON document"},
	{"dry-run", 0, OPT_FLAG, OPT_AT(cli, dry_run), NULL, NULL, "change nothing, only tell"},
	{"verbose", 'v', OPT_FLAG, OPT_AT(cli, verbose), NULL, NULL,
	 "show each read and each change on stderr"},
	{"quiet", 'q', OPT_FLAG, OPT_AT(cli, quiet), NULL, NULL, "no remarks on stderr, only errors"},
	{"color", 0, OPT_ENUM, OPT_AT(cli, color), "WHEN", color_words, "auto, always or never"},
	{"help", 'h', OPT_FLAG, OPT_AT(cli, help), NULL, NULL, "show this help"},
	{"version", 'V', OPT_FLAG, OPT_AT(cli, version), NULL, NULL, "show the version"},
	{0},
};

bool cli_has_color(const struct cli *cli, FILE *file)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (cli->color != CLI_COLOR_AUTO)
		return cli->color == CLI_COLOR_ALWAYS;
	return !(no_color && *no_color) && term && strcmp(term, "dumb") != 0 && isatty(fileno(file));
}

void cli_print_error(const struct cli *cli, const struct cgpol_error *err)
{
	bool color = cli_has_color(cli, stderr);
	char text[4 * sizeof(err->text)];

	(void)fprintf(stderr, "%scgpol:%s %s\n", color ? "\033[31m" : "", color ? "\033[m" : "",
		      text_escape(err->text, text, sizeof(text)));
	if (*err->hint)
		(void)fprintf(stderr, "%s\n", text_escape(err->hint, text, sizeof(text)));
}

void cli_note(const struct cli *cli, const char *format, ...)
{
	va_list arguments;

	if (cli->quiet)
		return;
	(void)fputs("cgpol: ", stderr);
	va_start(arguments, format);
	(void)vfprintf(stderr, format, arguments);
	va_end(arguments);
	(void)fputc('\n', stderr);
}

static void trace(void *arg, const char *op, const char *path, int result)
{
	size_t size = 4 * strlen(path) + 1;
	AUTO(free_p) char *text = malloc(size);
	const char *name = result < 0 ? error_name(-result) : NULL;

	(void)arg;
	if (text)
		(void)fprintf(stderr, "%s %s%s%s\n", op, text_escape(path, text, size), name ? ": " : "",
			      name ? name : "");
}

int cli_host(struct cli *cli, struct cgpol_host **host, struct cgpol_error *err)
{
	if (!cli->host) {
		int rc = host_open(cli->root, cli->record, &cli->host, err);

		if (rc < 0)
			return rc;
		if (cli->verbose)
			host_trace(cli->host, trace, NULL);
	}
	*host = cli->host;
	return 0;
}

int cli_print_json(struct cli *cli, struct json *json)
{
	int rc = json_print(json, cli->out);

	cli->has_document = rc == 0;
	return rc;
}

static int run_command(struct cli *cli, struct opt_parser *parser, struct cgpol_error *err)
{
	const struct cmd *command = cli->command;
	AUTO(free_p) void *config = calloc(1, command->config_size + 1);
	int rc;

	if (!config)
		return -ENOMEM;
	if (command->defaults)
		memcpy(config, command->defaults, command->config_size);
	parser->table[1] = parser->table[0];
	parser->config[1] = parser->config[0];
	parser->table[0] = command->options;
	parser->config[0] = config;
	parser->command = command->name;
	parser->stop_at_word = command->stops_at_word;
	rc = opt_parse(parser, &cli->words, err);
	for (; command->stops_at_word && parser->argv[parser->at]; parser->at++)
		if (opt_words_add(&cli->words, parser->argv[parser->at]) < 0)
			return -ENOMEM;
	if (rc == 0 && cli->help)
		cmd_print_help(command, cli->out);
	else if (rc == 0 && cli->version)
		(void)fputs("cgpol " CGPOL_VERSION "\n", cli->out);
	else if (rc == 0)
		rc = command->run(cli, config, err);
	opt_clear(command->options, config);
	return rc;
}

static int run(struct cli *cli, char **argv, struct cgpol_error *err)
{
	struct opt_parser parser = {
		.table = {cli_options}, .config = {cli}, .argv = argv, .at = 1, .stop_at_word = true};
	struct cgpol_error later = {0};
	const char *name;
	int rc = opt_parse(&parser, &cli->words, err);

	name = argv[parser.at];
	if (rc == 0 && !name && cli->version) {
		(void)fputs("cgpol " CGPOL_VERSION "\n", cli->out);
		return 0;
	}
	if (rc == 0 && !name && cli->help) {
		cmd_print_help(NULL, cli->out);
		return 0;
	}
	if (!name) {
		if (rc == 0) {
			rc = error_set(err, EINVAL, CGPOL_USAGE, "no command given");
			error_detail(err, NULL, NULL, "\"cgpol help\" lists the commands");
		}
		return rc;
	}
	if (rc == 0)
		cli->command = cmd_find(name, err);
	parser.at++;
	if (cli->command)
		return run_command(cli, &parser, err);
	/* Only to learn whether the failure has to be told as JSON too. */
	parser.stop_at_word = false;
	(void)opt_parse(&parser, &cli->words, &later);
	return rc < 0 ? rc : -EINVAL;
}

static int finish_host(struct cli *cli, struct cgpol_error *err)
{
	int rc = 0;

	if (cli->host) {
		rc = host_finish(cli->host, err);
		cgpol_host_free(cli->host);
		cli->host = NULL;
	}
	return rc;
}

static int print_document(const struct cgpol_error *err)
{
	AUTO(json_free_p) struct json *json = json_new();

	if (!json)
		return -ENOMEM;
	json_put_error(json, err);
	return json_print(json, stdout);
}

/* Writes what was collected, or with --json the error when there is no document of the command's own. */
static int write_out(const struct cli *cli, int rc, const char *text, size_t size,
		     const struct cgpol_error *err)
{
	int failed = 0;

	errno = 0;
	if (rc < 0 && cli->json && !cli->has_document)
		failed = print_document(err) < 0;
	else
		failed = fwrite(text, 1, size, stdout) != size;
	/* A full disk shows at the latest when the file is closed. */
	if (fflush(stdout) != 0 || fclose(stdout) != 0 || failed)
		return errno ? -errno : -EIO;
	return 0;
}

/* Files opened later must not take the place of a standard stream that the caller closed. */
static int fill_streams(void)
{
	int closed = 0;

	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0) {
			(void)epoll_create1(EPOLL_CLOEXEC);
			if (fd == STDOUT_FILENO)
				closed = -EBADF;
		}
	return closed;
}

static int exit_code(const struct cli *cli, int rc, struct cgpol_error *err)
{
	if (rc == 0)
		return cli->status;
	if (!*err->text)
		error_set(err, -rc, CGPOL_FAILED, "%s", strerror(-rc));
	if (!cli->is_told)
		cli_print_error(cli, err);
	if (cli->status)
		return cli->status;
	if (cli->command && cli->command->failure)
		return cli->command->failure;
	return err->kind ? err->kind : CGPOL_FAILED;
}

int cli_main(int argc, char **argv)
{
	struct cgpol_error err = {0}, late = {0};
	struct cli cli = {0};
	AUTO(free_p) char *text = NULL;
	size_t size = 0;
	int out = fill_streams(), rc, code, end;

	if (argc < 1)
		return CGPOL_USAGE;
	/* A limit of the size of files shows as EFBIG where it is met, with a sentence. */
	(void)signal(SIGXFSZ, SIG_IGN);
	cli.argv = argv;
	cli.out = open_memstream(&text, &size);
	rc = cli.out ? run(&cli, argv, &err) : -ENOMEM;
	code = exit_code(&cli, rc, &err);
	end = finish_host(&cli, &late);
	if (rc == 0 && end < 0) {
		cli.has_document = false;
		rc = end;
		code = exit_code(&cli, rc, &late);
		err = late;
	}
	if (cli.out && fclose(cli.out) != 0 && rc == 0)
		code = exit_code(&cli, rc = -ENOMEM, &err);
	free(cli.words.word);
	if (out == 0)
		out = write_out(&cli, rc, text ? text : "", size, &err);
	/* A command that is started has its own standard output. */
	if (out < 0 && !(cli.command && cli.command->stops_at_word)) {
		(void)fprintf(stderr, "cgpol: cannot write to standard output: %s\n", strerror(-out));
		return rc < 0 ? code : CGPOL_FAILED;
	}
	return code;
}
