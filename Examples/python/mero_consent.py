"""The consent daemon's local API, with nothing but the standard library. Copy it into your app."""

import http.client
import json
import os
import socket
import time

# How long `wait` bears with a daemon that is ending, or starting again.
PATIENCE = 30


def default_socket():
    """Where the daemon listens; `S` names another place."""
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return os.environ.get("S") or f"{runtime}/mero-consent/api.sock"


class ConsentError(Exception):
    """A refusal. `code` is stable: docs/troubleshooting.md has each one."""

    def __init__(self, code, detail, retry_after=None):
        super().__init__(f"{code}: {detail}")
        self.code, self.detail = code, detail
        # Seconds after which a repeat of a call that changes nothing may succeed, or None.
        self.retry_after = retry_after


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
        """One call, made once. Every failure is a `ConsentError`."""
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

    def renew(self, access_token, refresh_token=None):
        """New tokens, after `SESSION_EXPIRED`: then `wait` for the same request again."""
        tokens = {"accessToken": access_token}
        if refresh_token:
            tokens["refreshToken"] = refresh_token
        return self.call("PATCH", "/v1/session", tokens)

    def wait(self, request):
        """Answers when the request is decided, or ended otherwise: see its `state`.

        A daemon that ends or starts again is asked again for `PATIENCE` seconds. `SESSION_EXPIRED`
        is raised when it has no usable tokens any more (`needsSession`); the request goes on."""
        silent_since = None
        while request["state"] in self.UNDECIDED:
            if request.get("needsSession"):
                raise ConsentError(
                    "SESSION_EXPIRED", "The daemon needs new tokens to go on (needsSession): "
                    "`renew` them after a sign-in, then wait again.")
            headers = {"If-None-Match": request["etag"], "Prefer": "wait=60"}
            try:
                changed = self.call(
                    "GET", f"/v1/requests/{request['requestId']}", headers=headers, timeout=90)
            except ConsentError as error:
                now = time.monotonic()
                silent_since = silent_since or now
                if error.retry_after is None or now - silent_since > PATIENCE:
                    raise
                time.sleep(error.retry_after)
                continue
            silent_since = None
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
        except TimeoutError as error:
            raise ConsentError(
                "DAEMON_TIMED_OUT", f"No answer on {self.path} in {timeout} s.", 1) from error
        except (OSError, http.client.HTTPException) as error:
            raise ConsentError(
                "DAEMON_UNAVAILABLE", f"No daemon answers on {self.path} "
                f"({error.__class__.__name__}). Install and start mero-consentd.", 0.5) from error
        finally:
            connection.close()
        try:
            answer = json.loads(data) if data else None
            if response.status < 400:
                return answer, response.headers["ETag"]
            code, detail = answer["code"], answer["detail"]
        except (ValueError, KeyError, TypeError) as error:
            raise ConsentError(
                "DAEMON_ANSWER_INVALID", f"What answers on {self.path} is no daemon, or one of "
                "another version.") from error
        after = response.headers["Retry-After"]
        # No longer than PATIENCE, whatever it says.
        raise ConsentError(code, detail, min(max(int(after), 1), PATIENCE) if after else None)
