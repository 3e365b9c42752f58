"""The tables of docs/http.md, row by row, against a running daemon."""

import re
import resource
import shutil
import tempfile
import threading
import time
from pathlib import Path

import pytest
from harness.api import Session
from harness.connections import accepted
from harness.crowd import Crowd
from harness.programs import ROOT, Daemon, Node
from harness.site import target
from harness.waiting import PATIENCE, until
from harness.wire import Closed, Connection, exchange, request_bytes

DOORS = ["socket", "callback"]


def tables():
    """Each table of the page as a list of rows, by the heading of its first column."""
    found, heading = {}, None
    for line in (ROOT / "docs" / "http.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            heading = None
        elif heading is None:
            heading = cells[0]
        elif not cells[0].startswith("---"):
            found.setdefault(heading, []).append(cells)
    return found


REQUESTS = [(row[0].strip("`"), dict(zip(DOORS, row[1:]))) for row in tables()["request"]]
LIMITS = {
    row[0].partition(",")[0]: dict(zip(DOORS, map(int, row[1:3]))) | {"over": row[3]}
    for row in tables()["limit"]
}


class Door:
    """One of the daemon's doors, and a change that a smuggled request would make through it."""

    def __init__(self, name, daemon, session, node):
        self.name, self.daemon = name, daemon
        port = daemon.port
        self.address = daemon.socket if name == "socket" else ("127.0.0.1", port)
        self.host = "localhost" if name == "socket" else f"127.0.0.1:{port}"
        self.target = "/v1/status" if name == "socket" else "/done/unknown"
        view = session.start()
        self.request_id, self.session = view["requestId"], session
        if name == "socket":
            self.smuggled = session.bytes("DELETE", f"/v1/requests/{self.request_id}")
        else:
            place = target(view["callback"], request_id="another", result="approved")
            self.smuggled = request_bytes("GET", place, host=self.host)

    @property
    def harmless(self):
        return request_bytes("GET", self.target, host=self.host)

    @property
    def is_unchanged(self):
        view = self.session.request(self.request_id)
        return view["state"] == "started" and "lastReturn" not in view

    def bytes(self, text):
        text = text.replace("↵", "\r\n")
        text = re.sub(
            r"\\(x[0-9a-f]{2}|[rnt])",
            lambda found: {"r": "\r", "n": "\n", "t": "\t"}.get(found[1])
            or chr(int(found[1][1:], 16)), text)
        return text.format(target=self.target, host=self.host).encode("latin-1")

    def connection(self):
        return Connection(self.address)


@pytest.fixture(scope="module")
def running():
    """A daemon for all rows: none of them may change anything."""
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    node, daemon = Node(home / "node"), Daemon(home / "daemon").start()
    yield daemon, Session(daemon, node), node
    assert daemon.is_running, daemon.log
    for program in (daemon, node):
        program.kill()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module", params=DOORS)
def door(request, running):
    return Door(request.param, *running)


def test_the_page_has_its_tables():
    assert len(REQUESTS) > 80 and len(LIMITS) == 15


@pytest.mark.parametrize("text,answers", REQUESTS, ids=[text for text, _ in REQUESTS])
def test_a_request_is_answered_as_the_page_says(door, text, answers):
    status, afterwards = answers[door.name].split()
    with door.connection() as connection:
        is_kept = afterwards == "kept"
        # Both in one piece: what is behind a refused request must not run.
        connection.send(door.bytes(text) + (door.harmless if is_kept else door.smuggled))
        answer = connection.answer()
        assert answer.status == int(status), answer
        assert (answer["Connection"] == "close") == (not is_kept)
        if is_kept:
            assert connection.answer().status == 200
        else:
            connection.end_sending()
            assert connection.read_to_end() == b""
    assert door.is_unchanged


def test_what_is_refused_in_one_piece_is_refused_in_single_bytes(door):
    for text, answers in REQUESTS[::7]:
        with door.connection() as connection:
            try:
                for byte in door.bytes(text):
                    connection.send(bytes([byte]))
            except (BrokenPipeError, ConnectionResetError):
                pass
            assert connection.answer().status == int(answers[door.name].split()[0]), text


def test_a_change_is_made_where_it_is_no_smuggling(running):
    """The two requests of `Door` do change something: the rows above could see it."""
    for name in DOORS:
        door = Door(name, *running)
        exchange(door.address, door.smuggled)
        until(lambda: not door.is_unchanged, "the change")


def test_a_body_is_asked_for(door):
    place = "/v1/returns"
    head = request_bytes("POST", place, [
        ("Content-Type", "application/json"), ("Expect", "100-continue"), ("Content-Length", "13")],
        host=door.host)
    with door.connection() as connection:
        connection.send(head)
        if door.name == "callback":
            assert connection.answer().status == 404
            return
        assert connection.head().status == 100
        connection.send(b'{"url":"x://"}'[:13])
        assert connection.answer().status == 400


def test_a_half_closed_connection_is_answered(door):
    for data, status in ((door.harmless, 200 if door.name == "socket" else 404),
                         (door.harmless[:-2], 400)):
        with door.connection() as connection:
            connection.send(data)
            connection.end_sending()
            assert connection.answer().status == status
            assert connection.read_to_end() == b""


# MARK: Limits


def line_of(door, size):
    line = f"GET {door.target}? HTTP/1.1"
    return door.harmless.replace(
        door.target.encode(), f"{door.target}?{'x' * (size - len(line))}".encode())


def section_of(door, size):
    head = request_bytes("GET", door.target, [("X", "")], host=door.host)
    fields = len(head) - head.index(b"\r\n") - 4
    return head.replace(b"X: ", b"X: " + b"x" * (size - fields))


def fields_of(door, count):
    return request_bytes("GET", door.target, [("X", "y")] * (count - 1), host=door.host)


@pytest.mark.parametrize("limit,make", [
    ("request line", line_of), ("header section", section_of), ("header fields", fields_of)])
def test_both_edges_of_a_heads_size(door, limit, make):
    size, over = LIMITS[limit][door.name], int(LIMITS[limit]["over"])
    assert exchange(door.address, make(door, size)).status == (
        200 if door.name == "socket" else 404)
    with door.connection() as connection:
        connection.send(make(door, size + 1))
        assert connection.answer().status == over
        assert connection.read_to_end() == b""


def body_head(door, length):
    return request_bytes(
        "POST", "/v1/returns", [("Content-Type", "application/json"), length], host=door.host)


def test_both_edges_of_a_bodys_size(door):
    size, over = LIMITS["body"][door.name], int(LIMITS["body"]["over"])
    with door.connection() as connection:
        connection.send(body_head(door, ("Content-Length", str(size + 1))))
        assert connection.answer().status == over
        assert connection.read_to_end() == b""
    ordinary = 400 if door.name == "socket" else 404
    head = body_head(door, ("Content-Length", str(size)))
    assert exchange(door.address, head + b"x" * size).status == ordinary
    if door.name == "socket":
        # Its length is not told in advance: the limit holds all the same.
        head = body_head(door, ("Transfer-Encoding", "chunked"))
        chunk = b"%x\r\n" % size + b"x" * size + b"\r\n"
        assert exchange(door.address, head + chunk + b"0\r\n\r\n").status == ordinary
        assert exchange(door.address, head + chunk + b"1\r\nx\r\n0\r\n\r\n").status == over


def test_both_edges_of_chunk_extensions(running):
    door = Door("socket", *running)
    limit = LIMITS["chunk extensions of a body"]
    head = body_head(door, ("Transfer-Encoding", "chunked"))
    for size, code in ((limit["socket"], "JSON_MALFORMED"), (limit["socket"] + 1, "REQUEST_MALFORMED")):
        answer = exchange(
            door.address, head + b"3;" + b"x" * (size - 1) + b"\r\nabc\r\n0\r\n\r\n")
        assert answer.status == int(limit["over"]) and answer.code == code


@pytest.fixture
def many_descriptors():
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(4096, before[1]), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_both_edges_of_the_number_of_connections(programs, node, many_descriptors):
    daemon = programs(Daemon).start()
    session = Session(daemon, node)
    for name in DOORS:
        door = Door(name, daemon, session, node)
        limit = LIMITS["connections at once"][name]
        until(lambda: accepted(at(door)) == 0, "nobody is connected")
        with Crowd() as crowd:
            # Half a request keeps a connection, on both doors, as long as nobody wants the place.
            for _ in range(limit):
                crowd.add(door.address, door.harmless[:-2])
            crowd.send()
            until(lambda: accepted(at(door)) == limit, "all are connected", within=8)
            assert not closed(crowd)
            # One over them has the place of one, and of no other one.
            until(lambda: answers(door), "somebody gives way")
            [gone] = closed(crowd)
            # All others have kept theirs, to the last.
            last = [one for one in crowd.connections if one is not gone][-1]
            last.socket.settimeout(PATIENCE)
            last.send(b"\r\n")
            assert last.answer().status == (200 if name == "socket" else 404)
        until(lambda: accepted(at(door)) == 0, "all are gone")


def at(door):
    return door.address if door.name == "socket" else door.address[1]


def closed(crowd):
    """The connections that have ended, without a word."""
    ended = []
    for connection in crowd.connections:
        try:
            connection.more()
        except Closed as error:
            assert error.received == b""
            ended.append(connection)
        except BlockingIOError:
            pass
    return ended


def answers(door):
    """False where it is told that there are too many, as long as everybody has just come."""
    answer = exchange(door.address, door.harmless)
    if answer.status != 429:
        return True
    assert int(answer["Retry-After"]) >= 1
    assert door.name == "callback" or answer.code == "TOO_MANY"
    return False


def test_a_head_has_ten_seconds_in_all(running):
    """However it drips. Both doors at once, since it takes as long as it says."""
    seconds = LIMITS["whole header section"]
    results = {}

    def drip(door):
        with door.connection() as connection:
            start = time.monotonic()
            connection.send(door.harmless[:-2])
            connection.socket.settimeout(0.5)
            while time.monotonic() - start < seconds[door.name] + 40:
                try:
                    connection.more()
                    break
                except TimeoutError:
                    connection.send(b"X: y\r\n")
            results[door.name] = (connection.answer().status, time.monotonic() - start)

    threads = [threading.Thread(target=drip, args=(Door(name, *running),)) for name in DOORS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name in DOORS:
        status, took = results[name]
        assert status == int(seconds["over"])
        assert seconds[name] - 0.1 <= took < seconds[name] + 30
