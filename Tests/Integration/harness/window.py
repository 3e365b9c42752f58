"""The GTK example on a screen of its own."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from .examples import SYSTEM_PYTHON
from .waiting import until

DRIVER = Path(__file__).with_name("gtk_driver.py")


class Screen:
    """An X server without a monitor."""

    def __init__(self, width=420, height=300):
        self.process = subprocess.Popen(
            ["Xvfb", "-displayfd", "1", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.display = ":" + self.process.stdout.readline().strip()
        self.last = self.look()  # nothing

    def look(self):
        """What is on the screen, as a PNG."""
        return subprocess.run(
            f"xwd -silent -root -display {self.display} | xwdtopnm -quiet | pnmtopng -quiet",
            shell=True, check=True, capture_output=True).stdout

    def picture(self, path):
        """Keeps what is on the screen as soon as it is another picture than the last one."""
        picture = until(lambda: (new := self.look()) != self.last and new, "the screen changes")
        self.last = picture
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)

    def end(self):
        self.process.terminate()
        self.process.wait()


class Window:
    """The example's window. `environment` names the daemon's socket."""

    def __init__(self, home, screen, session, **environment):
        self.out, self.log = home / "window.out", home / "window.log"
        # Whatever the machine's own desktop is: nothing of it takes part.
        plain = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        with open(self.out, "wb") as out, open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [SYSTEM_PYTHON, "-B", str(DRIVER), str(session)], stdout=out, stderr=log,
                env=plain | {
                    "HOME": str(home), "DISPLAY": screen.display, "GDK_BACKEND": "x11",
                    "GSK_RENDERER": "cairo", "GTK_A11Y": "none", "XDG_RUNTIME_DIR": str(home),
                    "GSETTINGS_BACKEND": "memory", "LC_ALL": "C.UTF-8",
                } | environment)

    @property
    def views(self):
        lines = self.out.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def shows(self, state, after=0):
        """Waits for a state; answers what the window shows then."""

        def look():
            assert self.process.poll() is None, self.log.read_text()
            return next((view for view in self.views[after:] if view["state"] == state), None)

        return until(look, f"the window is {state}")

    def press(self):
        self.process.send_signal(signal.SIGUSR1)

    def end(self):
        self.process.terminate()
        self.process.wait()


def ways(home, screen, node, session, environment, folder):
    """Goes the whole way, with a picture of each state in `folder`; answers the views."""
    window = Window(home, screen, session, **environment)
    try:
        window.shows("ready")
        screen.picture(folder / "window-1-ready.png")
        window.press()
        shown = window.shows("code")
        screen.picture(folder / "window-2-code.png")
        window.press()
        window.shows("waiting")
        screen.picture(folder / "window-3-waiting.png")
        # So long that a loop which stands still meanwhile is none that is only slow.
        time.sleep(8)
        rows = [row for row in node.overview["requests"] if row["code"] == shown["code"]]
        assert len(rows) == 1, "the window shows the page's code"
        count = len(window.views)
        node.decide(rows[0]["requestId"], "approve")
        window.shows("ready", after=count)
        screen.picture(folder / "window-4-created.png")
        return window.views
    finally:
        window.end()
