"""A damaged or full state directory, seen from outside."""

import os
import sqlite3
import subprocess

import pytest
from harness.api import Session, path
from harness.programs import Daemon, Node
from harness.site import state, target
from harness.waiting import until


def fill(folder):
    with open(folder / "filler", "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 512)
        except OSError:
            pass


@pytest.fixture
def disk(home):
    """A small file system. Only root can mount one."""
    folder = home / "disk"
    folder.mkdir()
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m,mode=0700", "tmpfs", folder]).returncode == 0
    if not mounted:
        pytest.skip("a full disk is made with a small tmpfs, which only root mounts")
    yield folder
    subprocess.run(["umount", "-l", folder])


@pytest.mark.parametrize("damage", ["header", "page", "short", "text"])
def test_a_damaged_record_is_set_aside(daemon, node, damage):
    """C-134: it starts, says what it did, and keeps the old files."""
    session = Session(daemon, node)
    for _ in range(30):
        session.start()
    assert daemon.stop() == 0
    file = daemon.state / "ledger.db"
    data = bytearray(file.read_bytes())
    if damage == "header":
        data[:100] = bytes(100)
    elif damage == "page":
        middle = len(data) // 8192 * 4096
        data[middle:middle + 4096] = bytes(4096)
    elif damage == "short":
        data = data[:10]
    else:
        data = bytearray(b"a text file\n")
    file.write_bytes(data)
    daemon.start()
    assert daemon.status["state"] == {"health": "ok", "reset": True}
    assert session.get("/v1/session").status == 401
    aside = sorted(name for name in os.listdir(daemon.state) if ".corrupt-" in name)
    assert aside and (daemon.state / aside[0]).read_bytes() == data
    errors = [line for line in daemon.log.splitlines() if "error: the database was damaged" in line]
    assert len(errors) == 1
    Session(daemon, node).start()
    daemon.restart()
    assert daemon.status["state"] == {"health": "ok", "reset": False}


def test_a_newer_versions_record_is_left_alone(daemon):
    assert daemon.stop() == 0
    file = daemon.state / "ledger.db"
    with sqlite3.connect(file) as connection:
        connection.execute("PRAGMA user_version = 999")
    connection.close()
    before = file.read_bytes()
    daemon.spawn()
    assert daemon.wait() == 74
    assert "STATE_UNAVAILABLE" in daemon.log and "newer version" in daemon.log
    assert file.read_bytes() == before


def test_a_full_disk_at_start(disk, programs):
    """C-126, by hand: it says so and ends."""
    fill(disk)
    daemon = programs(Daemon, "--state-dir", disk)
    daemon.spawn()
    assert daemon.wait() == 74
    assert "STATE_UNAVAILABLE" in daemon.log and "ENOSPC" in daemon.log
    (disk / "filler").unlink()
    daemon.start()
    assert daemon.status["state"]["health"] == "ok"


def test_a_disk_that_fills_up(disk, programs):
    """C-127, with the rule that a verdict is durable before anybody hears of it."""
    node, daemon = programs(Node), programs(Daemon, "--state-dir", disk).start()
    session = Session(daemon, node)
    view = session.start()
    etag = session.get(path(view["requestId"]))["ETag"]
    fill(disk)
    node.decide(view["requestId"])
    # The log has room for a few more.
    refused = until(
        lambda: next((a for a in [session.post(
            "/v1/requests", {"request": {"kind": "createOrg", "name": "x" * 900}, "open": True})]
            if a.status == 503), None),
        "a start is refused")
    assert refused.code == "STATE_UNAVAILABLE" and "ENOSPC" in refused.json()["detail"]
    current = session.request(view["requestId"])
    if current["state"] == "started":
        page = daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
        assert state(page) == "not-confirmed" and page.status == 502
        assert daemon.status["state"]["health"] == "read-only"
    (disk / "filler").unlink()
    while session.request(view["requestId"])["state"] == "started":
        session.wait(view["requestId"], etag, 10)
    assert session.request(view["requestId"])["state"] in ("approved", "replaced")
    assert session.start()["state"] == "started"
    assert daemon.status["state"]["health"] == "ok"
