#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adds cgroups to a capture that machine.py wrote, with the files that a change of them reads.

The root gets its missing files, then /forest has N cgroups w0, w1, ..., each with every controller, 4 KiB used,
no limits and no processes. Kept short: what is not there cannot be asked for.

Usage: forest.py DIR N [FILE=VALUE...]; a FILE like "forest/w0/memory.max" replaces what is said of one cgroup.
"""
import json
import os
import sys

CONTROLLERS = "cpuset cpu memory pids"
OWN = {
    "cgroup.controllers": CONTROLLERS,
    "cgroup.subtree_control": "",
    "cgroup.type": "domain",
    "cgroup.procs": "",
    "cgroup.events": "populated 0\nfrozen 0",
    "cgroup.freeze": "0",
    "cpuset.cpus": "",
    "cpuset.cpus.effective": "0-1",
    "cpuset.cpus.partition": "member",
    "cpuset.mems": "",
    "cpuset.mems.effective": "0-1",
    "cpu.weight": "100",
    "memory.current": "4096",
    "memory.min": "0",
    "memory.low": "0",
    "memory.high": "max",
    "memory.max": "max",
    "memory.oom.group": "0",
    "memory.swap.max": "max",
    "memory.swap.current": "0",
    "memory.stat": "anon 4096\nfile 0\nshmem 0\nslab_reclaimable 0\ninactive_file 0\nactive_file 0",
    "memory.numa_stat": "anon N0=4096 N1=0\nfile N0=0 N1=0",
    "pids.max": "max",
}
ROOT = {
    "cgroup.controllers": CONTROLLERS,
    "cgroup.subtree_control": CONTROLLERS,
    "cpuset.cpus.effective": "0-1",
    "cpuset.mems.effective": "0-1",
}
SYSTEM = {
    "sys/devices/system/cpu/online": "0-1",
    "sys/devices/system/cpu/possible": "0-3",
    "sys/devices/system/node/online": "0-1",
    "sys/devices/system/node/possible": "0-1",
    "sys/devices/system/node/has_memory": "0-1",
    "sys/devices/system/node/has_normal_memory": "0-1",
    "sys/devices/system/node/has_cpu": "0-1",
}


def put(top, name, text):
    path = os.path.join(top, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text + "\n")


def main():
    top, number = sys.argv[1], int(sys.argv[2])
    files = {}
    for name, text in ROOT.items():
        files["sys/fs/cgroup/" + name] = text
    files.update(SYSTEM)
    cgroups = ["forest"] + [f"forest/w{i}" for i in range(number)]
    for cgroup in cgroups:
        for name, text in OWN.items():
            files[f"sys/fs/cgroup/{cgroup}/{name}"] = text
    files["sys/fs/cgroup/forest/cgroup.subtree_control"] = CONTROLLERS
    for argument in sys.argv[3:]:
        name, text = argument.split("=", 1)
        files["sys/fs/cgroup/" + name] = text
    for name, text in files.items():
        put(top, name, text)
    path = os.path.join(top, "manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    inode = 1000
    for cgroup in cgroups:
        manifest["cgroups"]["/sys/fs/cgroup/" + cgroup] = inode
        inode += 1
    with open(path, "w") as file:
        json.dump(manifest, file)


if __name__ == "__main__":
    main()
