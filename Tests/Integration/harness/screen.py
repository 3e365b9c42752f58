"""A program at a terminal: a pseudo-terminal with a person in front of it."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from .programs import binaries
from .waiting import PATIENCE


class Screen:
    """Runs `mero-consent` with all three streams at one terminal."""

    def __init__(self, command, *words, columns=80, **environment):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(
            [binaries() / "mero-consent", *map(str, words), *command.socket],
            env=command.environment | environment, stdin=slave, stdout=slave, stderr=slave,
            cwd=command.home, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(slave)
        self.raw = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def read(self, seconds):
        """Takes what comes within `seconds`; false at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        try:
            piece = os.read(self.master, 4096)
        except OSError:
            return False
        self.raw += piece.decode(errors="replace")
        return bool(piece)

    @property
    def text(self):
        """Without colours, and without what was written over."""
        plain = re.sub(r"\x1b\[[0-9;]*[mK]", "", self.raw.replace("\r\n", "\n"))
        return "\n".join(line.rsplit("\r", 1)[-1] for line in plain.split("\n"))

    @property
    def shows_what_is_typed(self):
        return bool(termios.tcgetattr(self.master)[3] & termios.ECHO)

    def until(self, words):
        deadline = time.monotonic() + PATIENCE
        while words not in self.text:
            if not self.read(0.2) or time.monotonic() > deadline:
                raise AssertionError(f"“{words}” did not appear:\n{self.text}")

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        """Reads on to the end; answers the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self.read(0.2):
            assert time.monotonic() < deadline, self.text
        return self.process.wait(PATIENCE)
