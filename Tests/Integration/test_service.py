"""The units of the daemon under a real user manager of systemd: `rig/checks` inside of the rig.

The checks run as an ordinary user in a network of their own, so everything that they need lies
where that user may read it. `CHECKS='-k idle'` in the environment runs a part of them.
"""

import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from harness.disk import SmallDisk
from harness.stage import environment, interpreter, rig, set_up

HERE = Path(__file__).resolve().parent
CHECKS = sorted(path.name for path in (HERE / "rig" / "checks").glob("check_*.py"))

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can set up a user manager of its own")


@pytest.fixture(scope="module")
def stage():
    folder = set_up(tempfile.mkdtemp(prefix="mero-rig-"), "rig/checks")
    disk = SmallDisk(folder / "disk")
    # The user of the rig makes a directory in it.
    disk.folder.chmod(0o1777)
    yield folder
    disk.close()
    shutil.rmtree(folder, ignore_errors=True)


def in_rig(stage, command):
    return subprocess.run(
        rig(*command), env=os.environ | environment(stage) | {"MERO_DISK": str(stage / "disk")},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900)


@pytest.mark.parametrize("name", CHECKS)
def test_under_a_user_manager(stage, name):
    checks = stage / "Tests" / "Integration" / "rig" / "checks"
    done = in_rig(stage, [
        interpreter(), "-m", "pytest", "-c", checks / "pytest.ini",
        *shlex.split(os.environ.get("CHECKS", "")), checks / name])
    # 5: the selection left none of this file.
    accepted = (0, 5) if "CHECKS" in os.environ else (0,)
    assert done.returncode in accepted, done.stdout + done.stderr
    print(done.stdout)


# The rooms that try the daemon itself; the others need a browser, a compiler, more Python or root.
ROOMS = ["access", "bodies", "callback", "configured", "damage", "events", "families", "framing",
         "guard", "instances", "node", "notify", "opening", "options", "paths", "ports",
         "requests", "returns", "secrets", "sessions", "status", "stop", "time", "verdicts",
         "waiting", "woken"]
FILTERS = ("NoNewPrivileges=", "MemoryDenyWriteExecute=", "Restrict", "LockPersonality=",
           "SystemCall")


def test_the_rooms_pass_under_the_units_filters(stage):
    """All of it, the daemons too, in one unit with the service's own lines."""
    section = (stage / "systemd" / "mero-consentd.service").read_text().split("[Service]")[1]
    lines = [line for line in section.splitlines() if line.startswith(FILTERS)]
    assert len(lines) >= 10
    tests = stage / "Tests" / "Integration"
    # ptrace(2), by which a tracer is tried, is what the filter refuses.
    command = [interpreter(), "-m", "pytest", "-c", tests / "pytest.ini", "-k",
               "not under_a_tracer", *[tests / f"test_{name}.py" for name in ROOMS]]
    (stage / "rooms.service").write_text("\n".join([
        "[Service]", "Type=oneshot", "StandardOutput=file:%h/rooms.log", "StandardError=inherit",
        *[f"Environment={name}={value}" for name, value in environment(stage).items()],
        f"ExecStart={shlex.join(map(str, command))}", *lines, ""]))
    done = in_rig(stage, ["sh", "-c", (
        f"mkdir -p ~/.config/systemd/user && cp {stage}/rooms.service ~/.config/systemd/user/ && "
        "systemctl --user daemon-reload && systemctl --user start rooms.service; "
        "status=$?; cat ~/rooms.log; exit $status")])
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr
    assert " passed" in done.stdout
    print(done.stdout)
