/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Waiting for the command of cgpol run as a shell's user expects: signals and job control.
 *
 * The command stays in our process group, so that the terminal is its terminal and a pipeline is one job.
 * What the terminal sends, it gets itself; what a process sends us is handed on. When it stops we stop too,
 * so that the shell gets the terminal back. There are no handlers: signals are blocked and fetched. */
#include "run.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/* These the terminal sends to every process of the job. */
static const int tty_signals[] = {SIGINT, SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU, SIGHUP, SIGWINCH};

/* Faults of our own, and what cannot be blocked. */
static const int own_signals[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL, SIGTRAP,
				  SIGABRT, SIGSYS, SIGKILL, SIGSTOP};

static bool is_one_of(int sig, const int *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (list[i] == sig)
			return true;
	return false;
}

static bool is_ignored(int sig)
{
	struct sigaction action;

	return sigaction(sig, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* What was ignored when we were started (nohup, a shell's background job) stays ignored, and the command has
 * it so, too: handing it on harms nobody. Not SIGCHLD: the kernel would reap the command without telling us
 * how it ended. */
int run_take_signals(struct run_signals *signals)
{
	(void)sigfillset(&signals->taken);
	(void)sigemptyset(&signals->ignored);
	(void)sigemptyset(&signals->defaults);
	/* main() ignores it for our own files. */
	(void)sigaddset(&signals->defaults, SIGXFSZ);
	for (size_t i = 0; i < sizeof(own_signals) / sizeof(own_signals[0]); i++)
		(void)sigdelset(&signals->taken, own_signals[i]);
	if (is_ignored(SIGCHLD)) {
		(void)sigaddset(&signals->ignored, SIGCHLD);
		if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
			return -errno;
	}
	return sigprocmask(SIG_BLOCK, &signals->taken, &signals->before) < 0 ? -errno : 0;
}

int run_pending(const struct run_signals *signals)
{
	static const int deadly[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;

	if (sigpending(&pending) < 0)
		return 0;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++)
		if (sigismember(&pending, deadly[i]) == 1 && sigismember(&signals->before, deadly[i]) == 0 &&
		    !is_ignored(deadly[i]))
			return deadly[i];
	return 0;
}

/* Stops this process. Not by SIGSTOP: of the others the kernel spares a process group that no shell looks
 * after (kernel/signal.c get_signal, is_current_pgrp_orphaned), which nobody would wake again. */
static void stop_self(int sig)
{
	sigset_t one, before;

	if (sig == SIGSTOP)
		sig = SIGTSTP;
	(void)sigemptyset(&one);
	(void)sigaddset(&one, sig);
	(void)kill(getpid(), sig);
	(void)sigprocmask(SIG_UNBLOCK, &one, &before);
	(void)sigprocmask(SIG_SETMASK, &before, NULL);
}

static void pass_on(const struct run *run, const siginfo_t *info)
{
	bool is_from_process = info->si_code <= 0;
	pid_t pid = run->started.pid;

	/* What is written to a closed pipe, and what the command says to its parent, is not for it. */
	if (is_from_process && (info->si_pid == getpid() || info->si_pid == pid))
		return;
	/* A hangup reaches the leader of the session alone (drivers/tty/tty_jobctrl.c
	 * tty_signal_session_leader). */
	if (!is_from_process && (info->si_signo != SIGHUP || getsid(0) != getpid()) &&
	    is_one_of(info->si_signo, tty_signals, sizeof(tty_signals) / sizeof(tty_signals[0])))
		return;
	/* It has not been waited for, so that the number is still its own. */
	(void)kill(pid, info->si_signo);
}

/* 1: it has ended, 0: it goes on. */
static int look(struct run *run)
{
	for (;;) {
		pid_t pid = wait4(run->started.pid, &run->status, WNOHANG | WUNTRACED, &run->usage);

		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0)
			return -errno;
		if (pid == 0)
			return 0;
		if (!WIFSTOPPED(run->status))
			return 1;
		stop_self(WSTOPSIG(run->status));
	}
}

int run_wait(struct run *run)
{
	for (;;) {
		siginfo_t info = {0};
		int rc = look(run);

		if (rc != 0)
			return rc < 0 ? rc : 0;
		if (sigwaitinfo(&run->signals.taken, &info) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (info.si_signo != SIGCHLD)
			pass_on(run, &info);
	}
}
