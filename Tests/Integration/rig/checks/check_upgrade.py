"""What the package's script does for who is logged in, when it has been unpacked."""

import os
import subprocess
from pathlib import Path

import pytest

from .service import SERVICE, SOCKETS, systemctl

SCRIPT = Path(os.environ["MERO_UNITS"]).parent / "debian" / "mero-consentd.postinst"

# The manager of this person alone, whom no system manager knows here: what the script says to
# `user@ID.service` over the machine's bus is said to that manager itself.
BRIDGE = """#!/bin/sh
case "$*" in *list-units*) echo "user@$(id -u).service loaded active running"; exit;; esac
for word; do
	shift
	case "$word" in --machine|[0-9]*@) ;; *) set -- "$@" "$word";; esac
done
exec /usr/bin/systemctl "$@"
"""


def configure(folder):
    (folder / "systemctl").write_text(BRIDGE)
    (folder / "systemctl").chmod(0o755)
    # Of a machine whose PID 1 is systemd.
    text = SCRIPT.read_text().replace("/run/systemd/system", os.environ["XDG_RUNTIME_DIR"])
    done = subprocess.run(
        ["sh", "-c", text, "postinst", "configure", "0.1.0"], capture_output=True, text=True,
        timeout=120, env=os.environ | {"PATH": f"{folder}:/usr/bin:/bin"})
    assert done.returncode == 0 and done.stderr == "", done


def states():
    return [systemctl("show", "--value", "-p", "ActiveState", unit) for unit in SOCKETS]


@pytest.fixture
def off(service):
    systemctl("stop", *SOCKETS, SERVICE)
    assert states() == ["inactive"] * 3
    return service


def test_who_has_it_on_has_it_at_once(off, tmp_path):
    systemctl("enable", *SOCKETS)
    configure(tmp_path)
    assert states() == ["active"] * 3
    assert off.api.get("/v1/status").status == 200
    before = off.pid
    configure(tmp_path)
    assert off.api.get("/v1/status").status == 200 and off.pid != before


@pytest.mark.parametrize("way", ["disable", "mask"])
def test_who_has_it_off_keeps_it_off(off, tmp_path, way):
    if way == "mask":
        # Units that lie elsewhere, as the package's do: a mask is a link in their place.
        for unit in SOCKETS:
            source = Path.home() / ".config/systemd/user" / unit
            target = Path.home() / ".local/share/systemd/user" / unit
            target.parent.mkdir(parents=True, exist_ok=True)
            source.rename(target)
    try:
        systemctl(way, *SOCKETS)
        configure(tmp_path)
        assert states() == ["inactive"] * 3
    finally:
        for unit in SOCKETS:
            (Path.home() / ".local/share/systemd/user" / unit).unlink(missing_ok=True)


def test_one_socket_can_be_off_alone(off, tmp_path):
    systemctl("enable", SOCKETS[0])
    configure(tmp_path)
    assert states() == ["active", "inactive", "inactive"]
