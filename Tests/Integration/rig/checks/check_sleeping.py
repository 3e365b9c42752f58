"""It sleeps when nothing is open, and nobody notices."""

import threading
import time

import pytest
from harness.api import Session, path
from harness.waiting import until
from harness.wire import Closed, Connection, exchange, request_bytes

from .service import PORT, SOCKETS

SOON = "[Daemon]\nIdleTimeout=1s\n"


@pytest.fixture
def tired(service):
    """A daemon that sleeps after a second."""
    service.configure(SOON)
    return service


def test_it_ends_well_and_wakes(tired):
    pid = tired.wake()
    until(tired.sleeps, "it sleeps")
    assert tired.show("Result") == "success" and tired.show("ExecMainStatus") == "0"
    tired.said("sleeping until somebody comes")
    for unit in SOCKETS:
        assert tired.show("ActiveState", unit) == "active"
    for address, host in ((("127.0.0.1", PORT), f"127.0.0.1:{PORT}"),
                          (("::1", PORT), f"[::1]:{PORT}")):
        assert exchange(address, request_bytes("GET", "/", host=host)).status == 404
        until(tired.sleeps, "it sleeps again")
    assert tired.wake() != pid


def awake(service, seconds=2.5):
    """Whether one and the same process is there all the time."""
    pid = service.pid
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if service.pid != pid or pid == 0:
            return False
        time.sleep(0.1)
    return True


def test_an_open_session_keeps_it_awake(tired, node):
    session = Session(tired, node)
    assert awake(tired)
    assert session.delete("/v1/session").status == 204
    until(tired.sleeps, "it sleeps")


def test_a_connection_keeps_it_awake(tired):
    tired.wake()
    with Connection(tired.socket) as connection:
        connection.send("GET /v1/sta")
        assert awake(tired)
    until(tired.sleeps, "it sleeps")


def test_an_event_stream_and_an_undecided_request_keep_it_awake(tired, node):
    session = Session(tired, node)
    with session.events():
        session.start()
        assert awake(tired)
    assert session.delete("/v1/session").status == 204
    until(tired.sleeps, "it sleeps")


def test_a_daemon_that_can_only_complain_sleeps_too(service):
    service.configure(SOON)
    service.state.parent.mkdir(parents=True, exist_ok=True)
    service.state.write_text("no directory")
    try:
        answer = service.api.post("/v1/sessions", {})
        assert answer.status == 503 and answer.code == "STATE_UNAVAILABLE"
        until(service.sleeps, "it sleeps")
        assert service.show("Result") == "success"
    finally:
        service.state.unlink()


def test_never_is_never(service):
    service.configure("[Daemon]\nIdleTimeout=never\n")
    service.wake()
    assert awake(service, 3)


def test_clients_at_the_edge_are_served(tired):
    """Clients come about when it goes to sleep, again and again, on all three sockets."""
    answered, lost = [], []

    def come(kind, offset):
        for shift in shifts:
            together.wait()
            time.sleep(1 + (offset + shift) / 1000)
            try:
                if kind == "api":
                    answer = exchange(tired.socket, request_bytes(
                        "GET", "/v1/status", [("Connection", "close")]))
                    answered.append(answer.status == 200)
                else:
                    shown = f"[{kind}]" if ":" in kind else kind
                    answer = exchange((kind, PORT), request_bytes(
                        "GET", "/", host=f"{shown}:{PORT}"))
                    answered.append(answer.status == 404)
            except (Closed, OSError) as error:
                lost.append((kind, error))

    kinds = ("api", "127.0.0.1", "::1")
    # Milliseconds around the second after which it sleeps. In the first rounds the earliest clients
    # find it awake, in the last ones it sleeps.
    offsets = (0, 1, 2, 3, 5, 8, 12, 20)
    shifts = (-6, -3, -2, -1, 0, 1, 2, 3, 5, 10, 30, 60)
    together = threading.Barrier(len(kinds) * len(offsets))
    tired.wake()
    rounds = [
        threading.Thread(target=come, args=(kind, offset))
        for kind in kinds for offset in offsets
    ]
    for thread in rounds:
        thread.start()
    for thread in rounds:
        thread.join()
    assert lost == []
    assert len(answered) == len(shifts) * len(rounds) and all(answered)
    starts = len([r for r in tired.journal() if "ready:" in str(r["MESSAGE"])])
    assert starts > 3, "it has slept in between"


def test_what_an_app_does_at_the_edge_is_kept(tired, node):
    """A session that is opened when it is about to sleep is a session."""
    tired.wake()
    for offset in (0.9, 0.98, 0.995, 1.0, 1.005, 1.02):
        time.sleep(offset)
        session = Session(tired, node)
        view = session.start()
        node.decide(view["requestId"])
        session.post(path(view["requestId"], "/return"), {"url": "app:/"})
        assert session.decided(view["requestId"], "approved")
        assert session.delete("/v1/session").status == 204
