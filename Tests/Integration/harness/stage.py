"""What a user manager of our own is given: everything lies where another user may read it."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

from .programs import ROOT, binaries

HERE = ROOT / "Tests" / "Integration"
# What pytest is made of; all of it is plain Python.
PACKAGES = ["pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments", "exceptiongroup",
            "tomli", "typing_extensions", "jeepney"]
STRANGER = ["setpriv", "--reuid=4000", "--regid=4000", "--clear-groups", "--inh-caps=-all"]


def interpreter():
    """A Python that everybody may run: the one of this run may be somebody's own."""
    for path in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        # By a shell, which has none of our rights any more when it looks for the program.
        tried = [*STRANGER, "sh", "-c", 'exec "$0" -c ""', path]
        if subprocess.run(tried, stderr=subprocess.DEVNULL).returncode == 0:
            return path
    raise AssertionError("no Python here that another user may run")


def set_up(folder, *rooms):
    """Programs, units and tests in `folder`; `rooms` are the folders of tests."""
    folder = Path(folder)
    folder.chmod(0o755)
    for name in ("mero-consentd", "mero-consent", "mero-dev-node"):
        (folder / "bin").mkdir(exist_ok=True)
        shutil.copy(binaries() / name, folder / "bin" / name)
    shutil.copytree(ROOT / "systemd", folder / "systemd")
    shutil.copy(ROOT / "config" / "mero-consent.desktop", folder / "systemd")
    tests = folder / "Tests" / "Integration"
    for name in ("harness", *rooms):
        shutil.copytree(HERE / name, tests / name)
    for path in (*HERE.glob("*.py"), HERE / "pytest.ini"):
        shutil.copy(path, tests / path.name)
    for name in ("config", "docs", "debian"):
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
    return folder


def environment(folder):
    return {
        "PYTHONPATH": f"{folder}/site:{folder}/Tests/Integration", "MERO_BIN": f"{folder}/bin",
        "MERO_UNITS": f"{folder}/systemd", "PYTHONDONTWRITEBYTECODE": "1"}


def rig(*command):
    """The command line that runs `command` under a user manager, as an ordinary user, in a
    network of its own."""
    return [HERE / "rig" / "with-user-systemd", "--as", "tester", "--net", "--", *command]
