"""Looks for secrets where none may be: the record, the configuration, the runtime directory, the
journal, and what a crash leaves."""

import re
import subprocess

# Access tokens, refresh tokens and invite tokens of a development node, and our own made-up ones,
# whole or cut off at the end.
SECRETS = re.compile(
    rb"eyJhbGciOiJIUzI1NiIs[\w-]+\.[\w.-]{8,}|refresh-[0-9a-f]{8,}|invite-[0-9a-f]{8,}"
    rb"|made-up-invite-[\w-]+")
RUNTIME = {"api.sock", "api.sock.lock", "callback", "sessions"}


def in_bytes(data, keys):
    """What of it is secret; `keys` are those of sessions, as bytes."""
    found = [match.group() for match in SECRETS.finditer(data)]
    return found + [key for key in keys if key in data]


def in_folder(folder, keys, but=()):
    """A sentence for each file with a secret, the ones in `but` passed over."""
    faults = []
    for path in sorted(folder.rglob("*")):
        try:
            if path.is_symlink() or not path.is_file() or path in but:
                continue
            found = in_bytes(path.read_bytes(), keys)
        except FileNotFoundError:
            continue
        if found:
            faults.append(f"{path} has a secret: {found[0][:24]!r}…")
    return faults


def in_runtime(folder, keys, published=()):
    """The runtime directory has what is documented, and keys only where they are published."""
    faults = [f"{path} is not documented" for path in folder.iterdir() if path.name not in RUNTIME]
    allowed = {folder / "sessions" / name for name in published}
    for path in (folder / "sessions").glob("*"):
        if path not in allowed:
            faults.append(f"{path} is nobody's session")
    return faults + in_folder(folder, keys, allowed)


class Journal:
    """What the service and its manager said since the last look."""

    def __init__(self, cursor):
        self.cursor = cursor

    def read(self):
        return subprocess.run(
            ["journalctl", "--user", "-q", "-o", "export", "--all",
             f"--cursor-file={self.cursor}"], capture_output=True, timeout=60).stdout


def in_journal(text, keys):
    return [f"the journal has a secret: {found[:24]!r}…" for found in in_bytes(text, keys)]


def complaints(text):
    """Records of the daemon that are errors: nothing here is one."""
    faults = []
    for record in text.split(b"\n\n"):
        lines = dict(line.split(b"=", 1) for line in record.split(b"\n") if b"=" in line)
        if lines.get(b"SYSLOG_IDENTIFIER") == b"mero-consentd" and lines.get(
                b"PRIORITY", b"6") <= b"3":
            faults.append(f"the daemon complained: {lines.get(b'MESSAGE')!r}")
        if lines.get(b"_SYSTEMD_USER_UNIT") == b"mero-consentd.service" and re.search(
                rb"Fatal error|Sanitizer|precondition", lines.get(b"MESSAGE", b"")):
            faults.append(f"the daemon trapped: {lines.get(b'MESSAGE')!r}")
    return faults
