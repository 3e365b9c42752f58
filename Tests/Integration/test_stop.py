"""Ending and starting again."""

import os
import re
import shutil
import signal
import subprocess

import pytest
from harness.api import Session, path
from harness.programs import Daemon
from harness.site import target
from harness.waiting import until
from harness.wire import request_bytes


def test_streams_and_waits_end_with_a_word(daemon, session):
    """C-125."""
    view = session.start()
    etag = session.get(path(view["requestId"]))["ETag"]
    streams = [session.events() for _ in range(3)]
    waits = []
    for _ in range(2):
        connection = session.connection()
        connection.send(session.bytes("GET", path(view["requestId"]), headers={
            "If-None-Match": etag, "Prefer": "wait=60"}))
        waits.append(connection)
    until(lambda: daemon.status["counts"]["waits"] == 2, "both waits are held")
    daemon.signal(signal.SIGTERM)
    for stream in streams:
        assert stream.next()["event"] == "shutdown"
        assert stream.next() is None
    for connection in waits:
        answer = connection.answer()
        assert answer.status == 503 and answer.code == "STOPPING"
        assert answer["Retry-After"] == "1"
    assert daemon.wait() == 0


def test_open_connections_do_not_keep_it(daemon, node, session):
    """C-025, C-014."""
    view = session.start()
    site = daemon.site
    kept = site.connection()
    kept.send(request_bytes("GET", target(view["callback"]), [("Connection", "keep-alive")],
                            host=site.host))
    assert kept.answer().status == 303
    half = site.connection()
    half.send("GET /return HTT")
    api = session.connection()
    api.send(session.bytes("GET", "/v1/status"))
    assert api.answer().status == 200
    late = site.connection()
    daemon.signal(signal.SIGTERM)
    try:
        late.send(request_bytes("GET", "/favicon.ico", host=site.host))
        assert late.read_to_end().split(b" ")[1:2] in ([], [b"404"], [b"503"])
    except OSError:
        pass
    assert daemon.wait() == 0


def test_what_was_answered_is_there_after_a_kill(daemon, node, session):
    views = [session.start() for _ in range(3)]
    node.decide(views[-1]["requestId"])
    session.post(path(views[-1]["requestId"], "/return"), {"url": "x://r"})
    before = [session.request(view["requestId"]) for view in views]
    daemon.restart(kill=True)
    for view in before:
        after = session.request(view["requestId"])
        for name in ("requestId", "kind", "state", "code", "url", "expiresAt", "createdAt",
                     "decision", "decidedAt", "lastReturn", "outcome"):
            assert after.get(name) == view.get(name), name


def test_an_invite_token_is_read_again_after_a_restart(daemon, node, session):
    view = session.start({"kind": "createInvite", "org": "o"})
    node.decide(view["requestId"])
    token = session.decided(view["requestId"])["outcome"]["token"]
    daemon.restart(kill=True)
    after = session.request(view["requestId"])
    assert after["state"] == "approved" and "outcome" not in after
    assert after["needsSession"] is True
    session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    assert session.request(view["requestId"])["outcome"]["token"] == token


def test_a_kill_while_the_node_is_asked_leaves_a_request_that_says_so(daemon, node, session):
    node.misbehave("slow", on="request", number=5000)
    with session.connection() as connection:
        connection.send(session.bytes(
            "POST", "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}},
            {"Idempotency-Key": "k"}))
        until(lambda: node.calls("request") == 1, "the node is being asked")
        daemon.restart(kill=True)
    listed = session.get("/v1/requests").json()["requests"]
    assert [view["state"] for view in listed] == ["starting"]
    assert listed[0]["detail"]
    session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    again = session.post(
        "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}}, {"Idempotency-Key": "k"})
    # Asked anew: the one request that there is, with its code and page.
    assert again.status == 201
    view = again.json()
    assert view["state"] == "started" and view["code"] and view["url"]
    listed = session.get("/v1/requests").json()["requests"]
    assert [shown["requestId"] for shown in listed] == [view["requestId"]]
    twice = session.post(
        "/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}}, {"Idempotency-Key": "k"})
    assert twice.json()["requestId"] == view["requestId"]
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")


def test_a_second_one_does_not_take_over(programs, daemon, home):
    second = programs(Daemon)
    second.arguments = daemon.arguments
    second.spawn()
    assert second.wait() == 75 and "ALREADY_RUNNING" in second.log
    other_socket = programs(Daemon)
    other_socket.arguments[other_socket.arguments.index("--state-dir") + 1] = str(daemon.state)
    other_socket.spawn()
    assert other_socket.wait() == 75 and "ALREADY_RUNNING" in other_socket.log
    assert daemon.status


def test_a_stopped_one_is_not_taken_for_dead(programs, daemon):
    daemon.signal(signal.SIGSTOP)
    second = programs(Daemon)
    second.arguments = daemon.arguments
    second.spawn()
    try:
        assert second.wait() == 75
    finally:
        daemon.signal(signal.SIGCONT)
    assert daemon.status


def test_a_dead_ones_socket_is_replaced(daemon):
    daemon.kill()
    daemon.start()
    assert daemon.status


def test_it_ends_when_its_socket_is_gone_and_loses_nothing(daemon, session):
    """C-089: a logout removes the runtime directory."""
    view = session.start()
    moved = daemon.runtime.with_name("gone")
    daemon.runtime.rename(moved)
    shutil.rmtree(moved)
    assert daemon.wait() == 0
    assert "was removed" in daemon.log
    daemon.runtime.mkdir(mode=0o700)
    daemon.start()
    assert session.request(view["requestId"])["state"] == "started"


def test_a_hang_up_reads_the_configuration_again(programs, node):
    configuration = []

    def start():
        daemon = programs(Daemon)
        configuration.append(daemon.home / "daemon.conf")
        configuration[0].write_text("[Sessions]\nRetention=1h\n")
        daemon.arguments += ["--config", str(configuration[0])]
        return daemon.start()

    daemon = start()
    session = Session(daemon, node)
    stream = session.events()
    view = session.start()
    assert stream.next_request()["requestId"] == view["requestId"]
    configuration[0].write_text("[Sessions]\nRetention=2h\n[Callback]\nCallbackPort=1234\n")
    daemon.signal(signal.SIGHUP)
    until(lambda: "was read again" in daemon.log, "it has read it")
    configuration[0].write_text("[Sessions]\nRetention=no\n")
    daemon.signal(signal.SIGHUP)
    until(lambda: "the former one stays" in daemon.log, "it has refused it")
    assert f"{configuration[0]}:2: the value of Retention" in daemon.log
    # Nobody has noticed.
    node.decide(view["requestId"])
    session.post(path(view["requestId"], "/return"), {"url": "x://r"})
    assert stream.next_request()["state"] == "approved"
    stream.close()
    assert daemon.stop() == 0


SYNCED = re.compile(r"f(?:data)?sync(?:\(.*| resumed>.*)\) += 0$")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may trace what is not dumpable")
def test_what_is_answered_was_on_the_disk_first(daemon, node, session, home):
    """A kill leaves what the kernel has; when the power fails, the disk's own word counts."""
    view = session.start()
    session.request(view["requestId"])
    trace = home / "trace"
    tracer = subprocess.Popen(
        ["strace", "-f", "-s", "32", "-e", "trace=fsync,fdatasync,write,writev,sendto,sendmsg",
         "-o", trace, "-p", str(daemon.pid)], stderr=subprocess.PIPE, text=True)
    words = tracer.stderr.readline()
    if "attached" not in words:
        pytest.skip(f"no process may be traced here: {words}")
    session.start()
    newest = session.start()
    node.decide(newest["requestId"])
    confirmed = session.post(path(newest["requestId"], "/return"), {"url": "x://r"})
    assert confirmed.json()["state"] == "approved"
    tracer.send_signal(signal.SIGINT)
    tracer.wait()
    answers, is_synced = [], False
    for line in trace.read_text().splitlines():
        if SYNCED.search(line):
            is_synced = True
        elif "HTTP/1.1 20" in line:
            answers.append(is_synced)
            is_synced = False
    # Two starts and a decision; nothing else was asked of the daemon.
    assert answers == [True] * 3, trace.read_text()
