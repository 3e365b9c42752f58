"""One daemon for one state directory and one socket, whatever the others think."""

import os
import signal
import subprocess
import time

import pytest
from harness.api import Session
from harness.programs import Daemon, Node
from harness.waiting import until


def second(daemon, *options, environment=None):
    """Starts another daemon with the options of `daemon`, some of them changed; answers its exit
    code, its words, and how long it took."""
    began = time.monotonic()
    ended = subprocess.run(
        [*daemon.arguments, *map(str, options)], env=daemon.environment | (environment or {}),
        stdin=subprocess.DEVNULL, capture_output=True, timeout=60, text=True)
    return ended.returncode, ended.stderr, time.monotonic() - began


def test_a_second_one_leaves_the_first_alone(daemon, home):
    """C-074, C-133."""
    inode = os.stat(daemon.socket).st_ino
    before = sorted(os.listdir(daemon.state))
    for options in (
        [], ["--socket", home / "other.sock"], ["--state-dir", home / "other-state"],
        ["--socket", home / "other.sock", "--callback-port", 0],
    ):
        code, words, seconds = second(daemon, *options)
        assert code == 75, words
        assert "ALREADY_RUNNING" in words
        assert seconds < 15
        assert os.stat(daemon.socket).st_ino == inode
        assert daemon.status["version"]
    assert sorted(os.listdir(daemon.state)) == before
    assert not (home / "other.sock").exists()


def test_after_a_kill_the_stale_socket_is_replaced(daemon):
    inode = os.stat(daemon.socket).st_ino
    daemon.kill()
    assert os.path.exists(daemon.socket)
    daemon.start()
    assert os.stat(daemon.socket).st_ino != inode or daemon.status
    assert os.stat(daemon.socket).st_mode & 0o777 == 0o600


def test_a_busy_daemon_is_not_taken_for_a_dead_one(daemon):
    """C-075: it does not answer, and holds its lock."""
    inode = os.stat(daemon.socket).st_ino
    daemon.signal(signal.SIGSTOP)
    try:
        for options in ([], ["--state-dir", daemon.home / "other-state"]):
            code, words, seconds = second(daemon, *options)
            assert code == 75 and seconds < 15, words
        assert os.stat(daemon.socket).st_ino == inode
    finally:
        daemon.signal(signal.SIGCONT)
    assert daemon.status["version"]


def test_of_twenty_at_once_one_goes_on(home, programs):
    """C-132."""
    daemons = [programs(Daemon) for _ in range(20)]
    first = daemons[0]
    for daemon in daemons:
        daemon.arguments = first.arguments
        daemon.environment, daemon.api = first.environment, first.api
    for daemon in daemons:
        daemon.spawn()
    until(lambda: sum(d.is_running for d in daemons) == 1, "all but one have ended")
    codes = [d.process.returncode for d in daemons if not d.is_running]
    assert codes == [75] * 19
    survivor = next(d for d in daemons if d.is_running)
    until(survivor.answers, "the one that is left answers")
    assert survivor.stop() == 0


def test_the_lock_of_a_killed_one_is_free_at_once(daemon):
    for _ in range(5):
        daemon.restart(kill=True)
    assert daemon.status["version"]


@pytest.mark.parametrize("kind", ["file", "directory", "link", "dangling link"])
def test_what_is_no_socket_stays_as_it_is(home, programs, kind):
    """C-076."""
    daemon = programs(Daemon)
    path, elsewhere = daemon.runtime / "api.sock", home / "elsewhere"
    if kind == "file":
        path.write_text("content")
    elif kind == "directory":
        path.mkdir()
    else:
        if kind == "link":
            elsewhere.write_text("content")
        path.symlink_to(elsewhere)
    before = os.lstat(path)
    code, words, _ = second(daemon)
    assert code == 78 and "SOCKET_PATH_NOT_A_SOCKET" in words
    after = os.lstat(path)
    assert (before.st_ino, before.st_mode, before.st_size) == (
        after.st_ino, after.st_mode, after.st_size)
    assert elsewhere.exists() == (kind == "link")
    if kind == "link":
        assert elsewhere.read_text() == "content"


def test_another_programs_socket_is_not_taken(home, programs):
    import socket
    daemon = programs(Daemon)
    with socket.socket(socket.AF_UNIX) as foreign:
        foreign.bind(daemon.socket)
        foreign.listen()
        inode = os.stat(daemon.socket).st_ino
        code, words, _ = second(daemon)
        assert code == 75 and "ALREADY_RUNNING" in words
        assert os.stat(daemon.socket).st_ino == inode


def test_killed_while_it_writes_it_loses_nothing_that_it_answered(home, programs):
    """C-131: the kill comes while apps start requests and returns decide them."""
    node, daemon = programs(Node), programs(Daemon).start()
    session = Session(daemon, node)
    answered, decided = set(), set()
    for round in range(6):
        if round:
            session.patch("/v1/session", {"accessToken": node.control("tokens")["accessToken"]})
        killer = subprocess.Popen(["sh", "-c", f"sleep 0.{round + 2}; kill -9 {daemon.pid}"])
        try:
            while True:
                view = session.start()
                answered.add(view["requestId"])
                if len(answered) % 3 == 0:
                    node.decide(view["requestId"])
                    answer = session.post(
                        f"/v1/requests/{view['requestId']}/return",
                        {"url": f"app:/?request_id={view['requestId']}"})
                    if answer.status == 200:
                        decided.add(view["requestId"])
        except Exception:  # whatever a kill looks like from outside
            pass
        killer.wait()
        daemon.process.wait()
        daemon.start()
    listed, before = {}, ""
    while True:
        page = session.get("/v1/requests?limit=200" + before).json()
        listed |= {view["requestId"]: view["state"] for view in page["requests"]}
        if not page.get("next"):
            break
        before = f"&before={page['next']}"
    assert answered and answered <= set(listed)
    assert all(listed[request] == "approved" for request in decided)
    assert daemon.status["state"] == {"health": "ok", "reset": False, "unwritten": 0}
    assert not [name for name in os.listdir(daemon.state) if "corrupt" in name]


def test_a_request_left_at_starting_says_so(home, programs):
    node, daemon = programs(Node), programs(Daemon).start()
    session = Session(daemon, node)
    node.misbehave("slow", on="request", number=20000)
    connection = session.connection()
    connection.send(session.bytes(
        "POST", "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}},
        {"Idempotency-Key": "once"}))
    until(lambda: session.get("/v1/requests").json()["requests"], "the row is written")
    daemon.restart(kill=True)
    view = session.get("/v1/requests").json()["requests"][0]
    assert view["state"] == "starting"
    assert view["requestId"].startswith("starting-")
    assert "Ask again" in view["detail"]
    repeat = ("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}},
              {"Idempotency-Key": "once"})
    # Without tokens nobody can ask, and the row stays.
    assert session.post(*repeat).code == "SESSION_EXPIRED"
    assert session.get("/v1/requests").json()["requests"][0]["state"] == "starting"
