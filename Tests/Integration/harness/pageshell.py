"""One shell for the blocks of one page, as a reader has it open beside the page."""

import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.request
from pathlib import Path

from .examples import EXAMPLES
from .ports import free_port
from .programs import binaries
from .waiting import PATIENCE, until

# The callback's port as the pages write it: each run takes a free one.
USUAL_PORT = "17463"


class PageShell:
    """Variables, functions and background jobs of a block are there for the next one."""

    def __init__(self, home, **environment):
        self.home, self.count, self.port = home, 0, free_port()
        config = home / "config" / "mero-consent"
        config.mkdir(parents=True)
        (config / "mero-consentd.conf").write_text(f"[Callback]\nCallbackPort={self.port}\n")
        # The pages are read in a clone.
        (home / "Examples").symlink_to(EXAMPLES)
        (home / ".build").mkdir()
        (home / ".build" / "debug").symlink_to(binaries())
        # Its progress is for a terminal.
        (home / ".curlrc").write_text("silent\nshow-error\n")
        self.process = subprocess.Popen(
            ["bash", "--norc"], stdin=subprocess.PIPE, cwd=home, start_new_session=True,
            stdout=open(home / "shell.out", "wb"), stderr=subprocess.STDOUT, text=True,
            env={
                "PATH": f"{binaries()}:{os.environ['PATH']}", "HOME": str(home),
                "TMPDIR": str(home), "LANG": "C.UTF-8", "XDG_CONFIG_HOME": str(home / "config"),
                "XDG_STATE_HOME": str(home / "xdg-state"), "XDG_RUNTIME_DIR": str(home),
            } | environment)
        self.tell("set -eu -o pipefail")

    @property
    def folder(self):
        """Where the shell stands: a page may change it."""
        place = self.home / "shell.pwd"
        return Path(place.read_text().rstrip("\n")) if place.exists() else self.home

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def run(self, block, more="", person=None):
        """Runs a block and answers what it printed. `more` is added at its end; `person` is what
        somebody decides meanwhile."""
        self.count += 1
        name = f"block-{self.count}"
        python = block.language == "python"
        text = block.text.replace(USUAL_PORT, str(self.port)) + more
        (self.home / name).write_text(text)
        out, done = self.home / f"{name}.out", self.home / f"{name}.done"
        call = f"python3 -B {self.home / name}" if python else f"source {self.home / name}"
        self.tell(f"{call} > {out} 2>&1; pwd > {self.home / 'shell.pwd'}; echo yes > {done}")
        stop = threading.Event()
        helper = threading.Thread(target=self.decide, args=(person, stop))
        if person:
            helper.start()

        def ended():
            if self.process.poll() is not None:
                raise AssertionError(
                    f"{block} failed:\n{out.read_text()}{(self.home / 'shell.out').read_text()}")
            return done.exists()

        try:
            until(ended, f"{block} ends", within=2 * PATIENCE)
        finally:
            stop.set()
            if person:
                helper.join()
        return out.read_text()

    def decide(self, decision, stop):
        """Plays the person as soon as a request waits."""
        control = json.loads((self.folder / "node.json").read_text())["control"]
        while not stop.is_set():
            request = urllib.request.Request(
                f"{control}/decide", json.dumps({"decision": decision}).encode(),
                {"Content-Type": "application/json"})
            try:
                urllib.request.urlopen(request, timeout=PATIENCE).close()
                return
            except urllib.error.HTTPError:
                time.sleep(0.02)  # nobody has asked yet

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.stdin.close()
        self.process.wait(PATIENCE)


def matches(shown, printed):
    """Whether `printed` ends with `shown`, in which `…` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in shown.strip().split("…"))
    return re.search(pattern + r"\s*\Z", printed) is not None
