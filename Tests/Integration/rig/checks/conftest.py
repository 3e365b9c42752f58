import os
import shutil
from pathlib import Path

import pytest
from harness.api import Session
from harness.programs import Node

from .service import Service


@pytest.fixture
def service():
    """The units as they are installed, with their sockets listening and nothing of a run before."""
    made = Service()
    made.install()
    made.start_sockets()
    yield made
    made.remove()


@pytest.fixture
def node(tmp_path):
    made = Node(tmp_path / "node")
    yield made
    made.kill()


@pytest.fixture
def session(service, node):
    return Session(service, node)


@pytest.fixture
def scratch():
    folder = Path(os.environ["HOME"]) / "scratch"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
