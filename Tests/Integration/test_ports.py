"""The callback's port: ours on both families, or a clear word."""

import os
import socket
import subprocess

import pytest
from harness.ports import free_port
from harness.programs import Daemon
from harness.wire import Connection, request_bytes


@pytest.mark.parametrize("family, address", [
    ("ipv4", ("127.0.0.1", socket.AF_INET)), ("ipv6", ("::1", socket.AF_INET6))])
def test_a_port_in_use_on_either_family_is_named(programs, family, address):
    """C-001 (a), C-008 (b)."""
    port = free_port()
    host, kind = address
    with socket.create_server((host, port), family=kind):
        daemon = programs(Daemon, port=port)
        daemon.spawn()
        assert daemon.wait() == 69
    assert "CALLBACK_PORT_IN_USE" in daemon.log
    assert str(port) in daemon.log and family in daemon.log
    assert not os.path.exists(daemon.socket)
    assert not (daemon.state / "ledger.db").exists()
    # Free again: nothing of it is left over.
    daemon.start()
    assert daemon.port == port


def test_both_families_answer_on_one_port(daemon):
    """C-002, C-006: the address is a literal, and there is no word of https."""
    for host in ("127.0.0.1", "::1"):
        with Connection((host, daemon.port)) as connection:
            shown = f"[{host}]" if ":" in host else host
            connection.send(request_bytes("GET", "/nothing", host=f"{shown}:{daemon.port}"))
            answer = connection.answer()
        assert answer.status == 404
        assert answer["Strict-Transport-Security"] is None
    for address in daemon.status["callbacks"]:
        assert "localhost" not in address


def test_nobody_else_on_the_network_can_connect(daemon):
    """C-030: only loopback is listened on."""
    sockets = subprocess.run(
        ["ss", "-Hltnp"], capture_output=True, text=True).stdout.splitlines()
    ours = [line.split()[3] for line in sockets if f"pid={daemon.pid}," in line]
    if ours:
        assert set(ours) == {f"127.0.0.1:{daemon.port}", f"[::1]:{daemon.port}"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a network namespace")
def test_without_ipv6_it_listens_on_ipv4_and_says_so_once(programs):
    """C-004 (b)."""
    daemon = programs(Daemon)
    script = (
        "ip link set lo up && sysctl -qw net.ipv6.conf.lo.disable_ipv6=1 && exec "
        + " ".join(daemon.arguments))
    daemon.arguments = ["unshare", "--net", "sh", "-c", script]
    probe = subprocess.run(["unshare", "--net", "sh", "-c", "ip link set lo up"])
    if probe.returncode != 0:
        pytest.skip("there is no `ip` here")
    daemon.start()
    callbacks = daemon.status["callbacks"]
    assert len(callbacks) == 1 and callbacks[0].startswith("http://127.0.0.1:")
    assert sum("warning" in line for line in daemon.log.splitlines()) == 1


def test_a_chosen_port_is_kept_over_restarts_while_it_is_free(programs, node):
    """C-008 (a), C-092: pages that were told of it still lead here."""
    from harness.api import Session
    from harness.site import target
    daemon = programs(Daemon).start()
    port = daemon.port
    view = Session(daemon, node).start()
    for kill in (False, True):
        daemon.restart(kill=kill)
        assert daemon.port == port
    page = daemon.site.get(target(view["callback"], request_id=view["requestId"]))
    assert page.status == 303
    daemon.stop()
    with socket.create_server(("127.0.0.1", port)):
        daemon.start()
        other = daemon.port
        assert other != port
        daemon.stop()
    daemon.start()
    assert daemon.port == other
