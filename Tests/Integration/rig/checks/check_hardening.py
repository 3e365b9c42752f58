"""Each directive of the unit by what it does to the running process, not by how it is written.

What only the process itself could show is shown by a program in its place, under the same
`[Service]` section.
"""

import ctypes
import json
import os
import re
import signal
import subprocess

import pytest
from harness.api import Session

from .service import HOME, SERVICE, UNITS, systemctl


def status_of(pid):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


# What the running daemon shows

def test_the_running_process(service):
    pid = service.wake()
    status = status_of(pid)
    assert status["NoNewPrivs"] == "1"              # NoNewPrivileges=
    assert status["Seccomp"] == "2"                 # SystemCallFilter= and what is like it
    assert status["Umask"] == "0077"                # UMask=
    limits = open(f"/proc/{pid}/limits").read()     # LimitCORE=
    assert re.search(r"Max core file size +0 +0 ", limits)
    assert status["CapEff"].strip("0") == ""
    threads = os.listdir(f"/proc/{pid}/task")
    for thread in threads:
        assert status_of(f"{pid}/task/{thread}")["Seccomp"] == "2"


def test_no_other_process_of_the_same_person_reads_its_memory(service, node):
    """The session's tokens are in there."""
    Session(service, node)
    pid = service.wake()
    for name in ("mem", "maps", "environ", "auxv", "pagemap", "stack", "syscall"):
        with pytest.raises(OSError):
            open(f"/proc/{pid}/{name}", "rb").read(1)
    with pytest.raises(OSError):
        os.listdir(f"/proc/{pid}/fd")
    with pytest.raises(OSError):
        os.readlink(f"/proc/{pid}/exe")
    libc = ctypes.CDLL(None, use_errno=True)
    attach, seize = 16, 0x4206
    for request in (attach, seize):
        assert libc.ptrace(request, pid, None, None) == -1
        assert ctypes.get_errno() == 1, "EPERM"

    class Vector(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    here = ctypes.create_string_buffer(16)
    local = Vector(ctypes.addressof(here), 16)
    # Where the program lies does not matter: the permission comes before the address.
    remote = Vector(0x400000, 16)
    for call in (libc.process_vm_readv, libc.process_vm_writev):
        assert call(pid, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0) == -1
        assert ctypes.get_errno() == 1, "EPERM"
    # A descriptor of its, by pidfd_getfd(2).
    pidfd = os.pidfd_open(pid)
    assert libc.syscall(438, pidfd, 3, 0) == -1
    assert ctypes.get_errno() == 1, "EPERM"
    os.close(pidfd)


def test_a_crash_leaves_no_core_and_comes_back(service):
    pid = service.wake()
    os.kill(pid, signal.SIGSEGV)
    service.another_than(pid)
    assert not [name for name in os.listdir(HOME) if name.startswith("core")]


# What the process itself would see

PROBE = r"""
import ctypes, errno, json, mmap, os, socket, sys, threading
libc = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = libc.syscall(number, *arguments)
    return "ok" if result >= 0 else errno.errorcode[ctypes.get_errno()]
def attempt(body):
    try:
        body()
        return "ok"
    except OSError as error:
        return errno.errorcode[error.errno]
def write_and_execute():
    libc.mmap.restype = ctypes.c_void_p
    base = libc.mmap(None, 4096, 7, 0x22, -1, 0)
    return "ok" if base not in (None, ctypes.c_void_p(-1).value) else errno.errorcode[ctypes.get_errno()]
def execute_later():
    libc.mmap.restype = ctypes.c_void_p
    base = libc.mmap(None, 4096, 3, 0x22, -1, 0)
    return "ok" if libc.mprotect(ctypes.c_void_p(base), 4096, 5) == 0 else errno.errorcode[ctypes.get_errno()]
def set_id(bits):
    open("probe-file", "w").close()
    return attempt(lambda: os.chmod("probe-file", bits))
def memory_secret():
    return call(447, 0)
os.chdir(os.environ["HOME"])
facts = {
    "write and execute": write_and_execute(),
    "execute what was written": execute_later(),
    "socket unix": attempt(lambda: socket.socket(socket.AF_UNIX).close()),
    "socket inet": attempt(lambda: socket.socket(socket.AF_INET).close()),
    "socket inet6": attempt(lambda: socket.socket(socket.AF_INET6).close()),
    "socket netlink": attempt(lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW).close()),
    "socket packet": attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM).close()),
    "socket vsock": attempt(lambda: socket.socket(40, socket.SOCK_STREAM).close()),
    "socket alg": attempt(lambda: socket.socket(38, socket.SOCK_SEQPACKET).close()),
    "user namespace": attempt(lambda: libc.unshare(0x10000000) and (_ for _ in ()).throw(OSError(ctypes.get_errno(), ""))),
    "mount namespace": attempt(lambda: libc.unshare(0x00020000) and (_ for _ in ()).throw(OSError(ctypes.get_errno(), ""))),
    "real time": attempt(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))),
    "set user id": set_id(0o4755),
    "set group id": set_id(0o2755),
    "personality": call(135, 0x0008),
    "ptrace": call(101, 0, 0, 0, 0),
    "bpf": call(321, 0, 0, 0),
    "perf_event_open": call(298, 0, 0, -1, -1, 0),
    "mount": call(165, 0, 0, 0, 0, 0),
    "chroot": call(161, b"/"),
    "setuid": call(105, os.getuid()),
    "reboot": call(169, 0, 0, 0, 0),
    "init_module": call(175, 0, 0, 0),
    "keyctl": call(250, 0, 0, 0, 0, 0),
    "kexec_load": call(246, 0, 0, 0, 0),
    "swapon": call(167, 0, 0),
    "memfd_secret": memory_secret(),
    "landlock": call(444, 0, 0, 1),
    "raise own limit of files": call(302, 0, 7, 0, 0),
    "core limit": list(__import__("resource").getrlimit(4)),
    "umask": os.umask(0o22),
    "core filter": open("/proc/self/coredump_filter").read().strip(),
    "seccomp": [line.split()[1] for line in open("/proc/self/status") if line.startswith("Seccomp:")][0],
    "privileges": [line.split()[1] for line in open("/proc/self/status") if line.startswith("NoNewPrivs:")][0],
}
open(sys.argv[1], "w").write(json.dumps(facts))
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.connect(os.environ["NOTIFY_SOCKET"])
s.send(b"READY=1")
threading.Event().wait()
"""

# Directive, what it is to keep from happening (or not to disturb), and how the kernel answers.
EFFECTS = [
    ("NoNewPrivileges=yes", "privileges", "1"),
    ("UMask=0077", "umask", 0o77),
    ("LimitCORE=0", "core limit", [0, 0]),
    ("CoredumpFilter=0", "core filter", "00000000"),
    ("MemoryDenyWriteExecute=yes", "write and execute", "EPERM"),
    ("MemoryDenyWriteExecute=yes", "execute what was written", "EPERM"),
    ("RestrictAddressFamilies=", "socket unix", "ok"),
    ("RestrictAddressFamilies=", "socket inet", "ok"),
    ("RestrictAddressFamilies=", "socket inet6", "ok"),
    ("RestrictAddressFamilies=", "socket netlink", "ok"),
    ("RestrictAddressFamilies=", "socket packet", "EAFNOSUPPORT"),
    ("RestrictAddressFamilies=", "socket vsock", "EAFNOSUPPORT"),
    ("RestrictAddressFamilies=", "socket alg", "EAFNOSUPPORT"),
    ("RestrictNamespaces=yes", "user namespace", "EPERM"),
    ("RestrictNamespaces=yes", "mount namespace", "EPERM"),
    ("RestrictRealtime=yes", "real time", "EPERM"),
    ("RestrictSUIDSGID=yes", "set user id", "EPERM"),
    ("RestrictSUIDSGID=yes", "set group id", "EPERM"),
    ("LockPersonality=yes", "personality", "EPERM"),
    ("SystemCallFilter=", "seccomp", "2"),
    ("SystemCallFilter=", "memfd_secret", "ok"),
    ("SystemCallFilter=", "landlock", "ok"),
    ("SystemCallFilter=", "raise own limit of files", "ok"),
    *[("SystemCallFilter=", name, "EPERM") for name in (
        "ptrace", "bpf", "perf_event_open", "mount", "chroot", "setuid", "reboot", "init_module",
        "kexec_load", "swapon")],
]

# What changes when its line is taken out: so the kernel's answer is the directive's doing, and
# not that of being nobody special.
BY_ITSELF = [
    ("UMask=", "umask"), ("CoredumpFilter=", "core filter"),
    ("MemoryDenyWriteExecute=", "write and execute"), ("RestrictNamespaces=", "user namespace"),
    ("RestrictSUIDSGID=", "set user id"), ("LockPersonality=", "personality"),
    ("RestrictAddressFamilies=", "socket packet"),
]


def probe(service, scratch, without=()):
    """What a program in the daemon's place finds, with some lines taken out of the unit."""
    unit = UNITS / SERVICE
    original = unit.read_text()
    lines = [line for line in original.splitlines() if not line.startswith(tuple(without))]
    program, found = scratch / "probe.py", scratch / "found"
    program.write_text(PROBE)
    found.unlink(missing_ok=True)
    unit.write_text("\n".join(lines) + "\n")
    service.drop_in(f"[Service]\nExecStart=\nExecStart=/usr/bin/python3 {program} {found}\n")
    try:
        systemctl("restart", SERVICE)
        return json.loads(found.read_text())
    finally:
        unit.write_text(original)
        service.drop_in("")
        systemctl("stop", SERVICE)


@pytest.fixture
def facts(service, scratch):
    return probe(service, scratch)


def test_each_directive_has_its_effect(facts):
    wrong = [(directive, what, facts[what], expected)
             for directive, what, expected in EFFECTS if facts[what] != expected]
    assert wrong == []


def test_an_effect_is_its_directives(service, scratch):
    with_all = probe(service, scratch)
    # A directive that is implemented by a filter is backed by the general one, so all are out.
    without = probe(service, scratch, without=[name for name, _ in BY_ITSELF] + [
        "SystemCallFilter=", "SystemCallErrorNumber=", "SystemCallArchitectures="])
    same = [(name, what, without[what]) for name, what in BY_ITSELF if with_all[what] == without[what]]
    assert same == []


def test_programs_of_another_architecture_do_not_run(service, facts):
    """SystemCallArchitectures=native: the filter is of one architecture and refuses the others."""
    assert facts["seccomp"] == "2"
    assert service.show("SystemCallArchitectures") == "native"


def test_every_directive_of_the_unit_is_tested(service):
    tested = {name.partition("=")[0] for name, _, _ in EFFECTS} | {
        # Tested by what they do in the other files, and by the test above.
        "Type", "ExecStart", "ExecReload", "Sockets", "Restart", "RestartSec",
        "RestartPreventExitStatus", "TimeoutStartSec", "TimeoutStopSec", "WatchdogSec",
        "WatchdogSignal", "FileDescriptorStoreMax", "SystemCallArchitectures",
        "SystemCallErrorNumber"}
    section = (UNITS / SERVICE).read_text().split("[Service]")[1].split("[Install]")[0]
    names = {line.partition("=")[0] for line in section.splitlines()
             if "=" in line and not line.startswith("#")}
    assert names == tested
    assert "PrivateUsers" not in names


# Landlock, from inside

def test_it_reads_and_writes_its_own_files_only(service, scratch, node):
    """What a fault in the daemon could do with the person's files. Its configuration is read by
    name, so a link in its place makes it try."""
    service.wake()
    confined = service.said("confined to its own files by Landlock")
    assert confined["PRIORITY"] == "6"
    secret = HOME / "private-key"
    secret.write_text("[Daemon]\nLogLevel=debug\n")
    service.configuration.parent.mkdir(parents=True, exist_ok=True)
    service.configuration.unlink(missing_ok=True)
    service.configuration.symlink_to(secret)
    service.kill(signal.SIGHUP)
    refused = service.said("cannot be read: open: Permission denied")
    assert str(service.configuration) in refused["MESSAGE"]
    service.configuration.unlink()
    # The same text in the place that is its own is read.
    service.configure("[Daemon]\nLogLevel=debug\n")
    service.kill(signal.SIGHUP)
    service.said("the configuration was read again")
    # And all that it is for works.
    session = Session(service, node)
    view = session.start()
    node.decide(view["requestId"])
    session.post(f"/v1/requests/{view['requestId']}/return", {"url": "app:/"})
    assert session.decided(view["requestId"], "approved")


def test_state_that_is_made_anew_is_used_by_a_new_process(service):
    """The rule was for the directory that was there."""
    service.state.mkdir(parents=True)
    (service.state / "ledger.db").mkdir()
    assert service.api.post("/v1/sessions", {}).status == 503
    pid = service.pid
    (service.state / "ledger.db").rmdir()
    os.rename(service.state, service.state.with_name("old"))
    answer = service.api.post("/v1/sessions", {})
    assert answer.status == 422, answer
    assert service.pid != pid
    subprocess.run(["rm", "-rf", service.state.with_name("old")])
