"""One notification a decided request, on a bus of the test's own."""

import html
import time

import pytest
from harness.api import Session
from harness.bus import Bus, Notifications
from harness.programs import Daemon
from harness.site import NAVIGATION, target
from harness.waiting import until


@pytest.fixture
def bus(home):
    bus = Bus(home)
    yield bus
    bus.close()


@pytest.fixture
def start(programs, bus):
    def start(*options, **environment):
        return programs(Daemon, *options, environment=bus.environment | environment).start()
    return start


def decide(session, node, decision, **request):
    view = session.start(request or None)
    node.decide(view["requestId"], decision)
    return session.decided(view["requestId"])


def test_each_decision_is_told_once_in_plain_words(start, bus, node):
    service = bus.add(Notifications)
    session = Session(start(), node, package="com.example.notes")
    decide(session, node, "approve")
    until(lambda: len(service.shown) == 1, "the approval is told")
    decide(session, node, "decline")
    until(lambda: len(service.shown) == 2, "the refusal is told")
    assert service.shown == [
        ("Approved", "The node confirms that you approved the request.\ncom.example.notes"),
        ("Declined", "The node confirms that you declined the request. Nothing was changed.\n"
                   "com.example.notes")]
    # What ends otherwise is not the person's decision.
    session.delete(f"/v1/requests/{session.start()['requestId']}")
    decide(session, node, "approve")
    until(lambda: len(service.shown) == 3, "the next approval is told")
    assert [summary for summary, _ in service.shown] == ["Approved", "Declined", "Approved"]


def test_no_secret_and_no_markup_is_in_it(start, bus, node):
    service = bus.add(Notifications)
    session = Session(start(), node, package="<b>a&b</b>")
    view = decide(session, node, "approve", kind="createInvite", org="org-1")
    until(lambda: service.shown, "the approval is told")
    (_, body), = service.shown
    assert body.endswith("\n&lt;b&gt;a&amp;b&lt;/b&gt;")
    for secret in (view["outcome"]["token"], view["requestId"], view["code"], view["url"]):
        assert secret not in body


@pytest.mark.parametrize("environment, language", [
    ({"LANG": "de_CH.UTF-8"}, "de"), ({"LANG": "de", "LC_ALL": "fr_FR"}, "fr"),
    ({"LANG": "C.UTF-8"}, "en"), ({"LANG": "ja_JP.UTF-8"}, "ja"), ({"LANG": "pl_PL"}, "en"),
])
def test_it_has_the_words_of_the_page_in_the_persons_language(
        start, bus, node, environment, language):
    service = bus.add(Notifications)
    daemon = start(**environment)
    view = decide(Session(daemon, node), node, "approve")
    until(lambda: service.shown, "the approval is told")
    page = daemon.site.bring_back(
        target(view["callback"], request_id=view["requestId"]),
        NAVIGATION | {"Accept-Language": language})
    (summary, body), = service.shown
    text = html.unescape(page.text)
    assert f">{summary}</h1>" in text and body.splitlines()[0] in text


def test_none_is_shown_where_the_configuration_says_so(start, bus, node, home):
    service = bus.add(Notifications)
    configuration = home / "quiet.conf"
    configuration.write_text("[Desktop]\nNotifications=no\n")
    quiet = Session(start("--config", configuration), node)
    decide(quiet, node, "approve")
    # Another daemon's is shown, so one of the first would have been there by now.
    decide(Session(start(), node), node, "approve")
    until(lambda: service.shown, "the other daemon's is told")
    assert len(service.shown) == 1


def test_without_a_service_nothing_is_wrong(start, bus, node):
    daemon = start(LANG="C")
    session = Session(daemon, node)
    assert decide(session, node, "approve")["state"] == "approved"
    until(lambda: "no notification service" in daemon.log, "it was tried")
    for line in daemon.log.splitlines():
        assert "error" not in line.lower() and "warning" not in line.lower(), line


def test_no_service_is_started_for_it(programs, node, home):
    program = home / "service"
    program.write_text(f"#!/bin/sh\ntouch '{home}/started'\nexec sleep 30\n")
    program.chmod(0o755)
    bus = Bus(home, {Notifications.name: program})
    try:
        daemon = programs(Daemon, environment=bus.environment).start()
        decide(Session(daemon, node), node, "approve")
        until(lambda: "no notification service" in daemon.log, "it was tried")
        assert not (home / "started").exists()
    finally:
        bus.close()


def test_a_bus_that_answers_nobody_holds_nothing_up(start, bus, node):
    session = Session(start(), node)
    bus.freeze()
    begin = time.monotonic()
    assert decide(session, node, "approve")["state"] == "approved"
    # A call on the bus alone waits for 25 s.
    assert time.monotonic() - begin < 20
