"""What the kernel says of a process, and where programs run."""

import os
from pathlib import Path

# A pair of CPUs: one for the server, one for the load. With one CPU both share it.
CPUS = sorted(os.sched_getaffinity(0))
SERVER, LOAD = CPUS[0], CPUS[-1]


def pinned(cpu, *command):
    """`command` on that CPU alone; taskset becomes it, so that its process id is the program's."""
    return ["taskset", "--cpu-list", str(cpu), *map(str, command)]


def cpu_seconds(pid):
    """The processor time of all threads so far, in seconds, to the nanosecond."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def private_kib(pid, kinds=("Private_Clean", "Private_Dirty")):
    """Memory that no other process shares, in KiB. What is clean of it are pages of files, most of
    them the program's own code, which the kernel takes back whenever it needs them."""
    total = 0
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        name, _, rest = line.partition(":")
        if name in kinds:
            total += int(rest.split()[0])
    return total


def wake_ups(pid):
    """How often its threads have been put on a CPU so far."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        for line in (task / "status").read_text().splitlines():
            if line.startswith(("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")):
                total += int(line.split()[1])
    return total


def load_average():
    return os.getloadavg()[0]
