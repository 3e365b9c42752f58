"""Returns on the callback: what the person sees, and what is recorded."""

import re
import threading
import time

import pytest
from harness.api import Session, path
from harness.programs import Node
from harness.site import state, target
from harness.waiting import until
from harness.wire import Connection, request_bytes


def returning(view, **query):
    return target(view["callback"], **({"request_id": view["requestId"]} | query))


@pytest.mark.parametrize("decision,verdict,hint", [
    ("approve", "approved", "approved"), ("decline", "declined", "declined"),
    # What the query says decides nothing.
    ("approve", "approved", "declined"), ("decline", "declined", "approved"),
    ("approve", "approved", "nonsense"),
])
def test_the_page_says_what_the_node_said(daemon, node, session, decision, verdict, hint):
    view = session.start()
    node.decide(view["requestId"], decision)
    page = daemon.site.bring_back(returning(view, result=hint))
    assert page.status == 200 and state(page) == verdict
    decided = session.request(view["requestId"])
    assert decided["decision"] == verdict and decided["lastReturn"]["code"] == "OK"


def test_a_return_is_redirected_away_from_its_query(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    answer = daemon.site.get(returning(view, result="approved", code="SECRET"))
    assert answer.status == 303
    assert answer["Location"] == "/done/" + view["callback"].rsplit("/", 1)[1]
    assert answer.body == b"" or "SECRET" not in answer.text


def test_an_undecided_request_is_not_decided_whatever_the_query_says(daemon, node, session):
    """C-028: first pending, then declined; approved is never told."""
    view = session.start()
    with session.events() as stream:
        page = daemon.site.bring_back(returning(view, result="approved"))
        assert page.status == 409 and state(page) == "not-decided"
        after = session.request(view["requestId"])
        assert after["state"] == "started"
        assert after["lastReturn"]["code"] == "CONSENT_NOT_DECIDED"
        node.decide(view["requestId"], "decline")
        assert state(daemon.site.bring_back(returning(view, result="approved"))) == "declined"
        states = []
        while not states or states[-1] == "started":
            states.append(stream.next_request()["state"])
    assert states[-1] == "declined" and "approved" not in states


def test_another_request_is_a_mismatch_and_changes_nothing_else(daemon, node, session):
    began = time.monotonic()
    view = session.start()
    before = node.calls("result")
    page = daemon.site.bring_back(target(view["callback"], request_id="other", result="approved"))
    assert page.status == 409 and state(page) == "mismatch"
    after = session.request(view["requestId"])
    assert after.pop("lastReturn")["code"] == "CONSENT_REQUEST_MISMATCH"
    assert after == view
    # The watcher's own looks.
    assert node.calls("result") <= before + 1 + (time.monotonic() - began)


@pytest.mark.parametrize("query", [
    "request_id={0}&request_id=rq-2&result=approved", "request_id={0}&result=declined&result=approved",
    "request_id={0}&request%5Fid=rq-2&result=approved",
])
def test_a_parameter_with_two_values_is_a_mismatch(daemon, node, session, query):
    view = session.start()
    node.decide(view["requestId"])
    page = daemon.site.bring_back(target(view["callback"]) + "?" + query.format(view["requestId"]))
    assert page.status == 409 and state(page) == "mismatch"


def test_the_same_value_twice_and_unknown_names_are_fine(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    query = "?request_id={0}&request_id={0}&x=1&x=2&utm".format(view["requestId"])
    assert state(daemon.site.bring_back(target(view["callback"]) + query)) == "approved"


@pytest.mark.parametrize("query", [
    "?request_id=", "?request_id=&result=declined", "?request_id=%ZZ", "?request_id=%FF&result=x",
    "?request_id=a%", "?result=%C3%28",
])
def test_a_malformed_return_is_400_and_confirms_nothing(daemon, node, session, query):
    view = session.start()
    for place in (target(view["callback"]), "/return"):
        answer = daemon.site.get(place + query)
        assert answer.status == 400 and state(answer) == "malformed"
    assert session.request(view["requestId"]) == view


def test_a_return_without_a_query_is_a_return(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    for query in ("", "?", "?result=approved"):
        assert state(daemon.site.bring_back(target(view["callback"]) + query)) == "approved"


def test_an_unknown_ticket_is_404_and_says_so(daemon, node, session):
    view = session.start()
    ticket = view["callback"].rsplit("/", 1)[1]
    for other in ("A" * 22, ticket[:-1], ticket + "A", ticket.swapcase(), "%41" + ticket[1:], "x"):
        if other == ticket:
            continue
        for place in ("return", "done"):
            answer = daemon.site.get(f"/{place}/{other}?request_id={view['requestId']}")
            assert answer.status == 404 and state(answer) == "unknown", other
    assert session.request(view["requestId"]) == view


# MARK: The bare address


def test_the_bare_address_finds_the_request_that_is_named(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    answer = daemon.site.get(f"/return?request_id={view['requestId']}&result=approved")
    assert answer.status == 303
    ticket = answer["Location"].removeprefix("/done/")
    # A ticket to look at this verdict, and not the request's own.
    assert ticket not in view["callback"]
    assert state(daemon.site.bring_back(f"/return?request_id={view['requestId']}")) == "approved"
    assert session.request(view["requestId"])["lastReturn"]["code"] == "OK"


def test_the_bare_address_takes_no_foreign_request(daemon, session):
    view = session.start()
    page = daemon.site.bring_back("/return?request_id=nobodys&result=approved")
    assert page.status == 409 and state(page) == "mismatch"
    assert session.request(view["requestId"]) == view


def test_a_bare_return_that_names_none_has_all_read_again(daemon, node, session):
    other = Session(daemon, node, accessToken=node.control("tokens")["accessToken"])
    views = [(session, session.start()), (other, other.start())]
    for _, view in views:
        node.decide(view["requestId"])
    page = daemon.site.bring_back("/return")
    assert page.status < 500
    for owner, view in views:
        assert owner.decided(view["requestId"], "approved")


def test_a_look_at_a_bare_return_reveals_nothing_else(daemon, node, session):
    view = session.start()
    page = daemon.site.bring_back(f"/return?request_id={view['requestId']}")
    for secret in (view["requestId"], view["code"], view["url"], node.ready["package"]):
        assert secret not in page.text


# MARK: Two requests


def test_two_returns_in_the_other_order_are_each_judged_alone(daemon, node, session):
    """C-011."""
    other = Session(daemon, node, accessToken=node.control("tokens")["accessToken"])
    first, second = session.start(), other.start()
    node.decide(first["requestId"], "decline")
    node.decide(second["requestId"], "approve")
    assert state(daemon.site.bring_back(returning(second, result="approved"))) == "approved"
    assert state(daemon.site.bring_back(returning(first, result="declined"))) == "declined"
    assert session.request(first["requestId"])["state"] == "declined"
    assert other.request(second["requestId"])["state"] == "approved"


def test_a_return_of_an_ended_request_is_kept_for_nobody(daemon, node, session):
    """C-031."""
    first = session.start()
    session.delete(path(first["requestId"]))
    page = daemon.site.bring_back(returning(first, result="approved"))
    assert page.status == 410 and state(page) == "cancelled"
    second = session.start()
    assert session.request(second["requestId"]) == second


# MARK: Repeats


def test_two_returns_at_once_share_one_look_and_one_event(daemon, node, session):
    """C-032."""
    view = session.start()
    node.decide(view["requestId"])
    node.misbehave("slow", on="result", number=400, times="forever")
    pages = []
    with session.events() as stream:
        before = node.calls("result")
        threads = [
            threading.Thread(
                target=lambda: pages.append(daemon.site.bring_back(returning(view))))
            for _ in range(5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [state(page) for page in pages] == ["approved"] * 5
        # One look, and at most one more of the watcher's own before it.
        assert node.calls("result") - before <= 2
        node.behave()
        calls = node.calls("result")
        for _ in range(3):
            page = daemon.site.bring_back(returning(view))
            assert page.status == 200 and state(page) == "approved"
        assert node.calls("result") == calls
        session.delete(path(session.start()["requestId"]))
        told = []
        while not told or told[-1]["state"] != "cancelled":
            told.append(stream.next_request())
    decided = [event for event in told if event["state"] == "approved"]
    assert len({event["state"] for event in decided}) == 1


def test_a_reload_of_the_page_shows_the_same(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    daemon.site.bring_back(returning(view))
    place = "/done/" + view["callback"].rsplit("/", 1)[1]
    first, second = daemon.site.get(place), daemon.site.get(place + "?request_id=other")
    assert first.body == second.body and state(first) == "approved"


# MARK: The node's faults


@pytest.mark.parametrize("name", [
    "status", "html-page", "redirect", "cut-in-body", "cut-before-head", "wrong-request",
    "missing-outcome", "other-outcome", "unknown-status", "damaged-frame", "no-end-frame",
    "unsealed",
])
def test_a_node_that_cannot_confirm_leaves_it_not_confirmed(daemon, node, session, name):
    view = session.start()
    node.misbehave(name, on="result", times="forever")
    node.decide(view["requestId"])
    page = daemon.site.bring_back(returning(view, result="approved"))
    assert page.status == 502 and state(page) == "not-confirmed"
    after = session.request(view["requestId"])
    assert after["state"] == "started" and after["lastReturn"]["code"] != "OK"
    node.behave()
    assert state(daemon.site.bring_back(returning(view))) == "approved"


def test_while_the_node_is_asked_the_page_says_so_and_refreshes_itself(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    node.misbehave("slow", on="result", number=8000, times="forever")
    answer = daemon.site.get(returning(view))
    page = daemon.site.get(answer["Location"])
    assert page.status == 200 and state(page) == "checking"
    assert re.search(r'<meta http-equiv="refresh" content="\d">', page.text)
    until(lambda: state(daemon.site.get(answer["Location"])) == "approved", "the verdict")


def test_a_node_that_never_answers_is_not_confirmed_in_the_end(daemon, node, session):
    view = session.start()
    node.misbehave("never-answers", on="result", times="forever")
    page = daemon.site.get(daemon.site.get(returning(view))["Location"])
    assert state(page) == "checking"
    node.behave()
    node.stop()
    page = daemon.site.bring_back(returning(view))
    assert state(page) == "not-confirmed"


def test_a_replaced_request_says_so(daemon, node, session):
    view = session.start()
    session.start()
    page = daemon.site.bring_back(returning(view))
    assert page.status == 410 and state(page) == "replaced"


def test_an_expired_request_says_so(programs, daemon):
    node = programs(Node, "--ttl", "1")
    session = Session(daemon, node)
    view = session.start()
    session.decided(view["requestId"], "expired")
    page = daemon.site.bring_back(returning(view))
    assert page.status == 410 and state(page) == "expired"


# MARK: The way through a browser


def test_the_whole_way_of_a_browser(daemon, node, session):
    """The consent page's form, the app's served page, the callback, the result at the app."""
    import urllib.request
    view = session.start()
    node.control("callback", requestId=view["requestId"], url=view["callback"])
    request = urllib.request.Request(view["url"], data=b"decision=approve", method="POST")
    with urllib.request.urlopen(request, timeout=60) as response:
        assert response.url.startswith(f"http://127.0.0.1:{daemon.port}/done/")
        assert 'data-state="' in response.read().decode()
    decided = session.decided(view["requestId"], "approved")
    assert decided["lastReturn"]["code"] == "OK"


def test_a_return_that_comes_at_once_is_answered(daemon, node, session):
    """C-009: the listener stands before the node learns of the address."""
    for _ in range(20):
        view = session.start()
        assert daemon.site.get(returning(view)).status == 303


def test_a_restart_keeps_the_address(programs, node):
    from harness.ports import free_port
    from harness.programs import Daemon
    port = free_port()
    daemon = programs(Daemon, port=port).start()
    session = Session(daemon, node)
    view = session.start()
    node.decide(view["requestId"])
    daemon.restart(kill=True)
    assert daemon.port == port
    session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    assert state(daemon.site.bring_back(returning(view))) == "approved"


# MARK: Limits


def test_knocking_is_limited_and_hides_no_decision(daemon, node, session):
    view = session.start()
    for _ in range(200):
        answer = daemon.site.get("/return?request_id=nobodys")
        if answer.status != 303:
            break
    assert answer.status == 429 and state(answer) == "limited"
    assert int(answer["Retry-After"]) >= 1
    # A return with its ticket is not in the same line, and the watcher is in none.
    node.decide(view["requestId"])
    assert state(daemon.site.bring_back(returning(view))) == "approved"


def test_one_tickets_returns_are_limited(daemon, node, session):
    view = session.start()
    for _ in range(60):
        answer = daemon.site.get(returning(view))
        if answer.status != 303:
            break
    assert answer.status == 429
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")


# MARK: Words


@pytest.mark.parametrize("wanted,language", [
    ("", "en"), ("de", "de"), ("de-AT,en;q=0.5", "de"), ("es", "es"), ("fr;q=0.9, en;q=0.1", "fr"),
    ("ja", "ja"), ("zh-CN", "zh-Hans"), ("zh-TW", "zh-Hant"), ("pt", "en"),
    ("en;q=0.1, de;q=0.2", "de"),
])
def test_the_page_speaks_the_readers_language(daemon, node, session, wanted, language):
    view = session.start()
    node.decide(view["requestId"])
    page = daemon.site.bring_back(returning(view), {"Accept-Language": wanted} if wanted else {})
    assert f'<html lang="{language}">' in page.text
    assert page["Content-Language"] == language
    assert state(page) == "approved"


def test_no_page_gives_anything_away(daemon, node, session):
    view = session.start({"kind": "createInvite", "org": "o"})
    site = daemon.site
    pages = [
        site.bring_back(returning(view, result="MARKER")), site.get("/return?request_id=%ZZ&x=MARKER"),
        site.get("/MARKER"), site.get("/done/MARKER"),
        site.bring_back("/return?request_id=MARKER<script>"),
    ]
    node.decide(view["requestId"])
    pages.append(site.bring_back(returning(view, result="MARKER")))
    token = session.request(view["requestId"])["outcome"]["token"]
    for page in pages:
        assert state(page)
        for secret in (
            "MARKER", token, view["requestId"], view["code"], view["url"], session.key, session.id,
            view["callback"].rsplit("/", 1)[1], node.ready["accessToken"], node.ready["package"],
        ):
            assert secret not in page.text
        assert not re.search(r"<(script|a|img|svg|link|iframe|form|object)\b", page.text)


def test_a_connection_without_a_request_says_nothing(daemon):
    with Connection(("127.0.0.1", daemon.port)) as connection:
        connection.end_sending()
        assert connection.read_to_end() == b""


def test_a_body_on_a_return_is_of_no_account(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    site = daemon.site
    with site.connection() as connection:
        connection.send(request_bytes("GET", returning(view), host=site.host, body=b"x" * 1000))
        assert connection.answer().status == 303
