"""The programs of Examples/, as a person starts them."""

import json
import os
import re
import subprocess
import sys

from .api import opening
from .programs import ROOT
from .waiting import PATIENCE, until

EXAMPLES = ROOT / "Examples"
# Debian's own interpreter: PyGObject is a package of the system's.
SYSTEM_PYTHON = "/usr/bin/python3"


def session_file(home, node, **fields):
    """The body of `POST /v1/sessions`, as an app has it after its sign-in."""
    path = home / "session.json"
    path.write_text(json.dumps(opening(node, **fields)))
    return path


class Example:
    """A running example whose output is a file."""

    def __init__(self, home, command, environment):
        self.out = home / "example.out"
        with open(self.out, "wb") as out:
            self.process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, env=dict(os.environ) | environment)

    @property
    def text(self):
        return self.out.read_text()

    def says(self, pattern):
        """Waits for a line, and answers what its group matched."""

        def look():
            # In this order: it may end right after the line.
            is_over = self.process.poll() is not None
            found = re.search(pattern, self.text, re.MULTILINE)
            if not found and is_over:
                raise AssertionError(f"it ended without {pattern}:\n{self.text}")
            return found

        return until(look, pattern)[1]

    def end(self):
        return self.process.wait(PATIENCE)

    def kill(self):
        self.process.kill()
        self.process.wait()


def python(program, *arguments):
    return [sys.executable, "-B", EXAMPLES / "python" / program, *arguments]


def shell(program, *arguments):
    return ["bash", EXAMPLES / "shell" / program, *arguments]
