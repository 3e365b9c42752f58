"""A real Chromium without a window, driven by the DevTools protocol on a pipe.

The pipe needs neither a driver nor a port, and the browser ends with it.
"""

import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections import deque
from pathlib import Path

from .tab import Refused, Tab
from .waiting import PATIENCE, until

PROGRAM = "/usr/bin/chromium"
# How long its start may take where it was never started before, and everything else runs too.
START = 60.0
OPTIONS = [
    "--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
    # Nothing of its own on the network: what is asked for is what a page asked for.
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-default-apps", "--disable-extensions", "--metrics-recording-only",
    # Pictures are the same on every machine.
    "--hide-scrollbars", "--force-color-profile=srgb", "--font-render-hinting=none",
]


class Chromium:
    """`preferences` are what a person would have set in its dialogs."""

    def __init__(self, *options, preferences=None, environment=None):
        self.profile = tempfile.mkdtemp(prefix="mero-chromium-")
        if preferences:
            folder = Path(self.profile) / "Default"
            folder.mkdir()
            (folder / "Preferences").write_text(json.dumps(preferences))
        self.environment = environment or {}
        # Its sandbox wants another user than root, as whom tests run where nobody else is.
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self.pid, self.input, self.output = self._spawn(
            [PROGRAM, *OPTIONS, *sandbox, f"--user-data-dir={self.profile}", *options])
        self.pending, self.messages = b"", deque()
        self.calls = 0
        self.tabs = {}
        self.version = self.call("Browser.getVersion", within=START)["product"]

    def _spawn(self, arguments):
        """It reads commands on descriptor 3 and writes answers on 4."""
        ours, its = [], []
        for _ in range(2):
            reading, writing = os.pipe()
            ours.append(writing if not ours else reading)
            other = reading if len(ours) == 1 else writing
            # Out of the way of 3 and 4.
            its.append(fcntl.fcntl(other, fcntl.F_DUPFD_CLOEXEC, 10))
            os.close(other)
        log = os.open(f"{self.profile}/log", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
        environment = {
            name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment |= {"HOME": self.profile, "XDG_CONFIG_HOME": self.profile}
        # Everything that it leaves behind goes with its profile.
        environment |= self.environment | {"TMPDIR": self.profile}
        pid = os.posix_spawn(arguments[0], arguments, environment, setsid=True, file_actions=[
            (os.POSIX_SPAWN_DUP2, its[0], 3), (os.POSIX_SPAWN_DUP2, its[1], 4),
            (os.POSIX_SPAWN_DUP2, log, 1), (os.POSIX_SPAWN_DUP2, log, 2)])
        for number in (*its, log):
            os.close(number)
        return pid, *ours

    # MARK: Calls and events

    def call(self, method, session=None, within=PATIENCE, **parameters):
        self.calls += 1
        number = self.calls
        message = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        data = memoryview(json.dumps(message).encode() + b"\0")
        while data:
            data = data[os.write(self.input, data):]
        deadline = time.monotonic() + within
        while True:
            answer = self._next(deadline)
            if answer is None:
                raise AssertionError(f"{method}: no answer within {within} s")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Refused(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def look(self, seconds=0.02):
        """Takes in what has happened, and waits a moment where nothing has."""
        deadline = time.monotonic() + seconds
        while self._next(deadline) is not None:
            deadline = 0

    def _next(self, deadline):
        """The next message, an event given to its tab; None at the deadline."""
        while b"\0" not in self.pending:
            left = deadline - time.monotonic()
            if not select.select([self.output], [], [], max(0, left))[0]:
                return None
            piece = os.read(self.output, 1 << 20)
            if not piece:
                raise AssertionError(f"Chromium ended:\n{self.log}")
            self.pending += piece
        line, self.pending = self.pending.split(b"\0", 1)
        message = json.loads(line)
        tab = self.tabs.get(message.get("sessionId"))
        if tab is not None and "method" in message:
            tab.note(message["method"], message["params"])
        return message

    # MARK: Tabs

    def tab(self, beside=None):
        """A tab with cookies and a cache of its own, or those of the tab `beside`."""
        context = beside.context if beside is not None else self.call(
            "Target.createBrowserContext", disposeOnDetach=True)["browserContextId"]
        target = self.call(
            "Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.tabs[session] = tab = Tab(self, context, target, session)
        tab.prepare()
        return tab

    @property
    def log(self):
        with open(f"{self.profile}/log", errors="replace") as file:
            return file.read()

    def close(self):
        os.close(self.input)
        try:
            until(lambda: os.waitpid(self.pid, os.WNOHANG)[0], "Chromium ends", within=5)
        except AssertionError:
            os.killpg(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.output)
        shutil.rmtree(self.profile, ignore_errors=True)
