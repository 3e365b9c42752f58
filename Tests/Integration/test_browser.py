"""A real browser goes the whole way: the app's request, the consent page, the served page, the
callback, and the result at the app; and all that real browsers do besides."""

from types import SimpleNamespace

import pytest
from harness.api import Session
from harness.chromium import Chromium
from harness.ports import free_port
from harness.programs import Daemon, Node
from harness.stranger import Stranger
from test_woken import Activator


@pytest.fixture
def tab(chromium):
    tab = chromium.tab()
    yield tab
    tab.close()


@pytest.fixture
def stranger():
    site = Stranger()
    yield site
    site.close()


def ask(node, session):
    """The app asks, and the served page knows where it listens."""
    view = session.start()
    node.control("callback", requestId=view["requestId"], url=view["callback"])
    return view


def returning(view, result="approved"):
    return f"{view['callback']}?request_id={view['requestId']}&result={result}"


def done(view):
    return view["callback"].replace("/return/", "/done/")


def went_nowhere_else(tab, *sites):
    """Whatever was asked for came from these, and the browser has nothing to complain of."""
    for request in tab.requests:
        assert request["url"].startswith(sites), request
    assert tab.complaints == []


# MARK: The way


@pytest.mark.parametrize("button,state", [("approve", "approved"), ("decline", "declined")])
def test_the_whole_way(daemon, node, session, tab, button, state):
    view = ask(node, session)
    tab.open(view["url"])
    assert tab.state == "undecided"
    # The app shows the same code.
    assert tab.text_of(".code") == view["code"]
    tab.click(f"button[value={button}]")
    tab.until_state(state)
    assert tab.url == done(view)
    decided = session.decided(view["requestId"], state)
    assert decided["decision"] == state and decided["lastReturn"]["code"] == "OK"
    assert ("outcome" in decided) == (state == "approved")
    # The page's form, the served page, the callback and the verdict: each once.
    assert tab.documents[1:] == [
        view["url"].split("?")[0],
        f"{node.ready['returnTo']}&request_id={view['requestId']}&result={state}",
        returning(view, state), done(view)]
    went_nowhere_else(tab, node.ready["url"], f"http://{daemon.site.host}/")


def test_with_javascript_off(daemon, node, session, tab):
    tab.without_script()
    view = ask(node, session)
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("approved")
    assert session.decided(view["requestId"], "approved")


def test_with_the_keyboard_alone(daemon, node, session, tab):
    view = ask(node, session)
    tab.open(view["url"])
    focused = "document.activeElement.value"
    assert tab.ask("document.activeElement === document.body"), "nothing is chosen beforehand"
    tab.press("Tab")
    assert tab.ask(focused) == "approve"
    tab.press("Tab")
    assert tab.ask(focused) == "decline"
    tab.press("Space")
    tab.until_state("declined")
    assert session.decided(view["requestId"], "declined")


def test_reload_back_and_forward(daemon, node, session, tab):
    view = ask(node, session)
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("approved")
    decided = session.decided(view["requestId"], "approved")
    asked = node.calls("result")
    for _ in range(3):
        tab.reload()
        assert tab.state == "approved"
    # Back to the consent page, which has nothing left to decide, and forward again.
    tab.travel(-1)
    tab.until_state("decided", "undecided")
    tab.travel(1)
    tab.until_state("approved")
    assert tab.url == done(view)
    # A history entry for each page, and none for a redirect.
    history = [entry["url"] for entry in tab.call("Page.getNavigationHistory")["entries"]]
    assert history == ["about:blank", view["url"], done(view)]
    assert session.request(view["requestId"]) == decided and node.calls("result") == asked


def test_the_return_again_says_the_same_again(daemon, node, session, tab):
    view = ask(node, session)
    node.decide(view["requestId"])
    for hint in ("approved", "declined", "approved"):
        tab.open(returning(view, hint))
        assert tab.until_state("approved", "declined") == "approved"
    assert session.decided(view["requestId"], "approved")


def test_two_tabs(daemon, node, session, chromium, tab):
    view = ask(node, session)
    other = chromium.tab(beside=tab)
    for each in (tab, other):
        each.open(view["url"])
        assert each.state == "undecided"
    tab.click("button[value=decline]")
    tab.until_state("declined")
    other.click("button[value=approve]")
    other.until_state("decided")
    other.open(returning(view))
    other.until_state("declined")
    assert session.decided(view["requestId"], "declined")
    other.close()


def test_a_newer_request_in_another_tab(daemon, node, session, chromium, tab):
    older = ask(node, session)
    tab.open(older["url"])
    newer = ask(node, session)
    other = chromium.tab(beside=tab)
    other.open(newer["url"])
    tab.click("button[value=approve]")
    tab.until_state("replaced")
    tab.open(returning(older))
    tab.until_state("replaced")
    other.click("button[value=approve]")
    other.until_state("approved")
    assert session.decided(older["requestId"], "replaced")
    assert session.decided(newer["requestId"], "approved")
    other.close()


# MARK: What else is on the machine


def test_cookies_of_other_apps_are_in_nobodys_way(daemon, node, session, tab, stranger):
    """Cookies know no port: what any program on this host has set is sent to every other."""
    tab.open(stranger.address + "/")
    for number in range(15):
        tab.call("Network.setCookie", name=f"other-{number}", value="x" * 4000,
                 url=stranger.address)
    view = ask(node, session)
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("approved")
    assert len(tab.headers(done(view))["Cookie"]) > 60_000
    assert session.decided(view["requestId"], "approved")
    assert not any("set-cookie" in request.get("answer", {}) for request in tab.requests)


def test_no_icon_is_asked_for(daemon, node, session, tab):
    """The page's own policy lets it load nothing at all, not even from its own place."""
    view = ask(node, session)
    node.decide(view["requestId"])
    tab.open(returning(view))
    tab.until_state("approved")
    assert tab.complaints == []
    assert tab.ask("fetch('/favicon.ico').then(() => 'answered', () => 'refused')") == "refused"
    assert {each["type"] for each in tab.requests if "status" in each} == {"Document"}
    assert "not-found" not in daemon.log


@pytest.mark.parametrize("rules,purpose", [
    ("prefetch", "prefetch"), ("prerender", "prefetch;prerender"),
])
def test_a_speculative_load_uses_nothing_up(
        daemon, node, session, tab, stranger, rules, purpose):
    view = ask(node, session)
    place = returning(view)
    page = stranger.put("/speculating", (
        f'<script type="speculationrules">{{"{rules}":[{{"urls":["{place}"],'
        f'"eagerness":"immediate"}}]}}</script><a href="{place}">back</a>'))
    tab.open(page)
    early = tab.until(
        lambda: [each for each in tab.requests if each["url"] == place and "status" in each],
        "the browser is ahead of time")
    assert early[0]["status"] == 503 and tab.headers(place)["Sec-Purpose"] == purpose
    assert "lastReturn" not in session.request(view["requestId"])
    # The person follows the link, and now it counts.
    node.decide(view["requestId"])
    tab.click("a")
    tab.until_state("approved")
    assert session.decided(view["requestId"])["lastReturn"]["code"] == "OK"


@pytest.mark.parametrize("attempt", [
    "fetch('{0}', {{mode: 'no-cors'}}).then(() => 1, () => 0)",
    "fetch('{0}', {{mode: 'no-cors', method: 'POST'}}).then(() => 1, () => 0)",
    "new Promise(r => {{let i = new Image(); i.onload = i.onerror = () => r(0); i.src = '{0}'}})",
    "new Promise(r => {{let f = document.createElement('iframe'); f.onload = () => r(0);"
    " f.src = '{0}'; document.body.append(f)}})",
])
def test_a_strangers_page_cannot_return_behind_the_persons_back(
        daemon, node, session, tab, stranger, attempt):
    view = ask(node, session)
    tab.open(stranger.put("/attempt", ""))
    assert tab.ask(attempt.format(returning(view))) is not None
    assert "lastReturn" not in session.request(view["requestId"])
    assert "refused, 403" in daemon.log or "refused, 405" in daemon.log


# MARK: A node that takes its time, and a daemon that is gone


def test_the_page_asks_again_until_there_is_a_verdict(daemon, node, session, tab):
    view = ask(node, session)
    node.misbehave("slow", on="result", number=4000, times="forever")
    tab.open(view["url"])
    tab.click("button[value=approve]")
    tab.until_state("checking")
    tab.until_state("approved")
    # By itself: nobody reloaded, and the return was made once.
    assert tab.documents.count(returning(view)) == 1
    assert tab.documents.count(done(view)) > 1
    assert tab.url == done(view)


def test_a_node_that_says_nothing_ends_in_plain_words_and_a_reload_helps(
        daemon, node, session, tab):
    view = ask(node, session)
    node.decide(view["requestId"])
    node.misbehave("status", on="result", times="forever")
    tab.open(returning(view))
    tab.until_state("not-confirmed")
    node.behave()
    assert session.decided(view["requestId"], "approved")
    tab.reload()
    assert tab.state == "approved"


def test_a_daemon_killed_under_the_page_and_started_again(programs, node, tab):
    """The browser's own words while there is nobody, and the verdict after a reload."""
    daemon = programs(Daemon, port=free_port()).start()
    session = Session(daemon, node)
    view = ask(node, session)
    node.decide(view["requestId"])
    node.misbehave("never-answers", on="result", times="forever")
    tab.open(returning(view))
    tab.until_state("checking")
    daemon.kill()
    tab.until(lambda: tab.url == done(view) and tab.state is None, "the browser says so itself")
    node.behave()
    daemon.start()
    # The node cannot be asked before the app has renewed its session, and the page says no more.
    tab.reload()
    tab.until_state("not-confirmed")
    session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    assert session.decided(view["requestId"], "approved")
    tab.reload()
    assert tab.state == "approved"


def test_a_daemon_killed_under_the_page_while_its_sockets_are_kept(node, tab, home):
    """As under a service manager: nobody sees an error, and the page finds its way by itself."""
    service = Activator(home)
    try:
        sockets = [service.unix, service.four, service.six]
        service.start(sockets)
        session = Session(SimpleNamespace(socket=service.path), node)
        view = ask(node, session)
        node.decide(view["requestId"])
        node.misbehave("never-answers", on="result", times="forever")
        tab.open(returning(view))
        tab.until_state("checking")
        service.process.kill()
        service.process.wait()
        node.behave()
        service.start(sockets)
        session.patch("/v1/session", {
            "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
        assert session.decided(view["requestId"], "approved")
        assert tab.until_state("not-confirmed", "approved")
        assert all("failure" not in request for request in tab.requests)
        assert tab.documents.count(returning(view)) == 1
        tab.reload()
        assert tab.state == "approved"
    finally:
        service.close()


@pytest.fixture(scope="module")
def internet(tmp_path_factory):
    """A site with HTTPS that counts as one of the internet, and a browser that takes it so."""
    site = Stranger(tmp_path_factory.mktemp("internet"))
    browser = Chromium(
        f"--ip-address-space-overrides={site.place}=public", "--ignore-certificate-errors")
    yield site, browser
    browser.close()
    site.close()


@pytest.mark.parametrize("way", ["link", "assign", "redirect", "form"])
def test_every_way_to_navigate_here_from_a_public_page(daemon, node, session, internet, way):
    """What docs/callback.md promises to served pages, which are served over HTTPS."""
    site, browser = internet
    view = ask(node, session)
    node.decide(view["requestId"])
    place = returning(view).replace("&", "&amp;")
    site.redirects["/on"] = returning(view)
    page = site.put("/served", {
        "link": f'<a class="go" href="{place}">back</a>',
        "assign": f'<button class="go" onclick="location.assign(\'{place}\')">back</button>',
        "redirect": '<a class="go" href="/on">back</a>',
        "form": '<form method="post" action="/on"><button class="go" name="a">back</button></form>',
    }[way])
    tab = browser.tab()
    assert tab.open(page) is None
    tab.click(".go")
    tab.until_state("approved")
    assert tab.url == done(view) and "Origin" not in tab.headers(returning(view))
    assert session.decided(view["requestId"], "approved")["lastReturn"]["code"] == "OK"
    tab.close()


# MARK: A page of the internet


def test_a_public_page_brings_the_person_back(daemon, node, session):
    """Browsers keep public pages from programs on this machine, but not a person's navigation.
    The node's pages count as public here; what a script of theirs tries is refused."""
    place = node.ready["url"].removeprefix("http://")
    browser = Chromium(f"--ip-address-space-overrides={place}=public")
    try:
        view = ask(node, session)
        tab = browser.tab()
        tab.open(view["url"])
        tab.click("button[value=approve]")
        tab.until_state("approved")
        assert tab.url == done(view)
        assert session.decided(view["requestId"], "approved")["lastReturn"]["code"] == "OK"
        went_nowhere_else(tab, node.ready["url"], f"http://{daemon.site.host}/")
    finally:
        browser.close()
