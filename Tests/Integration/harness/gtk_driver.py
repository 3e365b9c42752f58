"""Runs the GTK example for a test: `gtk_driver.py SESSION.json`, by the system's Python.

Tells each state of the window as a line of JSON, with the longest time for which GTK's loop stood
still since the last one. SIGUSR1 presses the window's button.
"""

import importlib.util
import json
import signal
import sys
import time
from pathlib import Path

from gi.repository import GLib

SOURCE = Path(__file__).resolve().parents[3] / "Examples" / "gtk4" / "organizations.py"
BEAT = 10  # milliseconds


def load():
    spec = importlib.util.spec_from_file_location("organizations", SOURCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Driver:
    def __init__(self):
        self.app, self.gap, self.last = None, 0.0, time.monotonic()

    def beat(self):
        now = time.monotonic()
        self.gap, self.last = max(self.gap, now - self.last), now
        return True

    def tell(self, window):
        self.beat()
        view = {"state": window.state, "text": window.text.get_label(),
                "code": window.code.get_label(), "stoodStill": self.gap}
        print(json.dumps(view), flush=True)
        self.gap = 0.0

    def press(self):
        self.app.window.button.emit("clicked")
        return True


def main():
    module, driver = load(), Driver()

    class Watched(module.Window):
        def show_state(self, *words):
            super().show_state(*words)
            driver.tell(self)

    module.Window = Watched
    driver.app = module.App(json.loads(Path(sys.argv[1]).read_text()))
    GLib.timeout_add(BEAT, driver.beat)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, driver.press)
    sys.exit(driver.app.run())


if __name__ == "__main__":
    main()
