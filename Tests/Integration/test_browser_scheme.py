"""The return by an app's own scheme: a real browser hands it to the desktop's opener, which starts
the program that has the scheme."""

import shutil

import pytest
from harness.chromium import Chromium
from harness.programs import ROOT, binaries
from harness.waiting import until

CALLBACK = "mero-consent://return"


class Desk:
    """A person's desktop: a home in which the package's own entry has the scheme."""

    def __init__(self, home, daemon):
        self.record = home / "handled"
        applications = home / "data" / "applications"
        applications.mkdir(parents=True)
        # The entry's program, and a note of what it was given.
        program = home / "mero-consent"
        program.write_text(
            f"#!/bin/sh\nprintf '%s|' \"$@\" >>{self.record}\necho >>{self.record}\n"
            f"exec {binaries() / 'mero-consent'} \"$@\" --socket {daemon.socket}\n")
        program.chmod(0o755)
        entry = (ROOT / "config" / "mero-consent.desktop").read_text()
        assert "Exec=/usr/bin/mero-consent handle %u" in entry
        (applications / "mero-consent.desktop").write_text(
            entry.replace("/usr/bin/mero-consent", str(program)))
        config = home / "config"
        config.mkdir()
        (config / "mimeapps.list").write_text(
            "[Default Applications]\nx-scheme-handler/mero-consent=mero-consent.desktop\n")
        self.environment = {
            "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "XDG_CONFIG_HOME": str(config),
            # None is running: the opener looks the program up itself.
            "XDG_CURRENT_DESKTOP": "X-Generic", "DISPLAY": ":99"}

    @property
    def handled(self):
        return self.record.read_text().splitlines() if self.record.exists() else []


@pytest.fixture
def desk(home, daemon):
    return Desk(home, daemon)


@pytest.fixture
def browser(node, desk):
    """The person has let the node's page open the app without being asked each time."""
    origin = node.ready["url"]
    browser = Chromium(environment=desk.environment, preferences={
        "protocol_handler": {"allowed_origin_protocol_pairs": {origin: {"mero-consent": True}}}})
    yield browser
    browser.close()


def ask(node, session):
    view = session.start()
    node.control("callback", requestId=view["requestId"], url=CALLBACK)
    return view


@pytest.mark.skipif(not shutil.which("xdg-open"), reason="needs xdg-utils")
@pytest.mark.parametrize("button,state", [("approve", "approved"), ("decline", "declined")])
def test_the_whole_way_by_a_scheme(node, session, desk, browser, button, state):
    view = ask(node, session)
    tab = browser.tab()
    tab.open(view["url"])
    tab.click(f"button[value={button}]")
    # The served page goes to the app by itself, and stays there to be looked at.
    tab.until_state("open-app")
    until(lambda: desk.handled, "the program of the scheme was started")
    url = f"{CALLBACK}?request_id={view['requestId']}&result={state}"
    assert desk.handled == [f"handle|{url}|"]
    session.decided(view["requestId"], state)
    # On a slow machine the watcher may have seen the decision before the return came.
    returned = until(
        lambda: session.request(view["requestId"]).get("lastReturn"), "the return is noted")
    assert returned["code"] == "OK"
    assert tab.state == "open-app" and tab.text_of("h1") == "Back to the app"


@pytest.mark.skipif(not shutil.which("xdg-open"), reason="needs xdg-utils")
def test_a_second_try_by_the_link(node, session, desk, browser):
    view = ask(node, session)
    tab = browser.tab()
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("open-app")
    until(lambda: len(desk.handled) == 1, "the page went there by itself")
    tab.click("a")
    until(lambda: len(desk.handled) == 2, "the link leads there too")
    assert desk.handled[0] == desk.handled[1]
    assert session.decided(view["requestId"], "approved")


def test_a_browser_that_asks_first_leaves_a_page_with_a_link(node, session, chromium):
    """Nobody has allowed anything, and no program has the scheme: the decision counts anyway."""
    view = ask(node, session)
    tab = chromium.tab()
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("open-app")
    assert tab.ask("document.querySelector('a').href") == (
        f"{CALLBACK}?request_id={view['requestId']}&result=approved")
    assert session.decided(view["requestId"], "approved")
    tab.close()
