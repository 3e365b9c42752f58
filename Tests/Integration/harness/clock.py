"""Clocks that a test sets, for one program: see clock.c for what is imitated."""

import struct
from datetime import datetime, timedelta, timezone

from .preload import built

SECOND = 1_000_000_000


class Clock:
    def __init__(self, folder):
        library = built(folder, "clock")
        self.file = folder / "clock"
        # Seconds by which the wall clock and the one that counts since the start are off.
        self.wall = self.boot = 0
        self.file.write_bytes(bytes(16))
        self.environment = {"LD_PRELOAD": library, "MERO_CLOCK": str(self.file)}

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
