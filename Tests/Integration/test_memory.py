"""What the daemon holds under load: a limit that no client can pass, and back again afterwards."""

import json

import pytest
from harness.api import Session, path
from harness.crowd import KIB, MIB, Crowd, Memory, many_descriptors
from harness.programs import Daemon, Node
from harness.waiting import until
from harness.wire import exchange, request_bytes

# What is promised for everything at once.
PROMISED = 64 * MIB
# What may stay when a load is over: free pieces between those in use.
LEFT_OVER = 8 * MIB


@pytest.fixture(autouse=True)
def descriptors():
    with many_descriptors():
        yield


def large_body(size=MIB):
    """A return of a megabyte, nearly all of it blanks."""
    return request_bytes(
        "POST", "/v1/returns", [("Content-Type", "application/json")],
        b'{"url": "x://r"' + b" " * (size - 16) + b"}")


def session_of_its_own(daemon, node):
    """With an account of its own: two requests of one account replace each other."""
    tokens = node.control("tokens")
    return Session(
        daemon, node, accessToken=tokens["accessToken"], refreshToken=tokens["refreshToken"])


def is_back(daemon, before):
    now = Memory(daemon.pid)
    return now if now.private < before.private + LEFT_OVER else None


@pytest.mark.memory
def test_a_thousand_bodies_of_a_megabyte_do_not_fit_and_ordinary_calls_do(daemon, session):
    before = Memory(daemon.pid)
    body = large_body()
    with Crowd() as crowd:
        for _ in range(1000):
            crowd.add(daemon.socket, body[:-1])
        crowd.send()
        # Held are a few, and nobody notices who asks for little.
        for _ in range(20):
            assert session.start()["state"] == "started"
            assert session.get("/v1/requests?limit=200").status == 200
        for connection in crowd.connections:
            crowd.unsent[connection] = memoryview(body[-1:])
        crowd.send()
        answers = list(crowd.answers())
        told = {answer.status for answer in answers if answer}
        assert told <= {200, 202, 404, 422, 429}, told
        assert 429 in told
        for answer in answers:
            if answer and answer.status == 429:
                assert answer.code == "TOO_MANY" and int(answer["Retry-After"]) >= 1
        assert Memory(daemon.pid).peak < PROMISED, Memory(daemon.pid)
    until(lambda: is_back(daemon, before), "the memory is given back")
    # There is room again.
    assert exchange(daemon.socket, body).status != 429


@pytest.mark.memory
def test_trailers_are_not_kept(daemon, session):
    """Fields behind a body are read and forgotten, however many connections send them."""
    before = Memory(daemon.pid)
    head = request_bytes("POST", "/v1/returns", [
        ("Content-Type", "application/json"), ("Transfer-Encoding", "chunked")])
    trailers = b"".join(b"X-%d: %s\r\n" % (number, b"x" * 590) for number in range(98))
    with Crowd() as crowd:
        for _ in range(900):
            crowd.add(daemon.socket, head + b"2\r\n{}\r\n0\r\n" + trailers)
        crowd.send()
        assert session.start()["state"] == "started"
        assert Memory(daemon.pid).peak < before.peak + 24 * MIB, (before, Memory(daemon.pid))
        assert len(crowd.connections) == 900


def test_large_bodies_one_after_another_are_all_taken(daemon):
    """What is refused for want of room is refused for that reason alone."""
    for _ in range(50):
        assert exchange(daemon.socket, large_body()).status != 429


@pytest.mark.memory
def test_everything_at_once_stays_below_the_limit(programs, node):
    """Sessions, requests, waits with long headers, streams and lists that nobody reads, bodies that
    do not end, and strangers at the callback: as many of each as there may be."""
    daemon = programs(Daemon).start()
    before = Memory(daemon.pid)
    sessions = [session_of_its_own(daemon, node) for _ in range(128)]
    for session in sessions:
        session.view = session.start()
    for number in range(60):
        session = sessions[number % 4]
        url = "x://r?request_id=other" if number % 2 else "x://r"
        session.post(path(session.view["requestId"], "/return"), {"url": url})
    long_field = ("X-Long", "x" * 60_000)
    with Crowd() as crowd:
        for session in sessions[:16]:
            for _ in range(16):
                crowd.add(daemon.socket, session.bytes(
                    "GET", "/v1/events", headers={"Last-Event-ID": "0"}))
        for session in sessions[:100]:
            tag = session.get(path(session.view["requestId"]))["ETag"]
            for _ in range(2):
                crowd.add(daemon.socket, session.bytes("GET", path(session.view["requestId"]), headers={
                    "If-None-Match": tag, "Prefer": "wait=60"} | dict([long_field])))
        for session in sessions:
            # Sent ahead, and not one of the answers is read.
            crowd.add(daemon.socket, session.bytes("GET", "/v1/requests?limit=200") * 400)
        body = large_body()[:-1]
        for _ in range(400):
            crowd.add(daemon.socket, body)
        for _ in range(128):
            crowd.add(("127.0.0.1", daemon.port), request_bytes(
                "GET", "/return/x?" + "y" * 60_000, [long_field], host="z")[:-2])
        crowd.send(within=30)
        memory = Memory(daemon.pid)
        assert memory.peak < PROMISED, memory
        for session in sessions[:20]:
            assert session.request(session.view["requestId"])["state"] == "started"
        assert node.decide(sessions[-1].view["requestId"])
        assert sessions[-1].post(
            path(sessions[-1].view["requestId"], "/return"), {"url": "x://r"}).status == 200
        assert Memory(daemon.pid).peak < PROMISED, Memory(daemon.pid)
    for session in sessions:
        assert session.delete("/v1/session").status == 204
    until(lambda: is_back(daemon, before), "the memory is given back")


@pytest.mark.memory
def test_the_longest_answers_of_nodes_stay_below_the_limit(programs):
    """As many at once as there are sessions, nearly as long as one may be; and short ones between."""
    nodes, daemon = [programs(Node) for _ in range(2)], programs(Daemon).start()
    sessions = [session_of_its_own(daemon, nodes[number % 2]) for number in range(120)]
    for session in sessions:
        session.view = session.start()
    for node in nodes:
        node.misbehave("big-body", on="result", times="forever", number=1_000_000)
    with Crowd() as crowd:
        for session in sessions:
            for _ in range(4):
                crowd.add(daemon.socket, session.bytes(
                    "POST", path(session.view["requestId"], "/return"), {"url": "x://r"}))
        crowd.send()
        assert sessions[0].start()["state"] == "started"
        told = {answer.status for answer in crowd.answers()}
    # Cut, not decided, or replaced by the last start.
    assert 504 in told and told <= {200, 409, 410, 504}, told
    assert Memory(daemon.pid).peak < PROMISED, Memory(daemon.pid)
    for node in nodes:
        node.behave()
    assert sessions[1].post(
        path(sessions[1].view["requestId"], "/return"), {"url": "x://r"}).code == "CONSENT_NOT_DECIDED"


@pytest.mark.parametrize("body", [
    b"[" + b"1," * (MIB // 2 - 2) + b"1]",
    b"[" + b"{}," * (MIB // 3 - 2) + b"{}]",
    b'{"url": [' + b'"",' * (MIB // 3 - 8) + b'""]}',
    b"[" * MIB,
    b'{"a":' * (MIB // 5),
], ids=["numbers", "objects", "texts", "lists", "names"])
@pytest.mark.memory
def test_a_body_does_not_grow_when_it_is_read(daemon, body):
    before = Memory(daemon.pid)
    assert len(body) <= MIB
    answer = exchange(daemon.socket, request_bytes(
        "POST", "/v1/returns", [("Content-Type", "application/json")], body))
    assert answer.status == 400 and answer.code == "JSON_MALFORMED"
    # Itself, once or twice.
    assert Memory(daemon.pid).peak < before.peak + 8 * MIB


def test_a_thousand_values_are_a_body_like_another(session):
    """The longest that is asked for: 256 hosts, and what belongs to them."""
    hosts = [f"host-{number}.notes.example" for number in range(256)]
    view = session.start({"kind": "outbound", "instance": "i", "hosts": hosts})
    assert view["state"] == "started"
    assert len(json.dumps(hosts)) > 4 * KIB
