"""GET /v1/events: the caller's changes as they happen."""

import json
import socket

import pytest
from harness.api import path
from harness.site import target
from harness.waiting import until


def test_tells_each_change_without_secrets(daemon, node, session):
    with session.events() as stream:
        assert stream.answer.status == 200
        assert stream.answer["Content-Type"].startswith("text/event-stream")
        assert stream.answer["Cache-Control"] == "no-store"
        view = session.start({"kind": "createInvite", "org": "o"})
        request_id = view["requestId"]
        assert stream.next_request() == {"requestId": request_id, "state": "started"}
        session.post(path(request_id, "/return"), {"url": "x://r"})
        told = stream.next_request()
        assert told["state"] == "started"
        assert told["lastReturn"]["code"] == "CONSENT_NOT_DECIDED"
        node.decide(request_id)
        session.post(path(request_id, "/return"), {"url": "x://r"})
        event = stream.next()
        assert json.loads(event["data"])["state"] == "approved"
        token = session.request(request_id)["outcome"]["token"]
        assert token not in event["data"]


def test_begins_with_a_comment_so_that_the_client_knows(session):
    with session.events() as stream:
        assert stream.block().startswith(":")


@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
def test_a_stream_that_was_cut_before_its_first_event_misses_none(daemon, node, session, kill):
    for _ in range(2):
        session.start()
    with session.events() as stream:
        # It says where it stands: after both.
        fields = dict(line.split(": ", 1) for line in stream.block().split("\n")[1:])
        daemon.restart(kill=kill)
    session.patch("/v1/session", {"accessToken": node.ready["accessToken"]})
    view = session.start()
    with session.events(after=fields["id"]) as stream:
        told = []
        while not told or told[-1]["requestId"] != view["requestId"]:
            told.append(stream.next_request())
    # Besides, that the new request took the place of the one before.
    assert [event["requestId"] for event in told if event["state"] == "started"] == [
        view["requestId"]]


def test_knocking_at_the_callback_keeps_nobody_busy(daemon, session):
    view = session.start()
    with session.events(after=0) as stream:
        for _ in range(50):
            daemon.site.get(target(view["callback"], request_id="other"))
        session.delete(path(view["requestId"]))
        told = []
        while not told or told[-1]["state"] != "cancelled":
            told.append(stream.next_request())
    assert len(told) < 10


def test_numbers_grow_over_restarts_and_sessions(daemon, node, session):
    session.start()
    daemon.restart()
    session.patch("/v1/session", {"accessToken": node.ready["accessToken"]})
    session.start()
    with session.events(after=0) as stream:
        ids = [int(stream.next()["id"]) for _ in range(3)]
    assert ids == sorted(ids) and len(set(ids)) == 3


def test_replays_what_was_missed(daemon, node, session):
    with session.events() as stream:
        first = session.start()
        seen = stream.next()["id"]
    session.delete(path(first["requestId"]))
    second = session.start()
    daemon.restart(kill=True)
    with session.events(after=seen) as stream:
        told = [stream.next_request() for _ in range(2)]
    assert [(event["requestId"], event["state"]) for event in told] == [
        (first["requestId"], "cancelled"), (second["requestId"], "started")]


def test_a_new_stream_tells_only_what_is_new(node, session):
    first = session.start()
    node.decide(first["requestId"])
    session.decided(first["requestId"])
    with session.events() as stream:
        view = session.start()
        assert stream.next_request() == {"requestId": view["requestId"], "state": "started"}


@pytest.mark.parametrize("value", ["x", "-1", "1.0", "+1", "1" * 19, " 1 1"])
def test_a_last_event_id_that_never_was_one_is_refused(session, value):
    answer = session.get("/v1/events", {"Last-Event-ID": value})
    assert answer.status == 400 and answer.code == "REQUEST_MALFORMED"


def test_streams_that_end_leave_nothing_behind(daemon, session):
    session.start()
    until(lambda: daemon.status["counts"]["eventStreams"] == 0, "no stream is open")
    before = daemon.open_descriptors()
    for number in range(100):
        stream = session.events(after=0)
        assert stream.next()["event"] == "request"
        if number % 2:
            stream.connection.reset()
        else:
            stream.close()
    until(lambda: daemon.open_descriptors() <= before, "all descriptors are closed")
    assert daemon.status["counts"]["eventStreams"] == 0


def test_there_are_only_so_many_streams(daemon, session):
    streams = []
    for _ in range(64):
        stream = session.events()
        streams.append(stream)
        if stream.answer.status != 200:
            break
    assert streams[-1].answer.status == 429 and len(streams) == 16 + 1
    assert int(streams[-1].answer["Retry-After"]) >= 1
    for stream in streams:
        stream.close()
    until(lambda: daemon.status["counts"]["eventStreams"] == 0, "the places are free again")
    with session.events() as stream:
        assert stream.answer.status == 200


def knock(session, view, times):
    """As many events, one for each refused return."""
    for number in range(times):
        url = "x://r?request_id=other" if number % 2 else "x://r"
        session.post(path(view["requestId"], "/return"), {"url": url})


def test_a_long_replay_reaches_a_reader_that_takes_its_time(daemon, node, session):
    view = session.start()
    knock(session, view, 300)
    connection = session.connection()
    connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.send(session.bytes("GET", "/v1/events", headers={"Last-Event-ID": "0"}))
    data = b""
    while data.count(b"event: request") < 301:
        data += connection.socket.recv(512)
    connection.close()
    ids = [int(line[4:]) for line in data.decode().split("\n") if line.startswith("id: ")]
    assert ids == sorted(ids)


def test_a_reader_that_never_reads_holds_nobody_up(daemon, session):
    view = session.start()
    stalled = session.connection()
    stalled.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    stalled.send(session.bytes("GET", "/v1/events", headers={"Last-Event-ID": "0"}))
    with session.events() as stream:
        for _ in range(25):
            knock(session, view, 2)
            codes = [stream.next_request()["lastReturn"]["code"] for _ in range(2)]
            assert codes == ["CONSENT_NOT_DECIDED", "CONSENT_REQUEST_MISMATCH"]
    stalled.close()


def test_a_silent_stream_is_kept_open_by_comments(session):
    with session.events() as stream:
        stream.connection.socket.settimeout(30)
        assert stream.block().startswith(":")
        # The next block is the comment of the 25th second: nothing else happens here.
        assert stream.block().startswith(":")


def test_head_tells_the_type_and_opens_no_stream(daemon, session):
    answer = session.call("HEAD", "/v1/events")
    assert answer.status == 200 and answer["Content-Type"].startswith("text/event-stream")
    # GET's has none: its length is not known.
    assert answer["Content-Length"] is None
    assert daemon.status["counts"]["eventStreams"] == 0
