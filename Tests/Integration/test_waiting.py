"""Waiting with If-None-Match and Prefer: wait."""

import json
import threading
import time

import pytest
from harness.api import path
from harness.waiting import until


def waiting(daemon, session, request_id, etag, seconds=60):
    """A connection with a wait that the daemon holds."""
    connection = session.connection()
    before = daemon.status["counts"]["waits"]
    connection.send(session.bytes("GET", path(request_id), headers={
        "If-None-Match": etag, "Prefer": f"wait={seconds}"}))
    until(lambda: daemon.status["counts"]["waits"] == before + 1, "the wait is held")
    return connection


@pytest.fixture
def started(session):
    view = session.start()
    etag = session.get(path(view["requestId"]))["ETag"]
    return view["requestId"], etag


def test_a_wait_ends_with_the_decision(daemon, node, session, started):
    request_id, etag = started
    with waiting(daemon, session, request_id, etag) as connection:
        node.decide(request_id)
        session.post(path(request_id, "/return"), {"url": "x://r"})
        answer = connection.answer()
    assert answer.status == 200 and answer.json()["decision"] == "approved"
    assert answer["Preference-Applied"] == "wait=60"
    assert answer["ETag"] != etag


def test_a_wait_ends_with_a_refused_return_too(daemon, session, started):
    request_id, etag = started
    with waiting(daemon, session, request_id, etag) as connection:
        session.post(path(request_id, "/return"), {"url": "x://r?request_id=other"})
        answer = connection.answer()
    assert answer.status == 200
    assert answer.json()["lastReturn"]["code"] == "CONSENT_REQUEST_MISMATCH"


def test_a_wait_tells_a_node_that_cannot_be_read_from_nobody_having_decided(
        daemon, node, session, started):
    request_id, etag = started
    assert "readFailure" not in session.request(request_id)
    with session.events() as stream:
        with waiting(daemon, session, request_id, etag) as connection:
            node.misbehave("status", on="result", times="forever", number=500)
            answer = connection.answer()
        view = answer.json()
        assert view["state"] == "started" and "decision" not in view
        assert view["readFailure"]["code"] == "NODE_ERROR" and view["readFailure"]["since"]
        assert "500" in view["detail"]
        assert answer["ETag"] != etag
        # It is one failure, however often the node is asked: whoever waits is not woken for each.
        before = node.calls("result")
        with waiting(daemon, session, request_id, answer["ETag"]) as connection:
            until(lambda: node.calls("result") >= before + 2, "it is asked again")
            later = session.get(path(request_id))
            assert later["ETag"] == answer["ETag"] and later.json() == view
            node.behave()
            again = connection.answer()
        assert again.status == 200 and again["ETag"] == etag
        assert "readFailure" not in again.json() and "detail" not in again.json()
        # The stream tells both, without a number: they are of the moment.
        event = stream.next()
        told = json.loads(event["data"])
        assert told["readFailure"] == view["readFailure"] and "recorded" not in told
        assert told["state"] == "started" and "id" not in event
        assert "readFailure" not in stream.next_request()
        node.decide(request_id)
        assert stream.next_request()["state"] == "approved"
    assert "readFailure" not in session.decided(request_id, "approved")


def test_tokens_that_are_missing_are_no_failure_to_read(daemon, node, session, started):
    request_id, _ = started
    node.control("tokens/revoke")
    assert session.post(path(request_id, "/return"), {"url": "x://r"}).code == "SESSION_EXPIRED"
    view = session.request(request_id)
    assert view["needsSession"] is True and "readFailure" not in view


def test_the_watcher_finds_a_decision_that_nobody_brings_back(daemon, node, session, started):
    request_id, etag = started
    with waiting(daemon, session, request_id, etag) as connection:
        node.decide(request_id, "decline")
        answer = connection.answer()
    assert answer.json()["decision"] == "declined"
    assert "lastReturn" not in answer.json()


def test_a_wait_that_is_over_is_304(session, started):
    request_id, etag = started
    begin = time.monotonic()
    answer = session.wait(request_id, etag, 1)
    assert answer.status == 304 and answer.body == b""
    assert 0.9 < time.monotonic() - begin < 30
    assert answer["ETag"] == etag and answer["Preference-Applied"] == "wait=1"
    assert answer["Cache-Control"] == "no-store"


def test_without_a_condition_there_is_no_wait(session, started):
    request_id, _ = started
    answer = session.get(path(request_id), {"Prefer": "wait=60"})
    assert answer.status == 200 and answer["Preference-Applied"] is None


def test_without_a_preference_the_answer_comes_at_once(session, started):
    request_id, etag = started
    answer = session.get(path(request_id), {"If-None-Match": etag})
    assert answer.status == 304 and answer["Preference-Applied"] is None


def test_another_version_is_answered_at_once(session, started):
    request_id, _ = started
    answer = session.wait(request_id, '"some-older-version"')
    assert answer.status == 200 and answer["Preference-Applied"] is None


@pytest.mark.parametrize("condition,status", [
    ("*", 304), ("W/{0}", 304), ('"x", {0}', 304), ("{0}, ", 304), ("nonsense", 200),
    ('"x"', 200), ("", 200),
])
def test_conditions_are_compared_weakly(session, started, condition, status):
    request_id, etag = started
    answer = session.get(path(request_id), {"If-None-Match": condition.format(etag)})
    assert answer.status == status


def test_the_longest_wait_is_300_s(daemon, node, session, started):
    request_id, etag = started
    with waiting(daemon, session, request_id, etag, 100000) as connection:
        session.delete(path(request_id))
        assert connection.answer()["Preference-Applied"] == "wait=300"


def test_a_client_that_only_ended_its_sending_side_is_answered(daemon, node, session, started):
    request_id, etag = started
    with waiting(daemon, session, request_id, etag) as connection:
        connection.end_sending()
        session.delete(path(request_id))
        assert connection.answer().json()["state"] == "cancelled"


def test_a_client_that_hung_up_is_not_waited_for(daemon, session, started):
    request_id, etag = started
    waiting(daemon, session, request_id, etag).close()
    until(lambda: daemon.status["counts"]["waits"] == 0, "the wait is gone")


def test_all_who_wait_are_told(daemon, session, started):
    request_id, etag = started
    connections = [waiting(daemon, session, request_id, etag) for _ in range(5)]
    session.delete(path(request_id))
    assert {connection.answer().json()["state"] for connection in connections} == {"cancelled"}
    for connection in connections:
        connection.close()


def test_there_are_only_so_many_waits(daemon, session, started):
    request_id, etag = started
    connections, refused = [], None
    for _ in range(600):
        connection = session.connection()
        connection.send(session.bytes("GET", path(request_id), headers={
            "If-None-Match": etag, "Prefer": "wait=60"}))
        connections.append(connection)
        connection.socket.settimeout(0.05)
        try:
            refused = connection.answer()
            break
        except TimeoutError:
            pass
    assert refused is not None and refused.status == 429 and refused.code == "TOO_MANY"
    assert len(connections) == 64 + 1
    assert int(refused["Retry-After"]) >= 1
    for connection in connections:
        connection.close()


def test_no_decision_falls_between_looking_and_waiting(daemon, node, session):
    """The return races the wait: whoever is first, the wait ends at once."""
    for _ in range(30):
        view = session.start()
        request_id = view["requestId"]
        etag = session.get(path(request_id))["ETag"]
        node.decide(request_id)
        confirming = threading.Thread(
            target=session.post, args=(path(request_id, "/return"), {"url": "x://r"}))
        confirming.start()
        answer = session.wait(request_id, etag)
        confirming.join()
        assert answer.status == 200
        if answer.json()["state"] == "started":
            answer = session.wait(request_id, answer["ETag"])
        assert answer.json()["state"] == "approved"


def test_a_wait_does_not_see_the_wall_clock(daemon, session, started):
    # A stop of the process stands in for a suspended machine: the wait ends by its own clock.
    import signal
    request_id, etag = started
    begin = time.monotonic()
    with waiting(daemon, session, request_id, etag, 2) as connection:
        daemon.signal(signal.SIGSTOP)
        until(lambda: time.monotonic() - begin > 2.5, "the wait's time is up")
        daemon.signal(signal.SIGCONT)
        answer = connection.answer()
    assert answer.status == 304
    assert time.monotonic() - begin < 30
