"""The programs under test as child processes, with everything of theirs in one folder."""

import json
import os
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from .api import API
from .site import Site
from .waiting import PATIENCE, until
from .wire import Closed

ROOT = Path(__file__).resolve().parents[3]


def binaries():
    """Where the built programs are."""
    return Path(os.environ.get("MERO_BIN", ROOT / ".build" / "debug"))


class Program:
    """A child process whose output goes to files, so that no pipe can fill up."""

    def __init__(self, home, name, arguments, environment):
        self.home, self.name = Path(home), name
        self.home.mkdir(parents=True, exist_ok=True)
        self.arguments = [str(binaries() / name), *map(str, arguments)]
        self.environment = environment
        self.process = None
        self.starts = 0

    @property
    def log_path(self):
        return self.home / f"{self.name}.log"

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def spawn(self):
        with open(self.home / f"{self.name}.out", "ab") as out, open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                self.arguments, stdin=subprocess.DEVNULL, stdout=out, stderr=log,
                env=self.environment)
        self.starts += 1

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self, within=PATIENCE):
        return self.process.wait(within)

    def stop(self):
        """Asks it to end, as a service manager does; answers its exit code."""
        if self.is_running:
            self.signal(signal.SIGTERM)
        return self.wait()

    def kill(self):
        if self.is_running:
            self.signal(signal.SIGKILL)
            self.wait()

    def open_descriptors(self):
        try:
            return len(os.listdir(f"/proc/{self.pid}/fd"))
        except PermissionError:
            pytest.skip("only root sees the descriptors of a process that is not dumpable")


class Node(Program):
    """`mero-dev-node` on a free port."""

    def __init__(self, home, *options):
        super().__init__(home, "mero-dev-node", ["--port", 0, *options], dict(os.environ))
        self.spawn()
        out = self.home / "mero-dev-node.out"
        line = until(
            lambda: out.read_text().partition("\n")[0] if "\n" in out.read_text() else None,
            "the node's line")
        self.ready = json.loads(line)

    def control(self, path, method="POST", **fields):
        """One of the node's controls: `control("decide", decision="approve")`."""
        request = urllib.request.Request(
            self.ready["control"] + (f"/{path}" if path else ""), method=method,
            data=json.dumps(fields).encode() if method == "POST" else None,
            headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return json.load(response)

    @property
    def overview(self):
        return self.control("", method="GET")

    def decide(self, request_id, decision="approve"):
        return self.control("decide", requestId=request_id, decision=decision)

    def misbehave(self, name, **fields):
        return self.control("misbehave", name=name, **fields)

    def behave(self):
        return self.control("behave")

    def calls(self, name):
        """How often one of the sealed calls was made: `request`, `result`, …"""
        return self.overview["calls"].get(name, 0)


class Daemon(Program):
    """`mero-consentd` on free ports, started by hand."""

    def __init__(self, home, *options, port=0, log_level="debug", environment=None):
        home = Path(home)
        self.runtime = home / "run"
        self.state = home / "state"
        for folder in (self.runtime, self.state):
            folder.mkdir(parents=True, mode=0o700, exist_ok=True)
        self.socket = str(self.runtime / "api.sock")
        base = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        base |= {
            "HOME": str(home), "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_STATE_HOME": str(home / "xdg-state"), "XDG_CONFIG_HOME": str(home / "config"),
        }
        super().__init__(
            home, "mero-consentd",
            ["--socket", self.socket, "--callback-port", port, "--state-dir", self.state,
             "--log-level", log_level, *options],
            base | (environment or {}))
        self.api = API(self.socket)

    def start(self):
        self.spawn()
        until(self.answers, "the daemon answers")
        return self

    @property
    def record(self):
        """The file of the record of requests."""
        folder = self.arguments[len(self.arguments) - self.arguments[::-1].index("--state-dir")]
        return Path(folder) / "ledger.db"

    def answers(self):
        if not self.is_running:
            raise AssertionError(f"the daemon ended with {self.process.returncode}:\n{self.log}")
        try:
            return self.api.get("/v1/status").status == 200
        except (OSError, Closed):
            return False

    def restart(self, kill=False):
        self.kill() if kill else self.stop()
        return self.start()

    @property
    def status(self):
        answer = self.api.get("/v1/status")
        assert answer.status == 200, answer
        return answer.json()

    @property
    def port(self):
        """The callback's port."""
        return int(self.status["callbacks"][0].rsplit(":", 1)[1].split("/")[0])

    @property
    def site(self):
        return Site(self.port)
