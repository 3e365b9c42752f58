"""Strict bodies: what is malformed, unknown, of another type or too large."""

import json

import pytest
from harness.wire import exchange, request_bytes

BODIES = [
    (b"", 400), (b"{", 400), (b"nul", 400), (b"{}{}", 400), (b"{'url':'x'}", 400),
    (b'{"url":"x://r",}', 400), (b'{"url":"x://r","url":"x://r"}', 400),
    (b'{"url":"x://r","\\u0075rl":"x://r"}', 400), (b'\xef\xbb\xbf{"url":"x://r"}', 400),
    (b'{"url":"\xff"}', 400), (b'{"url":"\\ud800"}', 400), (b'{"url":"a\nb"}', 400),
    (b'{"url":01}', 400), (b'{"url":NaN}', 400), (b'{"url":"x"} // y', 400),
    (b"[" * 100000, 400), (b'{"url":' * 5000, 400),
    ('{"url":"x://r"}'.encode("utf-16"), 400),
    (b"[]", 422), (b"null", 422), (b'"x"', 422), (b"5", 422), (b"{}", 422),
    (b'{"url":null}', 422), (b'{"url":["x://r"]}', 422), (b'{"URL":"x://r"}', 422),
    (b'{"url":"x://r","more":1}', 422), (b'{"url":"x://r","__proto__":{}}', 422),
    (b'{"url":"x://r"}', 202), (b' \r\n\t{ "url" : "x://r" } ', 202),
    (b'{"url":"x:\\/\\/\\u0072"}', 202),
]


@pytest.mark.parametrize("body,status", BODIES, ids=lambda value: str(value)[:40])
def test_a_body_is_read_strictly(daemon, body, status):
    answer = daemon.api.call(
        "POST", "/v1/returns", body, [("Content-Type", "application/json")], content_type=None)
    assert answer.status == status, answer
    if status == 400:
        assert answer.code == "JSON_MALFORMED"


def test_an_unknown_field_is_named(daemon):
    answer = daemon.api.post("/v1/returns", {"url": "x://r", "surprise": 1})
    assert answer.status == 422 and answer.json()["field"] == "surprise"


def test_no_value_is_repeated(daemon, session):
    for body in ({"url": "x://r", "a": "MARKER"}, {"url": ["MARKER"]}, {"MARKER\n<b>": 1}):
        assert "MARKER" not in daemon.api.post("/v1/returns", body).text
    answer = session.post("/v1/requests", {"request": {"kind": "acceptInvite", "token": ["MARKER"]}})
    assert answer.status == 422 and "MARKER" not in answer.text


@pytest.mark.parametrize("content_type", [
    "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1",
    "application/jsonx", "text/json", "", "application/json, text/plain", None,
])
def test_another_type_is_415(daemon, content_type):
    headers = [] if content_type is None else [("Content-Type", content_type)]
    answer = daemon.api.call(
        "POST", "/v1/returns", b'{"url":"x://r"}', headers, content_type=None)
    assert answer.status == 415 and answer.code == "CONTENT_TYPE_UNSUPPORTED"


@pytest.mark.parametrize("content_type", [
    "application/json", "application/json; charset=utf-8", "APPLICATION/JSON;charset=UTF-8"])
def test_json_in_utf_8_is_taken(daemon, content_type):
    answer = daemon.api.call(
        "POST", "/v1/returns", b'{"url":"x://r"}', [("Content-Type", content_type)],
        content_type=None)
    assert answer.status == 202


def test_a_compressed_body_is_415(daemon):
    answer = daemon.api.call("POST", "/v1/returns", b'{"url":"x://r"}', {"Content-Encoding": "gzip"})
    assert answer.status == 415


def test_both_edges_of_a_bodys_size(daemon):
    limit = 1024 * 1024
    body = json.dumps({"url": "x://r"}).encode()
    fits = body + b" " * (limit - len(body))
    assert daemon.api.post("/v1/returns", fits).status == 202
    head = request_bytes("POST", "/v1/returns", [
        ("Content-Type", "application/json"), ("Content-Length", str(limit + 1))])
    answer = exchange(daemon.socket, head)
    assert answer.status == 413 and answer.code == "BODY_TOO_LARGE"
    assert "at most 1 MiB" in answer.json()["detail"]


@pytest.mark.parametrize("method,target,allow", [
    ("GET", "/v1/sessions", "POST"), ("PUT", "/v1/session", "GET, HEAD, PATCH, DELETE"),
    ("PATCH", "/v1/requests", "POST, GET, HEAD"), ("POST", "/v1/requests/x", "GET, HEAD, DELETE"),
    ("GET", "/v1/requests/x/open", "POST"), ("DELETE", "/v1/requests/x/return", "POST"),
    ("POST", "/v1/events", "GET, HEAD"), ("GET", "/v1/returns", "POST"),
    ("DELETE", "/v1/status", "GET, HEAD"), ("OPTIONS", "/v1/status", "GET, HEAD"),
    ("TRACE", "/v1/status", "GET, HEAD"), ("FOO", "/v1/status", "GET, HEAD"),
])
def test_another_method_is_405(daemon, method, target, allow):
    answer = daemon.api.call(method, target)
    assert answer.status == 405 and answer.code == "METHOD_NOT_ALLOWED"
    assert answer["Allow"] == allow


@pytest.mark.parametrize("target", [
    "/", "/v1", "/v1/", "/v1/status/", "/v2/status", "/V1/status", "//v1/status", "/v1/../v1/status",
    "/v1/sessions/x", "/favicon.ico", "/return/x", "/v1/%73tatu%73x", "/v1/status%00",
])
def test_another_path_is_404(daemon, target):
    answer = daemon.api.get(target)
    assert answer.status == 404 and answer.code == "NOT_FOUND"


def test_an_escaped_path_is_the_same_path(daemon):
    assert daemon.api.get("/v1/%73tatus").status == 200


def test_an_open_needs_no_body_and_takes_no_field(daemon, session):
    assert session.call("POST", "/v1/requests/x/open").status == 404
    assert session.call("POST", "/v1/requests/x/open", {}).status == 404
    assert session.call("POST", "/v1/requests/x/open", {"browser": "x"}).status == 422


def test_every_answer_says_that_it_is_not_to_be_kept(daemon, session):
    view = session.start()
    for answer in (
        session.get("/v1/session"), session.get("/v1/requests"), daemon.api.get("/v1/status"),
        session.get(f"/v1/requests/{view['requestId']}"), daemon.api.get("/nothing"),
        daemon.api.get("/v1/session"), session.delete("/v1/session"),
        exchange(daemon.socket, b"nonsense\r\n\r\n"),
    ):
        assert answer["Cache-Control"] == "no-store"
        assert not answer.all("Set-Cookie") and not answer.all("Access-Control-Allow-Origin")
