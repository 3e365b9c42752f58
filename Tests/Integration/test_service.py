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
        if subprocess.run([*STRANGER, path, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
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
    shutil.copytree(HERE / "harness", folder / "tests" / "harness")
    shutil.copytree(HERE / "rig" / "checks", folder / "tests" / "checks")
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


@pytest.mark.parametrize("name", CHECKS)
def test_under_a_user_manager(stage, name):
    environment = dict(
        os.environ, PYTHONPATH=f"{stage}/site:{stage}/tests", MERO_BIN=f"{stage}/bin",
        MERO_UNITS=f"{stage}/systemd", PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(
        [HERE / "rig" / "with-user-systemd", "--as", "tester", "--net", "--",
         interpreter(), "-m", "pytest", "-c", stage / "tests/checks/pytest.ini",
         *shlex.split(os.environ.get("CHECKS", "")), stage / "tests/checks" / name],
        env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    # 5: the selection left none of this file.
    accepted = (0, 5) if "CHECKS" in os.environ else (0,)
    assert done.returncode in accepted, done.stdout + done.stderr
    print(done.stdout)
