#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes a capture of a small two-node machine that never was: the scenario cgpol exists for.

Node 0 and node 1 have 1 GiB each. a (pid 398) holds 510 MiB on node 0 and nothing on node 1, b (399) is spread
over both, c (412) may only use node 1 and grows. /group/one and /group/two are a memory.oom.group of 401 and
402; /group/memory.max is 300 MiB.

Usage: machine.py DIR [KEY=VALUE...]; a KEY with a slash replaces that file (VALUE "" removes it), "\\n" and
"\\xNN" in VALUE are meant. Keys without one: comm=NAME names process 398, constraint=cpuset|bind|none says how
c is bound, panic=N.
"""
import json
import os
import sys

MIB = 1 << 20
PAGE = 4096
RAM_KIB = 2 * 1024 * 1024

ZONE = """Node {node}, zone   Normal
  per-node stats
      nr_inactive_anon 0
      nr_active_anon 0
      nr_inactive_file 0
      nr_active_file 0
      nr_slab_reclaimable 0
  pages free     {free}
        boost    0
        min      256
        low      320
        high     384
        spanned  262144
        present  262144
        managed  262144
        cma      0
        protection: (0, 0)
  pagesets
    cpu: {node}
              count: 0
              high:  64
              batch: 16
  node_unreclaimable:  0
  start_pfn:           {start}
"""

STATUS = """Name:\t{comm}
Umask:\t0022
State:\tS (sleeping)
Tgid:\t{pid}
Ngid:\t0
Pid:\t{pid}
PPid:\t1
TracerPid:\t0
Uid:\t0\t0\t0\t0
Gid:\t0\t0\t0\t0
VmPeak:\t{rss} kB
VmSize:\t{rss} kB
VmLck:\t0 kB
VmRSS:\t{rss} kB
RssAnon:\t{rss} kB
RssFile:\t0 kB
RssShmem:\t0 kB
VmPTE:\t{pte} kB
VmSwap:\t0 kB
HugetlbPages:\t0 kB
CoreDumping:\t0
Threads:\t1
SigPnd:\t0000000000000000
ShdPnd:\t0000000000000000
Cpus_allowed_list:\t0-1
Mems_allowed_list:\t{mems}
"""

# pid, comm, MiB on node 0, MiB on node 1, mems, policy, cgroup, oom_score_adj
PROCESSES = [
    (1, "init", 1, 0, "0-1", "default", "/", 0),
    (398, "a", 510, 0, "0-1", "default", "/", 0),
    (399, "b", 100, 100, "0-1", "default", "/", 0),
    (401, "one", 120, 0, "0-1", "default", "/group/one", 0),
    (402, "two", 60, 0, "0-1", "default", "/group/two", 0),
    (403, "guard", 700, 0, "0-1", "default", "/", -1000),
    (412, "c", 0, 300, "1", "default", "/c", 0),
]


def processes(options):
    constraint = options.get("constraint", "cpuset")
    for pid, comm, n0, n1, mems, policy, cgroup, adj in PROCESSES:
        if pid == 398:
            comm = options.get("comm", comm)
        if pid == 412 and constraint != "cpuset":
            mems = "0-1"
            policy = "bind:1" if constraint == "bind" else "default"
        yield pid, comm, n0, n1, mems, policy, cgroup, adj


def put_process(files, pid, comm, n0, n1, mems, policy, cgroup, adj):
    base = f"/proc/{pid}"
    rss = (n0 + n1) * 1024
    escaped = comm.replace("\\", "\\\\").replace("\n", "\\n")  # in status; stat has the bytes as they are
    status = STATUS.format(comm=escaped, pid=pid, rss=rss, pte=64, mems=mems)
    pages = "".join(f" N{i}={n * MIB // PAGE}" for i, n in enumerate((n0, n1)) if n)
    maps = f"00400000 {policy} file=/bin/x\n10000000 {policy} heap anon={rss // 4} dirty={rss // 4} active=0{pages}" \
           f" kernelpagesize_kB=4\n7fff0000 {policy} stack\n"
    stat = f"{pid} ({comm}) S 1 {pid} {pid} 0 -1 4194304 " + "0 " * 12 + f"{pid * 10} {rss * 1024} {rss // 4} " + \
           "0 " * 28 + "0\n"
    for where in (base, f"{base}/task/{pid}"):
        files[f"{where}/status"] = status
        files[f"{where}/stat"] = stat
        files[f"{where}/numa_maps"] = maps
        files[f"{where}/statm"] = f"{rss // 4} {rss // 4} 0 1 0 {rss // 4} 0\n"
        files[f"{where}/oom_score_adj"] = f"{adj}\n"
        files[f"{where}/oom_score"] = "0\n" if adj == -1000 else "667\n"
        files[f"{where}/cgroup"] = f"0::{cgroup}\n"
        files[f"{where}/comm"] = comm + "\n"


def put_cgroup(files, name, members, current, limit, group=0, mems="0-1"):
    base = f"/sys/fs/cgroup{name}"
    files[f"{base}/cgroup.controllers"] = "cpuset memory\n"
    files[f"{base}/cgroup.procs"] = "".join(f"{pid}\n" for pid in members)
    files[f"{base}/cpuset.mems.effective"] = mems + "\n"
    files[f"{base}/memory.current"] = f"{current}\n"
    files[f"{base}/memory.max"] = f"{limit}\n"
    files[f"{base}/memory.swap.max"] = "max\n"
    files[f"{base}/memory.swap.current"] = "0\n"
    files[f"{base}/memory.oom.group"] = f"{group}\n"
    files[f"{base}/memory.stat"] = f"anon {current}\nfile 0\ninactive_file 0\nactive_file 0\nslab_reclaimable 0\n"
    files[f"{base}/memory.numa_stat"] = f"anon N0={current} N1=0\nfile N0=0 N1=0\nkernel_stack N0=4096 N1=0\n" \
                                        "shmem N0=0 N1=0\nslab_reclaimable N0=8192 N1=0\n"


def make(options):
    files = {
        "/proc/meminfo": f"MemTotal:       {RAM_KIB} kB\nMemFree:          160000 kB\nSwapTotal:             0 kB\n"
                         "SwapFree:              0 kB\nHugepagesize:       2048 kB\n",
        "/proc/zoneinfo": ZONE.format(node=0, free=20000, start=0) + ZONE.format(node=1, free=20000, start=262144),
        "/proc/self/mountinfo": "20 1 0:1 / / rw - ext4 /dev/vda rw\n"
                                "21 20 0:25 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n",
        "/proc/self/status": "Name:\tcgpol\nCapEff:\t000001ffffffffff\n",
        "/proc/cmdline": "quiet\n",
        "/proc/cgroups": "#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpuset\t0\t5\t1\nmemory\t0\t5\t1\n",
        "/proc/stat": "cpu  0 0 0 0\ncpu0 0 0 0 0\ncpu1 0 0 0 0\n",
        "/proc/vmstat": "pgfault 1\n",
        "/proc/sys/vm/swappiness": "60\n",
        "/proc/sys/vm/panic_on_oom": options.get("panic", "0") + "\n",
        "/proc/sys/vm/oom_kill_allocating_task": "0\n",
        "/sys/devices/system/cpu/online": "0-1\n",
    }
    for name in ("online", "has_memory", "has_normal_memory", "has_cpu"):
        files[f"/sys/devices/system/node/{name}"] = "0-1\n"
    for node in (0, 1):
        base = f"/sys/devices/system/node/node{node}"
        files[f"{base}/cpulist"] = f"{node}\n"
        files[f"{base}/distance"] = "10 20\n" if node == 0 else "20 10\n"
        files[f"{base}/meminfo"] = f"Node {node} MemTotal:        1048576 kB\n"
    for process in processes(options):
        put_process(files, *process)
    files["/sys/fs/cgroup/cgroup.controllers"] = "cpuset memory\n"
    files["/sys/fs/cgroup/cgroup.procs"] = "1\n398\n399\n403\n"
    files["/sys/fs/cgroup/cpuset.mems.effective"] = "0-1\n"
    files["/sys/fs/cgroup/memory.stat"] = "anon 0\nfile 0\ninactive_file 0\nactive_file 0\n"
    files["/sys/fs/cgroup/memory.numa_stat"] = "anon N0=0 N1=0\n"
    put_cgroup(files, "/c", [412], 301 * MIB, "max", mems="1")
    put_cgroup(files, "/group", [], 181 * MIB, 300 * MIB, group=1)
    put_cgroup(files, "/group/one", [401], 121 * MIB, "max")
    put_cgroup(files, "/group/two", [402], 60 * MIB, "max")
    return files


def decode(value):
    return value.encode("utf-8", "surrogateescape").decode("unicode_escape")


def write(directory, arguments):
    """Writes the capture; see above for the arguments."""
    options = dict(argument.split("=", 1) for argument in arguments)
    options = {key: decode(value) for key, value in options.items()}
    files = make(options)
    files.update({key: value for key, value in options.items() if "/" in key})
    for path, text in files.items():
        where = directory + path
        if not text:
            continue
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, "wb") as file:
            file.write(text.encode("latin-1"))
    cgroups = sorted({os.path.dirname(path) for path in files if path.startswith("/sys/fs/cgroup")})
    manifest = {"schema": 1, "kernel": "6.1.0-test", "page_size": PAGE, "time": 1, "uid": 0, "self": 999,
                "capabilities": "000001ffffffffff", "initial_pid_namespace": True,
                "cgroups": {path: inode for inode, path in enumerate(cgroups, 2)}}
    with open(directory + "/manifest.json", "w", encoding="ascii") as file:
        json.dump(manifest, file)


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2:])
