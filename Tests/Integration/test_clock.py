"""The wall clock is set, and the machine sleeps, while requests are open. The daemon is the real
one; what the kernel tells it of its clocks is imitated (harness/clock.c), since a machine's clocks
are everybody's. What a pause does that is no sleep is tried with a real one (SIGSTOP)."""

import signal
import sqlite3
import time
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime

import pytest
from harness.api import Session, path
from harness.clock import Clock
from harness.command import Command
from harness.programs import Daemon
from harness.site import state, target
from harness.waiting import until

HOUR = 3600


@pytest.fixture
def clock(home):
    return Clock(home)


@pytest.fixture
def daemon(programs, clock):
    return programs(Daemon, environment=clock.environment).start()


def left(view, clock):
    """Seconds that a request has, by the daemon's wall clock."""
    return (datetime.fromisoformat(view["expiresAt"]) - clock.now).total_seconds()


def shown(daemon):
    """The daemon's wall clock, as it tells it."""
    return parsedate_to_datetime(daemon.api.get("/v1/status")["Date"])


def has_noticed(daemon, clock):
    return until(lambda: abs((shown(daemon) - clock.now).total_seconds()) < 60, "it is set")


@pytest.mark.parametrize("hours", [-2, -1, 1, 2])
def test_a_set_clock_moves_no_wait_and_ends_no_request(daemon, node, session, clock, hours):
    """C-123."""
    over = session.start()["requestId"]
    node.decide(over, "decline")
    session.decided(over, "declined")
    view = session.start()
    answer = session.get(path(view["requestId"]))
    before = left(answer.json(), clock)
    reads = node.calls("result")

    def wait(connection, request, tag):
        connection.send(session.bytes("GET", path(request), headers={
            "If-None-Match": tag, "Prefer": "wait=4"}))

    with session.connection() as waiting, session.connection() as awaited, \
            session.events() as stream:
        began = time.monotonic()
        wait(waiting, over, session.get(path(over))["ETag"])
        wait(awaited, view["requestId"], answer["ETag"])
        until(lambda: daemon.status["counts"]["waits"] == 2, "they wait")
        clock.set(hours * HOUR)
        has_noticed(daemon, clock)
        # When it ends by the clock of now is news.
        told = awaited.answer()
        assert told.status == 200 and told["ETag"] != answer["ETag"]
        assert before - 60 < left(told.json(), clock) <= before
        assert waiting.answer().status == 304
        # Not earlier, and not in an hour.
        assert time.monotonic() - began >= 3.9
        # The node was asked at once: who set the clock may have slept.
        until(lambda: node.calls("result") > reads, "the node is asked")
        view = session.request(view["requestId"])
        assert view["state"] == "started"
        # It ends when it did, which the clock shows as another time now.
        assert before - 60 < left(view, clock) <= before
        node.decide(view["requestId"])
        assert stream.next_request()["state"] == "approved"
    decided = session.request(view["requestId"])
    assert abs((datetime.fromisoformat(decided["decidedAt"]) - clock.now).total_seconds()) < 60


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_request_ends_in_its_own_time(daemon, node, session, clock, hours):
    """Not an hour later because it is an hour earlier, nor at once."""
    node.control("settings", ttl=6000)
    view = session.start()
    began = time.monotonic()
    clock.set(hours * HOUR)
    has_noticed(daemon, clock)
    ended = session.decided(view["requestId"], "expired")
    assert time.monotonic() - began > 3 and "decision" not in ended


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_restart_after_it_was_set_keeps_the_time_that_is_left(
        daemon, node, session, clock, hours):
    """The record has the end by the wall clock, and it was moved with that."""
    view = session.start()
    before = left(view, clock)
    clock.set(hours * HOUR)

    def recorded():
        with sqlite3.connect(daemon.record) as record:
            [(expires,)] = record.execute("SELECT expires_at FROM requests").fetchall()
        record.close()
        return expires / 1000 - clock.now.timestamp()

    until(lambda: before - 60 < recorded() <= before, "the record has its new end")
    daemon.restart(kill=True)
    after = session.request(view["requestId"])
    assert after["state"] == "started" and before - 60 < left(after, clock) <= before


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_clock_that_was_wrong_at_the_start_is_put_right(daemon, node, session, clock, hours):
    """A machine without a battery starts with any time, and learns the right one from the network:
    what was read from the record by the wrong one is computed anew."""
    view = session.start()
    before = left(view, clock)
    assert daemon.stop() == 0
    clock.set(hours * HOUR)
    daemon.start()
    session.patch("/v1/session", {
        name: node.ready[name] for name in ("accessToken", "refreshToken")})
    # By an hour too far its time is over, and the node is asked: by its clock it is not.
    reads = node.calls("result")
    until(lambda: node.calls("result") > reads, "the node is asked")
    clock.set(-hours * HOUR)
    until(lambda: before - 60 < left(session.request(view["requestId"]), clock) <= before + 1.5,
          "it is told by the clock as it is")
    assert session.request(view["requestId"])["state"] == "started"
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")


@pytest.mark.parametrize("hours", [-1, 1])
def test_tokens_handshakes_and_new_requests_do_not_mind(daemon, node, session, clock, home, hours):
    """Each side's clock is its own affair; who has to know is told."""
    session.start()
    clock.set(hours * HOUR)
    has_noticed(daemon, clock)
    view = session.start()
    assert 200 < left(view, clock) < 660
    # A refresh, and a session with a node that has forgotten all: the handshake is made anew.
    node.control("tokens/expire")
    node.control("restart")
    other = Session(daemon, node, node={
        "url": node.ready["url"], "trust": {"development": True}})
    assert other.start()["state"] == "started"
    checked = other.post("/v1/session/check")
    assert checked.status == 200
    command = Command(home, daemon)
    given = node.control("tokens")
    added = command.add(
        "notes", node, transport_key=None, development=True, refresh_token_file=None,
        token_file=command.private_file("t", given["accessToken"]))
    assert added.code == 0, added
    doctor = command("doctor")
    lines = [line for line in doctor.out.splitlines() if "node's clock" in line]
    assert len(lines) == 1, doctor
    [line] = lines
    assert line.startswith("fault") and ("behind" if hours > 0 else "ahead") in line


def test_limits_and_pauses_do_not_follow_the_wall_clock(daemon, node, session, clock):
    """Knocking is limited by time that passes; Retry-After stays true."""
    view = session.start()

    def knock():
        return daemon.site.get(target(view["callback"], request_id=view["requestId"]))

    until(lambda: knock().status == 429, "it is limited")
    for hours in (1, -2):
        clock.set(hours * HOUR)
        has_noticed(daemon, clock)
        until(lambda: knock().status == 429, "it is limited still")
    limited = knock()
    while limited.status != 429:
        limited = knock()
    assert 1 <= int(limited["Retry-After"]) <= 30
    until(lambda: knock().status == 303, "it is taken again")


def test_the_nodes_pause_does_not_follow_the_wall_clock(daemon, node, session, clock):
    node.misbehave("busy", on="result", number=3, times=1)
    view = session.start()
    until(lambda: node.calls("result") == 1 or "busy" in daemon.log, "the node is busy")
    clock.set(-HOUR)
    has_noticed(daemon, clock)
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")


def test_a_session_is_not_unused_because_the_clock_was_set(programs, clock, node):
    daemon = programs(Daemon, environment=clock.environment)
    configuration = daemon.home / "daemon.conf"
    configuration.write_text("[Sessions]\nSessionTimeout=30min\n")
    daemon.arguments += ["--config", str(configuration)]
    daemon.start()
    session = Session(daemon, node)
    for hours in (1, -2):
        clock.set(hours * HOUR)
        has_noticed(daemon, clock)
        until(lambda: session.get("/v1/session").status == 200, "it is open")
    assert daemon.status["counts"]["sessions"] == 1


def test_a_clock_that_is_years_ahead_has_nothing_forgotten(daemon, node, session, clock):
    """From the start, until somebody puts it right: what ended today is no older by that, and the
    session of its app is not unused for years."""
    old, new = session.start(), session.start()
    node.decide(new["requestId"])
    session.decided(new["requestId"], "approved")
    until(lambda: session.request(old["requestId"])["state"] == "replaced", "it is replaced")
    assert daemon.stop() == 0
    with sqlite3.connect(daemon.record) as record:
        record.execute("UPDATE requests SET finished_at = finished_at - ? WHERE request_id = ?",
                       (40 * 24 * HOUR * 1000, old["requestId"]))
    record.close()
    clock.set(5 * 365 * 24 * HOUR)
    daemon.start()
    assert session.request(old["requestId"])["state"] == "replaced"
    session.patch("/v1/session", {
        name: node.ready[name] for name in ("accessToken", "refreshToken")})
    # Its node tells the time: what is old by that goes, and nothing else.
    assert session.post("/v1/session/check").status == 200
    until(lambda: session.get(path(old["requestId"])).status == 404, "it is forgotten")
    assert session.request(new["requestId"])["state"] == "approved"
    clock.set(-5 * 365 * 24 * HOUR)
    has_noticed(daemon, clock)
    assert session.request(new["requestId"])["state"] == "approved"


# Dates, of which the wall clock only says when they seem to be over


def hand_over(node, other, view):
    """What one session asked for through the daemon is another one's own, by the node's date."""
    [there] = [kept for kept in node.overview["requests"] if kept["requestId"] == view["requestId"]]
    answer = other.post("/v1/requests", {"started": {
        "requestId": view["requestId"], "url": view["url"], "code": view["code"],
        "expiresAt": there["expiresAt"], "kind": view["kind"]}})
    assert answer.status == 201, answer
    return answer.json()


@pytest.mark.parametrize("hours", [-1, 1, 72])
def test_what_an_app_asked_for_itself_is_told_as_what_the_daemon_asked_for(
        daemon, node, session, clock, hours):
    """C-122: the wall clock is wrong all the time."""
    clock.set(hours * HOUR)
    has_noticed(daemon, clock)
    view = session.start()
    other = Session(daemon, node)
    hand_over(node, other, view)
    until(lambda: 0 < left(other.request(view["requestId"]), clock) < 660, "the node's clock counts")
    assert other.request(view["requestId"])["state"] == "started"
    node.decide(view["requestId"])
    for each in (session, other):
        assert each.decided(view["requestId"], "approved")


@pytest.mark.parametrize("hours", [-1, 1])
def test_what_an_app_asked_for_itself_expires_when_the_node_says_so(
        daemon, node, session, clock, hours):
    clock.set(hours * HOUR)
    has_noticed(daemon, clock)
    node.control("settings", ttl=9000)
    view = session.start()
    other = Session(daemon, node)
    hand_over(node, other, view)
    for each in (session, other):
        assert each.decided(view["requestId"])["state"] == "expired"


@pytest.mark.parametrize("hours", [-1, 1])
def test_what_expires_after_a_restart_by_a_wrong_clock_is_not_replaced(
        daemon, node, session, clock, hours):
    node.control("settings", ttl=9000)
    view = session.start()
    assert daemon.stop() == 0
    clock.set(hours * HOUR)
    daemon.start()
    session.patch("/v1/session", {
        name: node.ready[name] for name in ("accessToken", "refreshToken")})
    assert session.decided(view["requestId"])["state"] == "expired"


@pytest.mark.parametrize("hasTokens", [False, True])
def test_a_clock_that_is_days_ahead_gives_nothing_up(daemon, node, session, clock, hasTokens):
    """Neither for missing tokens nor for a node that cannot be read for a while."""
    view = session.start()
    tokens = {name: node.ready[name] for name in ("accessToken", "refreshToken")}
    daemon.kill()
    clock.set(3 * 24 * HOUR)
    daemon.start()
    node.misbehave("status", on="result", times="forever")
    if hasTokens:
        session.patch("/v1/session", tokens)
    for _ in range(2):
        told = session.post(path(view["requestId"], "/return"), {
            "url": f"x:?request_id={view['requestId']}"})
        assert told.json()["code"] == ("NODE_ERROR" if hasTokens else "SESSION_EXPIRED"), told
    assert session.request(view["requestId"])["state"] == "started"
    clock.set(-3 * 24 * HOUR)
    has_noticed(daemon, clock)
    node.behave()
    session.patch("/v1/session", tokens)
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")


# Sleep


def test_a_weekend_asleep_gives_nothing_up(daemon, node, session, clock):
    """On waking the network is not there for a moment."""
    view = session.start()
    node.misbehave("status", on="result", times="forever")
    node.decide(view["requestId"])
    reads = node.calls("result")
    clock.suspend(60 * HOUR)
    until(lambda: node.calls("result") > reads + 1, "the node is asked again")
    assert session.request(view["requestId"])["state"] == "started"
    node.behave()
    assert session.decided(view["requestId"], "approved")


def test_a_session_is_not_unused_because_the_machine_slept(programs, clock, node):
    """Its app slept too."""
    daemon = programs(Daemon, environment=clock.environment)
    configuration = daemon.home / "daemon.conf"
    configuration.write_text("[Sessions]\nSessionTimeout=30min\nRetention=1h\n")
    daemon.arguments += ["--config", str(configuration)]
    daemon.start()
    session = Session(daemon, node)
    view = session.start()
    node.decide(view["requestId"])
    session.decided(view["requestId"], "approved")
    clock.suspend(60 * HOUR)

    def recorded():
        with sqlite3.connect(daemon.record) as record:
            [(count,)] = record.execute("SELECT count(*) FROM requests").fetchall()
        record.close()
        return count

    # The round that finds unused sessions has old records forgotten.
    until(lambda: recorded() == 0, "what is old is forgotten")
    assert session.get("/v1/session").status == 200


def test_a_request_whose_time_passed_in_sleep_ends_after_one_last_read(
        daemon, node, session, clock):
    """C-121."""
    view = session.start()
    assert left(view, clock) > 200
    node.misbehave("status", on="result", times="forever")
    reads = node.calls("result")
    until(lambda: node.calls("result") > reads, "it has read")
    node.behave()
    clock.suspend(HOUR)
    assert session.decided(view["requestId"])["state"] == "expired"


def test_a_decision_that_was_made_in_its_sleep_is_found(daemon, node, session, clock):
    """C-121: and no end by the clock is told before the node was asked."""
    view = session.start()
    node.misbehave("status", on="result", times="forever")
    node.decide(view["requestId"])
    with session.events() as stream:
        node.behave()
        clock.suspend(HOUR)
        assert stream.next_request()["state"] == "approved"
    assert session.request(view["requestId"])["state"] == "approved"


def test_waits_end_and_streams_go_on_after_a_sleep(daemon, node, session, clock):
    """A wait has passed its time; who listens hears of what comes."""
    view = session.start()
    answer = session.get(path(view["requestId"]))
    with session.connection() as waiting, session.events() as stream:
        waiting.send(session.bytes("GET", path(view["requestId"]), headers={
            "If-None-Match": answer["ETag"], "Prefer": "wait=290"}))
        until(lambda: daemon.status["counts"]["waits"] == 1, "it waits")
        # Less than the request has left.
        clock.suspend(295)
        answer = waiting.answer()
        assert answer.status in (200, 304)
        second = session.start()
        while (event := stream.next_request())["requestId"] != second["requestId"]:
            pass
        assert event["state"] == "started"


# A pause


def test_a_process_that_was_stopped_for_a_while_asks_before_it_ends_anything(
        programs, node):
    """A real one: a debugger, a frozen control group, a busy machine."""
    daemon = programs(Daemon).start()
    session = Session(daemon, node)
    node.control("settings", ttl=4000)
    view, = [session.start()]
    answer = session.get(path(view["requestId"]))
    with session.connection() as waiting:
        waiting.send(session.bytes("GET", path(view["requestId"]), headers={
            "If-None-Match": answer["ETag"], "Prefer": "wait=2"}))
        until(lambda: daemon.status["counts"]["waits"] == 1, "it waits")
        daemon.signal(signal.SIGSTOP)
        node.decide(view["requestId"])
        ends = datetime.fromisoformat(view["expiresAt"]) + timedelta(seconds=1)
        until(lambda: datetime.now(ends.tzinfo) > ends, "its time is over")
        daemon.signal(signal.SIGCONT)
        assert waiting.answer().status in (200, 304)
    assert session.decided(view["requestId"], "approved")
    page = daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
    assert state(page) == "approved"
