"""GET /v1/status, and how the socket lies there."""

import os
import stat

from harness.api import Session
from harness.programs import Daemon


def test_tells_how_it_is_without_a_key(daemon):
    status = daemon.status
    assert status["counts"] == {
        "sessions": 0, "configuredSessions": 0, "undecidedRequests": 0, "waits": 0, "eventStreams": 0}
    assert status["nodes"] == {"reachable": 0, "unreachable": 0}
    assert status["state"] == {"health": "ok", "reset": False, "unwritten": 0}
    assert status["callbacks"][0].startswith("http://127.0.0.1:")
    assert status["uptime"] >= 0 and status["version"]


def test_counts_what_is_open(daemon, node, session):
    session.start()
    with session.events():
        counts = daemon.status["counts"]
    assert counts["sessions"] == 1
    assert counts["undecidedRequests"] == 1
    assert counts["eventStreams"] == 1


def test_tells_nothing_that_is_anybodys(daemon, node, session):
    view = session.start()
    text = daemon.api.get("/v1/status").text
    for secret in (
        view["requestId"], view["code"], view["url"], view["callback"], session.id, session.key,
        node.ready["account"], node.ready["url"], node.ready["package"],
    ):
        assert secret not in text


def test_knows_whether_the_nodes_answer(daemon, node, session):
    session.start()
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": 0}
    node.stop()
    assert session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "A"}}).code == (
        "NODE_UNREACHABLE")
    assert daemon.status["nodes"] == {"reachable": 0, "unreachable": 1}


def test_a_node_of_several_sessions_is_one_node(daemon, node, session):
    """And one of them that cannot read it is enough to look after it."""
    for one in (session, Session(daemon, node), Session(daemon, node)):
        one.start()
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": 0}
    other = {"url": node.ready["url"], "trust": {"transportKey": "ab" * 32}}
    wrong = Session(daemon, node, node=other)
    assert wrong.post("/v1/requests", {"request": {"kind": "createOrg", "name": "A"}}).code == (
        "NODE_UNTRUSTED")
    session.start()
    assert daemon.status["nodes"] == {"reachable": 0, "unreachable": 1}
    assert wrong.delete("/v1/session").status == 204
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": 0}


def test_tells_what_the_nodes_proved(daemon, node, session):
    # The key of the fixture's session is pinned, so that its node proves nothing.
    session.start()
    assert daemon.status["attestations"] == []
    way = {"development": True}
    Session(daemon, node, node={"url": node.ready["url"], "trust": way}).start()
    (proof,) = daemon.status["attestations"]
    assert proof.pop("verifiedAt")
    assert proof == {"image": "development", "mock": True, "advisories": []}


def test_the_socket_is_its_users_alone(daemon):
    mode = os.stat(daemon.socket).st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600


def test_head_is_get_without_a_body(daemon):
    head = daemon.api.call("HEAD", "/v1/status")
    assert head.status == 200 and head.body == b""
    assert int(head["Content-Length"]) > 0


def test_publishes_its_callback_address(programs, home):
    daemon = programs(Daemon)
    # Without --socket, everything lies where XDG says.
    daemon.arguments = [daemon.arguments[0], "--callback-port", "0"]
    daemon.socket = str(daemon.runtime / "mero-consent" / "api.sock")
    daemon.api = type(daemon.api)(daemon.socket)
    daemon.start()
    folder = daemon.runtime / "mero-consent"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert str(daemon.port) in (folder / "callback").read_text()
