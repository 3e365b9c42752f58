"""The daemon as a user service: its units in the home of the rig's user."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

from harness.api import API
from harness.site import Site
from harness.waiting import PATIENCE, until

HOME = Path(os.environ["HOME"])
RUNTIME = Path(os.environ["XDG_RUNTIME_DIR"])
UNITS = HOME / ".config" / "systemd" / "user"
SOCKETS = ["mero-consentd.socket", "mero-consentd-callback.socket",
           "mero-consentd-callback6.socket"]
SERVICE = "mero-consentd.service"
PORT = 17463


def systemctl(*arguments, check=True):
    done = subprocess.run(
        ["systemctl", "--user", "--no-ask-password", *arguments], capture_output=True, text=True,
        timeout=60)
    assert not check or done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout.strip() if check else done


class Service:
    port = PORT
    socket = str(RUNTIME / "mero-consent" / "api.sock")
    configuration = HOME / ".config" / "mero-consent" / "mero-consentd.conf"
    state = HOME / ".local" / "state" / "mero-consent"

    def __init__(self):
        self.api = API(self.socket)
        self.site = Site(PORT)

    # The units

    def install(self):
        UNITS.mkdir(parents=True, exist_ok=True)
        for unit in Path(os.environ["MERO_UNITS"]).iterdir():
            if unit.suffix in (".service", ".socket"):
                text = unit.read_text().replace("@bindir@", os.environ["MERO_BIN"])
                (UNITS / unit.name).write_text(text)
        systemctl("daemon-reload")
        self.began = subprocess.run(
            ["date", "+%s.%N"], capture_output=True, text=True).stdout.strip()

    def start_sockets(self):
        systemctl("start", *SOCKETS)

    def drop_in(self, text, unit=SERVICE, name="test"):
        folder = UNITS / f"{unit}.d"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.conf").write_text(text)
        systemctl("daemon-reload")

    def remove(self):
        systemctl("stop", *SOCKETS, SERVICE, check=False)
        systemctl("reset-failed", check=False)
        shutil.rmtree(UNITS, ignore_errors=True)
        systemctl("daemon-reload")
        for folder in (self.state, self.configuration.parent, Path(self.socket).parent):
            shutil.rmtree(folder, ignore_errors=True)

    def configure(self, text):
        self.configuration.parent.mkdir(parents=True, exist_ok=True)
        self.configuration.write_text(text)

    # What it is

    def show(self, name, unit=SERVICE):
        return systemctl("show", "--value", "-p", name, unit)

    @property
    def pid(self):
        """0 while it sleeps."""
        return int(self.show("MainPID"))

    @property
    def state_of_unit(self):
        return self.show("ActiveState")

    @property
    def restarts(self):
        return int(self.show("NRestarts"))

    @property
    def status(self):
        answer = self.api.get("/v1/status")
        assert answer.status == 200, answer
        return answer.json()

    def wake(self):
        """Starts it by its socket; answers its pid."""
        self.status
        return self.pid

    def kill(self, number=signal.SIGKILL):
        pid = self.pid
        os.kill(pid, number)
        return pid

    def another_than(self, pid):
        """The pid of the process that came after `pid`, once it is ready."""
        return until(
            lambda: self.state_of_unit == "active" and self.pid not in (0, pid) and self.pid,
            "another process serves")

    def sleeps(self):
        return self.state_of_unit == "inactive"

    # What it says

    def journal(self, **fields):
        """The records since the units were installed, each a dict of its fields."""
        matches = [f"{name}={value}" for name, value in fields.items()]
        lines = subprocess.run(
            ["journalctl", "--user", "-q", "-o", "json", "--all", f"--since=@{self.began}",
             f"_SYSTEMD_USER_UNIT={SERVICE}", *matches,
             # What the journal files a process under that has ended before it could be looked at.
             "+", f"_SYSTEMD_UNIT={SERVICE}", *matches],
            capture_output=True, text=True, timeout=60).stdout
        return [json.loads(line) for line in lines.splitlines()]

    def said(self, text):
        """The first record whose message has `text`, once it is there."""
        return until(
            lambda: next((record for record in self.journal()
                          if text in str(record.get("MESSAGE"))), None),
            f"the journal has {text!r}", PATIENCE)
