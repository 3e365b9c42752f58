"""No file descriptors left: nothing spins, nothing is lost, and all is well when they come back."""

import os
import resource
import time

import pytest
from harness.api import Session, path
from harness.crowd import Crowd, many_descriptors, processor_seconds
from harness.programs import Daemon
from harness.waiting import until
from harness.wire import Closed, exchange, request_bytes


@pytest.fixture(autouse=True)
def descriptors():
    with many_descriptors():
        yield


class Caller:
    """A session on a connection that was accepted in better times."""

    def __init__(self, session):
        self.session = session
        self.connection = session.connection()
        assert self.call("GET", "/v1/status").status == 200

    def call(self, method, place, body=None):
        self.connection.send(self.session.bytes(method, place, body))
        return self.connection.answer()

    def start(self, **fields):
        return self.call(
            "POST", "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}} | fields)

    def request(self, request_id):
        answer = self.call("GET", path(request_id))
        assert answer.status == 200, answer
        return answer.json()


def limit(daemon, count):
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (count, 4096))


def take_all_descriptors(daemon):
    """What it has it keeps, and gets no more."""
    try:
        held = {int(name) for name in os.listdir(f"/proc/{daemon.pid}/fd")}
    except PermissionError:
        pytest.skip("only root sees the descriptors of a process that is not dumpable")
    limit(daemon, min(set(range(len(held) + 1)) - held))


@pytest.fixture
def daemon(programs):
    daemon = programs(Daemon).start()
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (4096, 4096))
    return daemon


def is_answered(address, data):
    try:
        return exchange(address, data).status in (200, 404)
    except (OSError, Closed):
        return False


def used_in(daemon, seconds):
    """Processor time within some seconds of real time."""
    begin, before = time.monotonic(), processor_seconds(daemon.pid)
    until(lambda: time.monotonic() - begin > seconds, "the time is over")
    return processor_seconds(daemon.pid) - before


@pytest.mark.parametrize("door", ["socket", "callback"])
def test_silent_connections_leave_descriptors_for_the_daemons_own_work(daemon, node, session, door):
    """C-103: no busy loop, one warning. Who was accepted before notices nothing: the record, nodes
    and returns have a reserve that no connection takes."""
    address = daemon.socket if door == "socket" else ("127.0.0.1", daemon.port)
    host = "localhost" if door == "socket" else f"127.0.0.1:{daemon.port}"
    harmless = request_bytes("GET", "/v1/status" if door == "socket" else "/done/x", host=host)
    caller = Caller(session)
    limit(daemon, 80)
    with Crowd() as crowd:
        for _ in range(120):
            crowd.add(address)
        until(lambda: "connections have to wait" in daemon.log, "it is said")
        assert used_in(daemon, 3) < 0.6
        assert daemon.log.count("connections have to wait") == 1
        assert daemon.open_descriptors() <= 70
        # A new connection to the node, and writes to the record.
        other = node.control("tokens")
        opened = caller.call("POST", "/v1/sessions", caller.session.opening | {
            "accessToken": other["accessToken"], "refreshToken": other["refreshToken"]})
        assert opened.status == 201, opened
        session.key = opened.json()["key"]
        started = caller.start()
        assert started.status == 201, started
        request_id = started.json()["requestId"]
        node.decide(request_id)
        answer = caller.call("POST", path(request_id, "/return"), {"url": "x://r"})
        assert answer.status == 200 and answer.json()["state"] == "approved"
    until(lambda: is_answered(address, harmless), "connections are accepted again")


def test_without_any_descriptor_a_node_is_not_reached_and_it_says_why(daemon, node, session):
    caller = Caller(session)
    take_all_descriptors(daemon)
    answer = caller.start()
    assert answer.code == "NODE_UNREACHABLE", answer
    assert "descriptors" in answer.json()["detail"]
    assert used_in(daemon, 2) < 0.4
    # It was not begun, and can be begun when there is room.
    assert caller.call("GET", "/v1/requests").json()["requests"] == []
    limit(daemon, 4096)
    answer = caller.start()
    assert answer.status == 201, answer


def test_without_any_descriptor_no_request_and_no_verdict_is_lost(daemon, node, session):
    view = session.start()
    caller = Caller(session)
    # The connection that is kept breaks, and there is none for another.
    before = node.calls("result")
    node.misbehave("cut-before-head", on="result")
    until(lambda: node.calls("result") > before, "the connection to the node broke")
    until(lambda: take_all_descriptors(daemon) is None, "there are no more")
    node.decide(view["requestId"])
    answer = caller.call("POST", path(view["requestId"], "/return"), {"url": "x://r"})
    assert answer.status == 200 or answer.code == "NODE_UNREACHABLE", answer
    # Written while there is none, and read again by who comes after a crash.
    assert caller.request(view["requestId"])["state"] in ("started", "approved")
    limit(daemon, 4096)
    until(lambda: caller.request(view["requestId"])["state"] == "approved", "the watcher finds it")
    daemon.restart(kill=True)
    assert session.request(view["requestId"])["state"] == "approved"


def test_without_any_descriptor_what_is_recorded_is_durable(daemon, node, session):
    """The record's files stay open. A connection to the node is kept, so that a request can start."""
    first = session.start()
    caller = Caller(session)
    take_all_descriptors(daemon)
    answer = caller.start()
    if answer.status == 201:
        daemon.restart(kill=True)
        assert session.request(answer.json()["requestId"])["state"] == "started"
    else:
        # The kept connection was the watcher's at this moment.
        assert answer.code == "NODE_UNREACHABLE", answer
        assert caller.request(first["requestId"])["state"] == "started"


def test_without_any_descriptor_no_page_opens_and_it_is_said(desktop, node, opener):
    resource.prlimit(desktop.pid, resource.RLIMIT_NOFILE, (4096, 4096))
    session = Session(desktop, node)
    view = session.start()
    caller = Caller(session)
    take_all_descriptors(desktop)
    answer = caller.call("POST", path(view["requestId"], "/open"))
    assert answer.code == "BROWSER_UNAVAILABLE", answer
    assert opener.pages == []
    limit(desktop, 4096)
    answer = caller.call("POST", path(view["requestId"], "/open"))
    assert answer.json()["opened"] == "unknown", answer
    assert opener.page() == view["url"]
