"""The consent daemon's local API, with nothing but the standard library. Copy it into your app."""

import http.client
import json
import os
import socket


def default_socket():
    """Where the daemon listens; `S` names another place."""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return os.environ.get("S") or f"{runtime}/mero-consent/api.sock"


class ConsentError(Exception):
    """A refusal. `code` is stable: docs/troubleshooting.md has each one."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.code, self.detail = problem["code"], problem["detail"]


class _Connection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Consentd:
    """One app's session with the daemon. `key` is its capability: keep it as you keep a password."""

    UNDECIDED = ("starting", "started")

    def __init__(self, key=None, path=None):
        self.key, self.path = key, path or default_socket()

    @classmethod
    def open(cls, session, path=None):
        """`session` is the body of `POST /v1/sessions`: package, node, tokens, returnTo."""
        client = cls(path=path)
        client.key = client.call("POST", "/v1/sessions", session)["key"]
        return client

    def call(self, method, path, body=None, headers=(), timeout=60):
        answer, etag = self._exchange(method, path, body, dict(headers), timeout)
        if isinstance(answer, dict) and etag:
            answer["etag"] = etag
        return answer

    def start(self, kind, **fields):
        """Asks the node. Show `code` of the answer, then open its page."""
        return self.call("POST", "/v1/requests", {"request": {"kind": kind, **fields}})

    def open_page(self, request):
        """Opens the page in the person's browser."""
        return self.call("POST", f"/v1/requests/{request['requestId']}/open")

    def cancel(self, request):
        return self.call("DELETE", f"/v1/requests/{request['requestId']}")

    def wait(self, request):
        """Answers when the request is decided, or ended otherwise: see its `state`."""
        while request["state"] in self.UNDECIDED and not request.get("needsSession"):
            headers = {"If-None-Match": request["etag"], "Prefer": "wait=60"}
            changed = self.call(
                "GET", f"/v1/requests/{request['requestId']}", headers=headers, timeout=90)
            request = changed or request  # nothing has changed in this minute
        return request

    def _exchange(self, method, path, body, headers, timeout):
        if self.key:
            headers["Authorization"] = "Bearer " + self.key
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        connection = _Connection(self.path, timeout)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            data = response.read()
        except (FileNotFoundError, ConnectionRefusedError) as error:
            raise ConsentError({
                "code": "DAEMON_UNAVAILABLE", "detail": "Install and start mero-consentd.",
            }) from error
        finally:
            connection.close()
        answer = json.loads(data) if data else None
        if response.status >= 400:
            raise ConsentError(answer)
        return answer, response.headers["ETag"]
