"""A state directory that cannot be written when the daemon starts: it serves what is there."""

import contextlib
import sqlite3

import pytest
from harness import settings
from harness.api import API, Session
from harness.crowd import MIB, Memory
from harness.disk import FailingDisk, SmallDisk
from harness.programs import Daemon
from harness.site import state, target
from harness.waiting import until


class Obstacle:
    """What keeps the daemon from writing, from before its start."""

    def __init__(self, disk, kind):
        self.disk, self.kind = disk, kind

    def come(self):
        self.disk.remount("ro") if self.kind == "read-only" else self.disk.fill()

    def go(self):
        self.disk.remount("rw") if self.kind == "read-only" else self.disk.free()


@pytest.fixture(params=["read-only", "full"])
def obstacle(disk, request):
    return Obstacle(disk, request.param)


@pytest.fixture
def daemon(disk, programs):
    return programs(Daemon, "--state-dir", disk.folder).start()


def copies(daemon):
    """Copies of the record on another disk."""
    return list((daemon.runtime / "mero-consentd").glob("record-*/ledger.db*"))


def renew(session, node):
    tokens = {name: node.ready[name] for name in ("accessToken", "refreshToken")}
    assert session.patch("/v1/session", tokens).status == 200


@pytest.mark.parametrize("ended", ["stop", "kill"])
def test_what_is_there_is_served_and_can_be_decided(obstacle, daemon, node, session, ended):
    """C-136, C-126. After a crash the newest of it is in the log alone."""
    old, view = session.start(), session.start()
    until(lambda: session.request(old["requestId"])["state"] == "replaced", "it is replaced")
    daemon.stop() if ended == "stop" else daemon.kill()
    obstacle.come()
    daemon.start()
    status = daemon.status["state"]
    assert status["health"] == "read-only" and status["reset"] is False and status["reason"]
    listed = session.get("/v1/requests").json()["requests"]
    assert [(v["requestId"], v["state"]) for v in listed] == [
        (view["requestId"], "started"), (old["requestId"], "replaced")]
    renew(session, node)
    asked = node.calls("request")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
    assert session.post("/v1/sessions", session.opening).code == "STATE_UNAVAILABLE"
    assert node.calls("request") == asked
    node.decide(view["requestId"])
    page = daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
    assert state(page) == "approved"
    told = session.request(view["requestId"])
    assert told["state"] == "approved" and told["recorded"] is False
    # No restart is needed.
    pid = daemon.pid
    obstacle.go()
    until(lambda: daemon.status["state"] == {"health": "ok", "reset": False, "unwritten": 0},
          "it can be written again")
    assert "recorded" not in session.request(view["requestId"])
    assert session.start()["state"] == "started"
    assert daemon.pid == pid and daemon.is_running
    assert copies(daemon) == []
    assert daemon.stop() == 0
    with sqlite3.connect(daemon.record) as record:
        states = dict(record.execute("SELECT request_id, state FROM requests"))
    record.close()
    assert states[view["requestId"]] == "approved" and len(states) == 3


def test_a_killed_one_leaves_no_copy_for_good(obstacle, daemon, session):
    """It is memory of the person's until they log out."""
    view = session.start()
    assert daemon.stop() == 0
    obstacle.come()
    daemon.start()
    assert copies(daemon)
    daemon.kill()
    obstacle.go()
    daemon.start()
    assert copies(daemon) == []
    assert session.request(view["requestId"])["state"] == "started"


@pytest.mark.memory
def test_a_large_record_is_not_in_memory(home, programs):
    """Its copy is made a piece at a time."""
    size = 64 * MIB
    disk = SmallDisk(home / "large", 3 * size // 1024)
    try:
        daemon = programs(Daemon, "--state-dir", disk.folder).start()
        assert daemon.stop() == 0
        with contextlib.closing(sqlite3.connect(daemon.record)) as record:
            record.execute("CREATE TABLE ballast (bytes BLOB)")
            for _ in range(size // MIB):
                with record:
                    record.execute("INSERT INTO ballast VALUES (randomblob(?))", (MIB,))
        assert daemon.record.stat().st_size > size
        disk.remount("ro")
        daemon.start()
        assert daemon.status["state"]["health"] == "read-only"
        assert max(copy.stat().st_size for copy in copies(daemon)) > size
        assert Memory(daemon.pid).peak < size // 2
        assert daemon.stop() == 0
    finally:
        disk.close()


def test_it_is_locked_all_the_same(obstacle, daemon, programs, session):
    assert daemon.stop() == 0
    obstacle.come()
    daemon.start()
    second = programs(Daemon, "--state-dir", daemon.record.parent)
    second.spawn()
    assert second.wait() == 75 and "ALREADY_RUNNING" in second.log
    assert daemon.stop() == 0
    assert copies(daemon) == []


def test_where_there_is_no_record_it_says_so_and_ends(obstacle, programs):
    """C-126, by hand. Nothing could be served."""
    obstacle.come()
    daemon = programs(Daemon, "--state-dir", obstacle.disk.folder)
    daemon.spawn()
    assert daemon.wait() == 74
    assert "STATE_UNAVAILABLE" in daemon.log
    assert ("ENOSPC" if obstacle.kind == "full" else "Read-only file system") in daemon.log
    obstacle.go()
    daemon.start()
    assert daemon.status["state"]["health"] == "ok"


def test_a_damaged_record_that_cannot_be_set_aside_is_no_empty_one(obstacle, daemon, session):
    """C-136: never an empty list without an error."""
    session.start()
    assert daemon.stop() == 0
    with open(daemon.record, "r+b") as file:
        file.write(bytes(100))
    obstacle.come()
    daemon.spawn()
    assert daemon.wait() == 74 and "STATE_UNAVAILABLE" in daemon.log


def test_a_session_of_the_configuration_works_as_it_was(obstacle, disk, node, programs, home):
    """Also after a logout, which takes its key away: a new one is published when it is recorded."""
    daemon = programs(Daemon, "--state-dir", disk.folder)
    token = settings.write(home / "token", node.ready["accessToken"])
    settings.configure(daemon, settings.session("work", node, TokenFile=token))
    key = settings.published(daemon, "work")
    daemon.start()
    session = API(daemon.socket, key.read_text().strip())
    view = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}}).json()
    assert daemon.stop() == 0
    key.unlink()
    obstacle.come()
    daemon.start()
    # Its tokens were read, and the decision is found.
    node.decide(view["requestId"])
    until(lambda: daemon.status["state"]["unwritten"] == 1, "the decision is found")
    assert not key.exists()
    obstacle.go()
    until(key.exists, "a key is published")
    session = API(daemon.socket, key.read_text().strip())
    until(lambda: daemon.status["state"]["unwritten"] == 0, "it is written")
    assert session.get(f"/v1/requests/{view['requestId']}").json()["state"] == "approved"


@pytest.fixture
def failing(home):
    disk = FailingDisk(home / "failing")
    yield disk
    disk.close()


def test_a_disk_that_becomes_read_only_while_it_works(failing, node, programs):
    """As the kernel does when a disk fails: nothing is lost, and nothing told is taken back."""
    daemon = programs(Daemon, "--state-dir", failing.folder).start()
    session = Session(daemon, node)
    view = session.start()
    failing.fail()
    asked = node.calls("request")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
    assert node.calls("request") == asked
    assert daemon.status["state"]["health"] == "read-only"
    node.decide(view["requestId"])
    page = daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
    assert state(page) == "approved"
    told = session.request(view["requestId"])
    assert told["state"] == "approved" and told["recorded"] is False
    # A start on it serves what is there, and what was told.
    daemon.restart(kill=True)
    again = session.request(view["requestId"])
    assert again["state"] == "approved" and again["decidedAt"] == told["decidedAt"]
    assert daemon.stop() == 0
    failing.repair()
    daemon.start()
    until(lambda: daemon.status["state"] == {"health": "ok", "reset": False, "unwritten": 0},
          "it is written")
    written = session.request(view["requestId"])
    assert "recorded" not in written and written["decidedAt"] == told["decidedAt"]
