"""Starting, listing, reading and ending requests."""

import pytest
from harness.api import Session, path

ORG, PERSON = "org_1", "ab" * 32

# Every kind with all its fields, and the outcome that an approval has.
KINDS = [
    ({"kind": "createOrg", "name": "Acme"}, "orgCreated"),
    ({"kind": "createInvite", "org": ORG, "role": "member", "teams": ["red"], "ttlSecs": 3600,
      "uses": 2, "allApps": True}, "inviteCreated"),
    ({"kind": "renameOrg", "org": ORG, "name": "Acme 2"}, "orgRenamed"),
    ({"kind": "deleteOrg", "org": ORG}, "orgDeleted"),
    ({"kind": "leaveOrg", "org": ORG}, None),
    ({"kind": "removeMember", "org": ORG, "account": PERSON}, None),
    ({"kind": "setMemberRole", "org": ORG, "account": PERSON, "role": "auditor"}, None),
    ({"kind": "setMemberTeams", "org": ORG, "account": PERSON,
      "teams": [{"team": "red", "role": "admin", "capabilities": 4294967295}]}, None),
    ({"kind": "removeMemberTeams", "org": ORG, "account": PERSON, "teams": ["red"]}, None),
    ({"kind": "revokeInvite", "org": ORG, "inviteKey": "key"}, None),
    ({"kind": "setCapabilities", "org": ORG, "account": PERSON, "team": "red",
      "capabilities": 3}, None),
    ({"kind": "setAllApps", "org": ORG, "account": PERSON, "allApps": False}, None),
    ({"kind": "release", "tag": "2.3.87"}, None),
    ({"kind": "upgrade", "instance": "i1", "version": "2.0"}, None),
    ({"kind": "outbound", "instance": "i1", "hosts": ["api.example", "db.example:5432"]}, None),
]


def test_a_start_answers_what_the_person_has_to_compare(daemon, session):
    answer = session.post(
        "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}, "open": False})
    view = answer.json()
    assert answer.status == 201
    assert answer["Location"] == path(view["requestId"])
    assert answer["ETag"].startswith('"')
    assert view["kind"] == "createOrg" and view["state"] == "started"
    assert 4 <= len(view["code"]) <= 32
    assert view["requestId"] in view["url"]
    assert view["callback"].startswith(f"http://127.0.0.1:{daemon.port}/return/")
    assert view["expiresAt"].endswith("Z")
    assert not {"decision", "outcome", "decidedAt", "lastReturn", "changesOrganizations",
                "needsSession"} & set(view)
    # The request itself is where its place says.
    again = session.get(answer["Location"])
    assert again.status == 200 and again.json() == view and again["ETag"] == answer["ETag"]


@pytest.mark.parametrize("request_body,outcome", KINDS, ids=[kind["kind"] for kind, _ in KINDS])
def test_every_kind_ends_approved_with_its_outcome(node, session, request_body, outcome):
    view = session.start(request_body)
    node.decide(view["requestId"])
    decided = session.decided(view["requestId"], "approved")
    assert decided["decision"] == "approved" and decided["decidedAt"].endswith("Z")
    assert decided.get("outcome", {}).get("kind") == outcome
    platform = ("release", "upgrade", "outbound")
    assert decided["changesOrganizations"] is (request_body["kind"] not in platform)


def test_an_invite_is_accepted_with_its_token(node, session):
    invite = session.start({"kind": "createInvite", "org": ORG})
    node.decide(invite["requestId"])
    token = session.decided(invite["requestId"], "approved")["outcome"]["token"]
    view = session.start({"kind": "acceptInvite", "token": token})
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")["outcome"]["kind"] == "inviteAccepted"


def test_a_declined_request_has_no_outcome(node, session):
    view = session.start()
    node.decide(view["requestId"], "decline")
    decided = session.decided(view["requestId"], "declined")
    assert decided["decision"] == "declined" and "outcome" not in decided
    assert decided["changesOrganizations"] is False


BAD = [
    ({}, "request"),
    ({"request": None}, "request"),
    ({"request": []}, None),
    ({"request": {}}, "kind"),
    ({"request": {"kind": "createorg", "name": "A"}}, "kind"),
    ({"request": {"kind": "createOrg"}}, "name"),
    ({"request": {"kind": "createOrg", "name": ""}}, "name"),
    ({"request": {"kind": "createOrg", "name": 5}}, "name"),
    ({"request": {"kind": "createOrg", "name": "x" * 1025}}, "name"),
    ({"request": {"kind": "createOrg", "name": "é" * 513}}, "name"),
    ({"request": {"kind": "createOrg", "name": "A", "org": "x"}}, "org"),
    ({"request": {"kind": "createOrg", "name": "A", "Name": "x"}}, "Name"),
    ({"request": {"kind": "createOrg", "name": "A"}, "open": "yes"}, "open"),
    ({"request": {"kind": "createOrg", "name": "A"}, "opened": True}, "opened"),
    ({"request": {"kind": "createInvite", "org": "o", "uses": 0}}, "uses"),
    ({"request": {"kind": "createInvite", "org": "o", "ttlSecs": -1}}, "ttlSecs"),
    ({"request": {"kind": "createInvite", "org": "o", "ttlSecs": 1.5}}, "ttlSecs"),
    ({"request": {"kind": "createInvite", "org": "o", "teams": []}}, "teams"),
    ({"request": {"kind": "removeMemberTeams", "org": "o", "account": "a",
                  "teams": ["t"] * 257}}, "teams"),
    ({"request": {"kind": "setMemberTeams", "org": "o", "account": "a",
                  "teams": [{"team": "t"}, {"team": "t", "role": 1}]}}, "teams[1].role"),
    ({"request": {"kind": "setCapabilities", "org": "o", "capabilities": -1}}, "capabilities"),
    ({"request": {"kind": "setCapabilities", "org": "o", "capabilities": 4294967296}},
     "capabilities"),
    ({"request": {"kind": "outbound", "instance": "i", "hosts": ["https://x.example/"]}},
     "hosts[0]"),
    ({"started": {"requestId": "r"}}, "kind"),
    ({"started": {"requestId": "r", "url": "https://x.example/r", "code": "7QF2-XK",
                  "expiresAt": "tomorrow", "kind": "createOrg"}}, "expiresAt"),
    ({"request": {"kind": "createOrg", "name": "A"}, "started": {}}, "started"),
]


@pytest.mark.parametrize("body,field", BAD, ids=lambda value: str(value)[:70])
def test_a_bad_request_is_named_and_no_node_is_asked(node, session, body, field):
    answer = session.post("/v1/requests", body)
    assert answer.status == 422, answer
    assert answer.json().get("field") == field, answer.json()
    assert node.calls("request") == 0
    assert session.get("/v1/requests").json()["requests"] == []


@pytest.mark.parametrize("return_to", [
    "http://notes.example/", "https://elsewhere.example/", "https://u@notes.example/",
    "https://notes.example/#x", "notes.example", "javascript:alert(1)", "mero://return",
])
def test_a_foreign_place_to_return_to_is_not_allowed(session, return_to):
    answer = session.post("/v1/requests", {
        "request": {"kind": "createOrg", "name": "A", "returnTo": return_to}})
    assert answer.status == 422
    assert answer.code in ("CONSENT_RETURN_TO_NOT_ALLOWED", "CONSENT_REQUEST_INVALID")
    assert answer.json()["field"] == "returnTo"


def test_both_edges_of_a_texts_length(session):
    assert session.start({"kind": "createOrg", "name": "x" * 1024})["state"] == "started"


# MARK: Idempotency


def test_a_repeat_answers_the_first_ones_result(daemon, node, session):
    headers = {"Idempotency-Key": "6c1d1c0e"}
    body = {"request": {"kind": "createOrg", "name": "Acme"}}
    first = session.post("/v1/requests", body, headers)
    for restart in (False, True):
        if restart:
            daemon.restart(kill=True)
        again = session.post("/v1/requests", body, headers)
        assert again.status == 201
        assert again.json()["requestId"] == first.json()["requestId"]
        assert again.json()["code"] == first.json()["code"]
        assert again["Location"] == first["Location"]
    assert node.calls("request") == 1


def test_a_repeat_after_the_decision_answers_it_too(node, session):
    headers = {"Idempotency-Key": "k"}
    view = session.start(headers=headers)
    node.decide(view["requestId"])
    session.decided(view["requestId"])
    assert session.start(headers=headers)["state"] == "approved"


def test_an_idempotency_key_is_its_sessions_own(daemon, node, session):
    headers = {"Idempotency-Key": "k"}
    mine = session.start(headers=headers)
    theirs = Session(daemon, node).start(headers=headers)
    assert mine["requestId"] != theirs["requestId"]


def test_a_key_used_with_another_body_is_refused(node, session):
    headers = {"Idempotency-Key": "k"}
    session.start(headers=headers)
    answer = session.post(
        "/v1/requests", {"request": {"kind": "createOrg", "name": "Other"}}, headers)
    assert answer.status == 422 and answer.code == "IDEMPOTENCY_KEY_REUSED"
    assert node.calls("request") == 1


@pytest.mark.parametrize("headers,status", [
    ([("Idempotency-Key", "")], 422),
    ([("Idempotency-Key", "x" * 255)], 201),
    ([("Idempotency-Key", "x" * 256)], 422),
    ([("Idempotency-Key", "a b")], 422),
    ([("Idempotency-Key", "\u00e9")], 422),
    ([("Idempotency-Key", '"8e03978e-40d5-43dd-bc93-6894a57f9324"')], 201),
    ([("Idempotency-Key", "a"), ("Idempotency-Key", "a")], 400),
])
def test_an_idempotency_key_has_a_form(session, headers, status):
    body = {"request": {"kind": "createOrg", "name": "Acme"}}
    assert session.post("/v1/requests", body, headers).status == status


def test_two_repeats_at_once_are_one_request(node, session):
    node.misbehave("slow", on="request", number=300)
    data = session.bytes(
        "POST", "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}},
        {"Idempotency-Key": "k"})
    with session.connection() as first, session.connection() as second:
        first.send(data)
        second.send(data)
        answers = [first.answer(), second.answer()]
    assert [answer.status for answer in answers] == [201, 201]
    assert len({answer.json()["requestId"] for answer in answers}) == 1
    assert node.calls("request") == 1


# MARK: Recorded requests


def test_an_app_hands_over_what_it_started_itself(daemon, node, session):
    view = session.start()
    other = Session(daemon, node)
    started = {name: view[name] for name in ("requestId", "url", "code", "expiresAt", "kind")}
    answer = other.post("/v1/requests", {"started": started})
    assert answer.status == 201
    recorded = answer.json()
    assert recorded["state"] == "started" and recorded["code"] == view["code"]
    assert recorded["callback"] != view["callback"]
    node.decide(view["requestId"])
    assert other.decided(view["requestId"], "approved")["outcome"]["kind"] == "orgCreated"
    assert node.calls("request") == 1


# MARK: Lists


def test_lists_newest_first_in_pages(node, session):
    ids = [session.start()["requestId"] for _ in range(5)]
    whole = session.get("/v1/requests").json()
    assert [view["requestId"] for view in whole["requests"]] == ids[::-1]
    assert "next" not in whole
    seen, query = [], "limit=2"
    while True:
        answer = session.get(f"/v1/requests?{query}").json()
        assert len(answer["requests"]) <= 2
        seen += [view["requestId"] for view in answer["requests"]]
        if "next" not in answer:
            break
        query = f"limit=2&before={answer['next']}"
    assert seen == ids[::-1]


def test_lists_one_state(node, session):
    first, second = session.start(), session.start()
    node.decide(second["requestId"], "decline")
    session.decided(second["requestId"])
    session.decided(first["requestId"], "replaced")
    for state, expected in (("declined", [second]), ("replaced", [first]), ("started", [])):
        listed = session.get(f"/v1/requests?state={state}").json()["requests"]
        assert [view["requestId"] for view in listed] == [view["requestId"] for view in expected]


@pytest.mark.parametrize("query,status,field", [
    ("limit=1", 200, None), ("limit=200", 200, None), ("limit=0", 422, "limit"),
    ("limit=201", 422, "limit"), ("limit=-1", 422, "limit"), ("limit=%2B5", 422, "limit"),
    ("limit=5&limit=5", 422, "limit"), ("limit=", 422, "limit"), ("limit=1e1", 422, "limit"),
    ("state=approved", 200, None), ("state=APPROVED", 422, "state"), ("state=", 422, "state"),
    ("before=nothing-of-mine", 422, "before"), ("unknown=1", 422, None), ("%ZZ", 400, None),
    ("", 200, None), ("&&", 200, None),
])
def test_a_lists_parameters_are_strict(session, query, status, field):
    answer = session.get(f"/v1/requests?{query}")
    assert answer.status == status, answer
    if status == 422:
        assert answer.json().get("field") == field
    if query == "unknown=1":
        assert answer.json()["detail"].endswith("Known are before, limit, state.")


def test_a_list_has_no_invite_token_and_the_request_has(node, session):
    view = session.start({"kind": "createInvite", "org": ORG})
    node.decide(view["requestId"])
    token = session.decided(view["requestId"])["outcome"]["token"]
    listing = session.get("/v1/requests")
    assert token not in listing.text
    assert listing.json()["requests"][0]["state"] == "approved"


# MARK: Ending


def test_a_cancelled_request_stays_cancelled(daemon, node, session):
    view = session.start()
    answer = session.delete(path(view["requestId"]))
    assert answer.status == 200 and answer.json()["state"] == "cancelled"
    node.decide(view["requestId"])
    again = session.delete(path(view["requestId"]))
    assert again.status == 200 and again.json() == answer.json()
    confirmed = session.post(path(view["requestId"], "/return"), {
        "url": f"x://r?request_id={view['requestId']}"})
    assert confirmed.status == 410 and confirmed.code == "CONSENT_CANCELLED"


def test_a_finished_request_is_not_cancelled(node, session):
    view = session.start()
    node.decide(view["requestId"])
    session.decided(view["requestId"])
    assert session.delete(path(view["requestId"])).json()["state"] == "approved"


def test_a_newer_request_replaces_the_older_and_its_app_learns_it_now(daemon, node, session):
    first = session.start()
    etag = session.get(path(first["requestId"]))["ETag"]
    session.start()
    answer = session.wait(first["requestId"], etag)
    assert answer.status == 200
    assert session.decided(first["requestId"])["state"] == "replaced"


def test_an_expired_request_ends(programs, daemon):
    from harness.programs import Node
    node = programs(Node, "--ttl", "1")
    session = Session(daemon, node)
    view = session.start()
    assert session.decided(view["requestId"])["state"] == "expired"
    answer = session.post(path(view["requestId"], "/return"), {"url": "x://r"})
    assert answer.status == 410 and answer.code == "CONSENT_EXPIRED"


# MARK: The node's faults


@pytest.mark.parametrize("name,status,code", [
    ("code-mismatch", 502, "CONSENT_CODE_MISMATCH"),
    ("code-malformed", 502, "CONSENT_CODE_MISMATCH"),
    ("page-elsewhere", 502, "CONSENT_PAGE_NOT_TRUSTED"),
    ("page-unnamed", 502, "CONSENT_PAGE_NOT_TRUSTED"),
    ("no-request-id", 502, "NODE_ERROR"),
    ("expires-at", 502, "NODE_ERROR"),
    ("status", 502, "NODE_ERROR"),
    ("html-page", 502, "NODE_ERROR"),
    ("redirect", 502, "NODE_ERROR"),
    ("cut-before-head", 504, "NODE_UNREACHABLE"),
])
def test_a_start_that_the_node_spoils_says_how(node, session, name, status, code):
    node.misbehave(name, on="request", times="forever")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert (answer.status, answer.code) == (status, code)
    node.behave()
    assert session.start()["state"] == "started"


def test_a_node_that_is_away_is_unreachable(node, session):
    node.stop()
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 504 and answer.code == "NODE_UNREACHABLE"
    assert "started" not in [
        view["state"] for view in session.get("/v1/requests").json()["requests"]]


def test_a_session_that_cannot_be_renewed_has_ended(node, session):
    node.control("tokens/revoke")
    answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert answer.status == 403 and answer.code == "SESSION_EXPIRED"


def test_an_expired_token_is_renewed_unseen(node, session):
    node.control("tokens/expire")
    assert session.start()["state"] == "started"


def test_there_are_only_so_many_undecided_requests(daemon, node):
    session = Session(daemon, node)
    view = session.start()
    # Nobody is there to say that these were never asked, so they stay undecided.
    node.stop()
    for number in range(100):
        answer = session.post("/v1/requests", {"started": {
            "requestId": f"rq-{number}", "url": view["url"].replace(
                view["requestId"], f"rq-{number}").split("?")[0].split("#")[0],
            "code": "7QF2-XK", "expiresAt": view["expiresAt"], "kind": "createOrg"}})
        if answer.status != 201:
            break
    # With the first one.
    assert answer.status == 429 and answer.code == "TOO_MANY" and number + 1 == 64
    assert int(answer["Retry-After"]) >= 1
