"""Who may do what: peers, keys, origins, and what belongs to whom."""

import os
import re
import subprocess
import sys

import pytest
from harness.api import Session, path
from harness.waiting import PATIENCE
from harness.wire import exchange, request_bytes

# Runs as another user, and prints what it reads from the socket.
STRANGER = """
import os, socket, sys
os.setgid(65534); os.setuid(65534)
s = socket.socket(socket.AF_UNIX); s.settimeout(40); s.connect(sys.argv[1])
try:
    s.sendall(b"GET /v1/status HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n")
    while piece := s.recv(4096): sys.stdout.buffer.write(piece)
except ConnectionError: pass
"""


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("says", ["a request", "nothing"])
def test_another_users_process_is_refused(daemon, home, says):
    """By the kernel's word alone: also one that has not said anything, and long before the time is
    up that a request may take, which is answered 408."""
    for folder in (home, daemon.home, daemon.runtime):
        folder.chmod(0o755)
    os.chmod(daemon.socket, 0o777)
    script = STRANGER if says == "a request" else STRANGER.replace("s.sendall", "(lambda _: 0)")
    run = subprocess.run(
        [sys.executable, "-c", script, daemon.socket], capture_output=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stderr
    assert run.stdout == b"" or run.stdout.startswith(b"HTTP/1.1 403 "), run.stdout
    assert b'"version"' not in run.stdout
    assert "65534" in daemon.log
    assert daemon.status


KEYED = [
    ("GET", "/v1/session"), ("PATCH", "/v1/session"), ("DELETE", "/v1/session"),
    ("POST", "/v1/requests"), ("GET", "/v1/requests"), ("GET", "/v1/requests/x"),
    ("DELETE", "/v1/requests/x"), ("POST", "/v1/requests/x/open"),
    ("POST", "/v1/requests/x/return"), ("GET", "/v1/events"),
]


@pytest.mark.parametrize("method,target", KEYED)
def test_no_key_or_a_wrong_one_gets_401(daemon, session, method, target):
    key = session.key
    wrong = [
        [], [("Authorization", "")], [("Authorization", "Bearer")], [("Authorization", "Bearer ")],
        [("Authorization", f"Basic {key}")], [("Authorization", key)],
        [("Authorization", f"Bearer {key}x")], [("Authorization", f"Bearer {key[:-1]}")],
        [("Authorization", f"Bearer {key.swapcase()}")],
        [("Authorization", f"Bearer {session.id}")], [("Authorization", "Bearer " + "A" * 43)],
        [("Authorization", f"Bearer {key}"), ("Authorization", f"Bearer {key}")],
    ]
    strangers = [row for row in wrong if len(row) == 1 and re.fullmatch(
        r"Bearer \S+", row[0][1])]
    for headers in wrong:
        answer = daemon.api.call(method, target, headers=headers)
        assert answer.status == 401, headers
        assert answer.code == "KEY_REQUIRED"
        # Who sent a key is not told to send one.
        words = "Open a session again" if headers in strangers else "Send the key"
        assert words in answer.json()["detail"], headers
        assert answer["WWW-Authenticate"].startswith("Bearer")
        assert key not in answer.text


def test_the_scheme_has_no_case(daemon, session):
    assert daemon.api.get("/v1/session", {"Authorization": f"bEARER {session.key}"}).status == 200


def test_another_sessions_key_gets_404_as_if_it_were_not_there(daemon, node, session):
    view = session.start()
    other = Session(daemon, node)
    unknown = "no-such-request"
    for method, tail, body in [
        ("GET", "", None), ("DELETE", "", None), ("POST", "/open", None),
        ("POST", "/return", {"url": f"x://r?request_id={view['requestId']}"}),
    ]:
        theirs = other.call(method, path(view["requestId"], tail), body)
        nobodys = other.call(method, path(unknown, tail), body)
        assert theirs.status == 404
        # Not even a word tells the two apart.
        assert theirs.body == nobodys.body
    assert other.get("/v1/requests").json() == {"requests": []}
    assert session.request(view["requestId"])["state"] == "started"


def test_another_sessions_events_are_not_told(daemon, node, session):
    other = Session(daemon, node, accessToken=node.control("tokens")["accessToken"])
    with other.events(after=0) as stream:
        view = session.start()
        session.delete(path(view["requestId"]))
        own = other.start()
        assert stream.next_request()["requestId"] == own["requestId"]


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost", ""])
def test_a_web_page_is_refused(daemon, session, origin):
    answer = session.get("/v1/session", {"Origin": origin})
    assert answer.status == 403 and answer.code == "ORIGIN_REFUSED"
    assert not answer.all("Access-Control-Allow-Origin")


def test_a_preflight_gets_nothing(daemon):
    answer = daemon.api.call("OPTIONS", "/v1/requests", headers={
        "Origin": "https://evil.example", "Access-Control-Request-Method": "POST"})
    assert answer.status in (403, 405)
    assert not [name for name, _ in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize("host,status", [
    ("", 200), (None, 400), ("x", 200), ("%2Frun%2Fapi.sock", 200), ("foo", 200),
    ("localhost", 200), ("127.0.0.1:1", 200), ("[::1]:80", 200),
    ("run/user/x/api.sock", 400), ("a b", 400),
])
def test_the_host_says_nothing_on_a_unix_socket(daemon, host, status):
    answer = exchange(daemon.socket, request_bytes("GET", "/v1/status", host=host))
    assert answer.status == status
    if status == 400:
        assert answer.code == "REQUEST_MALFORMED"


def test_http_1_0_needs_no_host(daemon):
    assert exchange(daemon.socket, b"GET /v1/status HTTP/1.0\r\n\r\n").status == 200


def test_a_key_stays_good_after_a_restart(daemon, session):
    before = session.get("/v1/session").json()
    daemon.restart(kill=True)
    after = session.get("/v1/session").json()
    assert after["session"] == before["session"]
    assert after["needsSession"] is True


def test_an_ended_sessions_key_is_no_key(daemon, session):
    assert session.delete("/v1/session").status == 204
    assert session.get("/v1/session").status == 401
    daemon.restart()
    assert session.get("/v1/session").status == 401


def test_ids_are_compared_byte_for_byte(daemon, session):
    view = session.start()
    request_id = view["requestId"]
    for other in (
        request_id.upper(), request_id.lower(), request_id + "%00", request_id + "%20",
        request_id + "/", "./" + request_id, request_id[:-1], "%EF%BB%BF" + request_id,
    ):
        if other != request_id:
            assert session.get(f"/v1/requests/{other}").status == 404, other
    encoded = "".join(f"%{byte:02X}" for byte in request_id.encode())
    assert session.get(f"/v1/requests/{encoded}").status == 200
    twice = encoded.replace("%", "%25")
    assert session.get(f"/v1/requests/{twice}").status == 404
