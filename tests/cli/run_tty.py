# SPDX-License-Identifier: LGPL-2.1-or-later
"""cgpol run on a terminal: Ctrl-C arrives once, Ctrl-Z and fg work, a stopped command gives the terminal back.

usage: run_tty.py BINARY
"""
import os
import pty
import re
import select
import signal
import sys
import time

cgpol = os.path.realpath(sys.argv[1])
# Whatever started the tests may ignore some of them.
for sig in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
    signal.signal(sig, signal.SIG_DFL)
failed = 0


class Shell:
    """An interactive shell on a terminal of its own."""

    def __init__(self, *argv):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["PS1"] = "ready> "
            os.environ["TERM"] = "dumb"
            os.environ.pop("HISTFILE", None)
            os.environ["cgpol"] = cgpol
            os.execvp(argv[0], argv)
        self.text = ""
        self.seen = 0

    def expect(self, pattern, seconds=15):
        """Waits for a pattern behind what was seen before."""
        end = time.monotonic() + seconds
        while True:
            found = re.compile(pattern).search(self.text, self.seen)
            if found:
                self.seen = found.end()
                return found
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                raise AssertionError(f"no {pattern!r} in {self.text[self.seen:]!r}")
            try:
                data = os.read(self.fd, 4096)
            except OSError:
                data = b""
            if not data:
                raise AssertionError(f"end of the terminal before {pattern!r}: {self.text[self.seen:]!r}")
            self.text += data.decode(errors="replace")

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        try:
            os.kill(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def test(function):
    global failed
    try:
        function()
        print("ok -", function.__doc__)
    except (AssertionError, OSError) as error:
        failed += 1
        print("not ok -", function.__doc__, "::", error)


COUNT = "trap 'n=$((n + 1))' INT; n=0; echo started; for i in 1 2 3 4 5 6; do sleep 0.1; done; echo counted-$n"


def with_shell(argv, body):
    shell = Shell(*argv)
    try:
        shell.expect("ready> ")
        body(shell)
    finally:
        shell.end()


SHELLS = [("bash", "--norc", "--noprofile", "-i"), ("dash", "-i")]


def ctrl_c_arrives_once():
    """Ctrl-C arrives once"""

    def body(shell):
        shell.type(f'"$cgpol" run --no-cgroup bash -c "{COUNT.replace("$", chr(92) + "$")}"; echo status-$?\n')
        shell.expect("started\r\n")
        shell.type("\x03")
        shell.expect("counted-1\r\n")
        shell.expect("status-0")

    with_shell(SHELLS[0], body)


def ctrl_c_ends():
    """Ctrl-C ends the command, with status 130"""

    def body(shell):
        shell.type('"$cgpol" run --no-cgroup sh -c "echo started; exec sleep 100"; echo status-$?\n')
        shell.expect("started\r\n")
        shell.type("\x03")
        shell.expect("status-130")

    for argv in SHELLS:
        with_shell(argv, body)


def ctrl_backslash_ends():
    """Ctrl-\\ ends it with 131"""

    def body(shell):
        shell.type('ulimit -c 0; "$cgpol" run --no-cgroup sh -c "echo started; exec sleep 100"; echo status-$?\n')
        shell.expect("started\r\n")
        shell.type("\x1c")
        shell.expect("status-131")

    with_shell(SHELLS[0], body)


def ctrl_z_and_fg():
    """Ctrl-Z gives the terminal back, fg goes on, the status comes through"""

    def body(shell):
        shell.type('"$cgpol" run --no-cgroup sh -c "echo started; read line; echo read-\\$line; exit 9"; echo status-$?\n')
        shell.expect("started\r\n")
        shell.type("\x1a")
        shell.expect("(?i)stopped")
        shell.expect("ready> ")
        shell.type("echo between\n")
        shell.expect("between\r\n")
        shell.type("fg; echo status-$?\n")
        shell.expect("sh -c")
        shell.type("word\n")
        shell.expect("read-word")
        shell.expect("status-9")

    for argv in SHELLS:
        with_shell(argv, body)


def bg_goes_on():
    """bg lets it go on behind the shell"""

    def body(shell):
        shell.type('"$cgpol" run --no-cgroup sh -c "echo started; sleep 1; echo after-all"\n')
        shell.expect("started\r\n")
        time.sleep(0.3)  # a shell that is stopped while it waits in vfork(2) stays so, whoever started it
        shell.type("\x1a")
        shell.expect("(?i)stopped")
        shell.type("bg\n")
        shell.expect("after-all\r\n")

    with_shell(SHELLS[0], body)


def twice_stopped():
    """it can be stopped more than once, and killed while it is"""

    def body(shell):
        shell.type('"$cgpol" run --no-cgroup sh -c "echo started; exec sleep 100"\n')
        shell.expect("started\r\n")
        for _ in range(2):
            shell.type("\x1a")
            shell.expect("(?i)stopped")
            shell.expect("ready> ")
            shell.type("fg\n")
            shell.expect("sh -c")
            time.sleep(0.2)
        shell.type("\x1a")
        shell.expect("(?i)stopped")
        shell.type("kill %1; fg; echo status-$?\n")
        shell.expect("status-143")

    with_shell(SHELLS[0], body)


def reads_the_terminal():
    """the command reads from the terminal, in a pipeline too"""

    def body(shell):
        shell.type('"$cgpol" run --no-cgroup sh -c "echo started; head -n 1" | tr a-z A-Z; echo status-$?\n')
        shell.expect("started|STARTED")
        shell.type("hello\n")
        shell.expect("HELLO")
        shell.expect("status-0")

    with_shell(SHELLS[0], body)


def hangup_ends():
    """the end of the terminal ends the command"""
    shell = Shell(cgpol, "run", "--no-cgroup", "sh", "-c", "echo pid-$$-; exec sleep 100")
    pid = int(shell.expect(r"pid-(\d+)-").group(1))
    os.close(shell.fd)
    _, status = os.waitpid(shell.pid, 0)
    assert os.waitstatus_to_exitcode(status) == 128 + signal.SIGHUP, status
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return
    raise AssertionError("the command lives")


def stopped_without_a_shell():
    """where no shell looks after it, a stopped command does not stop cgpol for ever"""
    child = os.fork()
    if child == 0:
        os.setsid()
        os.execv(cgpol, [cgpol, "run", "--no-cgroup", "sh", "-c", "kill -STOP $$; exit 6"])
    end = time.monotonic() + 10
    inner = None
    while inner is None and time.monotonic() < end:
        time.sleep(0.02)
        try:
            with open(f"/proc/{child}/task/{child}/children", encoding="ascii") as file:
                words = file.read().split()
            with open(f"/proc/{words[0]}/stat", encoding="ascii") as file:
                inner = int(words[0]) if ") T " in file.read() else None
        except (OSError, IndexError):
            pass
    assert inner, "the command did not stop"
    os.kill(inner, signal.SIGCONT)
    while time.monotonic() < end:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            assert os.waitstatus_to_exitcode(status) == 6, status
            return
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    raise AssertionError("cgpol hangs")


for each in (ctrl_c_arrives_once, ctrl_c_ends, ctrl_backslash_ends, ctrl_z_and_fg, bg_goes_on, twice_stopped,
             reads_the_terminal, hangup_ends, stopped_without_a_shell):
    test(each)
sys.exit(failed != 0)
