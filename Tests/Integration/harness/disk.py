"""File systems that fill up, that nobody may write to, or that fail. Only root can mount one."""

import ctypes
import os
import shutil
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


class Disk:
    """One that is mounted at `folder`."""

    def __init__(self, folder):
        self.folder = folder

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


class SmallDisk(Disk):
    def __init__(self, folder, kilobytes=1024):
        super().__init__(folder)
        folder.mkdir()
        mounted = take_own_mounts() and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k,mode=0700", "tmpfs", folder]
        ).returncode == 0
        if not mounted:
            pytest.skip("a full disk is made with a small tmpfs, which only root mounts")

    def remount(self, how):
        """`ro` or `rw`. `ro` only while nobody has a file open for writing."""
        subprocess.run(["mount", "-o", f"remount,{how}", self.folder], check=True)

    def close(self):
        subprocess.run(["umount", "-l", self.folder])


class FailingDisk(Disk):
    """A file system that the kernel makes read-only while it is in use, as it does after a fault of
    the disk below it."""

    def __init__(self, folder):
        super().__init__(folder)
        folder.mkdir()
        self.image = folder.with_suffix(".img")
        with open(self.image, "wb") as file:
            file.truncate(16 << 20)
        made = take_own_mounts() and shutil.which("mkfs.ext4") and subprocess.run(
            ["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", self.image]
        ).returncode == 0
        if not made or not self.mount():
            pytest.skip("a failing disk is an ext4 in a file, which only root mounts, on a loop device")
        folder.chmod(0o700)

    def mount(self):
        return subprocess.run(["mount", "-o", "loop", self.image, self.folder]).returncode == 0

    def fail(self):
        """There is no way back but to unmount it (ext4(5), `abort`)."""
        subprocess.run(["mount", "-o", "remount,abort", self.folder], check=True)

    def repair(self):
        """While nobody uses it."""
        subprocess.run(["umount", self.folder], check=True)
        # 1: errors were mended.
        assert subprocess.run(["e2fsck", "-fy", self.image], capture_output=True).returncode in (0, 1)
        assert self.mount()

    def close(self):
        subprocess.run(["umount", "-l", self.folder])


def fill_to_the_last(disk, daemon):
    """Also the room that the log of the record has taken: what follows cannot be written."""
    connection = sqlite3.connect(daemon.record)
    busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    assert not busy
    disk.fill()
    connection.close()
