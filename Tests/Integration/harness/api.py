"""The local API as an app uses it."""

import json
from urllib.parse import quote

from .wire import Closed, Connection, exchange, request_bytes


class API:
    """Calls on the Unix socket, each on a connection of its own."""

    def __init__(self, socket, key=None):
        self.socket, self.key = socket, key

    def with_key(self, key):
        return API(self.socket, key)

    def headers(self, headers, body, content_type):
        result = list(headers.items() if isinstance(headers, dict) else headers)
        if self.key is not None:
            result.append(("Authorization", f"Bearer {self.key}"))
        if body and content_type:
            result.append(("Content-Type", content_type))
        return result

    def bytes(self, method, path, body=None, headers=(), content_type="application/json"):
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        return request_bytes(method, path, self.headers(headers, data, content_type), data)

    def call(self, method, path, body=None, headers=(), content_type="application/json"):
        """`body` is sent as JSON, or as it is where it is bytes."""
        return exchange(self.socket, self.bytes(method, path, body, headers, content_type), method)

    def get(self, path, headers=()):
        return self.call("GET", path, headers=headers)

    def post(self, path, body=None, headers=()):
        return self.call("POST", path, body, headers)

    def patch(self, path, body):
        return self.call("PATCH", path, body)

    def delete(self, path):
        return self.call("DELETE", path)

    def connection(self):
        return Connection(self.socket)


class Session(API):
    """An open session."""

    def __init__(self, daemon, program, **fields):
        super().__init__(daemon.socket)
        self.opening = opening(program, **fields)
        answer = self.post("/v1/sessions", self.opening)
        assert answer.status == 201, answer
        self.id = answer.json()["session"]
        self.key = answer.json()["key"]

    def start(self, request=None, **fields):
        """Starts a request and answers its view."""
        headers = fields.pop("headers", ())
        answer = self.post(
            "/v1/requests", {"request": request or {"kind": "createOrg", "name": "Acme"}} | fields,
            headers)
        assert answer.status == 201, answer
        return answer.json()

    def request(self, request_id):
        answer = self.get(path(request_id))
        assert answer.status == 200, answer
        return answer.json()

    def wait(self, request_id, etag, seconds=60):
        return self.get(path(request_id), {"If-None-Match": etag, "Prefer": f"wait={seconds}"})

    def decided(self, request_id, state=None):
        """Waits, as an app does, until the request is not undecided any more."""
        while True:
            answer = self.get(path(request_id))
            view = answer.json()
            if view["state"] not in ("starting", "started"):
                assert state is None or view["state"] == state, view
                return view
            self.wait(request_id, answer["ETag"])

    def events(self, after=None):
        return EventStream(self, after)


class EventStream:
    """`GET /v1/events`, read event by event."""

    def __init__(self, session, after=None):
        headers = {} if after is None else {"Last-Event-ID": str(after)}
        self.connection = session.connection()
        self.connection.send(session.bytes("GET", "/v1/events", headers=headers))
        self.answer = self.connection.head()
        self.pending = b""
        # Where the stream began and where it stands, as far as it was told.
        self.begin = self.id = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.connection.close()

    def chunk(self):
        size = int(self.connection.read_until(b"\r\n"), 16)
        data = self.connection.read_exactly(size)
        assert self.connection.read_exactly(2) == b"\r\n"
        return data

    def block(self):
        """The next block up to its blank line: a comment or an event. None at the clean end."""
        while b"\n\n" not in self.pending:
            piece = self.chunk()
            if not piece:
                assert self.pending == b"", "the stream ended inside of an event"
                return None
            self.pending += piece
        block, self.pending = self.pending.split(b"\n\n", 1)
        return block.decode()

    def next(self):
        """The next event as a dict of its fields, comments passed over; None at the end."""
        while True:
            block = self.block()
            if block is None:
                return None
            fields = dict(
                line.split(": ", 1) for line in block.split("\n") if not line.startswith(":"))
            self.id = fields.get("id", self.id)
            self.begin = self.id if self.begin is None else self.begin
            if "data" in fields:
                return fields

    def next_request(self):
        event = self.next()
        assert event["event"] == "request", event
        return json.loads(event["data"])


def path(request_id, tail=""):
    return f"/v1/requests/{quote(request_id, safe='')}{tail}"


def opening(program, **fields):
    """The body that opens a session with a development node."""
    ready = program.ready
    body = {
        "package": ready["package"],
        "node": {"url": ready["url"], "trust": {"transportKey": ready["transportKey"]}},
        "accessToken": ready["accessToken"], "refreshToken": ready["refreshToken"],
        "origins": ready["origins"], "returnTo": ready["returnTo"],
    }
    return {name: value for name, value in (body | fields).items() if value is not None}


__all__ = ["API", "Closed", "EventStream", "Session", "opening", "path"]
