"""Libraries in C that stand between a program and the kernel."""

import shutil
import subprocess
from pathlib import Path

import pytest


def built(folder, name):
    """The library of `name`.c, for LD_PRELOAD."""
    compiler = shutil.which("clang") or shutil.which("cc")
    if compiler is None:
        pytest.skip("what the kernel says is imitated by a library in C, and there is no compiler")
    library = Path(folder) / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    subprocess.run(
        [compiler, "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl", "-lpthread"], check=True)
    return str(library)
