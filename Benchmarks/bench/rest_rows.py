"""Memory, wake-ups, and many that wait."""

import json
import os
import statistics
import subprocess
import time
from pathlib import Path

from harness.api import Session, path
from harness.programs import Daemon, Node, binaries
from harness.settings import configure
from harness.waiting import until

from . import machine
from .peers import program
from .results import Row, judged


def idle(home, _):
    ssh_agent = program("ssh-agent")
    daemon = Daemon(home / "daemon", log_level="error").start()
    agent_socket = str(home / "agent.sock")
    agent = subprocess.Popen(
        [ssh_agent, "-D", "-a", agent_socket], stdout=subprocess.DEVNULL)
    try:
        until(lambda: Path(agent_socket).exists(), "ssh-agent listens")
        key = home / "key"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
        subprocess.run(
            ["ssh-add", "-q", key], check=True, env=os.environ | {"SSH_AUTH_SOCK": agent_socket})
        # What a connection leaves to be closed is over after this.
        time.sleep(3)
        mine, its = machine.private_kib(daemon.pid), machine.private_kib(agent.pid)
        dirty = [machine.private_kib(pid, ("Private_Dirty",)) for pid in (daemon.pid, agent.pid)]
        yield judged(
            Row("idle: private memory", "smaps_rollup", "ssh-agent with one key", "<= 2",
                note=f"{mine:,} of {its:,} KiB; written to {dirty[0]:,} of {dirty[1]:,}",
                details={"ours": mine, "peer": its, "dirty": dirty}),
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
