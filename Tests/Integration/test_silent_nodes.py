"""Apps that make the daemon wait for a node that never answers, again and again: nothing piles up,
and nobody else is kept waiting."""

import pytest
from harness import settings
from harness.api import Session, path
from harness.crowd import MIB, Memory, many_descriptors
from harness.programs import Daemon
from harness.silence import Silence
from harness.site import target
from harness.waiting import until
from harness.wire import Closed

START = {"request": {"kind": "createOrg", "name": "Acme"}}
# What may be added for a node's silence, and what may stay when that is over.
BURST = 24 * MIB
LEFT_OVER = 8 * MIB


@pytest.fixture
def silence():
    with many_descriptors():
        node = Silence()
        yield node
        node.close()


def theirs(daemon, node, silence):
    return Session(daemon, node, node=silence.trust(node))


def hang_up(session, data):
    with session.connection() as connection:
        connection.send(data)


@pytest.mark.memory
def test_clients_that_hang_up_keep_no_place(programs, node, silence):
    """Their starts go on, and others connect meanwhile."""
    daemon = programs(Daemon, log_level="info")
    settings.configure(daemon, "[Daemon]\nMaximumConnections=64\n")
    daemon.start()
    mine = Session(daemon, node)
    others = [theirs(daemon, node, silence) for _ in range(2)]
    start = [other.bytes("POST", "/v1/requests", START) for other in others]
    check = others[0].bytes("POST", "/v1/session/check")
    recorded = [other.post("/v1/requests", silence.recorded(f"r-{number}")).json()["requestId"]
                for number, other in enumerate(others)]
    back = [other.bytes("POST", path(request_id, "/return"), {"url": "x://r"})
            for other, request_id in zip(others, recorded)]
    for _ in range(30):
        for other, data in zip(others * 2, start + back):
            hang_up(other, data)
        hang_up(others[0], check)

    def started():
        # Those who have just hung up may not all be noticed yet.
        try:
            answer = mine.post("/v1/requests", START)
        except (Closed, OSError):
            return None
        return answer.status == 201 and answer
    view = until(started, "others are served").json()
    # None of their calls has ended by itself.
    assert silence.are_held >= 2
    node.decide(view["requestId"])
    until(lambda: mine.request(view["requestId"])["state"] == "approved", "and told")
    assert Memory(daemon.pid).private < BURST + 32 * MIB


@pytest.mark.memory
def test_new_tokens_again_and_again_leave_nothing_that_waits(daemon, node, silence):
    session = theirs(daemon, node, silence)
    with session.connection() as connection:
        for number in range(64):
            connection.send(session.bytes(
                "POST", "/v1/requests", silence.recorded(f"r-{number}")))
            assert connection.answer().status == 201
    before = Memory(daemon.pid)
    tokens = {name: session.opening[name] for name in ("accessToken", "refreshToken")}
    with session.connection() as connection:
        for _ in range(1000):
            connection.send(session.bytes("PATCH", "/v1/session", tokens))
            assert connection.answer().status == 200
    assert Memory(daemon.pid).private < before.private + BURST, (before, Memory(daemon.pid))
    assert session.delete("/v1/session").status == 204
    until(lambda: Memory(daemon.pid).private < before.private + LEFT_OVER,
          "the memory is given back")


@pytest.mark.memory
def test_returns_that_hang_up_are_in_nobodys_way(daemon, node, silence):
    """The person comes back with a ticket, and without one, while another app's returns wait."""
    mine = Session(daemon, node)
    view = mine.start()
    others = [theirs(daemon, node, silence) for _ in range(3)]
    before = Memory(daemon.pid)
    for number, other in enumerate(others):
        assert other.post("/v1/requests", silence.recorded(f"r-{number}")).status == 201
        data = other.bytes("POST", path(f"r-{number}", "/return"), {"url": "x://r"})
        for _ in range(300):
            hang_up(other, data)
        for _ in range(64):
            daemon.api.post("/v1/returns", {"url": f"x://r?request_id=r-{number}"})
    for _ in range(64):
        daemon.api.post("/v1/returns", {"url": "x://r"})
    assert Memory(daemon.pid).private < before.private + BURST, (before, Memory(daemon.pid))
    bare = f"x://r?request_id={view['requestId']}"
    assert daemon.api.post("/v1/returns", {"url": bare}).status == 202
    back = target(view["callback"], request_id=view["requestId"])
    assert daemon.site.get(back).status == 303
    node.decide(view["requestId"])
    assert daemon.site.get(back).status == 303
    assert mine.post(path(view["requestId"], "/return"), {"url": bare}).json()["state"] == "approved"


def test_no_app_waits_with_more_calls_than_its_share(daemon, node, silence):
    session = theirs(daemon, node, silence)
    assert session.post("/v1/requests", silence.recorded("r")).status == 201
    data = session.bytes("POST", path("r", "/return"), {"url": "x://r"})
    kept = []
    try:
        for _ in range(16):
            kept.append(session.connection())
            kept[-1].send(data)

        def refused():
            answer = session.post(path("r", "/return"), {"url": "x://r"})
            return answer.status == 429 and answer
        answer = refused()
        while not answer:
            answer = refused()
        assert answer.code == "TOO_MANY" and int(answer["Retry-After"]) >= 1
    finally:
        for connection in kept:
            connection.close()
    # Who has left makes room.
    def waits():
        with session.connection() as connection:
            connection.socket.settimeout(2)
            connection.send(data)
            try:
                return connection.answer().status != 429
            except TimeoutError:
                return True
    until(waits, "there is room again")


@pytest.mark.memory
def test_many_sessions_whose_clients_hang_up_leave_little(daemon, node):
    """At a node that shakes hands and then says nothing: returns, and what is asked anew."""
    sessions = [Session(daemon, node, package=f"com.example.p{number}") for number in range(24)]
    sessions[0].post("/v1/session/check")
    node.misbehave("slow", on="result", times="forever", number=3_600_000)
    node.misbehave("slow", on="request", times="forever", number=3_600_000)
    for number, session in enumerate(sessions):
        with session.connection() as connection:
            for place in range(48):
                connection.send(session.bytes("POST", "/v1/requests", {"started": {
                    "requestId": f"r-{number}-{place}", "code": "ABCD-EF", "kind": "createOrg",
                    "url": f"{node.ready['url']}/consent/r-{number}-{place}?code=ABCD-EF",
                    "expiresAt": "2099-01-01T00:00:00Z"}}))
                assert connection.answer().status == 201
    for _ in range(2):
        for number, session in enumerate(sessions):
            for place in range(48):
                hang_up(session, session.bytes(
                    "POST", path(f"r-{number}-{place}", "/return"), {"url": "x://r"}))
            for _ in range(8):
                hang_up(session, session.bytes("POST", "/v1/requests", START))
            # What is measured is what their nodes keep waiting, and not how many hang up at a time.
            daemon.api.get("/v1/status")
    assert Memory(daemon.pid).private < 64 * MIB, Memory(daemon.pid)
    # Nothing of it is in the way of whoever comes next.
    node.behave()
    mine = Session(daemon, node)
    view = mine.start()
    node.decide(view["requestId"])
    until(lambda: mine.request(view["requestId"])["state"] == "approved", "others are told")
