"""Returns that an app or the desktop's URL handler hands over."""

import json

import pytest
from harness.api import Session, path
from harness.browser import open_page
from harness.programs import Node
from harness.waiting import until


def confirm(session, request_id, url):
    return session.post(path(request_id, "/return"), {"url": url})


def test_a_return_confirms_what_the_node_says(node, session):
    view = session.start()
    node.decide(view["requestId"])
    answer = confirm(session, view["requestId"],
                     f"com.example.notes://return?request_id={view['requestId']}&result=declined")
    assert answer.status == 200
    # What the URL says about the decision is never believed.
    assert answer.json()["decision"] == "approved"
    assert answer.json()["lastReturn"]["code"] == "OK"
    assert answer["ETag"]


def test_a_return_that_names_no_request_is_no_mismatch(node, session):
    view = session.start()
    node.decide(view["requestId"], "decline")
    assert confirm(session, view["requestId"], "x://r").json()["decision"] == "declined"


def test_a_return_for_another_request_is_a_mismatch_and_asks_nobody(node, session):
    view = session.start()
    before = node.calls("result")
    answer = confirm(session, view["requestId"], "x://r?request_id=other&result=approved")
    assert answer.status == 409 and answer.code == "CONSENT_REQUEST_MISMATCH"
    assert answer.json()["requestId"] == view["requestId"]
    assert node.calls("result") == before
    after = session.request(view["requestId"])
    assert after["state"] == "started"
    assert after["lastReturn"]["code"] == "CONSENT_REQUEST_MISMATCH"


@pytest.mark.parametrize("query", [
    "request_id={id}&request_id=rq-2", "request_id={id}&request%5Fid=rq-2",
    "request_id={id}&result=approved&result=declined",
])
def test_a_return_that_contradicts_itself_is_a_mismatch(session, query):
    view = session.start()
    url = "x://r?" + query.format(id=view["requestId"])
    assert confirm(session, view["requestId"], url).code == "CONSENT_REQUEST_MISMATCH"


def test_the_same_value_twice_is_no_contradiction(node, session):
    view = session.start()
    node.decide(view["requestId"])
    url = "x://r?request_id={0}&request_id={0}&x=1&x=2".format(view["requestId"])
    assert confirm(session, view["requestId"], url).status == 200


def test_a_return_before_the_decision_changes_nothing_else(node, session):
    view = session.start()
    answer = confirm(session, view["requestId"], f"x://r?request_id={view['requestId']}")
    assert answer.status == 409 and answer.code == "CONSENT_NOT_DECIDED"
    after = session.request(view["requestId"])
    assert after.pop("lastReturn")["code"] == "CONSENT_NOT_DECIDED"
    assert after == view
    node.decide(view["requestId"])
    assert confirm(session, view["requestId"], "x://r").status == 200


def test_a_replaced_request_says_so(node, session):
    view = session.start()
    node.control("replace", requestId=view["requestId"])
    answer = confirm(session, view["requestId"], "x://r")
    assert answer.status == 410 and answer.code == "CONSENT_REPLACED"
    assert session.request(view["requestId"])["state"] == "replaced"


MALFORMED = [
    "", "x", "//r", "1x://r", "x://r?request_id=%ZZ", "x://r?request_id=%FF",
    "x://r?request_id=", "x://r?a b", "x://r\n", "x://r#request_id=rq-1",
    "https://", "x:////r", "x://r?" + "y" * 8192,
]


@pytest.mark.parametrize("url", MALFORMED, ids=lambda url: url[:30])
def test_a_malformed_return_confirms_nothing(node, session, url):
    view = session.start()
    node.decide(view["requestId"])
    answer = confirm(session, view["requestId"], url)
    assert answer.status == 422
    assert answer.code in ("RETURN_URL_MALFORMED", "FIELD_INVALID")


@pytest.mark.parametrize("name,status,code", [
    ("wrong-request", 502, "CONSENT_RESULT_INVALID"),
    ("unknown-status", 502, "CONSENT_RESULT_INVALID"),
    ("missing-outcome", 502, "CONSENT_RESULT_INVALID"),
    ("other-outcome", 502, "CONSENT_RESULT_INVALID"),
    ("status", 502, "NODE_ERROR"),
    ("html-page", 502, "NODE_ERROR"),
    ("redirect", 502, "NODE_ERROR"),
    ("cut-in-body", 504, "NODE_UNREACHABLE"),
])
def test_a_return_that_the_node_spoils_leaves_the_request_undecided(
        node, session, name, status, code):
    view = session.start()
    node.misbehave(name, on="result", times="forever")
    node.decide(view["requestId"])
    answer = confirm(session, view["requestId"], "x://r")
    assert (answer.status, answer.code) == (status, code)
    after = session.request(view["requestId"])
    assert after["state"] == "started" and after["lastReturn"]["code"] == code
    node.behave()
    assert confirm(session, view["requestId"], "x://r").json()["decision"] == "approved"


def test_the_same_return_twice_is_answered_twice_the_same(node, session):
    view = session.start({"kind": "createInvite", "org": "o"})
    node.decide(view["requestId"])
    url = f"x://r?request_id={view['requestId']}"
    first, second = (confirm(session, view["requestId"], url).json() for _ in range(2))
    for answer in (first, second):
        answer.pop("lastReturn")
    assert first == second and first["outcome"]["token"]


def test_a_client_that_leaves_changes_nothing(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    node.misbehave("slow", on="result", number=200)
    with session.connection() as connection:
        connection.send(session.bytes("POST", path(view["requestId"], "/return"), {"url": "x://r"}))
    assert session.decided(view["requestId"], "approved")


# MARK: The URL handler's door


def test_the_handlers_door_needs_no_key_and_tells_nothing(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    bodies = set()
    for url in (f"mero-consent://return?request_id={view['requestId']}",
                "mero-consent://return?request_id=nobodys", "mero-consent://return"):
        answer = daemon.api.post("/v1/returns", {"url": url})
        assert answer.status == 202
        bodies.add(answer.body)
    assert bodies == {b'{"accepted":true}\n'}
    assert session.decided(view["requestId"], "approved")
    until(lambda: session.request(view["requestId"]).get("lastReturn"), "the return was judged")


def test_the_handlers_door_answers_while_the_node_is_slow(daemon, node, session):
    node.misbehave("slow", on="result", number=5000, times="forever")
    view = session.start()
    node.decide(view["requestId"])
    answer = daemon.api.post(
        "/v1/returns", {"url": f"mero-consent://return?request_id={view['requestId']}"})
    assert answer.status == 202
    # The node has not answered yet.
    assert session.request(view["requestId"])["state"] == "started"
    assert session.decided(view["requestId"], "approved")


@pytest.mark.parametrize("url", MALFORMED, ids=lambda url: url[:30])
def test_the_handlers_door_refuses_what_is_malformed(daemon, url):
    answer = daemon.api.post("/v1/returns", {"url": url})
    assert answer.status == 422
    assert answer.code in ("RETURN_URL_MALFORMED", "FIELD_INVALID")


@pytest.mark.parametrize("body,status", [
    ({}, 422), ({"url": 1}, 422), ({"url": "x://r", "key": "x"}, 422), ([], 422),
])
def test_the_handlers_door_is_strict(daemon, body, status):
    assert daemon.api.post("/v1/returns", body).status == status


def test_plus_is_a_space_in_both_doors(daemon, node, session):
    view = session.start()
    started = {name: view[name] for name in ("code", "expiresAt", "kind")} | {
        "requestId": "a+b/=", "url": view["url"].split("?")[0].split("#")[0].replace(
            view["requestId"], "a%2Bb%2F%3D")}
    answer = session.post("/v1/requests", {"started": started})
    assert answer.status == 201, answer
    for query, code in [
        ("request_id=a+b%2F%3D", "CONSENT_REQUEST_MISMATCH"),
        ("request_id=a%20b%2F%3D", "CONSENT_REQUEST_MISMATCH"),
    ]:
        assert confirm(session, "a+b/=", f"x://r?{query}").code == code
    matched = confirm(session, "a+b/=", "x://r?request_id=a%2Bb%2F%3D")
    assert matched.code != "CONSENT_REQUEST_MISMATCH"


def test_a_return_of_another_session_is_none_of_this_ones(daemon, node, session):
    mine = session.start()
    other = Session(daemon, node, accessToken=node.control("tokens")["accessToken"])
    theirs = other.start()
    node.decide(theirs["requestId"])
    answer = confirm(session, mine["requestId"], f"x://r?request_id={theirs['requestId']}")
    assert answer.code == "CONSENT_REQUEST_MISMATCH"
    assert other.decided(theirs["requestId"], "approved").get("lastReturn") is None


@pytest.mark.parametrize("named", [True, False], ids=["named", "nameless"])
@pytest.mark.parametrize("is_seen", [True, False], ids=["undecided-before", "declined-before"])
def test_no_page_says_approved_because_another_node_says_so(
        daemon, node, session, programs, named, is_seen):
    """Another app records the same id on a node of its own, and has that node approve it."""
    view = session.start()
    request_id = view["requestId"]
    other = programs(Node)
    liar = Session(daemon, other, package="com.example.other")
    there = view["url"].replace(node.ready["url"], other.ready["url"])
    other.misbehave("raw-answer", on="result", times="forever", value=json.dumps({
        "requestId": request_id, "status": "approved",
        "outcome": {"kind": "orgCreated", "orgId": "ab" * 32}}))
    started = {key: view[key] for key in ("kind", "requestId", "code", "expiresAt")}
    assert liar.post("/v1/requests", {"started": started | {"url": there}}).status == 201
    node.decide(request_id, "decline")
    if not is_seen:
        assert session.decided(request_id, "declined")
    query = f"?request_id={request_id}" if named else ""
    page = open_page(f"http://127.0.0.1:{daemon.port}/return{query}")
    # Without an id there is nothing to look for where both have ended.
    assert page.state == "not-confirmed" or not named and page.state == "mismatch", page.text
    assert session.decided(request_id, "declined")
