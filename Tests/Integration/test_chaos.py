"""A few rounds of `make chaos`, and that its judge sees what it is there to see."""

import copy
import json
import os
import sqlite3
import time
from contextlib import closing

import pytest
from chaos import leaks, record
from chaos.__main__ import run
from chaos.judge import Evidence, judge
from chaos.told import Book, Caller
from harness.api import API, EventStream, opening, path
from harness.programs import Daemon, Node

ROUNDS = 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can set up a user manager of its own")
def test_some_rounds(capfd):
    status = run(ROUNDS, seed=1)
    said = capfd.readouterr()
    assert status == 0, said.out[-8000:] + said.err[-2000:]
    assert f"{ROUNDS} rounds, 0 with faults" in said.out


# The judge

TOKENS = {"token_ttl": 3_600_000, "expiries": []}


@pytest.fixture(scope="module")
def round_(tmp_path_factory):
    """What a real daemon and a real node leave of a quiet round: an approval, a decline, an invite,
    a cancelled one, one that is undecided, and one that nobody was told of."""
    folder = tmp_path_factory.mktemp("round")
    node, daemon = Node(folder / "node"), Daemon(folder / "daemon").start()
    try:
        yield play(node, daemon, folder)
    finally:
        daemon.kill()
        node.kill()


def play(node, daemon, folder):
    book, since = Book(), int(time.time() * 1000)
    app = Caller(book, API(daemon.socket), "app0")
    entry = app.call("open", "POST", "/v1/sessions", opening(node), account=node.ready["account"])
    app.session, app.api.key = entry["body"]["session"], entry["body"]["key"]
    stream = EventStream(app.api, 0)

    def start(kind, key=None, **fields):
        headers = {"Idempotency-Key": key} if key else {}
        return app.call("start", "POST", "/v1/requests", {"request": {"kind": kind} | fields},
                        headers, kind=kind, key=key)["body"]

    def confirm(view):
        place = path(view["requestId"], "/return")
        for _ in range(2):
            app.call("confirm", "POST", place, {"url": "app:/"}, requestId=view["requestId"])
        app.call("get", "GET", path(view["requestId"]), requestId=view["requestId"])

    for kind, decision, fields in [
            ("createOrg", "approve", {"name": "Acme"}), ("renameOrg", "decline", {
                "org": "o", "name": "n"}), ("createInvite", "approve", {"org": "o"})]:
        view = start(kind, key=f"key-{kind}", **fields)
        assert start(kind, key=f"key-{kind}", **fields)["requestId"] == view["requestId"]
        node.decide(view["requestId"], decision)
        confirm(view)
    gone = start("release", tag="v1")
    app.call("cancel", "DELETE", path(gone["requestId"]), requestId=gone["requestId"])
    undecided = start("outbound", instance="i", hosts=["example.com"])
    app.call("get", "GET", path(undecided["requestId"]), requestId=undecided["requestId"])
    app.call("list", "GET", "/v1/requests")
    ledger = folder / "ledger.db"
    record.copy(daemon.state / "ledger.db", ledger)
    known = record.Record(ledger, node.ready["url"], since)
    while True:
        event = stream.next()
        book.note(what="event", app="app0", session=app.session, stream=1, after=0, begin=0,
                  id=int(event["id"]), status=200, sent=0, got=book.now(),
                  body=json.loads(event["data"]))
        if int(event["id"]) == known.events[-1]["sequence"]:
            break
    stream.close()
    returned = [(app.session, row["request_id"]) for row in known.requests
                if row["state"] in ("approved", "declined")]
    return Evidence(
        told=book.entries, ledger=str(ledger), node=node.overview, node_url=node.ready["url"],
        since=since, at=time.time(), plan={"node": TOKENS}, returned=returned), folder


@pytest.fixture
def evidence(round_, tmp_path):
    """A copy that a test may falsify."""
    kept, _ = round_
    changed = copy.deepcopy(kept)
    changed.ledger = str(tmp_path / "ledger.db")
    record.copy(kept.ledger, changed.ledger)
    return changed


def test_a_quiet_round_has_no_fault(evidence):
    assert judge(evidence) == []


def change(statement, *values):
    def falsify(evidence):
        with closing(sqlite3.connect(evidence.ledger)) as connection:
            assert connection.execute(statement, values).rowcount >= 1, statement
            connection.commit()
    return falsify


def tell(what, number=-1, **fields):
    """Falsifies one of the answers of this kind."""
    def falsify(evidence):
        entry = [entry for entry in evidence.told if entry["what"] == what][number]
        for name, value in fields.items():
            if name in entry:
                entry[name] = value
            else:
                assert name in entry["body"], (name, entry)
                entry["body"][name] = value
    return falsify


def again(what, number=0, **body):
    """Another answer of this kind, after everything."""
    def falsify(evidence):
        entry = copy.deepcopy([entry for entry in evidence.told if entry["what"] == what][number])
        entry["sent"] = entry["got"] = evidence.told[-1]["got"] + 1
        entry["body"] |= body
        evidence.told.append(entry)
    return falsify


def forget_told(what, number=-1):
    def falsify(evidence):
        evidence.told.remove([entry for entry in evidence.told if entry["what"] == what][number])
    return falsify


def of_node(kind, standing=None):
    """The node's record says something else, or nothing."""
    def falsify(evidence):
        request = next(its for its in evidence.node["requests"] if its["kind"] == kind)
        if standing:
            request["standing"] = standing
        else:
            evidence.node["requests"].remove(request)
    return falsify


def damage(evidence):
    """An index whose pages nobody owns any more."""
    with closing(sqlite3.connect(evidence.ledger)) as connection:
        connection.executescript(
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'requests_listed'")
        connection.commit()


ONE = "WHERE kind = 'createOrg'"
EVENT = "(SELECT max(sequence) FROM events WHERE state = 'approved')"


@pytest.mark.parametrize("falsify,said", [
    (change("UPDATE requests SET state = 'approved', finished_at = 1 WHERE kind = 'renameOrg'"),
     "the ledger has approved, and the node declined"),
    (change("UPDATE requests SET state = 'approved', finished_at = 1 WHERE kind = 'outbound'"),
     "the ledger has approved, and the node undecided"),
    (change(f"UPDATE requests SET state = 'started', finished_at = NULL {ONE}"),
     "the ledger has started, and the node approved"),
    (change("UPDATE requests SET state = 'cancelled' WHERE kind = 'outbound'"),
     "the ledger has cancelled, and the node undecided"),
    (change("UPDATE requests SET state = 'expired', finished_at = 1 WHERE kind = 'outbound'"),
     "the ledger has expired, and the node undecided"),
    (change(f"DELETE FROM requests {ONE}"), "a request that was told is lost"),
    (change("DELETE FROM sessions"), "a session that was opened is lost"),
    (change("UPDATE sessions SET ended_at = 1"), "a session ended that no app closed"),
    (change(f"UPDATE requests SET code = 'AAAA-AA' {ONE}"), "the code that was told"),
    (change(f"UPDATE requests SET ticket = 'another' {ONE}"), "the callback that was told"),
    (change(f"UPDATE requests SET outcome = '{{\"kind\":\"orgCreated\",\"orgId\":\"x\"}}' {ONE}"),
     "the ledger has another outcome"),
    (change("UPDATE requests SET outcome = '{\"token\":\"t\"}' WHERE kind = 'createInvite'"),
     "an invite token is in the ledger"),
    (change(f"UPDATE requests SET last_return_code = NULL {ONE}"), "is not noted"),
    (change("INSERT INTO requests (session, request_id, ticket, kind, state, revision, created_at)"
            " SELECT session, 'starting-1', 't', kind, 'starting', 1, 1 FROM requests LIMIT 1"),
     "requests that no app asked for"),
    (change("UPDATE requests SET request_id = 'forged' WHERE kind = 'release'"),
     "a request that the node never had"),
    (change(f"DELETE FROM events WHERE sequence = {EVENT}"), "the events are not the request's"),
    (change(f"UPDATE events SET state = 'declined' WHERE sequence = {EVENT}"),
     "an event is not the ledger's"),
    (damage, "damaged"),
    (tell("get", 0, state="declined"), "verdicts that differ"),
    (tell("get", -1, state="approved"), "told approved, and the ledger has started"),
    (tell("confirm", 0, outcome={"kind": "orgCreated", "orgId": "y"}), "outcomes that differ"),
    (again("get", state="started"), "a verdict that was told was taken back"),
    (tell("start", 1, requestId="another"), "answered with several requests"),
    (tell("get", 0, status=404), "a request that was told is not there"),
    (tell("get", 0, status=401), "a key that was given is none"),
    (tell("get", 0, status=500), "an answer that nothing explains"),
    (again("get", needsSession=True), "asked for tokens without a reason"),
    (tell("event", 1, state="declined"), "an event is not the ledger's"),
    (forget_told("event", 2), "events that a stream never had"),
    (tell("event", -1, id=1), "events out of order, or twice"),
    (of_node("createOrg"), "the node has no such request"),
    (of_node("createOrg", "declined"), "the ledger has approved, and the node declined"),
    (of_node("release", "approved"), None),
    (lambda evidence: evidence.node["requests"].append(
        evidence.node["requests"][0] | {"requestId": "unknown"}), "the ledger lost"),
    (lambda evidence: evidence.node["organizations"].clear(), "no such organization"),
])
def test_the_judge_sees(evidence, falsify, said):
    falsify(evidence)
    faults = judge(evidence)
    if said is None:
        # A decision after the app had cancelled is nobody's fault.
        assert faults == []
    else:
        assert any(said in fault for fault in faults), faults


def test_a_secret_on_the_disk_is_found(round_, tmp_path):
    kept, _ = round_
    assert leaks.in_folder(tmp_path, [b"the-key"]) == []
    token = next(entry["body"]["outcome"]["token"] for entry in kept.told
                 if entry["what"] == "get" and "token" in entry["body"].get("outcome", {}))
    for secret in (token, token[:20], "refresh-" + "0f" * 32, "made-up-invite-1-app0-1", "the-key",
                   "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJleHAiOjF9.MDEyMzQ1Njc4OWFiY2RlZg"):
        file = tmp_path / "below" / "file"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"\0some" + secret.encode() + b"thing")
        assert len(leaks.in_folder(tmp_path, [b"the-key"])) == 1, secret
        assert leaks.in_folder(tmp_path, [b"the-key"], {file}) == []
        assert leaks.in_journal(b"MESSAGE=" + secret.encode(), [b"the-key"])


def test_what_is_not_documented_in_the_runtime_directory_is_found(tmp_path):
    (tmp_path / "sessions").mkdir()
    (tmp_path / "callback").write_text("http://127.0.0.1:1/return\n")
    (tmp_path / "sessions" / "mine").write_text("key")
    assert leaks.in_runtime(tmp_path, [b"key"], ["mine"]) == []
    assert len(leaks.in_runtime(tmp_path, [b"key"])) == 2
    (tmp_path / "other").write_text("")
    assert len(leaks.in_runtime(tmp_path, [b"key"], ["mine"])) == 1


def test_a_complaint_in_the_journal_is_found():
    text = b"PRIORITY=%d\nSYSLOG_IDENTIFIER=mero-consentd\nMESSAGE=cannot write\n\n"
    assert leaks.complaints(text % 4) == []
    assert len(leaks.complaints(text % 3)) == 1
