"""Opening a page through the desktop's portal, on a bus of the test's own (C-069, C-070)."""

import select
import time

import pytest
from harness.api import Session, path
from harness.bus import Bus, Portal
from harness.programs import Daemon
from harness.waiting import until

# An answer within it was not kept for who never answers: a call on the bus alone waits for 25 s, and
# a page is given 2 s.
SOON = 20


@pytest.fixture
def bus(home):
    bus = Bus(home)
    yield bus
    bus.close()


@pytest.fixture
def daemon(programs, opener, bus):
    return programs(Daemon, environment=opener.environment | bus.environment).start()


def timed(call):
    begin = time.monotonic()
    return call(), time.monotonic() - begin


@pytest.mark.parametrize("response, opened, reason, by_opener", [
    (0, True, None, False),
    (1, False, "CANCELLED", False),
    (2, "unknown", None, True),
    ("missing", "unknown", None, True),
    (None, "unknown", None, False),
    ("silent", "unknown", None, False),
])
def test_the_portal_decides_whether_the_opener_is_tried(
        daemon, node, bus, opener, response, opened, reason, by_opener):
    portal = bus.add(Portal, response)
    view, took = timed(lambda: Session(daemon, node).start(open=True))
    assert view["opened"] == opened and view.get("openedReason") == reason
    assert took < SOON, "nobody waits for a portal that says nothing"
    assert [address for address, _ in portal.opened] == [view["url"]], "asked once"
    assert len(opener.pages) == by_opener


def test_without_a_portal_the_opener_is_used_at_once(daemon, node, opener):
    view = Session(daemon, node).start(open=True)
    assert view["opened"] == "unknown" and opener.pages == [view["url"]]


def test_a_portal_that_does_not_start_is_not_waited_for(programs, opener, node, home):
    program = home / "service"
    program.write_text("#!/bin/sh\nexec sleep 30\n")
    program.chmod(0o755)
    bus = Bus(home, {Portal.name: program})
    try:
        daemon = programs(Daemon, environment=opener.environment | bus.environment).start()
        view, took = timed(lambda: Session(daemon, node).start(open=True))
        # It may still come, and two tabs are worse than a link that the app shows.
        assert view["opened"] == "unknown" and took < SOON and opener.pages == []
    finally:
        bus.close()


def test_a_bus_that_answers_nobody_does_not_hang(daemon, node, bus, opener):
    session = Session(daemon, node)
    session.start()
    bus.freeze()
    view, took = timed(lambda: session.start(open=True))
    assert view["state"] == "started" and took < SOON
    assert daemon.status


def test_other_calls_are_answered_while_the_portal_is_silent(daemon, node, bus):
    portal = bus.add(Portal, None)
    session = Session(daemon, node)
    session.start()
    connection = session.connection()
    connection.send(session.bytes("POST", "/v1/requests", {
        "request": {"kind": "createOrg", "name": "Acme"}, "open": True}))
    until(lambda: portal.opened, "the portal is asked")
    answered = 0
    while not select.select([connection.socket], [], [], 0)[0]:
        assert daemon.status
        answered += 1
    # One could have waited for the portal as well; several could not.
    assert answered > 2
    assert connection.answer().json()["opened"] == "unknown"
    connection.close()


def test_an_apps_activation_token_goes_to_the_portal(daemon, node, bus):
    portal = bus.add(Portal, 0)
    session = Session(daemon, node)
    view = session.start(open=True, activationToken="tok-1")
    session.post(path(view["requestId"], "/open"), {"activationToken": "tok-2"})
    session.post(path(view["requestId"], "/open"))
    assert [options.get("activation_token") for _, options in portal.opened] == [
        "tok-1", "tok-2", None]
    assert "tok-" not in daemon.log


def test_an_apps_activation_token_goes_to_the_opener(daemon, node, opener, home):
    opener.set(f"printf '%s' \"$XDG_ACTIVATION_TOKEN\" >'{home}/token'")
    Session(daemon, node).start(open=True, activationToken="tok-1")
    assert (home / "token").read_text() == "tok-1"


@pytest.mark.parametrize("token", ["", "a b", "a\n", "é", "x" * 1025, 1])
def test_what_is_no_activation_token_is_refused(daemon, node, token):
    session = Session(daemon, node)
    body = {"request": {"kind": "createOrg", "name": "Acme"}, "activationToken": token}
    answer = session.post("/v1/requests", body)
    assert answer.status == 422 and answer.json()["field"] == "activationToken"


def test_our_own_handler_is_no_browser(programs, opener, node, home):
    """C-057: with us as the default for https, asking for a browser would start ourselves."""
    applications = home / "data/applications"
    applications.mkdir(parents=True)
    (applications / "mero-consent.desktop").write_text("[Desktop Entry]\nType=Application\nName=x\n")
    daemon = programs(Daemon, environment=opener.environment | {
        "XDG_DATA_HOME": str(home / "data")}).start()
    assert Session(daemon, node).start(open=True)["opened"] == "unknown"
    defaults = daemon.home / "config/mimeapps.list"
    defaults.parent.mkdir(exist_ok=True)
    defaults.write_text("[Default Applications]\nx-scheme-handler/https=mero-consent.desktop\n")
    view = Session(daemon, node).start(open=True)
    assert (view["opened"], view["openedReason"]) == (False, "NO_BROWSER")
    assert view["url"] and view["code"] and len(opener.pages) == 1
