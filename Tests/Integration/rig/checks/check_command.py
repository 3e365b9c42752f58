"""`mero-consent` with the daemon as a user service."""

import os
import subprocess

import pytest
from harness.command import Command

from .service import HOME, SOCKETS, systemctl


@pytest.fixture
def cli(service, scratch):
    command = Command(scratch)
    command.environment |= {
        name: os.environ[name] for name in ("HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")
        if name in os.environ}
    return command


def states(cli):
    return {check["name"]: check["state"] for check in cli("doctor", "--json").json["checks"]}


def test_any_command_wakes_the_daemon(cli, service):
    assert service.sleeps()
    ended = cli("status")
    assert ended.code == 0 and service.state_of_unit == "active", ended


def test_the_doctor_sees_whether_the_sockets_are_enabled(cli):
    assert states(cli)["units"] == "note"
    systemctl("enable", *SOCKETS)
    found = states(cli)
    assert found["units"] == "ok"
    for name in ("runtime directory", "socket", "daemon", "record", "callback"):
        assert found[name] == "ok", found
    systemctl("disable", *SOCKETS)
    assert states(cli)["units"] == "note"


def test_the_doctor_sees_the_services_of_the_desktop(cli):
    """One that a call would start counts as one that is there."""
    found = states(cli)
    assert found["portal"] == found["notifications"] == "note"
    folder = HOME / ".local" / "share" / "dbus-1" / "services"
    folder.mkdir(parents=True)
    files = []
    for name in ("org.freedesktop.portal.Desktop", "org.freedesktop.Notifications"):
        files.append(folder / f"{name}.service")
        files[-1].write_text(f"[D-BUS Service]\nName={name}\nExec=/bin/false\n")

    def reload():
        subprocess.run(
            ["busctl", "--user", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus",
             "org.freedesktop.DBus", "ReloadConfig"], check=True, capture_output=True)

    reload()
    found = states(cli)
    for file in files:
        file.unlink()
    reload()
    assert found["portal"] == found["notifications"] == "ok"
