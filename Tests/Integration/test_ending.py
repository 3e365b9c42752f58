"""SIGTERM in the middle of everything, at any moment: it ends soon and well, and nothing that was
told is lost."""

import os
import random
import signal
import threading
import time

import pytest
from harness.api import Session, path
from harness.programs import Daemon, Node
from harness.site import target
from harness.waiting import until
from harness.wire import Closed, request_bytes

ROUNDS = int(os.environ.get("MERO_ROUNDS", 12))

# What ends a call when the daemon does.
GONE = (OSError, Closed)


class Work:
    """What goes on while the daemon is asked to end, and what was told."""

    def __init__(self, daemon, node, silent, sessions):
        self.daemon, self.node, self.silent, self.sessions = daemon, node, silent, sessions
        self.answered = []
        self.told = {}
        self.refusals = []
        self.isOver = threading.Event()
        self.threads = []
        self.held = []

    def run(self, work, *arguments):
        def body():
            while not self.isOver.is_set():
                try:
                    work(*arguments)
                except GONE:
                    return

        thread = threading.Thread(target=body)
        thread.start()
        self.threads.append(thread)

    def tell(self, session, answer):
        """An answer with a request in it."""
        if answer.status not in (200, 201):
            self.refusals.append((answer.status, answer.code))
            return None
        view = answer.json()
        if view["state"] in ("approved", "declined"):
            self.told[(session.id, view["requestId"])] = view
        return view

    def app(self, session):
        """Starts, and is decided through one of the doors; or opens a page."""
        view = self.tell(session, session.post("/v1/requests", {
            "request": {"kind": "createOrg", "name": "Acme"}, "open": random.random() < 0.3}))
        if view is None:
            return
        self.answered.append((session, view["requestId"]))
        self.node.decide(view["requestId"], random.choice(["approve", "decline"]))
        door = random.randrange(3)
        if door == 0:
            self.tell(session, session.post(path(view["requestId"], "/return"), {"url": "x:"}))
        elif door == 1:
            self.daemon.site.get(target(view["callback"], request_id=view["requestId"]))
        self.tell(session, session.get(path(view["requestId"]), {
            "If-None-Match": '"none"', "Prefer": "wait=5"}))

    def stuck(self, session):
        """A node that never answers, for a start and for a return."""
        session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})

    def waiter(self, session, view):
        answer = session.get(path(view["requestId"]))
        session.wait(view["requestId"], answer["ETag"])

    def listener(self, session):
        with session.events() as stream:
            while stream.next() is not None:
                pass

    def hold(self, session):
        """What is open and does nothing: unread streams, half a body, half a head."""
        for _ in range(2):
            unread = session.connection()
            unread.send(session.bytes("GET", "/v1/events"))
            self.held.append(unread)
        half = session.connection()
        half.send(request_bytes("POST", "/v1/requests", [
            ("Authorization", f"Bearer {session.key}"), ("Content-Type", "application/json"),
            ("Content-Length", str(1 << 20))]) + b'{"request":' + b" " * (1 << 19))
        self.held.append(half)
        knock = self.daemon.site.connection()
        knock.send("GET /return HTT")
        self.held.append(knock)

    def end(self):
        self.isOver.set()
        for thread in self.threads:
            thread.join(30)
            assert not thread.is_alive(), "an app was left waiting"
        for connection in self.held:
            connection.close()


def tokens(node):
    made = node.control("tokens")
    return {name: made[name] for name in ("accessToken", "refreshToken")}


@pytest.fixture
def setting(programs, opener):
    opener.set("sleep 30")
    daemon = programs(Daemon, environment=opener.environment, log_level="info").start()
    node, silent = programs(Node), programs(Node)
    silent.misbehave("never-answers", times="forever")
    return daemon, node, silent


def test_it_ends_at_any_moment_and_loses_nothing(setting):
    daemon, node, silent = setting
    pairs = [(Session(daemon, node, **given), given) for given in [tokens(node) for _ in range(3)]]
    stuck = Session(daemon, silent)
    node.misbehave("slow", on="result", number=40, times="forever")
    seed = random.randrange(1 << 30)
    random.seed(seed)
    print(f"seed {seed}")
    longest = answered = decided = 0
    for number in range(ROUNDS):
        for session, given in pairs:
            session.patch("/v1/session", given)
        stuck.patch("/v1/session", {
            name: silent.ready[name] for name in ("accessToken", "refreshToken")})
        waits = Session(daemon, node, **tokens(node))
        view = waits.start()
        work = Work(daemon, node, silent, pairs)
        for session, _ in pairs:
            work.run(work.app, session)
        work.run(work.stuck, stuck)
        for _ in range(2):
            work.run(work.waiter, waits, view)
        work.run(work.listener, waits)
        work.hold(waits)
        time.sleep(random.random() * 0.5)
        began = time.monotonic()
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 0, daemon.log
        longest = max(longest, time.monotonic() - began)
        work.end()
        daemon.start()
        for session, request_id in work.answered:
            assert session.request(request_id)["requestId"] == request_id, number
        for session, _ in pairs:
            for (owner, request_id), told in work.told.items():
                if owner != session.id:
                    continue
                now = session.request(request_id)
                for name in ("state", "decision", "decidedAt", "outcome"):
                    assert now.get(name) == told.get(name), (number, name)
        assert waits.request(view["requestId"])["state"] == "started"
        answered, decided = answered + len(work.answered), decided + len(work.told)
        for status, code in work.refusals:
            assert (status, code) in [(503, "STOPPING"), (429, "TOO_MANY")], work.refusals
        assert waits.delete("/v1/session").status == 204
        for session, _ in pairs:
            for listed in session.get("/v1/requests?state=started").json()["requests"]:
                session.delete(path(listed["requestId"]))
    print(f"{ROUNDS} rounds, {answered} requests, {decided} decisions; the longest end: {longest:.2f} s")
    assert answered > ROUNDS and decided > 0
    assert daemon.stop() == 0


def test_a_page_that_is_being_opened_does_not_keep_it(setting, opener):
    daemon, node, _ = setting
    session = Session(daemon, node)
    with session.connection() as connection:
        connection.send(session.bytes(
            "POST", "/v1/requests",
            {"request": {"kind": "createOrg", "name": "Acme"}, "open": True}))
        opener.page()
        daemon.signal(signal.SIGTERM)
        assert daemon.wait(20) == 0
    daemon.start()
    # It was written before its page was opened, whether or not its app heard of it.
    [view] = session.get("/v1/requests").json()["requests"]
    assert view["state"] == "started"


def test_a_return_whose_node_never_answers_does_not_keep_it(setting):
    daemon, _, silent = setting
    silent.behave()
    session = Session(daemon, silent)
    view = session.start()
    silent.misbehave("never-answers", times="forever")
    site = daemon.site
    assert site.get(target(view["callback"], request_id=view["requestId"])).status == 303
    with session.connection() as app:
        app.send(session.bytes("POST", path(view["requestId"], "/return"), {"url": "x:"}))
        until(lambda: silent.calls("result") > 0, "the node is asked")
        daemon.signal(signal.SIGTERM)
        assert daemon.wait(20) == 0
        try:
            assert app.answer().status in (503, 504)
        except GONE:
            pass
    daemon.start()
    assert session.request(view["requestId"])["state"] == "started"
