"""What survives which event: kills, restarts, stops, a stopped loop, a reload."""

import os
import random
import signal
import threading
import time

import pytest
from harness.api import Session, path
from harness.site import target
from harness.waiting import until
from harness.wire import Closed, Connection, request_bytes

from .service import PORT, SERVICE, systemctl

DROP_IN_EXEC = "[Service]\nExecStart=\nExecStart={}\n"


class Load(threading.Thread):
    """Clients that come all the time and read the status; counts what they saw."""

    def __init__(self, socket, pause=0.01):
        super().__init__(daemon=True)
        self.socket, self.pause = socket, pause
        self.answered, self.cut, self.refused = 0, 0, []
        self.ends = threading.Event()

    def run(self):
        while not self.ends.is_set():
            try:
                with Connection(self.socket) as connection:
                    connection.send(request_bytes("GET", "/v1/status", [("Connection", "close")]))
                    assert connection.answer().status in (200, 503)
                    self.answered += 1
            except (Closed, ConnectionResetError, BrokenPipeError):
                # It was accepted by the process that was killed.
                self.cut += 1
            except OSError as error:
                self.refused.append(error)
            time.sleep(self.pause * random.random())

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.join()


def restart(service, how):
    pid = service.pid
    if how == "kill":
        service.kill()
    else:
        systemctl("restart", SERVICE)
    return service.another_than(pid)


@pytest.mark.parametrize("how", ["kill", "restart"])
def test_a_session_is_still_open_after(service, session, how):
    """C-092 (a), (d)."""
    view = session.start()
    for _ in range(5):
        restart(service, how)
        now = session.get("/v1/session").json()
        assert now["needsSession"] is False
        assert session.request(view["requestId"])["callback"] == view["callback"]
        # One descriptor a session, however often it came back.
        assert int(service.show("NFileDescriptorStore")) == 1


@pytest.mark.parametrize("how", ["kill", "restart"])
def test_nothing_is_lost_under_load(service, session, node, how):
    """Apps wait and a return is in flight: nobody is refused, and the verdict comes."""
    views = [session.start() for _ in range(4)]
    node.misbehave("slow", on="result", number=700)
    waiting = []
    with Load(service.socket) as one, Load(service.socket) as two, Load(service.socket) as three:
        until(lambda: one.answered > 20, "the load is on")
        for view in views:
            etag = session.get(path(view["requestId"]))["ETag"]
            connection = session.connection()
            connection.send(session.bytes("GET", path(view["requestId"]), headers={
                "If-None-Match": etag, "Prefer": "wait=60"}))
            waiting.append(connection)
        last = views[-1]
        node.decide(last["requestId"])
        in_flight = Connection(("127.0.0.1", PORT))
        in_flight.send(request_bytes("GET", target(last["callback"]), host=f"127.0.0.1:{PORT}"))
        until(lambda: node.calls("result") > 0, "the node is being asked")
        restart(service, how)
        for connection in waiting:
            # An end, or the word that it stops: the app repeats its call.
            try:
                assert connection.answer().status in (200, 503)
            except (Closed, OSError):
                pass
        assert session.decided(last["requestId"])["state"] == "approved"
        before = one.answered
        until(lambda: one.answered > before + 20, "the load goes on")
    for load in (one, two, three):
        assert load.refused == []
    # The account's older requests were replaced by the last one, and say so.
    for view in views[:-1]:
        assert session.decided(view["requestId"])["state"] == "replaced"


def test_new_tokens_outlive_a_kill(service, node):
    """And the older ones, which the node does not take, do not come back."""
    session = Session(service, node, accessToken="spent", refreshToken="spent")
    assert session.post("/v1/session/check").code == "SESSION_EXPIRED"
    session.patch("/v1/session", {
        name: node.ready[name] for name in ("accessToken", "refreshToken")})
    restart(service, "kill")
    assert session.get("/v1/session").json()["needsSession"] is False
    view = session.start()
    node.decide(view["requestId"])
    session.post(path(view["requestId"], "/return"), {"url": "app:/"})
    assert session.decided(view["requestId"], "approved")
    assert int(service.show("NFileDescriptorStore")) == 1


def test_a_closed_session_leaves_nothing_in_the_store(service, node):
    sessions = [Session(service, node) for _ in range(3)]
    until(lambda: int(service.show("NFileDescriptorStore")) == 3, "three are stored")
    for session in sessions:
        assert session.delete("/v1/session").status == 204
    until(lambda: int(service.show("NFileDescriptorStore")) == 0, "none is stored")


def test_after_a_stop_the_app_is_asked_for_tokens(service, session, node):
    """C-092 (b)."""
    view = session.start()
    systemctl("stop", SERVICE)
    assert int(service.show("NFileDescriptorStore")) == 0
    assert session.get("/v1/session").json()["needsSession"] is True
    assert session.request(view["requestId"])["needsSession"] is True
    session.patch("/v1/session", {
        "accessToken": node.ready["accessToken"], "refreshToken": node.ready["refreshToken"]})
    node.decide(view["requestId"])
    session.post(path(view["requestId"], "/return"), {"url": "app:/"})
    assert session.decided(view["requestId"], "approved")


def test_without_a_store_the_app_is_asked_for_tokens(service, session):
    """C-092 (c)."""
    service.drop_in("[Service]\nFileDescriptorStoreMax=0\n")
    restart(service, "restart")
    restart(service, "kill")
    assert session.get("/v1/session").json()["needsSession"] is True


def test_a_store_that_is_too_small_keeps_the_newest_and_says_so(service, node):
    service.drop_in("[Service]\nFileDescriptorStoreMax=2\n")
    sessions = [Session(service, node) for _ in range(3)]
    until(lambda: "FileDescriptorStoreMax=2" in service.show("StatusText"), "the status says so")
    service.said("room for 2 sessions")
    for how in ("kill", "restart"):
        restart(service, how)
        asked = [session.get("/v1/session").json()["needsSession"] for session in sessions]
        assert asked == [True, False, False]


def test_foreign_and_damaged_content_of_the_store_is_dropped(service, session, scratch):
    """Another program in the unit's place puts things under our names; then we come back."""
    other = scratch / "other.py"
    other.write_text(f"""
import array, os, socket, time
def tell(text, *fds):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    s.connect(os.environ["NOTIFY_SOCKET"])
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", fds))] if fds else []
    s.sendmsg([text.encode()], rights)
def memory(content):
    fd = os.memfd_create("x")
    os.write(fd, content)
    return fd
tell("FDSTORE=1\\nFDNAME={session.id}.7", memory(b"no secret of ours" * 1000))
tell("FDSTORE=1\\nFDNAME={session.id}.1", memory(b"of the same name"))
tell("FDSTORE=1\\nFDNAME=s_000000000000000000000000.1", memory(b"of nobody"))
tell("FDSTORE=1\\nFDNAME=stranger", os.open("/etc/passwd", os.O_RDONLY))
tell("FDSTORE=1\\nFDNAME={session.id}.9", os.open("/dev/null", os.O_RDONLY))
tell("READY=1")
time.sleep(600)
""")
    service.drop_in(DROP_IN_EXEC.format(f"/usr/bin/python3 {other}"))
    systemctl("restart", SERVICE)
    until(lambda: int(service.show("NFileDescriptorStore")) == 6, "all of them are stored")
    service.drop_in("")
    systemctl("restart", SERVICE)
    # Ours was there all the time.
    assert session.get("/v1/session").json()["needsSession"] is False
    until(lambda: int(service.show("NFileDescriptorStore")) == 1, "the others are dropped")
    restart(service, "kill")
    assert session.get("/v1/session").json()["needsSession"] is False


def test_a_stopped_loop_is_killed_and_comes_back(service, session):
    service.drop_in("[Service]\nWatchdogSec=2\n")
    systemctl("restart", SERVICE)
    pid = service.wake()
    os.kill(pid, signal.SIGSTOP)
    until(lambda: service.restarts == 1, "the manager has lost its patience")
    service.another_than(pid)
    assert session.get("/v1/session").json()["needsSession"] is False


def test_a_short_stop_is_not_punished(service, session):
    """C-081 (b): after a suspend the first thing is a word to the watchdog."""
    service.drop_in("[Service]\nWatchdogSec=4\n")
    systemctl("restart", SERVICE)
    pid = service.wake()
    for _ in range(3):
        os.kill(pid, signal.SIGSTOP)
        time.sleep(2)
        os.kill(pid, signal.SIGCONT)
        assert service.status["version"]
    assert service.pid == pid and service.restarts == 0


def test_a_reload_drops_nothing(service, session, node):
    stream = session.events()
    view = session.start()
    assert stream.next_request()["requestId"] == view["requestId"]
    pid = service.pid
    with Load(service.socket) as load:
        until(lambda: load.answered > 10, "the load is on")
        for index in range(5):
            service.configure(f"[Sessions]\nRetention={index + 1}h\n")
            systemctl("reload", SERVICE)
        service.said("the configuration was read again")
        service.configure("[Sessions]\nRetention=no\n")
        failed = systemctl("reload", SERVICE, check=False)
        assert failed.returncode != 0
        service.said("the value of Retention")
    assert load.refused == [] and load.cut == 0
    assert service.pid == pid and service.state_of_unit == "active"
    node.decide(view["requestId"])
    session.post(path(view["requestId"], "/return"), {"url": "app:/"})
    assert stream.next_request()["state"] == "approved"
    stream.close()


def test_a_bad_configuration_that_comes_by_signal_is_told(service, session):
    pid = service.wake()
    service.configure("[Daemon]\nLogLevel=loud\n")
    service.kill(signal.SIGHUP)
    service.said("the former one stays in force")
    assert service.pid == pid
    assert session.get("/v1/session").status == 200
    assert service.state_of_unit == "active"


def test_the_status_line_counts(service, session):
    session.start()
    until(lambda: "1 session, 1 undecided request, callback on port" in service.show("StatusText"),
          "the counts are told")


def test_a_stop_takes_less_than_two_seconds(service, session):
    stream = session.events()
    began = time.monotonic()
    systemctl("stop", SERVICE)
    assert time.monotonic() - began < 5
    assert service.show("Result") == "success"
    stream.close()
