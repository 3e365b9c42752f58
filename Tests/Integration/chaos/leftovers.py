"""What must not be left when a round is over."""

import os
from pathlib import Path

from rig.checks.service import HOME, SERVICE


def of_processes(service):
    """One process in the service's control group, and no dead child of anybody's there."""
    faults = []
    group = service.show("ControlGroup")
    pid = service.pid
    if group:
        pids = Path("/sys/fs/cgroup" + group, "cgroup.procs").read_text().split()
        if pids != [str(pid)]:
            faults.append(f"the service's processes are {pids}, and its own is {pid}")
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
            name = (entry / "comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(parent) == pid and state == "Z":
            faults.append(f"{name} is a zombie of the daemon's")
        if name.startswith("mero-consentd") and int(entry.name) != pid:
            faults.append(f"another daemon runs: {entry.name}")
    return faults


def of_store(service, sessions, most):
    """A descriptor a session with tokens, and no other."""
    count = int(service.show("NFileDescriptorStore"))
    if not sessions <= count <= most:
        return [f"the manager keeps {count} descriptors for {sessions} to {most} sessions"]
    return []


def of_crashes():
    return [f"{path} is left of a crash" for folder in (HOME, Path("/tmp"), Path.cwd())
            for path in folder.glob("core*") if os.access(path, os.R_OK) and path.is_file()]


def of_units(service):
    faults = []
    for unit in (SERVICE, "mero-consentd.socket", "mero-consentd-callback.socket",
                 "mero-consentd-callback6.socket"):
        if service.show("ActiveState", unit) not in ("active", "inactive", "reloading"):
            faults.append(f"{unit} is {service.show('ActiveState', unit)}")
    return faults
