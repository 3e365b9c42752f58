"""Nodes that do not answer, or hardly answer: their own sessions wait, and nobody else does."""

import json
import os
import signal
import socket
import subprocess
import threading
import time

import pytest
from harness.api import Session, path
from harness.crowd import MIB, Crowd, Memory, many_descriptors, processor_seconds
from harness.programs import Daemon, Node, binaries
from harness.waiting import until

# Threads of the daemon, whatever name servers do.
MOST_THREADS = 64
# Seconds of a whole call to a node in these tests; 30 without them.
CALL = 4


@pytest.fixture(autouse=True)
def descriptors():
    with many_descriptors():
        yield


@pytest.fixture
def daemon(programs, home):
    configuration = home / "slow.conf"
    configuration.write_text(f"[Node]\nCallTimeout={CALL}s\n")
    return programs(Daemon, "--config", configuration).start()


@pytest.fixture
def slow(programs):
    """The node that misbehaves; `node` is another one, which is well."""
    return programs(Node)


def session_of_its_own(daemon, node):
    tokens = node.control("tokens")
    return Session(
        daemon, node, accessToken=tokens["accessToken"], refreshToken=tokens["refreshToken"])


def timed(call):
    begin = time.monotonic()
    return call(), time.monotonic() - begin


START = {"request": {"kind": "createOrg", "name": "Acme"}}


@pytest.mark.parametrize("misbehaviour", ["never-answers", "drip"])
@pytest.mark.parametrize("call", ["handshake", "request", "result"])
def test_each_call_ends_at_its_limit_and_others_go_on(daemon, node, slow, session, call, misbehaviour):
    """Also a drip, which is never silent: the limit is the whole call's."""
    theirs = Session(daemon, slow)
    more = {"number": 1000} if misbehaviour == "drip" else {}
    if call == "result":
        view = theirs.start()
        slow.misbehave(misbehaviour, on=call, times="forever", **more)
        slow.decide(view["requestId"])
        ask = lambda: theirs.post(path(view["requestId"], "/return"), {"url": "x://r"})
    else:
        slow.misbehave(misbehaviour, on=call, times="forever", **more)
        ask = lambda: theirs.post("/v1/requests", START)
    results = []
    thread = threading.Thread(target=lambda: results.append(timed(ask)))
    thread.start()
    # Meanwhile the other node's session does all that it likes.
    rounds = 0
    while thread.is_alive():
        mine = session.start()
        node.decide(mine["requestId"])
        assert session.post(
            path(mine["requestId"], "/return"), {"url": "x://r"}).json()["state"] == "approved"
        rounds += 1
    thread.join()
    assert rounds
    answer, took = results[0]
    assert answer.code == "NODE_UNREACHABLE" and "in time" in answer.json()["detail"], answer
    # One call; a second one for what did not leave the machine would be a second limit.
    assert CALL - 1 < took < 2 * CALL + 30
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": 1}
    # Nothing is lost by it.
    slow.behave()
    if call == "result":
        assert theirs.decided(view["requestId"], "approved")
    else:
        assert theirs.start()["state"] == "started"


@pytest.mark.memory
def test_many_sessions_on_a_hanging_node(daemon, node, slow, session):
    """Bounded in threads, descriptors, memory and processor time; and SIGTERM ends it at once."""
    sessions = [session_of_its_own(daemon, slow) for _ in range(100)]
    views = [one.start() for one in sessions]
    before, descriptors = Memory(daemon.pid), daemon.open_descriptors()
    slow.misbehave("never-answers", times="forever")
    with Crowd() as crowd:
        for one, view in zip(sessions, views):
            for _ in range(4):
                crowd.add(daemon.socket, one.bytes(
                    "POST", path(view["requestId"], "/return"), {"url": "x://r"}))
            crowd.add(daemon.socket, one.bytes("POST", "/v1/requests", START))
        crowd.send()
        begin, used = time.monotonic(), processor_seconds(daemon.pid)
        until(lambda: time.monotonic() - begin > CALL / 2, "they hang")
        now = Memory(daemon.pid)
        assert now.threads <= before.threads + 2
        assert now.peak < 64 * MIB and now.private < 64 * MIB, now
        # A connection for the reads of each session's request, and one for its start.
        assert daemon.open_descriptors() < descriptors + 500 + 300
        for _ in range(5):
            mine = session.start()
            node.decide(mine["requestId"])
            assert session.post(
                path(mine["requestId"], "/return"), {"url": "x://r"}).json()["state"] == "approved"
        for answer in crowd.answers():
            assert answer is not None and answer.code == "NODE_UNREACHABLE", answer
        begin, used = time.monotonic(), processor_seconds(daemon.pid)
        until(lambda: time.monotonic() - begin > 3, "the watcher goes on asking")
        assert processor_seconds(daemon.pid) - used < 1.5
        doctor = subprocess.run(
            [binaries() / "mero-consent", "--socket", daemon.socket, "--json", "status"],
            capture_output=True, text=True, timeout=60, env=daemon.environment)
        assert json.loads(doctor.stdout)["nodes"] == {"reachable": 1, "unreachable": 1}, doctor
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    # What was started is still there.
    daemon.start()
    assert sessions[0].request(views[0]["requestId"])["state"] == "started"


def test_a_stop_in_the_middle_of_a_call_that_hangs(daemon, slow):
    theirs = Session(daemon, slow)
    slow.misbehave("never-answers", times="forever")
    connection = theirs.connection()
    connection.send(theirs.bytes("POST", "/v1/requests", START))
    until(lambda: slow.calls("handshake"), "the node has the call")
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    connection.close()


@pytest.fixture
def mute_resolver(home):
    """A name server that takes questions and answers none, and the file that names it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.54", 53))
        file = home / "resolv.conf"
        file.write_text("nameserver 127.0.0.54\noptions timeout:2 attempts:1\n")
        yield file


class Unresolving(Daemon):
    """A daemon on a machine whose name server hangs."""

    def __init__(self, home, file, *options):
        super().__init__(home, *options)
        mounts = f"mount --make-rprivate / && mount --bind {file} /etc/resolv.conf"
        self.arguments = [
            "unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh", *self.arguments]


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a mount namespace, which root alone may make")
def test_a_name_server_that_hangs(programs, home, node, mute_resolver):
    configuration = home / "names.conf"
    configuration.write_text("[Node]\nConnectTimeout=1s\n")
    daemon = programs(Unresolving, mute_resolver, "--config", configuration).start()
    mine = Session(daemon, node)

    def of_a_name(number):
        return Session(daemon, node, origins=None, returnTo=None, node={
            "url": f"https://node{number}.example", "trust": {"transportKey": "aa" * 32}})

    theirs = [of_a_name(number) for number in range(20)]
    before = Memory(daemon.pid)
    with Crowd() as crowd:
        for session in theirs:
            crowd.add(daemon.socket, session.bytes("POST", "/v1/requests", START))
        begin = time.monotonic()
        crowd.send()
        for _ in range(3):
            view = mine.start()
            node.decide(view["requestId"])
            assert mine.post(
                path(view["requestId"], "/return"), {"url": "x://r"}).json()["state"] == "approved"
        # One lookup each, and no call waits for it beyond its limit.
        assert Memory(daemon.pid).threads <= before.threads + len(theirs)
        for answer in crowd.answers():
            assert answer.code == "NODE_UNREACHABLE", answer
        assert time.monotonic() - begin < 20
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": len(theirs)}
    until(lambda: Memory(daemon.pid).threads <= before.threads, "the lookups end", within=60)
    # As many as there may be sessions, which do not wait for each other. An address needs no lookup.
    many = theirs + [of_a_name(number) for number in range(20, 120)]
    with Crowd() as crowd:
        for session in many:
            crowd.add(daemon.socket, session.bytes("POST", "/v1/requests", START))
        crowd.send()
        assert Memory(daemon.pid).threads <= MOST_THREADS
        view = mine.start()
        node.decide(view["requestId"])
        assert mine.post(
            path(view["requestId"], "/return"), {"url": "x://r"}).json()["state"] == "approved"
        assert Memory(daemon.pid).threads <= MOST_THREADS
        for answer in crowd.answers():
            assert answer.code == "NODE_UNREACHABLE", answer
            assert Memory(daemon.pid).threads <= MOST_THREADS
    assert daemon.status["nodes"] == {"reachable": 1, "unreachable": len(many)}
    until(lambda: Memory(daemon.pid).threads <= before.threads, "the lookups end", within=60)
    with Crowd() as crowd:
        crowd.add(daemon.socket, theirs[0].bytes("POST", "/v1/requests", START))
        crowd.send()
        until(lambda: Memory(daemon.pid).threads > before.threads, "a name is looked up")
        daemon.signal(signal.SIGTERM)
        assert daemon.wait() == 0
