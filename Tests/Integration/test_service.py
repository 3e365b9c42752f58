"""The units of the daemon under a real user manager of systemd: `rig/checks` inside of the rig.

The checks run as an ordinary user in a network of their own, so everything that they need lies
where that user may read it. `CHECKS='-k idle'` in the environment runs a part of them.
"""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from harness.programs import ROOT, binaries

HERE = Path(__file__).resolve().parent
CHECKS = sorted(path.name for path in (HERE / "rig" / "checks").glob("check_*.py"))
# What pytest is made of; all of it is plain Python.
PACKAGES = ["pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup",
            "tomli", "typing_extensions", "jeepney"]
STRANGER = ["setpriv", "--reuid=4000", "--regid=4000", "--clear-groups", "--inh-caps=-all"]

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can set up a user manager of its own")


def interpreter():
    """A Python that everybody may run: the one of this run may be somebody's own."""
    for path in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        # By a shell, which has none of our rights any more when it looks for the program.
        tried = [*STRANGER, "sh", "-c", 'exec "$0" -c ""', path]
        if subprocess.run(tried, stderr=subprocess.DEVNULL).returncode == 0:
            return path
    raise AssertionError("no Python here that another user may run")


@pytest.fixture(scope="module")
def stage():
    folder = Path(tempfile.mkdtemp(prefix="mero-rig-"))
    folder.chmod(0o755)
    for name in ("mero-consentd", "mero-consent", "mero-dev-node"):
        (folder / "bin").mkdir(exist_ok=True)
        shutil.copy(binaries() / name, folder / "bin" / name)
    shutil.copytree(ROOT / "systemd", folder / "systemd")
    shutil.copy(ROOT / "config" / "mero-consent.desktop", folder / "systemd")
    tests = folder / "Tests" / "Integration"
    for name in ("harness", "rig/checks"):
        shutil.copytree(HERE / name, tests / name)
    for path in (*HERE.glob("*.py"), HERE / "pytest.ini"):
        shutil.copy(path, tests / path.name)
    for name in ("config", "docs"):
        shutil.copytree(ROOT / name, folder / name)
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        if spec is None:
            continue
        origin = Path(spec.origin)
        if origin.name == "__init__.py":
            shutil.copytree(origin.parent, folder / "site" / name)
        else:
            shutil.copy(origin, folder / "site" / origin.name)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def in_rig(stage, command):
    return subprocess.run(
        [HERE / "rig" / "with-user-systemd", "--as", "tester", "--net", "--", *command],
        env=os.environ | environment(stage), stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=900)


def environment(stage):
    return {
        "PYTHONPATH": f"{stage}/site:{stage}/Tests/Integration", "MERO_BIN": f"{stage}/bin",
        "MERO_UNITS": f"{stage}/systemd", "PYTHONDONTWRITEBYTECODE": "1"}


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
