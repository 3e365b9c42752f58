"""The desktop's URL handler and a daemon that sleeps: its socket wakes it (C-049)."""

import os
import subprocess
import time
from pathlib import Path

import pytest
from harness.api import Session

from .service import SERVICE, systemctl

PROGRAM = Path(os.environ["MERO_BIN"]) / "mero-consent"


@pytest.fixture
def entry():
    """The package's own, as it is installed."""
    applications = Path(os.environ["HOME"]) / ".local/share/applications"
    applications.mkdir(parents=True, exist_ok=True)
    text = (Path(os.environ["MERO_UNITS"]) / "mero-consent.desktop").read_text()
    place = applications / "mero-consent.desktop"
    place.write_text(text.replace("/usr/bin/mero-consent", str(PROGRAM)))
    subprocess.run(["update-desktop-database", applications], check=True)
    yield place
    place.unlink()


@pytest.mark.parametrize("launcher", [["xdg-open"], ["gio", "open"]], ids=" ".join)
def test_a_return_wakes_the_daemon_and_is_taken_once(service, entry, launcher):
    assert service.sleeps() and service.pid == 0
    environment = os.environ | {"DISPLAY": ":9"}
    began = time.monotonic()
    subprocess.run(
        [*launcher, "mero-consent://return?request_id=rq-1&result=approved"], env=environment,
        check=True, timeout=30)
    service.said("a return came through the URL handler")
    assert time.monotonic() - began < 5
    assert service.state_of_unit == "active"
    taken = [record for record in service.journal()
             if "a return came" in str(record.get("MESSAGE"))]
    assert len(taken) == 1


def test_a_return_by_the_desktop_ends_in_a_verified_result(service, entry, node):
    session = Session(service, node)
    view = session.start()
    node.decide(view["requestId"])
    subprocess.run(
        ["xdg-open", f"mero-consent://return?request_id={view['requestId']}"],
        env=os.environ | {"DISPLAY": ":9"}, check=True, timeout=30)
    session.decided(view["requestId"], "approved")


def test_without_a_socket_the_handler_says_so(service):
    systemctl("stop", "mero-consentd.socket", SERVICE)
    done = subprocess.run(
        [PROGRAM, "handle", "mero-consent://return?request_id=rq-1"], stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=30)
    assert done.returncode == 69 and done.stderr and "rq-1" not in done.stderr
