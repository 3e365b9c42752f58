"""A load of apps: each with a session, its requests, and whatever an app does while it waits."""

import json
import threading
import time

from harness.api import API, EventStream, opening, path

from .told import CUT, Caller

FINAL = ("approved", "declined", "replaced", "expired", "cancelled", "failed")


class App(Caller):
    """Runs the errands of its plan on a thread of its own."""

    def __init__(self, world, number, plan, tokens):
        super().__init__(world.book, API(world.service.socket), f"app{number}")
        self.world, self.plan, self.tokens = world, plan, tokens
        self.views = []
        self.counter = 0
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.stream = None
        self.is_closed = False

    # Its life

    def run(self):
        try:
            self.open()
            if self.plan.listens != "no":
                self.stream = Listener(self, 0 if self.plan.listens == "from-start" else None)
                self.stream.start()
            for errand in self.plan.errands:
                self.work(errand)
            if self.plan.leaves == "close" or self.plan.leaves == "cancel-by-close":
                self.leave()
        except Exception as error:  # The round is at fault, and says so.
            self.book.fault(f"{self.app}: {error!r}")
            raise

    def open(self):
        if self.plan.configured:
            self.api.key = self.world.configured_key()
            self.session = self.check()["body"]["session"]
            return
        node = self.world.node
        trust = {"transportKey": node.ready["transportKey"]} if self.plan.pinned else {
            "development": True}
        body = opening(
            node, accessToken=self.tokens["accessToken"], refreshToken=self.tokens["refreshToken"],
            node={"url": node.ready["url"], "trust": trust})
        entry = self.repeat(lambda: self.call(
            "open", "POST", "/v1/sessions", body, account=self.tokens["account"]), {201})
        self.session, self.api.key = entry["body"]["session"], entry["body"]["key"]

    def work(self, errand):
        time.sleep(errand.pause)
        view = self.start(errand)
        if view is None:
            return
        self.views.append(view)
        self.world.person.sees(self, view)
        if errand.meanwhile == "patch":
            self.renew()
        elif errand.meanwhile == "check":
            self.check()
        elif errand.meanwhile == "cancel":
            self.cancel(view["requestId"])
        elif errand.meanwhile == "replace":
            return
        self.hear(view, errand)

    def leave(self):
        self.is_closed = True
        self.repeat(lambda: self.call("delete", "DELETE", "/v1/session"), {204, 401})

    # Calls

    def repeat(self, call, expected, patience=15):
        """Until an answer is there. An answer that nobody expects is a fault of the round."""
        deadline = time.monotonic() + patience
        while time.monotonic() < deadline:
            entry = call()
            if entry["status"] in expected:
                return entry
            if entry["status"] not in (None, 503, 429):
                break
            time.sleep(0.02)
        raise AssertionError(f"not answered as expected: {entry}")

    def start(self, errand):
        """The view of the request, or None where the app was told that nothing came of it."""
        self.counter += 1
        body = {"request": self.asked(errand.kind)}
        key = f"{self.app}-{self.counter}" if errand.keyed else None
        headers = {"Idempotency-Key": key} if key else {}

        def ask():
            return self.call(
                "start", "POST", "/v1/requests", body, headers, kind=errand.kind, key=key)

        for _ in range(30):
            entry = ask()
            if entry["status"] == 201:
                if errand.repeated and key:
                    ask()
                return entry["body"]
            if entry["status"] == 403:
                self.renew()
            elif entry["status"] is None and not key:
                return None
            elif entry["status"] not in (None, 503, 502, 504, 429):
                raise AssertionError(f"a start was answered {entry}")
            time.sleep(0.03)
        return None

    def asked(self, kind):
        name = f"{self.app}-{self.counter}"
        return {"kind": kind} | {
            "createOrg": {"name": name}, "createInvite": {"org": name},
            "acceptInvite": {"token": self.world.secret("made-up-invite", name)},
            "renameOrg": {"org": "o", "name": name}, "deleteOrg": {"org": name},
            "removeMember": {"org": "o", "account": "ab" * 32},
            "outbound": {"instance": name, "hosts": ["example.com"]}, "release": {"tag": name},
        }[kind]

    def get(self, request_id, what="get", headers=()):
        return self.call(what, "GET", path(request_id), None, headers, requestId=request_id)

    def list(self):
        return self.call("list", "GET", "/v1/requests?limit=50")

    def check(self):
        """The session itself, which is there whatever happens."""
        return self.repeat(lambda: self.call("session", "GET", "/v1/session"), {200})

    def renew(self):
        """New tokens, as an app has them after it signed in again."""
        fresh = self.world.tokens(self.tokens["account"])
        self.repeat(lambda: self.call("patch", "PATCH", "/v1/session", {
            "accessToken": fresh["accessToken"], "refreshToken": fresh["refreshToken"]}), {200})

    def cancel(self, request_id):
        return self.call("cancel", "DELETE", path(request_id), requestId=request_id)

    def confirm(self, request_id, url):
        return self.call(
            "confirm", "POST", path(request_id, "/return"), {"url": url}, requestId=request_id)

    def hear(self, view, errand):
        """Learns what became of it, for as long as it has patience."""
        deadline = time.monotonic() + errand.patience
        request_id, etag = view["requestId"], None
        while time.monotonic() < deadline:
            if errand.hears == "wait" and etag:
                entry = self.get(
                    request_id, "wait", {"If-None-Match": etag, "Prefer": "wait=1"})
            elif errand.hears == "list":
                self.list()
                entry = self.get(request_id)
            else:
                entry = self.get(request_id)
            if entry["status"] == 200:
                etag = entry["etag"]
                if entry["body"]["state"] in FINAL and not entry["body"].get("needsSession"):
                    return
                if entry["body"].get("needsSession"):
                    self.renew()
            if errand.hears != "wait" or entry["status"] != 200:
                time.sleep(0.04)


class Listener(threading.Thread):
    """An app's event stream, which comes back with the last id when it was cut."""

    def __init__(self, app, after):
        super().__init__(daemon=True)
        self.app, self.after, self.ends = app, after, threading.Event()
        self.last = after
        # The event after which the first stream began, once it has said so.
        self.begin = None
        self.stream = None

    def run(self):
        number = 0
        while not self.ends.is_set():
            number += 1
            try:
                self.listen(number)
            except CUT:
                pass
            except TimeoutError:
                # Quiet for longer than a test waits.
                pass
            except OSError as error:
                if not self.ends.is_set():
                    self.app.book.fault(f"{self.app.app}: a stream was refused, {error!r}")
            time.sleep(0.02)

    def listen(self, number):
        after = self.last
        with EventStream(self.app.api, after) as self.stream:
            try:
                self.take(self.stream, number, after)
            finally:
                # Also where it was cut before its first event.
                self.last = self.standing
                self.begin = self.last if self.begin is None else self.begin

    @property
    def standing(self):
        """The last event that it has, or after which it stands; None before it has said so."""
        said = self.stream.id if self.stream else None
        return self.last if said is None else int(said)

    def take(self, stream, number, after):
        app = self.app
        facts = {"app": app.app, "session": app.session, "sent": 0}
        if stream.answer.status != 200:
            app.book.note(what="stream", status=stream.answer.status, got=app.book.now(), body=None,
                          **facts)
            return
        while event := stream.next():
            if event["event"] == "shutdown":
                continue
            if "id" not in event:
                # How the node can be read, at that moment: no part of the record.
                if "recorded" in json.loads(event["data"]):
                    app.book.fault(f"{app.app}: an event was not recorded, and no disk is full")
                continue
            self.last = int(event["id"])
            self.begin = int(stream.begin) if self.begin is None else self.begin
            app.book.note(
                what="event", stream=number, after=after, begin=self.begin, id=self.last,
                status=200, got=app.book.now(), body=json.loads(event["data"]), **facts)

    def stop(self):
        self.ends.set()
        stream = self.stream
        if stream:
            try:
                stream.connection.socket.shutdown(2)
            except OSError:
                pass
