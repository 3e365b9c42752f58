"""What the daemon tells a service manager, datagram by datagram."""

import os
import signal
import socket
import struct
import threading
import time
from pathlib import Path

import pytest
from harness.api import Session
from harness.programs import Daemon
from harness.waiting import until


class Manager:
    """A notify socket that keeps each message with its sender and its moment."""

    def __init__(self, home, abstract=False):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.address = f"@mero-test-{os.getpid()}-{id(self)}" if abstract else f"{home}/notify"
        self.socket.bind(self.address.replace("@", "\0", 1) if abstract else self.address)
        self.messages = []
        self.thread = threading.Thread(target=self.collect, daemon=True)
        self.thread.start()

    def collect(self):
        while True:
            text, rights, _, _ = self.socket.recvmsg(4096, 1024)
            if text == b"end":
                return
            pid = next(struct.unpack("3i", data)[0] for _, kind, data in rights
                       if kind == socket.SCM_CREDENTIALS)
            self.messages.append((time.monotonic(), pid, text.decode()))

    def close(self):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(b"end", self.socket.getsockname())
        self.thread.join()
        self.socket.close()

    def catch_up(self):
        """Returns once it has all that was sent before."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.sendto(b"MARK=1", self.socket.getsockname())
        until(lambda: self.times("MARK=1"), "it has the mark")

    def times(self, text):
        return [moment for moment, _, message in self.messages if message == text]

    @property
    def order(self):
        """Without what comes at any time."""
        return [message for _, _, message in self.messages
                if message != "WATCHDOG=1" and not message.startswith(("STATUS=", "FDSTORE"))]


@pytest.fixture
def manager(home):
    made = Manager(home)
    yield made
    made.close()


def managed(programs, manager, **environment):
    return programs(Daemon, environment={"NOTIFY_SOCKET": manager.address} | environment)


@pytest.mark.parametrize("abstract", [False, True], ids=["path", "abstract"])
def test_a_whole_life_comes_from_the_main_process_in_order(
        programs, home, opener, node, abstract):
    """C-083, C-084: the opener says it is ready too, if it is told whom."""
    manager = Manager(home, abstract)
    opener.set('[ -z "$NOTIFY_SOCKET" ] || systemd-notify --ready; env >"$HOME/opener.env"')
    daemon = managed(programs, manager, **opener.environment).start()
    session = Session(daemon, node)
    session.start(open=True)
    opener.page()
    daemon.signal(signal.SIGHUP)
    until(lambda: len(manager.order) >= 3, "it has read its configuration")
    assert session.delete("/v1/session").status == 204
    assert daemon.stop() == 0
    until(lambda: "STOPPING=1" in manager.order, "it says that it stops")
    manager.close()
    assert {pid for _, pid, _ in manager.messages} == {daemon.pid}
    ready, reloading, again, stopping = manager.order
    assert (ready, again, stopping) == ("READY=1", "READY=1", "STOPPING=1")
    assert reloading.startswith("RELOADING=1\nMONOTONIC_USEC=")
    microseconds = int(reloading.split("=")[2])
    assert 0 <= time.monotonic() * 1e6 - microseconds < 60e6
    environment = (daemon.home / "opener.env").read_text()
    assert "NOTIFY_SOCKET" not in environment


def test_a_session_is_put_into_the_store_and_taken_out(programs, manager, node):
    daemon = managed(programs, manager).start()
    session = Session(daemon, node)
    name = f"{session.id}.1"
    until(lambda: manager.times(f"FDSTORE=1\nFDNAME={name}\nFDPOLL=0"), "it is stored")
    session.delete("/v1/session")
    until(lambda: manager.times(f"FDSTOREREMOVE=1\nFDNAME={name}"), "it is taken out")


def pings(manager):
    return manager.times("WATCHDOG=1")


def test_the_watchdog_is_fed_in_time_under_load(programs, manager):
    """C-081 (a)."""
    daemon = managed(programs, manager, WATCHDOG_USEC="3000000").start()
    until(lambda: daemon.status and len(pings(manager)) > 5, "it is fed")
    moments = pings(manager)
    gaps = [later - earlier for earlier, later in zip(moments, moments[1:])]
    # It is fed each second, and whatever a busy machine adds is less than what is allowed.
    assert max(gaps) < 3


def test_a_loop_that_does_not_run_feeds_nothing_and_then_does_at_once(programs, manager):
    """C-081 (b), (c): the first thing after a suspend."""
    daemon = managed(programs, manager, WATCHDOG_USEC="6000000").start()
    until(lambda: pings(manager), "it is fed")
    daemon.signal(signal.SIGSTOP)
    until(lambda: "State:\tT" in Path(f"/proc/{daemon.pid}/status").read_text(), "it stands still")
    manager.catch_up()
    before = len(pings(manager))
    time.sleep(3)
    assert len(pings(manager)) == before
    went_on = time.monotonic()
    daemon.signal(signal.SIGCONT)
    until(lambda: len(pings(manager)) > before, "it is fed again")
    # By its plan alone it would be two seconds later.
    assert pings(manager)[before] - went_on < 1.9


@pytest.mark.parametrize("watchdog, fed, words", [
    ({"WATCHDOG_USEC": "300000", "WATCHDOG_PID": "1"}, False, 0),
    ({"WATCHDOG_USEC": "300000"}, True, 0),
    ({"WATCHDOG_USEC": "abc"}, False, 1),
    ({"WATCHDOG_USEC": "300000", "WATCHDOG_PID": "x"}, False, 1),
    ({"WATCHDOG_USEC": ""}, False, 1),
], ids=str)
def test_settings_that_are_not_ours_or_not_numbers(programs, manager, watchdog, fed, words):
    """C-082."""
    daemon = managed(programs, manager, **watchdog).start()
    if fed:
        until(lambda: pings(manager), "it is fed")
    else:
        time.sleep(0.7)
    assert daemon.status
    assert bool(pings(manager)) == fed
    assert daemon.log.count("the watchdog is not fed") == words


def test_its_own_pid_is_meant(programs, manager):
    """C-082 (b)."""
    daemon = managed(programs, manager, WATCHDOG_USEC="300000")
    daemon.arguments = [
        "python3", "-c",
        "import os, sys; os.environ['WATCHDOG_PID'] = str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])",
        *daemon.arguments]
    daemon.start()
    until(lambda: len(pings(manager)) > 2, "it is fed")
