"""Ten thousand apps that wait."""

import json
import resource
import selectors
import signal
import socket

import pytest
from harness import settings
from harness.api import Session, path
from harness.programs import Daemon
from harness.waiting import PATIENCE, until
from harness.wire import exchange

APPS = 10_000
# No session takes more than an eighth of the waits.
SESSIONS = 10


@pytest.fixture
def many_files():
    """Room for both ends' descriptors here."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert before[1] >= APPS + 1000, "the hard limit of open files is too low for this test"
    resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def session(daemon, node):
    """One with an account of its own, so that no request replaces another's."""
    tokens = node.control("tokens")
    return Session(
        daemon, node, accessToken=tokens["accessToken"], refreshToken=tokens["refreshToken"])


def roomy(programs, connections):
    daemon = programs(Daemon, log_level="info")
    settings.configure(daemon, f"[Daemon]\nMaximumConnections={connections}\n")
    return daemon.start()


class Crowd:
    """Apps that wait, each on a connection of its own; their answers are read all at once."""

    def __init__(self, session, request_id, count):
        target = path(request_id)
        etag = session.get(target)["ETag"]
        request = session.bytes(
            "GET", target, headers={"If-None-Match": etag, "Prefer": "wait=300"})
        self.sockets = []
        for _ in range(count):
            app = socket.socket(socket.AF_UNIX)
            app.settimeout(PATIENCE)
            app.connect(session.socket)
            app.sendall(request)
            self.sockets.append(app)

    def close(self):
        for app in self.sockets:
            app.close()


def answers(crowds):
    """What each app of each crowd is answered."""
    told = {crowd: [] for crowd in crowds}
    received = {}
    with selectors.DefaultSelector() as selector:
        for crowd in crowds:
            for app in crowd.sockets:
                selector.register(app, selectors.EVENT_READ, crowd)
                received[app] = b""
        while received:
            ready = selector.select(PATIENCE)
            assert ready, f"{len(received)} apps were not told"
            for key, _ in ready:
                app = key.fileobj
                received[app] += app.recv(65536)
                head, _, body = received[app].partition(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                if len(body) == length:
                    told[key.data].append((head.split(b"\r\n")[0], body))
                    selector.unregister(app)
                    del received[app]
    return told


def private_kib(pid):
    with open(f"/proc/{pid}/smaps_rollup") as lines:
        return sum(
            int(line.split()[1]) for line in lines
            if line.startswith(("Private_Clean", "Private_Dirty")))


def test_ten_thousand_apps_wait_and_are_told(programs, node, many_files):
    daemon = roomy(programs, 2 * APPS)
    sessions = [session(daemon, node) for _ in range(SESSIONS)]
    started = [one.start()["requestId"] for one in sessions]
    before = private_kib(daemon.pid)
    crowds = [
        Crowd(one, request_id, APPS // SESSIONS)
        for one, request_id in zip(sessions, started)]
    try:
        until(lambda: daemon.status["counts"]["waits"] == APPS, "all wait")
        # A page of memory and a half for each, where it was more than five pages once. This is
        # generous: a heap that has just grown, a sanitizer.
        assert (private_kib(daemon.pid) - before) / APPS < 12
        # Others are answered, whatever they ask for.
        other = session(daemon, node)
        waited = other.start()["requestId"]
        # All waits are taken, and half of the connections are not.
        answer = other.wait(waited, other.get(path(waited))["ETag"])
        assert answer.status == 429 and answer.code == "TOO_MANY"
        # One decision at a time: nobody else is told of it.
        for one, request_id, crowd in zip(sessions, started, crowds):
            if one is sessions[0]:
                one.delete(path(request_id))
                state = "cancelled"
            else:
                node.decide(request_id)
                one.post(path(request_id, "/return"), {"url": "x://r"})
                state = "approved"
            told = answers([crowd])[crowd]
            assert len(told) == APPS // SESSIONS
            assert len(set(told)) == 1, "all are told the same"
            status, body = told[0]
            assert status == b"HTTP/1.1 200 OK"
            assert json.loads(body)["requestId"] == request_id
            assert json.loads(body)["state"] == state
        assert daemon.status["counts"]["waits"] == 0
    finally:
        for crowd in crowds:
            crowd.close()
    until(lambda: daemon.open_descriptors() < 200, "their connections are closed")


def test_a_crowd_that_leaves_makes_room(programs, node, many_files):
    daemon = roomy(programs, 2048)
    one = session(daemon, node)
    request_id = one.start()["requestId"]
    for _ in range(3):
        crowd = Crowd(one, request_id, 128)
        until(lambda: daemon.status["counts"]["waits"] == 128, "all wait")
        assert one.wait(request_id, one.get(path(request_id))["ETag"]).code == "TOO_MANY"
        crowd.close()
        until(lambda: daemon.status["counts"]["waits"] == 0, "nobody waits")


def test_the_number_of_connections_is_read_again(programs, node):
    daemon = roomy(programs, 64)
    request = daemon.api.bytes("GET", "/v1/status")
    # Streams, which give way to nobody; a session has 16.
    sessions = [session(daemon, node) for _ in range(4)]
    kept = []

    def one_more():
        """A connection that stays; those of calls that are over may still be closing."""
        kept.append(daemon.api.connection())
        kept[-1].send(sessions[len(kept) % 4].bytes("GET", "/v1/events"))
        return kept[-1].head().status == 200 or kept.pop().close()

    try:
        for _ in range(64):
            until(one_more, "a connection is taken")
        refused = exchange(daemon.socket, request)
        assert refused.status == 429 and refused.code == "TOO_MANY"
        settings.configure(daemon, "[Daemon]\nMaximumConnections=65\n")
        daemon.signal(signal.SIGHUP)
        until(lambda: exchange(daemon.socket, request).status == 200, "one more is taken")
    finally:
        for connection in kept:
            connection.close()


@pytest.mark.parametrize("value", ["63", "65537", "-1", "1e3", "many"])
def test_a_number_of_connections_that_is_none_is_a_fault(programs, value):
    daemon = programs(Daemon)
    file = settings.configure(daemon, f"[Daemon]\nMaximumConnections={value}\n")
    daemon.arguments += ["--check-config"]
    daemon.spawn()
    assert daemon.wait() != 0
    assert f"{file}:2: the value of MaximumConnections is not a number from 64" in daemon.log
