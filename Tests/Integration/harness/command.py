"""`mero-consent` as a person or a script uses it."""

import json
import subprocess
from dataclasses import dataclass

from .programs import binaries
from .waiting import PATIENCE


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one document on standard output."""
        assert self.out.count("\n") == 1, self
        return json.loads(self.out)


class Command:
    """Runs the program with the daemon's socket and an environment of its own."""

    def __init__(self, home, daemon=None, runtime=None):
        self.home = home
        self.runtime = daemon.runtime if daemon else runtime or home
        self.socket = ["--socket", daemon.socket] if daemon else []
        self.environment = {
            "HOME": str(home), "XDG_RUNTIME_DIR": str(self.runtime), "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8", "TERM": "xterm",
        }

    def start(self, *words, stdin=subprocess.DEVNULL, **more):
        return subprocess.Popen(
            [binaries() / "mero-consent", *map(str, words)], env=self.environment, stdin=stdin,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.home, **more)

    def plain(self, *words, text=None):
        """Runs it without the socket's option."""
        process = self.start(*words, stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL)
        try:
            out, err = process.communicate(text.encode() if text is not None else None, PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        return Ended(process.returncode, out.decode(), err.decode())

    def __call__(self, *words, text=None):
        return self.plain(*words, *self.socket, text=text)

    def private_file(self, name, content, mode=0o600):
        path = self.home / name
        path.write_text(content)
        path.chmod(mode)
        return path

    def add(self, name, node, **fields):
        """`session add` with the development node's tokens; options as in `fields`."""
        ready = node.ready
        token = self.private_file(f"{name}.token", ready["accessToken"] + "\n")
        refresh = self.private_file(f"{name}.refresh", ready["refreshToken"] + "\n")
        options = {
            "node": ready["url"], "package": ready["package"], "token-file": token,
            "refresh-token-file": refresh, "transport-key": ready["transportKey"],
            "origin": ready["origins"][0], "return-to": ready["returnTo"],
        } | {name.replace("_", "-"): value for name, value in fields.items()}
        words = [word for name, value in options.items() if value is not None
                 for word in ([f"--{name}"] if value is True else [f"--{name}", value])]
        return self("session", "add", name, *words)
