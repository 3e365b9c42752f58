"""A start on a disk that is full, by its socket: whoever comes is told, and nothing is lost."""

import os
import shutil
from pathlib import Path

import pytest
from harness.api import Session
from harness.disk import Disk
from harness.waiting import until

from .service import RUNTIME, SERVICE, systemctl


@pytest.fixture
def disk(service):
    disk = Disk(Path(os.environ["MERO_DISK"]))
    service.configure(f"[Daemon]\nStateDirectory={disk.folder}/state\n")
    yield disk
    systemctl("stop", SERVICE)
    for path in disk.folder.iterdir():
        path.unlink() if path.is_file() else shutil.rmtree(path)


def request(session):
    return session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})


def renew(session, node):
    tokens = {name: node.ready[name] for name in ("accessToken", "refreshToken")}
    assert session.patch("/v1/session", tokens).status == 200


def copies():
    """Copies of the record on another disk."""
    return list((RUNTIME / "mero-consentd").glob("record-*/ledger.db*"))


def health(service):
    return service.status["state"]["health"]


def test_where_there_is_no_record_everybody_is_told_until_there_is_room(service, disk, node):
    """Without being started again and again."""
    disk.fill()
    pids = set()
    for _ in range(10):
        answer = service.api.post("/v1/sessions", {})
        assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
        assert "ENOSPC" in answer.json()["detail"]
        pids.add(service.pid)
    assert len(pids) == 1 and service.restarts == 0
    assert "STATE_UNAVAILABLE" in service.show("StatusText")
    disk.free()
    assert request(Session(service, node)).status == 201
    assert health(service) == "ok"


@pytest.mark.parametrize("how", ["kill", "stop"])
def test_what_is_there_is_served_and_what_is_told_is_kept(service, disk, node, how):
    """The process that comes after a crash has the sessions' tokens, and finds a decision itself; the
    one after that has what it told."""
    session = Session(service, node)
    view = session.start()

    def end():
        if how == "kill":
            disk.fill()
            pid = service.kill()
            service.another_than(pid)
        else:
            systemctl("stop", SERVICE)
            # Also the room of the record's log, which a stop removes.
            disk.fill()

    end()
    assert health(service) == "read-only"
    assert how == "kill" or copies()
    assert session.request(view["requestId"])["state"] == "started"
    asked = node.calls("request")
    assert request(session).code in ("STATE_UNAVAILABLE", "SESSION_EXPIRED")
    assert node.calls("request") == asked
    assert session.get("/v1/session").json()["needsSession"] is (how == "stop")
    renew(session, node)
    assert request(session).code == "STATE_UNAVAILABLE"
    node.decide(view["requestId"])
    told = session.decided(view["requestId"], "approved")
    assert told["recorded"] is False and node.calls("request") == asked
    until(lambda: "1 verdict waiting" in service.show("StatusText"), "the status line says so")
    end()
    again = session.request(view["requestId"])
    assert again["state"] == "approved" and again["decidedAt"] == told["decidedAt"]
    disk.free()
    until(lambda: service.status["state"] == {"health": "ok", "reset": False, "unwritten": 0},
          "it is written")
    written = session.request(view["requestId"])
    assert "recorded" not in written and written["decidedAt"] == told["decidedAt"]
    assert not copies()
    renew(session, node)
    assert request(session).status == 201
