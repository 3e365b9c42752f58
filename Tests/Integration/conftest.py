"""Every test gets programs of its own, in a folder of its own."""

import shutil
import tempfile
from pathlib import Path

import pytest
from harness.api import Session
from harness.chromium import Chromium
from harness.disk import SmallDisk
from harness.opener import Opener
from harness.programs import Daemon, Node


@pytest.fixture
def home():
    """A short path: the name of a Unix socket has 107 bytes at most."""
    folder = Path(tempfile.mkdtemp(prefix="mero-"))
    folder.chmod(0o700)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def programs(home):
    """Starts programs, and ends them after the test. A daemon that trapped fails the test."""
    started = []

    def start(kind, *arguments, **more):
        program = kind(home / f"{kind.__name__.lower()}{len(started)}", *arguments, **more)
        started.append(program)
        return program

    yield start
    for program in started:
        # -9 and -15 are signals that a test sent; every other one is a crash.
        if program.process is not None and not program.is_running:
            code = program.process.returncode
            assert code >= 0 or code in (-9, -15), f"{program.name} ended with {code}\n{program.log}"
        program.kill()


@pytest.fixture
def disk(home):
    small = SmallDisk(home / "disk")
    yield small
    small.close()


@pytest.fixture
def node(programs):
    return programs(Node)


@pytest.fixture
def daemon(programs):
    return programs(Daemon).start()


@pytest.fixture
def opener(home):
    return Opener(home)


@pytest.fixture
def desktop(programs, opener):
    """A daemon that can open pages."""
    return programs(Daemon, environment=opener.environment).start()


@pytest.fixture
def session(daemon, node):
    return Session(daemon, node)


@pytest.fixture(scope="session")
def chromium():
    """One real browser for all; each of its tabs has cookies and a cache of its own."""
    browser = Chromium()
    yield browser
    browser.close()
