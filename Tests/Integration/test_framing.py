"""Messages that two readers could read differently, or that never end."""

import pytest
from harness.wire import Connection, exchange, request_bytes

JSON = ("Content-Type", "application/json")


def post(length, body=b"abc"):
    """The bytes of a POST whose length is `length`, as written."""
    return (
        b"POST /v1/returns HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        + b"Content-Length: " + length.encode() + b"\r\n\r\n" + body)


@pytest.mark.parametrize("length,body_is_read", [
    ("3", True), ("3 ", True), (" 3", True), ("003", True),
    ("+3", False), ("-3", False), ("0x3", False), ("3,3", False), ("3, 3", False), ("3.0", False),
    ("１", False), ("", False), ("abc", False), ("1e0", False),
])
def test_a_length_is_digits(daemon, length, body_is_read):
    with Connection(daemon.socket) as connection:
        connection.send(post(length))
        answer = connection.answer()
        assert answer.status == 400
        # `abc` was read as a body, and is no JSON; or the message was refused, and that is all.
        assert answer.code == ("JSON_MALFORMED" if body_is_read else "REQUEST_MALFORMED")
        if not body_is_read:
            assert connection.read_to_end() == b""


def test_a_length_that_no_number_holds_is_refused(daemon):
    assert exchange(daemon.socket, post("18446744073709551616")).status in (400, 413)


REFUSED = [
    "Content-Length: 3\r\nContent-Length: 3", "Content-Length: 3\r\nContent-Length: 4",
    "Content-Length: 3\r\nTransfer-Encoding: chunked", "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: x",
    "Transfer-Encoding: chunked, chunked", "Transfer-Encoding:",
]


@pytest.mark.parametrize("fields", REFUSED)
def test_two_lengths_are_refused_and_nothing_behind_them_runs(daemon, session, fields):
    view = session.start()
    behind = session.bytes("DELETE", f"/v1/requests/{view['requestId']}")
    with Connection(daemon.socket) as connection:
        connection.send(
            f"POST /v1/returns HTTP/1.1\r\nHost: x\r\n{fields}\r\n\r\n".encode() + b"abc" + behind)
        assert connection.answer().status in (400, 501)
        assert connection.read_to_end() == b""
    assert session.request(view["requestId"])["state"] == "started"


@pytest.mark.parametrize("chunks", [
    b"80000000\r\n", b"FFFFFFFFFFFFFFFFF\r\nx", b"-1\r\nx", b"+3\r\nabc\r\n", b"3\r\nabcd\r\n",
    b"3\r\nabc0\r\n\r\n", b"0x3\r\nabc\r\n", b"g\r\n", b"\r\n", b"3 \r\nabc\r\n0\r\n\r\n",
    b"3\nabc\n0\n\n",
])
def test_broken_chunks_are_refused(daemon, chunks):
    head = request_bytes("POST", "/v1/returns", [JSON, ("Transfer-Encoding", "chunked")])
    with Connection(daemon.socket) as connection:
        connection.send(head + chunks)
        assert connection.answer().status in (400, 413)
        connection.read_to_end()
    assert daemon.status


def test_chunks_are_read(daemon):
    head = request_bytes("POST", "/v1/returns", [JSON, ("Transfer-Encoding", "chunked")])
    body = b'8;x=y\r\n{"url":"\r\n8\r\nx://r"}\n\r\n0\r\nTrailer: x\r\n\r\n'
    assert exchange(daemon.socket, head + body).status == 202


def test_a_length_that_is_no_number_does_not_let_the_body_run(daemon, session):
    view = session.start()
    behind = session.bytes("DELETE", f"/v1/requests/{view['requestId']}")
    with Connection(daemon.socket) as connection:
        connection.send(post("abc", behind))
        assert connection.answer().status == 400
        assert connection.read_to_end() == b""
    assert session.request(view["requestId"])["state"] == "started"


@pytest.mark.parametrize("data", [
    b"GET /v1/status\r\n\r\n", b"GET  /v1/status HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost : x\r\n\r\n", b"GET /v1/status HTTP/1.1\r\n Host: x\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nA\x00: b\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nA: b\x00\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n",
    b"GET /v1/status HTTP/1.1\rHost: x\r\r", b"G\xc3\x84T /v1/status HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /v1/st\xc3\xa4tus HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n\r\n",
    b"GET /v1/status HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", b"GET v1/status HTTP/1.1\r\nHost: x\r\n\r\n",
])
def test_a_message_that_is_none_is_refused(daemon, data):
    with Connection(daemon.socket) as connection:
        connection.send(data)
        connection.end_sending()
        answer = connection.answer()
        assert answer.status == 400 and answer.code == "REQUEST_MALFORMED"
        assert connection.read_to_end() == b""
    assert daemon.status


def test_another_version_is_505(daemon):
    assert exchange(daemon.socket, b"GET /v1/status HTTP/2.0\r\nHost: x\r\n\r\n").status == 505


def test_a_request_in_single_bytes_is_one_request(daemon, session):
    data = session.bytes("POST", "/v1/returns", {"url": "x://r"})
    with Connection(daemon.socket) as connection:
        for number in range(len(data)):
            connection.send(data[number:number + 1])
        assert connection.answer().status == 202


def test_requests_that_are_sent_ahead_are_answered_in_order(daemon, session):
    with Connection(daemon.socket) as connection:
        connection.send(
            session.bytes("GET", "/v1/session") + session.bytes("GET", "/nothing")
            + session.bytes("GET", "/v1/status"))
        assert [connection.answer().status for _ in range(3)] == [200, 404, 200]


def test_a_request_is_complete_at_its_end_whatever_follows(daemon, session):
    with Connection(daemon.socket) as connection:
        connection.send(session.bytes("GET", "/v1/status"))
        connection.end_sending()
        assert connection.answer().status == 200
        assert connection.read_to_end() == b""


def test_both_edges_of_the_header_sections_size(daemon):
    def padded(size):
        head = request_bytes("GET", "/v1/status", [("X-Pad", "")])
        fields = len(head) - len(b"GET /v1/status HTTP/1.1\r\n") - 2
        return head.replace(b"X-Pad: ", b"X-Pad: " + b"x" * (size - fields))

    assert exchange(daemon.socket, padded(64 * 1024)).status == 200
    answer = exchange(daemon.socket, padded(64 * 1024 + 1))
    assert answer.status == 431 and answer.code == "HEADERS_TOO_LARGE"
    assert "at most 100 headers, and 64 KiB" in answer.json()["detail"]
    assert exchange(daemon.socket, request_bytes(
        "GET", "/v1/status", [("X", "y")] * 101)).status == 431


def test_a_target_that_is_too_long_is_414(daemon):
    answer = exchange(daemon.socket, request_bytes("GET", "/v1/status?" + "x" * 17000))
    assert answer.status == 414 and answer.code == "TARGET_TOO_LONG"
    assert "at most 16 KiB" in answer.json()["detail"]


def test_a_request_that_never_ends_is_408(daemon):
    with Connection(daemon.socket) as connection:
        connection.send(b"GET /v1/status HTTP/1.1\r\nHost: x\r\n")
        answer = connection.answer()
        assert answer.status == 408 and answer.code == "REQUEST_TIMEOUT"


def test_a_client_that_leaves_during_the_answer_hurts_nobody(daemon, session):
    for _ in range(20):
        session.start()
    data = session.bytes("GET", "/v1/requests")
    for _ in range(300):
        with Connection(daemon.socket) as connection:
            connection.send(data)
            connection.socket.recv(10)
    assert daemon.status and daemon.is_running
    assert "error" not in [line.split()[0].lower() for line in daemon.log.splitlines() if line]
