"""The daemon's configuration, as a person writes it."""

import os
from pathlib import Path


def folder(daemon):
    """`$XDG_CONFIG_HOME/mero-consent`."""
    return Path(daemon.environment["XDG_CONFIG_HOME"]) / "mero-consent"


def write(path, text, mode=0o600):
    """Writes a file with exactly this mode."""
    path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
    path.write_text(text)
    os.chmod(path, mode)
    return path


def configure(daemon, text):
    """The main file."""
    return write(folder(daemon) / "mero-consentd.conf", text)


def drop_in(daemon, name, text):
    return write(folder(daemon) / "mero-consentd.conf.d" / name, text)


def session(name, node, **keys):
    """A section for a session with a development node; `keys` overrule, None leaves out."""
    keys = {
        "Node": node.ready["url"], "Package": node.ready["package"],
        "Account": node.ready["account"], "Origin": " ".join(node.ready["origins"]),
        "ReturnTo": node.ready["returnTo"], "TransportKey": node.ready["transportKey"],
    } | keys
    lines = [f"{key}={value}" for key, value in keys.items() if value is not None]
    return "\n".join([f"[Session {name}]", *lines, ""])


def release(name, registers, **keys):
    """A section for an image; `registers` by their names in lower case."""
    keys = {register.upper(): value for register, value in registers.items()} | keys
    return "\n".join([f"[Release {name}]", *(f"{key}={value}" for key, value in keys.items()), ""])


def published(daemon, name):
    """The file with the key of a configured session."""
    return daemon.runtime / "mero-consent" / "sessions" / name
