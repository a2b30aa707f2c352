#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""hostile.py BINARY SCRATCH: captures that lie. Whatever they say: no crash, no hang, a documented exit code, a
sentence when it fails, nothing raw for a terminal, and one document with --json.
"""
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import machine  # noqa: E402

BINARY, SCRATCH = sys.argv[1:3]
QUESTIONS = (["stat", "--json"], ["stat", "--cgroup", "/group"], ["predict", "412", "--all"],
             ["predict", "--json", "--cgroup", "/group/one", "--all"], ["predict", "--system"], ["doctor"],
             ["nodes", "--json"], ["overcommit", "top"])
# Any byte that a terminal could take as more than text; also the C1 controls as UTF-8 writes them.
RAW = re.compile(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
VICTIMS = ("/proc/meminfo", "/proc/zoneinfo", "/proc/self/mountinfo", "/proc/398/status", "/proc/398/stat",
           "/proc/398/numa_maps", "/proc/398/cgroup", "/proc/398/oom_score_adj", "/proc/412/task/412/numa_maps",
           "/sys/devices/system/node/online", "/sys/devices/system/node/has_memory",
           "/sys/devices/system/node/node1/distance", "/sys/fs/cgroup/group/memory.max",
           "/sys/fs/cgroup/group/memory.current", "/sys/fs/cgroup/group/memory.stat",
           "/sys/fs/cgroup/group/memory.numa_stat", "/sys/fs/cgroup/group/one/cgroup.procs",
           "/sys/fs/cgroup/cgroup.controllers", "/manifest.json")


def write(path, data):
    """Replaces a file, which the other captures share."""
    if os.path.lexists(path):
        os.unlink(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def sparse(path):
    write(path, b"")
    os.truncate(path, 100 << 20)


def many_lines(path):
    line = read(path).split(b"\n")[0] + b"\n"
    write(path, line * ((17 << 20) // len(line)))


def fifo(path):
    os.unlink(path)
    os.mkfifo(path)


def directory(path):
    os.unlink(path)
    os.mkdir(path)


def numbers(value):
    return lambda path: write(path, re.sub(rb"[0-9]+", value, read(path)))


LIES = {
    "100 MiB of zeros in": sparse,
    "17 MiB of the first line in": many_lines,
    "random bytes in": lambda path: write(path, os.urandom(100000)),
    "a FIFO in place of": fifo,
    "a directory in place of": directory,
    "nothing in": lambda path: write(path, b""),
    "half of": lambda path: write(path, read(path)[:len(read(path)) // 2]),
    "negative numbers in": numbers(b"-5"),
    "numbers that overflow in": numbers(b"99999999999999999999999999"),
    "the largest numbers in": numbers(b"18446744073709551615"),
    "large signed numbers in": numbers(b"9223372036854775807"),
    "zeros in": numbers(b"0"),
    "a blank line in": lambda path: write(path, b"\n" + read(path)),
    "no last newline in": lambda path: write(path, read(path).rstrip()),
    "a zero byte in": lambda path: write(path, read(path).replace(b" ", b"\0", 1)),
    "escape codes in": lambda path: write(path, read(path).replace(b"\n", b"\x1b[2J\xc2\x9b\n")),
    "a link to a device in place of": lambda path: (os.unlink(path), os.symlink("/dev/zero", path)),
    "a link to itself in place of": lambda path: (os.unlink(path), os.symlink(os.path.basename(path), path)),
}


def put(files):
    return lambda root: [write(root + path, data) for path, data in files.items()]


def nest(root):
    path = root + "/sys/fs/cgroup" + "/dddddddddd" * 200
    os.makedirs(path)


def crowd(root):
    for pid in range(2000, 3000):
        os.makedirs(f"{root}/proc/{pid}")


def loops(root):
    os.symlink("/", root + "/proc/55")
    os.symlink("..", root + "/sys/fs/cgroup/loop")


def rename(comm):
    status = b"Name:\t" + comm.replace(b"\\", b"\\\\").replace(b"\n", b"\\n") + b"\n"

    def change(root):
        for base in ("/proc/398", "/proc/398/task/398"):
            for name, old, new in (("status", b"Name:\ta\n", status), ("stat", b"(a)", b"(" + comm + b")")):
                write(f"{root}{base}/{name}", read(f"{root}{base}/{name}").replace(old, new))
    return change


SCENES = {
    "nodes out of range": put({"/proc/398/numa_maps": b"00400000 default anon=99999999999999999999 "
                               b"N0=99999999999999999999 N4294967295=1 N-1=5 N99999=7 N4095=1 kernelpagesize_kB=4\n"}),
    "sums that overflow": put({"/proc/398/numa_maps": b"00400000 default N0=4503599627370495 kernelpagesize_kB=4\n" *
                               3000}),
    "a name of escape codes": rename(b"\x1b]0;owned\x07\n\x9b31m\xff"),
    "a name of brackets": rename(b") R 1 (("),
    "an empty name": rename(b""),
    "a cgroup that leaves the tree": put({"/proc/398/cgroup": b"0::/../../etc\x1b[31m\n"}),
    "cgroups nested 200 deep": nest,
    "a thousand empty processes": crowd,
    "links that loop": loops,
    "a manifest nested 100000 deep": put({"/manifest.json": b"[" * 100000}),
    "every node there can be": put({"/sys/devices/system/node/online": b"0-4095\n",
                                    "/sys/devices/system/node/has_memory": b"0-4095\n"}),
    "more nodes than there can be": put({"/sys/devices/system/node/online": b"0-4294967295\n",
                                         "/sys/devices/system/node/has_memory": b"0-99999\n"}),
}


def ask(root, question):
    try:
        done = subprocess.run([BINARY, "--root", root] + question, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return "hangs"
    said = done.stderr.decode("utf-8", "replace")[:2000]
    if done.returncode not in (0, 1, 2, 5):
        return f"exit {done.returncode}: {said}"
    # doctor has told, on stdout, what it is that the machine lacks.
    is_told = question == ["doctor"] and done.returncode == 5 and b"missing: " in done.stdout
    if done.returncode and not is_told and not said.startswith("cgpol: "):
        return f"no sentence: {said}"
    if RAW.search(done.stdout) or RAW.search(done.stderr):
        return "raw bytes"
    if "--json" in question:
        try:
            json.loads(done.stdout)
        except ValueError as error:
            return f"no document: {error}"
    return None


def attempt(scene):
    number, (name, change) = scene
    root = f"{SCRATCH}/{number}"
    shutil.copytree(f"{SCRATCH}/good", root, copy_function=os.link)
    try:
        change(root)
        problems = [f"{' '.join(question)}: {problem}" for question in QUESTIONS
                    if (problem := ask(root, question))]
    finally:
        subprocess.run(["rm", "-rf", root], check=True)
    return name, problems


def scenes():
    for name, change in SCENES.items():
        yield name, change
    for victim in VICTIMS:
        for lie, change in LIES.items():
            yield f"{lie} {victim}", lambda root, change=change, victim=victim: change(root + victim)
    for base, _, files in sorted(os.walk(f"{SCRATCH}/good")):
        for file in sorted(files):
            victim = os.path.join(base, file)[len(f"{SCRATCH}/good"):]
            if victim not in VICTIMS and not re.match("/proc/(399|40)", victim):
                yield f"half of {victim}", lambda root, victim=victim: LIES["half of"](root + victim)


os.makedirs(f"{SCRATCH}/good")
machine.write(f"{SCRATCH}/good", [])
FAILED = [q for q in QUESTIONS if ask(f"{SCRATCH}/good", q)]
print("not ok" if FAILED else "ok", "- an honest capture answers all that is asked")
with ThreadPoolExecutor(2) as pool:
    for NAME, PROBLEMS in pool.map(attempt, enumerate(list(scenes()))):
        print("not ok" if PROBLEMS else "ok", "-", NAME)
        for PROBLEM in PROBLEMS:
            print("#", PROBLEM.replace("\n", "\n# "))
