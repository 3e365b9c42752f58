"""Programs that rows are measured against, and what to say where one is missing."""

import shutil


class MissingPeer(Exception):
    """A row cannot be measured here; the text says what is missing."""


def program(name):
    """The path of an installed program."""
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if not found:
        raise MissingPeer(f"there is no {name}")
    return found
