"""Memory, wake-ups, many that wait, and the start by a socket."""

import json
import os
import socket
import statistics
import subprocess
import time
from pathlib import Path

from harness.api import Session, path
from harness.programs import Daemon, Node, binaries
from harness.settings import configure
from harness.waiting import until

from . import machine
from .nginx import CONFIGURATION
from .results import Row, judged


def rows(home, settings):
    yield from idle(home / "idle", settings)
    yield from waiting(home / "waiting", settings)
    yield activation(home / "activation", settings)


def idle(home, settings):
    daemon = Daemon(home / "daemon", log_level="error").start()
    agent_socket = str(home / "agent.sock")
    agent = subprocess.Popen(
        ["ssh-agent", "-D", "-a", agent_socket], stdout=subprocess.DEVNULL)
    try:
        until(lambda: Path(agent_socket).exists(), "ssh-agent listens")
        key = home / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        subprocess.run(
            ["ssh-add", "-q", key], check=True, env=os.environ | {"SSH_AUTH_SOCK": agent_socket})
        # What a connection leaves to be closed is over after this.
        time.sleep(3)
        mine, its = machine.private_kib(daemon.pid), machine.private_kib(agent.pid)
        yield judged(
            Row("idle: private memory", "smaps_rollup", "ssh-agent with one key", "<= 2",
                note=f"{mine:,} of {its:,} KiB", details={"ours": mine, "peer": its}),
            mine / its, most=2)
        before = machine.wake_ups(daemon.pid)
        time.sleep(60)
        count = machine.wake_ups(daemon.pid) - before
        yield judged(
            Row("idle: wake-ups a minute", "context switches", "none", "0",
                details={"ours": count}), count, most=0)
    finally:
        agent.kill()
        agent.wait()
        daemon.kill()


APPS = 10_000
# None of them has more than an eighth of the waits.
SESSIONS = 8


def waiting(home, settings):
    """Apps that wait, until all of them know of the ends of what they wait for, which come at
    the same moment."""
    private, told = [], []
    for number in range(settings.rounds):
        each, seconds = crowd(home / str(number))
        private.append(each)
        told.append(seconds)
    note = f"{APPS:,} apps of {SESSIONS} sessions"
    yield judged(
        Row("a waiting app: private memory", "smaps_rollup", "none", "<= 6 KiB", unit=" KiB",
            note=note, details={"each": private}), statistics.median(private), most=6)
    yield judged(
        Row("waiting apps: until all know", "from the calls that end it", "none", "<= 150 ms",
            unit=" ms", note=note, details={"each": told}),
        statistics.median(told) * 1e3, most=150)


def crowd(home):
    node = Node(home / "node")
    daemon = Daemon(home / "daemon", log_level="error")
    daemon.arguments = machine.pinned(machine.SERVER, *daemon.arguments)
    # Half of the connections may wait.
    configure(daemon, f"[Daemon]\nMaximumConnections={2 * APPS}\n")
    daemon.start()
    try:
        command = [
            binaries() / "http-load", "--unix", daemon.socket, "--connections", str(APPS),
            "--seconds", "60"]
        for number in range(SESSIONS):
            tokens = node.control("tokens")
            session = Session(
                daemon, node, accessToken=tokens["accessToken"],
                refreshToken=tokens["refreshToken"])
            target = path(session.start()["requestId"])
            etag = session.get(target)["ETag"]
            request, trigger = home / f"wait-{number}", home / f"end-{number}"
            request.write_bytes(session.bytes(
                "GET", target, headers={"If-None-Match": etag, "Prefer": "wait=300"}))
            trigger.write_bytes(session.bytes("DELETE", target))
            command += ["--request", request, "--crowd", trigger]
        before = machine.private_kib(daemon.pid)
        with subprocess.Popen(
                machine.pinned(machine.LOAD, *command), stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, text=True) as load:
            assert load.stdout.readline() == "waiting\n"
            until(lambda: daemon.status["counts"]["waits"] == APPS, "all wait")
            each = (machine.private_kib(daemon.pid) - before) / APPS
            load.stdin.write("\n")
            load.stdin.flush()
            figures = json.loads(load.stdout.read())
        assert figures["answers"] == APPS + SESSIONS, figures
        return each, figures["seconds"]
    finally:
        daemon.kill()
        node.kill()


def activation(home, settings):
    mine, its = [], []
    for number in range(settings.rounds):
        mine.append(woken_daemon(home / f"daemon-{number}"))
        its.append(woken_nginx(home / f"nginx-{number}"))
    mine, its = statistics.median(mine), statistics.median(its)
    return judged(
        Row("socket activation to the first answer", "from cold", "nginx, from its start",
            "<= 1.5", note=f"{mine * 1e3:.1f} of {its * 1e3:.1f} ms",
            details={"ours": mine, "peer": its}), mine / its, most=1.5)


def woken(listener, address, request, command, environment):
    """Seconds from a client's connection to its answer, with the program started by it."""
    begin = time.perf_counter()
    client = socket.socket(listener.family)
    client.settimeout(20)
    client.connect(address)
    client.sendall(request)

    def hand_over():
        # The program's process id is known only here, and descriptor 3 is the listener.
        os.dup2(listener.fileno(), 3)
        os.environ["LISTEN_PID"] = str(os.getpid())

    script = 'LISTEN_PID=$$ exec "$@"'
    process = subprocess.Popen(
        ["sh", "-c", script, "sh", *map(str, command)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
        preexec_fn=hand_over, pass_fds=(3,))
    try:
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        return time.perf_counter() - begin
    finally:
        client.close()
        process.kill()
        process.wait()


REQUEST = b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n"


def listening(home):
    home.mkdir(parents=True)
    address = str(home / "api.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    os.chmod(address, 0o600)
    listener.listen(64)
    return listener, address


def woken_daemon(home):
    daemon = Daemon(home / "daemon", log_level="error")
    listener, address = listening(home / "socket")
    with listener:
        return woken(
            listener, address, REQUEST, [*daemon.arguments, "--socket", address],
            daemon.environment | {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "api"})


def woken_nginx(home):
    """nginx does not answer on a socket that is handed over where it has no master, so it binds
    its own: from its start to the first answer, asked for as soon as it listens."""
    home.mkdir(parents=True)
    address = str(home / "nginx.sock")
    configuration = home / "nginx.conf"
    configuration.write_text(CONFIGURATION.format(
        home=home, keep_alive="75s", listen=f"listen unix:{address};",
        locations='    location / { return 200 "x"; }'))
    begin = time.perf_counter()
    process = subprocess.Popen(
        ["nginx", "-c", configuration], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    try:
        with connected(address) as client:
            client.sendall(REQUEST)
            assert client.recv(65536).startswith(b"HTTP/1.1 200")
            return time.perf_counter() - begin
    finally:
        process.kill()
        process.wait()


def connected(address):
    deadline = time.monotonic() + 20
    while True:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(20)
        try:
            client.connect(address)
            return client
        except (FileNotFoundError, ConnectionRefusedError):
            client.close()
            assert time.monotonic() < deadline, "nginx does not listen"
