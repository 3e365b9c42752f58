"""Clocks that a test sets, for one program: see clock.c for what is imitated."""

import shutil
import struct
import subprocess
from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

SECOND = 1_000_000_000


class Clock:
    def __init__(self, folder):
        compiler = shutil.which("clang") or shutil.which("cc")
        if compiler is None:
            pytest.skip("the clocks are set by a library in C, and there is no compiler")
        library = folder / "clock.so"
        subprocess.run(
            [compiler, "-O1", "-shared", "-fPIC", "-o", library,
             Path(__file__).with_name("clock.c"), "-ldl", "-lpthread"], check=True)
        self.file = folder / "clock"
        # Seconds by which the wall clock and the one that counts since the start are off.
        self.wall = self.boot = 0
        self.file.write_bytes(bytes(16))
        self.environment = {"LD_PRELOAD": str(library), "MERO_CLOCK": str(self.file)}

    def write(self):
        # In place: the program has it mapped.
        with open(self.file, "r+b") as file:
            file.write(struct.pack("qq", int(self.wall * SECOND), int(self.boot * SECOND)))

    def set(self, seconds):
        """The wall clock is put forward, or back where it is negative."""
        self.wall += seconds
        self.write()

    def suspend(self, seconds):
        """The machine has slept so long."""
        self.wall += seconds
        self.boot += seconds
        self.write()

    @property
    def now(self):
        """What the wall clock shows."""
        return datetime.now(timezone.utc) + timedelta(seconds=self.wall)
