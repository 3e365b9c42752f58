"""Opening a page from the service: with the desktop of this moment, outside of the sandbox and the
control group, by the real xdg-open (C-066, C-067, C-068)."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from harness.api import Session
from harness.waiting import until

from .service import SERVICE, systemctl

DISPLAY = "wayland-9"


@pytest.fixture
def browser(scratch):
    """A browser that notes how it was started and stays open; the desktop's default."""
    program = scratch / "browser"
    program.write_text(f"""#!/bin/sh
printf '%s\\n' "$@" >'{scratch}/arguments'
tr '\\0' '\\n' </proc/self/environ >'{scratch}/environment'
cat /proc/self/status >'{scratch}/status'
cat /proc/$$/cgroup >'{scratch}/cgroup'
echo $$ >'{scratch}/pid.new'; mv '{scratch}/pid.new' '{scratch}/pid'
exec sleep 600
""")
    program.chmod(0o755)
    applications = Path(os.environ["HOME"]) / ".local/share/applications"
    applications.mkdir(parents=True, exist_ok=True)
    (applications / "recorder.desktop").write_text(
        f"[Desktop Entry]\nType=Application\nName=Recorder\nExec={program} %u\n"
        "MimeType=x-scheme-handler/http;x-scheme-handler/https;\n")
    subprocess.run(["xdg-mime", "default", "recorder.desktop", "x-scheme-handler/http"], check=True)
    variables = [f"WAYLAND_DISPLAY={DISPLAY}", "DISPLAY=:9"]
    yield Browser(scratch, variables)
    systemctl("unset-environment", "WAYLAND_DISPLAY", "DISPLAY", "LD_LIBRARY_PATH", "GIO_MODULE_DIR")
    (applications / "recorder.desktop").unlink()
    (Path(os.environ["HOME"]) / ".config/mimeapps.list").unlink()
    if (scratch / "pid").exists():
        os.kill(int((scratch / "pid").read_text()), signal.SIGKILL)


class Browser:
    def __init__(self, folder, variables):
        self.folder, self.variables = folder, variables

    def text(self, name):
        until((self.folder / "pid").exists, "the browser was started")
        return (self.folder / name).read_text()

    @property
    def environment(self):
        lines = self.text("environment").splitlines()
        return dict(line.partition("=")[::2] for line in lines)

    @property
    def pid(self):
        return int(self.text("pid"))

    @property
    def status(self):
        lines = self.text("status").splitlines()
        return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}

    @property
    def is_open(self):
        return os.path.exists(f"/proc/{self.pid}")


def test_the_desktop_of_this_moment_is_used(service, node, browser):
    session = Session(service, node)
    began = service.pid
    view = session.start(open=True)
    assert (view["opened"], view["openedReason"]) == (False, "NO_DISPLAY")
    systemctl("set-environment", *browser.variables)
    view = session.start(open=True)
    assert view["opened"] == "unknown"
    assert browser.text("arguments") == view["url"] + "\n"
    assert browser.environment["WAYLAND_DISPLAY"] == DISPLAY
    assert service.pid == began, "the daemon was not started anew for that"


def test_a_browser_gets_nothing_of_ours_and_outlives_us(service, node, browser):
    systemctl("set-environment", *browser.variables, "LD_LIBRARY_PATH=/nonexistent",
              "GIO_MODULE_DIR=/nonexistent")
    session = Session(service, node)
    began = time.monotonic()
    view = session.start(open=True, activationToken="tok-1")
    assert view["opened"] == "unknown" and time.monotonic() - began < 2
    names = browser.environment
    assert names["XDG_ACTIVATION_TOKEN"] == "tok-1"
    for name in names:
        assert not name.startswith((
            "LD_", "GIO_MODULE_DIR", "LISTEN_", "NOTIFY_SOCKET", "WATCHDOG_", "MERO_",
            "JOURNAL_STREAM", "INVOCATION_ID", "SYSTEMD_EXEC_PID")), name
    # Unsandboxed: no filter of system calls, and a right to gain privileges as any program.
    assert (browser.status["Seccomp"], browser.status["NoNewPrivs"]) == ("0", "0")
    # 32 and 33 are glibc's own, which no program can set.
    others = ~(0b11 << 31)
    for name in ("SigBlk", "SigIgn"):
        assert int(browser.status[name], 16) & others == 0, (name, browser.status[name])
    until(lambda: Path(f"/proc/{browser.pid}/comm").read_text() == "sleep\n", "it stays open")
    files = Path(f"/proc/{browser.pid}/fd")
    assert {path.name: os.readlink(path) for path in files.iterdir()} == {
        "0": "/dev/null", "1": "/dev/null", "2": "/dev/null"}
    assert SERVICE not in browser.text("cgroup")
    assert "mero-consent-open-" in browser.text("cgroup")
    first = service.pid
    systemctl("restart", SERVICE)
    assert service.status and service.pid != first
    assert browser.is_open, "the browser outlives the daemon"


def test_an_address_is_handed_over_as_it_is(service, node, browser):
    """Neither the manager nor a shell reads `$NAME`, `%n` and the like in it."""
    systemctl("set-environment", *browser.variables)
    session = Session(service, node)
    view = session.start()
    url = view["url"].replace(view["requestId"], "rq-1") + "&x=$HOME;$USER'&y=%25u"
    started = {"requestId": "rq-1", "kind": "createOrg", "code": view["code"],
               "expiresAt": view["expiresAt"], "url": url}
    answer = session.post("/v1/requests", {"started": started, "open": True})
    assert answer.status == 201, answer
    assert browser.text("arguments") == url + "\n"


def test_an_opener_that_fails_is_told(service, node, scratch):
    """xdg-open finds nothing to open it with: its code comes from the unit of its own."""
    systemctl("set-environment", "DISPLAY=:9", "BROWSER=/nonexistent",
              "XDG_DATA_DIRS=/nonexistent")
    try:
        view = Session(service, node).start(open=True)
    finally:
        systemctl("unset-environment", "DISPLAY", "BROWSER", "XDG_DATA_DIRS")
    assert view["opened"] is False and view["openedReason"] in ("NO_BROWSER", "FAILED")
    units = subprocess.run(
        ["systemctl", "--user", "list-units", "--all", "--plain", "--no-legend",
         "mero-consent-open-*"], capture_output=True, text=True, check=True)
    assert units.stdout == "", "no unit is left behind"
