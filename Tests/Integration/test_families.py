"""Hosts without IPv6, hosts whose names lie, and ports that others hold."""

import os
import shutil
import socket
import subprocess

import pytest
from harness.programs import Daemon
from harness.wire import request_bytes

pytestmark = pytest.mark.skipif(
    os.getuid() != 0 or not shutil.which("unshare") or not shutil.which("ip"),
    reason="only root can make a network namespace")


class Apart(Daemon):
    """A daemon in a network of its own: loopback only, made by `setup`."""

    def __init__(self, home, setup, *options, **more):
        super().__init__(home, *options, **more)
        script = f"ip link set lo up; {setup}; exec \"$@\""
        self.arguments = ["unshare", "-n", "-m", "sh", "-ec", script, "-", *self.arguments]
        self.environment["PATH"] = os.environ["PATH"] + ":/usr/sbin:/sbin"

    def inside(self, *command):
        """Runs a command in the daemon's network."""
        run = subprocess.run(
            ["nsenter", "-n", "-t", str(self.pid), *command], capture_output=True, timeout=60)
        return run.stdout.decode()

    def get(self, path, address="127.0.0.1"):
        host = f"[{address}]" if ":" in address else address
        code = (
            "import socket,sys; s=socket.create_connection((sys.argv[1], int(sys.argv[2])), 10); "
            "s.sendall(sys.stdin.buffer.read()); d=b''\n"
            "while p := s.recv(65536): d+=p\n"
            "sys.stdout.buffer.write(d)")
        run = subprocess.run(
            ["nsenter", "-n", "-t", str(self.pid), "python3", "-c", code, address, str(self.port)],
            input=request_bytes("GET", path, host=f"{host}:{self.port}"), capture_output=True,
            timeout=60)
        return run.stdout


WITHOUT_IPV6 = "sysctl -qw net.ipv6.conf.lo.disable_ipv6=1 || echo 1 >/proc/sys/net/ipv6/conf/lo/disable_ipv6"


def test_without_ipv6_it_serves_the_other_family(programs):
    """C-004."""
    daemon = programs(Apart, WITHOUT_IPV6).start()
    assert daemon.status["callbacks"] == [f"http://127.0.0.1:{daemon.port}/return"]
    assert daemon.get("/nothing").startswith(b"HTTP/1.1 404 ")
    warnings = [line for line in daemon.log.splitlines() if "warning" in line]
    assert len(warnings) == 1 and "::1" in warnings[0]


def test_what_localhost_means_here_is_of_no_account(programs, home):
    """C-005: nothing is looked up."""
    hosts = home / "hosts"
    hosts.write_text("192.0.2.7 localhost\n")
    daemon = programs(Apart, f"mount --bind {hosts} /etc/hosts").start()
    assert daemon.get("/nothing").startswith(b"HTTP/1.1 404 ")
    assert daemon.get("/nothing", "::1").startswith(b"HTTP/1.1 404 ")


def test_two_starts_at_once_share_the_port(daemon, session):
    """C-010."""
    first, second = session.start(), session.start()
    assert first["requestId"] != second["requestId"]
    assert first["callback"].rsplit("/", 2)[0] == second["callback"].rsplit("/", 2)[0]


def test_a_port_that_is_set_is_not_moved_without_a_word(programs):
    """C-008."""
    with socket.create_server(("127.0.0.1", 0)) as holder:
        port = holder.getsockname()[1]
        daemon = programs(Daemon, port=port)
        daemon.spawn()
        assert daemon.wait() == 69
        assert f"{port}" in daemon.log and "CALLBACK_PORT_IN_USE" in daemon.log
