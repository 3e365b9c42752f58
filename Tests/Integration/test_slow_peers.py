"""Clients that do not read, hardly read, or stop in the middle: they cost themselves something."""

import socket
import threading
import time

import pytest
from harness.api import path
from harness.crowd import MIB, Crowd, Memory, many_descriptors, processor_seconds
from harness.waiting import until
from harness.wire import Closed, exchange, request_bytes


@pytest.fixture(autouse=True)
def descriptors():
    with many_descriptors():
        yield


def narrow(connection):
    """A connection whose kernel takes little of an answer for it."""
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    return connection


def is_quick(session, request_id):
    """What everybody else sees meanwhile. Not a speed: only that nobody is waited for."""
    for _ in range(10):
        assert session.request(request_id)["requestId"] == request_id
        assert session.get("/v1/requests?limit=200").status == 200


def with_many_rows(session, count):
    for _ in range(count):
        view = session.start()
        assert session.delete(path(view["requestId"])).status == 200
    return view["requestId"]


@pytest.mark.memory
def test_lists_that_nobody_reads_are_held_until_others_need_the_room(daemon, session):
    """Each of these connections asks for two megabytes of lists and reads none of it."""
    request_id = with_many_rows(session, 200)
    length = len(session.get("/v1/requests?limit=200").body)
    assert length > 50_000
    asking = session.bytes("GET", "/v1/requests?limit=200") * (2 * MIB // length + 1)
    before = Memory(daemon.pid)
    with Crowd() as crowd:
        for _ in range(150):
            crowd.add(daemon.socket, asking)
        crowd.send()
        is_quick(session, request_id)
        # The 6 MiB that answers have together, and what a few lists take while they are made.
        assert Memory(daemon.pid).peak < before.peak + 20 * MIB, (before, Memory(daemon.pid))
        # Some have been cut by now, and none of them has had an answer that is not whole.
        cut = 0
        for connection in crowd.connections:
            connection.socket.settimeout(1)
            try:
                while True:
                    answer = connection.answer()
                    assert answer.status == 200 and len(answer.body) == length
            except (Closed, ConnectionError):
                cut += 1
            except TimeoutError:
                pass
            connection.close()
        assert cut > 0


@pytest.mark.memory
def test_an_event_stream_that_is_never_read_is_dropped_and_others_hear_everything(daemon, session):
    """So many events that no kernel holds them. The deaf stream may come back with its last id."""
    view = session.start()
    deaf = narrow(session.connection())
    deaf.send(session.bytes("GET", "/v1/events", headers={"Last-Event-ID": "0"}))
    until(lambda: daemon.status["counts"]["eventStreams"] == 1, "the stream stands")
    before = Memory(daemon.pid)
    caller = session.connection()
    url = [session.bytes("POST", path(view["requestId"], "/return"), {"url": text})
           for text in ("x://r?request_id=other", "x://r")]
    with session.events() as stream:
        heard = 0
        for _ in range(60):
            for number in range(40):
                caller.send(url[number % 2])
                caller.answer()
            while heard < 40:
                stream.next_request()
                heard += 1
            heard = 0
    assert Memory(daemon.pid).peak < before.peak + 4 * MIB
    deaf.close()
    caller.close()
    until(lambda: daemon.status["counts"]["eventStreams"] == 0, "both are over")
    with session.events(after=0) as stream:
        assert stream.next()["event"] == "request"


def test_one_byte_a_second_holds_nobody_up(daemon, session):
    request_id = with_many_rows(session, 50)
    stop = threading.Event()
    connection = narrow(session.connection())
    connection.send(session.bytes("GET", "/v1/requests?limit=200") * 20)

    def drip():
        while not stop.wait(1):
            connection.socket.recv(1)

    thread = threading.Thread(target=drip)
    thread.start()
    try:
        before = processor_seconds(daemon.pid)
        begin = time.monotonic()
        while time.monotonic() - begin < 4:
            time.sleep(0.5)
            is_quick(session, request_id)
        # Nothing spins for the one that hardly reads; what it used was for the others.
        begin, before = time.monotonic(), processor_seconds(daemon.pid)
        until(lambda: time.monotonic() - begin > 3, "three seconds of dripping")
        assert processor_seconds(daemon.pid) - before < 0.6
    finally:
        stop.set()
        thread.join()
        connection.close()


def test_a_client_that_reads_nothing_is_cut_after_its_time(daemon, session):
    """30 s without a byte taken. Nobody else needs the room here, so nothing cuts it sooner."""
    with_many_rows(session, 100)
    connection = narrow(session.connection())
    connection.send(session.bytes("GET", "/v1/requests?limit=200") * 100)
    begin = time.monotonic()
    until(connection.is_cut, "it was cut", within=60)
    assert time.monotonic() - begin > 20
    connection.close()


@pytest.mark.parametrize("door", ["socket", "callback"])
def test_peers_that_stop_in_the_middle_keep_nothing(daemon, session, door):
    """Half a head, half a body, an end of their side only, a reset: the places are free again."""
    host = "localhost" if door == "socket" else f"127.0.0.1:{daemon.port}"
    address = daemon.socket if door == "socket" else ("127.0.0.1", daemon.port)
    head = request_bytes("GET", "/v1/status", host=host)
    body = request_bytes("POST", "/v1/returns", [("Content-Type", "application/json")],
                         b'{"url": "x://r"}', host=host)
    before = daemon.open_descriptors()
    with Crowd() as crowd:
        for number in range(100):
            data = (head[:-2], body[:-5], b"", head)[number % 4]
            connection = crowd.add(address, data)
            crowd.send()
            if number % 3 == 0:
                connection.end_sending()
            elif number % 3 == 1:
                connection.reset()
        ends = [connection for number, connection in enumerate(crowd.connections) if number % 3 == 0]
        for connection in ends:
            connection.socket.settimeout(20)
            connection.read_to_end()
        assert exchange(address, head).status in (200, 404)
    until(lambda: daemon.open_descriptors() <= before, "all are gone")
    assert session.start()["state"] == "started"
