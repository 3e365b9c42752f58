"""A small file system that fills up, or that nobody may write to. Only root can mount one."""

import ctypes
import os
import sqlite3
import subprocess

import pytest

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNS, MS_REC, MS_PRIVATE = 0x20000, 0x4000, 1 << 18
own_mounts = False


def take_own_mounts():
    """What is mounted from now on is seen by this process and its children alone, and goes with
    them, however they end."""
    global own_mounts
    if not own_mounts:
        own_mounts = (os.geteuid() == 0 and libc.unshare(CLONE_NEWNS) == 0
                      and libc.mount(b"none", b"/", None, MS_REC | MS_PRIVATE, None) == 0)
    return own_mounts


class SmallDisk:
    def __init__(self, folder, kilobytes=1024):
        self.folder = folder
        folder.mkdir()
        mounted = take_own_mounts() and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0700", "tmpfs", folder]
        ).returncode == 0
        if not mounted:
            pytest.skip("a full disk is made with a small tmpfs, which only root mounts")

    def fill(self, leaving=0):
        """Takes every byte, but for `leaving`."""
        with open(self.folder / "filler", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 512)
            except OSError:
                pass
            if leaving:
                file.truncate(os.path.getsize(file.name) - leaving)

    def free(self):
        (self.folder / "filler").unlink()

    def remount(self, how):
        """`ro` or `rw`. `ro` only while nobody has a file open for writing."""
        subprocess.run(["mount", "-o", f"remount,{how}", self.folder], check=True)

    def close(self):
        subprocess.run(["umount", "-l", self.folder])


def fill_to_the_last(disk, daemon):
    """Also the room that the log of the record has taken: what follows cannot be written."""
    connection = sqlite3.connect(daemon.record)
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert not busy
    disk.fill()
    connection.close()
