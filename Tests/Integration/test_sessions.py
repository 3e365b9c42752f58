"""Opening, showing, renewing and closing a session."""

import json
import sqlite3
from contextlib import closing

import pytest
from harness.api import Session, opening, path


def test_a_session_is_shown_without_its_secrets(daemon, node, session):
    answer = session.get("/v1/session")
    view = answer.json()
    assert view["session"] == session.id and session.id.startswith("s_")
    assert view["package"] == node.ready["package"]
    assert view["node"] == {
        "url": node.ready["url"], "trust": {"transportKey": node.ready["transportKey"]}}
    assert view["origins"] == node.ready["origins"]
    assert view["returnTo"] == node.ready["returnTo"]
    assert view["needsSession"] is False
    for secret in (session.key, node.ready["accessToken"], node.ready["refreshToken"]):
        assert secret not in answer.text


def test_opening_answers_201_with_its_place(daemon, node):
    answer = daemon.api.post("/v1/sessions", opening(node))
    assert answer.status == 201 and answer["Location"] == "/v1/session"
    assert set(answer.json()) == {"session", "key"}
    assert len(answer.json()["key"]) >= 43
    assert answer["Cache-Control"] == "no-store"


def test_each_opening_is_a_session_of_its_own(daemon, node):
    first, second = Session(daemon, node), Session(daemon, node)
    assert first.id != second.id and first.key != second.key
    first.delete("/v1/session")
    assert second.get("/v1/session").status == 200


def test_the_node_is_not_asked_to_open(daemon, node):
    node.stop()
    assert daemon.api.post("/v1/sessions", opening(node)).status == 201


REFUSED = [
    ({"package": None}, "package"),
    ({"package": ""}, "package"),
    ({"package": 5}, "package"),
    ({"node": None}, "node"),
    ({"node": []}, "node"),
    ({"node": {"trust": {"development": True}}}, "node.url"),
    ({"node": {"url": "ftp://node.example"}}, "node.url"),
    ({"node": {"url": "http://node.example", "trust": {"transportKey": "ab" * 32}}}, "node.url"),
    ({"node": {"url": "https://u:p@node.example", "trust": {"transportKey": "ab" * 32}}},
     "node.url"),
    ({"node": {"url": "https://node.example", "trust": {}}}, "node.trust"),
    ({"node": {"url": "https://node.example", "trust": {"transportKey": "zz"}}},
     "node.trust.transportKey"),
    ({"node": {"url": "https://node.example", "trust": {"transportKey": "ab" * 32},
               "extra": 1}}, "node.extra"),
    ({"accessToken": None}, "accessToken"),
    ({"accessToken": ""}, "accessToken"),
    ({"account": "ab"}, "account"),
    ({"origins": "https://notes.example"}, "origins"),
    ({"origins": [1]}, "origins"),
    ({"unknown": 1}, "unknown"),
    ({"key": "mine"}, "key"),
]


@pytest.mark.parametrize("change,field", REFUSED, ids=lambda value: json.dumps(value)[:60])
def test_a_bad_opening_is_named(daemon, node, change, field):
    body = opening(node) | change
    body = {name: value for name, value in body.items() if value is not None}
    answer = daemon.api.post("/v1/sessions", body)
    assert answer.status == 422, answer
    assert answer.code and answer.json()["field"] == field
    assert node.ready["accessToken"] not in answer.text
    assert daemon.status["counts"]["sessions"] == 0


def test_a_remote_node_that_nothing_speaks_for_is_not_trusted(daemon, node):
    body = opening(node) | {"node": {"url": "https://node.example"}}
    answer = daemon.api.post("/v1/sessions", body)
    assert answer.code in ("NODE_UNTRUSTED", "FIELD_INVALID")
    body["node"]["trust"] = {"development": True}
    answer = daemon.api.post("/v1/sessions", body)
    assert answer.code in ("NODE_UNTRUSTED", "FIELD_INVALID")


def test_null_is_a_field_left_out(daemon, node):
    body = opening(node) | {"refreshToken": None, "account": None}
    assert daemon.api.post("/v1/sessions", body).status == 201


@pytest.mark.parametrize("trust", ["transportKey", "development"])
def test_each_way_to_trust_the_node_works(daemon, node, trust):
    way = {"development": True} if trust == "development" else {
        "transportKey": node.ready["transportKey"]}
    session = Session(daemon, node, node={"url": node.ready["url"], "trust": way})
    assert session.get("/v1/session").json()["node"]["trust"] == way
    assert session.start()["state"] == "started"


def test_measurements_are_kept_and_a_mock_quote_is_not_one_of_them(daemon, node):
    image = {name: "0f" * 48 for name in ("mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3")}
    trust = {"measurements": [image], "tcb": ["UpToDate"]}
    session = Session(daemon, node, node={"url": node.ready["url"], "trust": trust})
    assert session.get("/v1/session").json()["node"]["trust"] == trust
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 502 and answer.code == "NODE_UNTRUSTED"


def test_a_wrong_transport_key_is_not_trusted(daemon, node):
    trust = {"transportKey": "ab" * 32}
    session = Session(daemon, node, node={"url": node.ready["url"], "trust": trust})
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 502 and answer.code == "NODE_UNTRUSTED"


def test_new_tokens_bring_a_restarted_session_back(daemon, node, session):
    view = session.start()
    daemon.restart(kill=True)
    assert session.request(view["requestId"]).get("needsSession") is True
    node.decide(view["requestId"])
    answer = session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    assert answer.status == 200 and answer.json()["needsSession"] is False
    assert session.decided(view["requestId"], "approved")["outcome"]["kind"] == "orgCreated"


@pytest.mark.parametrize("body,field", [
    ({}, "accessToken"), ({"accessToken": 1}, "accessToken"),
    ({"accessToken": "a", "package": "b"}, "package"), ({"refreshToken": "a"}, "accessToken"),
])
def test_bad_tokens_are_named(session, body, field):
    answer = session.patch("/v1/session", body)
    assert answer.status == 422 and answer.json()["field"] == field


def test_closing_cancels_what_is_undecided(daemon, node, session):
    view = session.start()
    page = view["callback"]
    assert session.delete("/v1/session").status == 204
    assert daemon.status["counts"]["undecidedRequests"] == 0
    answer = daemon.site.bring_back(page.split(str(daemon.port))[1] + "?request_id="
                                    + view["requestId"])
    assert answer.status == 410


def test_closing_ends_the_sessions_waits_and_streams(daemon, session):
    view = session.start()
    etag = session.get(path(view["requestId"]))["ETag"]
    with session.connection() as waiting, session.events() as stream:
        waiting.send(session.bytes(
            "GET", path(view["requestId"]), headers={"If-None-Match": etag, "Prefer": "wait=60"}))
        from harness.waiting import until
        until(lambda: daemon.status["counts"]["waits"] == 1, "the wait is there")
        assert session.delete("/v1/session").status == 204
        assert waiting.answer().status in (200, 401, 404)
        while stream.next() is not None:
            pass


def test_whether_tokens_were_lost_or_refused_is_told(daemon, node, session):
    body = {"request": {"kind": "createOrg", "name": "A"}}
    daemon.restart(kill=True)
    answer = session.post("/v1/requests", body)
    assert answer.code == "SESSION_EXPIRED" and "started again" in answer.json()["detail"]
    tokens = {name: node.ready[name] for name in ("accessToken", "refreshToken")}
    assert session.patch("/v1/session", tokens).status == 200
    node.control("tokens/revoke")
    answer = session.post("/v1/requests", body)
    assert answer.code == "SESSION_EXPIRED" and "has ended" in answer.json()["detail"]


def test_there_are_only_so_many_sessions(daemon, node):
    for number in range(200):
        answer = daemon.api.post("/v1/sessions", opening(node, package=f"app-{number}"))
        if answer.status != 201:
            break
    assert answer.status == 429 and answer.code == "TOO_MANY" and number == 128
    assert int(answer["Retry-After"]) >= 1


def test_the_tokens_of_another_account_are_refused_and_a_decision_is_still_found(
        daemon, node, session):
    view = session.start()
    other = node.control("tokens")
    answer = session.patch("/v1/session", {
        "accessToken": other["accessToken"], "refreshToken": other["refreshToken"]})
    assert answer.status == 422
    assert answer.json()["field"] == "accessToken"
    node.decide(view["requestId"])
    # To that other account the node has no such request, which would have read as replaced.
    assert session.decided(view["requestId"])["state"] == "approved"


def test_an_app_that_never_closes_its_sessions_locks_nobody_out(daemon, node, session):
    view, first = session.start(), None
    for _ in range(200):
        answer = daemon.api.post("/v1/sessions", opening(node, package="careless"))
        assert answer.status == 201
        first = first or answer.json()["key"]
    assert daemon.status["counts"]["sessions"] == 128
    # The app whose session gave way is told what to do.
    gone = daemon.api.get("/v1/session", {"Authorization": f"Bearer {first}"})
    assert gone.status == 401 and "Open a session again" in gone.json()["detail"]
    # Whoever is in the middle of something notices nothing.
    node.decide(view["requestId"])
    session.decided(view["requestId"], "approved")


def test_what_is_handed_over_beside_the_close_ends_with_the_session(daemon, node):
    page = node.ready["url"] + "/consent/{0}?code=ABCD-EF"
    for turn in range(10):
        session = Session(daemon, node)
        handed = [f"own-{turn}-{number}" for number in range(24)]
        apps = [session.connection() for _ in handed]
        end = session.connection()
        bodies = [session.bytes("POST", "/v1/requests", {"started": {
            "requestId": name, "url": page.format(name), "code": "ABCD-EF",
            "expiresAt": "2099-01-01T00:00:00Z", "kind": "createOrg"}}) for name in handed]
        for app, body in list(zip(apps, bodies))[:12]:
            app.send(body)
        end.send(session.bytes("DELETE", "/v1/session"))
        for app, body in list(zip(apps, bodies))[12:]:
            app.send(body)
        assert end.answer().status == 204
        assert {app.answer().status for app in apps} <= {201, 401}
        for connection in [*apps, end]:
            connection.close()
        assert daemon.status["counts"]["undecidedRequests"] == 0
    with closing(sqlite3.connect(daemon.record)) as record:
        assert record.execute(
            "SELECT count(*) FROM requests WHERE finished_at IS NULL").fetchone() == (0,)
