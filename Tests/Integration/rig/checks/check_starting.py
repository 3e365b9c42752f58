"""Woken by each of its sockets, one at a time and with one of them missing."""

import fcntl
import os
import signal
import socket
import subprocess
import time

import pytest
from harness.api import Session
from harness.site import target
from harness.waiting import until
from harness.wire import Connection, exchange, request_bytes

from .service import PORT, SERVICE, SOCKETS, systemctl


def takes(other, address):
    """Another program's socket on an address."""
    # Connections of an earlier test may be in TIME_WAIT there.
    other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if other.family == socket.AF_INET6:
        other.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    other.bind(address)
    other.listen()


@pytest.mark.parametrize("address", [None, ("127.0.0.1", PORT), ("::1", PORT)], ids=str)
def test_each_socket_wakes_it(service, address):
    assert service.sleeps() and service.pid == 0
    if address is None:
        answer = service.api.get("/v1/status")
        assert answer.status == 200
    else:
        host = f"[{address[0]}]:{PORT}" if ":" in address[0] else f"{address[0]}:{PORT}"
        assert exchange(address, request_bytes("GET", "/", host=host)).status == 404
    assert service.state_of_unit == "active"
    assert service.status["callbacks"] == [
        f"http://127.0.0.1:{PORT}/return", f"http://[::1]:{PORT}/return"]
    assert oct(os.stat(service.socket).st_mode & 0o777) == "0o600"


def test_it_is_active_before_it_answers_anybody(service, node):
    """C-085."""
    session = Session(service, node)
    stream = session.events()
    assert stream.answer.status == 200
    assert systemctl("is-active", SERVICE) == "active"
    assert service.show("SubState") == "running"
    stream.close()


@pytest.mark.parametrize("taken", ["127.0.0.1", "::1"])
def test_a_taken_port_leaves_the_rest_working(service, node, taken):
    systemctl("stop", *SOCKETS)
    family = socket.AF_INET6 if ":" in taken else socket.AF_INET
    with socket.socket(family) as other:
        takes(other, (taken, PORT))
        systemctl("start", *SOCKETS, check=False)
        callbacks = service.status["callbacks"]
        kept = "[::1]" if family == socket.AF_INET else "127.0.0.1"
        assert callbacks == [f"http://{kept}:{PORT}/return"]
        shown = f"[{taken}]" if ":" in taken else taken
        assert f"no socket for {shown}" in service.show("StatusText")
        service.said(f"no socket for {shown}")
        # A return to the family that is left ends well.
        session = Session(service, node)
        session_view = session.start()
        node.decide(session_view["requestId"])
        address = ("::1" if kept == "[::1]" else kept, PORT)
        answer = exchange(
            address, request_bytes("GET", target(session_view["callback"]), host=f"{kept}:{PORT}"))
        assert answer.status == 303
        assert session.decided(session_view["requestId"], "approved")


def test_without_any_callback_apps_are_served(service, node):
    systemctl("stop", *SOCKETS)
    with socket.socket() as four, socket.socket(socket.AF_INET6) as six:
        takes(four, ("127.0.0.1", PORT))
        takes(six, ("::1", PORT))
        systemctl("start", *SOCKETS, check=False)
        assert service.status["callbacks"] == []
        assert f"port {PORT} is in use" in service.show("StatusText")
        session = Session(service, node)
        view = session.start()
        node.decide(view["requestId"])
        session.post(f"/v1/requests/{view['requestId']}/return", {"url": "app:/"})
        assert session.decided(view["requestId"], "approved")


def test_more_starts_than_systemd_allows_by_default(service):
    """Five starts in ten seconds close the sockets, unless the unit says otherwise."""
    began = time.monotonic()
    for _ in range(12):
        assert service.status["version"]
        systemctl("stop", SERVICE)
    assert time.monotonic() - began < 60
    assert service.status["version"]
    assert all(service.show("ActiveState", unit) == "active" for unit in SOCKETS)


def test_the_loser_of_a_start_is_not_tried_again(service):
    """C-091."""
    systemctl("stop", *SOCKETS)
    service.state.mkdir(parents=True, exist_ok=True)
    lock = open(service.state / "lock", "w")
    fcntl.flock(lock, fcntl.LOCK_EX)
    systemctl("start", SERVICE, check=False)
    assert service.show("ActiveState") == "failed"
    assert service.show("ExecMainStatus") == "75"
    assert service.restarts == 0
    assert len([r for r in service.journal() if "ALREADY_RUNNING" in str(r["MESSAGE"])]) == 1
    lock.close()


def test_a_broken_configuration_is_answered_and_mended_without_systemd(service):
    """C-090."""
    service.configure("[Daemon]\nNoSuchKey=1\n")
    starts = []
    for _ in range(20):
        answer = service.api.post("/v1/sessions", {})
        assert answer.status == 503 and answer.code == "CONFIGURATION_INVALID"
        starts.append(service.pid)
        time.sleep(0.05)
    assert len(set(starts)) == 1 and service.restarts == 0
    assert "CONFIGURATION_INVALID" in service.show("StatusText")
    service.configure("")
    assert service.status["state"]["health"] == "ok"
    assert service.api.post("/v1/sessions", {}).status == 422


def test_removing_the_sockets_file_is_told(service):
    """C-089, where the socket is systemd's: only systemd can bring it back."""
    service.wake()
    os.unlink(service.socket)
    until(lambda: "restart mero-consentd.socket" in service.show("StatusText"), "the status says so")
    systemctl("stop", SERVICE)
    systemctl("restart", "mero-consentd.socket")
    assert service.status["version"]


def test_the_manager_verifies_the_units_without_a_word(service):
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", "--recursive-errors=no",
         *[os.path.expanduser(f"~/.config/systemd/user/{unit}") for unit in [SERVICE, *SOCKETS]]],
        capture_output=True, text=True)
    words = [line for line in done.stderr.splitlines() if "man" not in line]
    assert words == [], done.stderr


def test_a_signal_of_a_terminal_that_closes_is_a_reload_here(service):
    pid = service.wake()
    os.kill(pid, signal.SIGHUP)
    service.said("the configuration was read again")
    assert service.pid == pid and service.status["version"]


def test_a_client_in_the_backlog_is_answered_by_the_start(service):
    with Connection(service.socket) as connection:
        connection.send(request_bytes("GET", "/v1/status", [("Connection", "close")]))
        assert connection.answer().status == 200
