"""A damaged record, seen from outside."""

import os
import sqlite3

import pytest
from harness.api import Session
from harness.preload import built
from harness.programs import Daemon


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
    assert daemon.status["state"] == {"health": "ok", "reset": True, "unwritten": 0}
    assert session.get("/v1/session").status == 401
    aside = sorted(name for name in os.listdir(daemon.state) if ".corrupt-" in name)
    assert aside and (daemon.state / aside[0]).read_bytes() == data
    errors = [line for line in daemon.log.splitlines() if "error: the database was damaged" in line]
    assert len(errors) == 1
    Session(daemon, node).start()
    daemon.restart()
    assert daemon.status["state"] == {"health": "ok", "reset": False, "unwritten": 0}


def test_what_was_set_aside_is_told_by_the_start_that_succeeds(disk, programs):
    """A full disk kept the new record from being made, or a crash did."""
    daemon = programs(Daemon, "--state-dir", disk.folder).start()
    assert daemon.stop() == 0
    daemon.record.write_bytes(b"a text file\n")
    disk.fill()
    daemon.spawn()
    assert daemon.wait() == 74
    disk.free()
    daemon.start()
    assert daemon.status["state"]["reset"] is True
    assert "error: the database was damaged (found at an earlier start)" in daemon.log
    [aside] = [name for name in os.listdir(disk.folder) if "corrupt" in name]
    assert str(disk.folder / aside) in daemon.log
    assert (disk.folder / aside).read_bytes() == b"a text file\n"
    daemon.restart()
    assert daemon.status["state"]["reset"] is False


@pytest.mark.parametrize("name", ["", "-wal", "-shm", "-journal"])
def test_a_pipe_in_the_place_of_the_record_ends_the_start(daemon, name):
    """Somebody writes to it, or nobody does: reading it would wait for ever."""
    assert daemon.stop() == 0
    pipe = daemon.record.with_name("ledger.db" + name)
    pipe.unlink(missing_ok=True)
    os.mkfifo(pipe)
    for has_writer in (False, True):
        writer = os.open(pipe, os.O_RDWR) if has_writer else None
        daemon.spawn()
        assert daemon.wait() == 74
        assert "STATE_UNAVAILABLE" in daemon.log and "regular file" in daemon.log
        assert pipe.is_fifo()
        if has_writer:
            os.close(writer)


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


def test_a_disk_that_fails_for_a_while_is_no_damage(home, programs, node):
    """SQLite's check says of a page that it could not read that it is broken."""
    bad = {"LD_PRELOAD": built(home, "bad_disk")}
    daemon = programs(Daemon, environment=bad)
    daemon.environment["MERO_BAD_FILE"] = str(daemon.record)
    daemon.start()
    session = Session(daemon, node)
    views = [session.start() for _ in range(30)]
    assert daemon.stop() == 0
    fails = daemon.record.with_name("ledger.db.bad")
    fails.touch()
    daemon.spawn()
    assert daemon.wait() == 74
    assert "STATE_UNAVAILABLE" in daemon.log and "Input/output error" in daemon.log
    assert not [name for name in os.listdir(daemon.state) if ".corrupt-" in name]
    fails.unlink()
    daemon.start()
    assert daemon.status["state"] == {"health": "ok", "reset": False, "unwritten": 0}
    listed = session.get("/v1/requests?limit=200").json()["requests"]
    assert {view["requestId"] for view in listed} == {view["requestId"] for view in views}
