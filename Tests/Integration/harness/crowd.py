"""Many clients at once, and what they cost the program that serves them."""

import contextlib
import os
import resource
import time

import pytest

from .wire import Closed, Connection


@contextlib.contextmanager
def many_descriptors(count=4096):
    """This process may hold a crowd's connections."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, before[1]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


class Crowd:
    """Connections that are fed and read as far as their peer takes it, one after another."""

    def __init__(self):
        self.connections = []
        self.unsent = {}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self.connections)

    def add(self, address, data=b""):
        """A connection that is to send `data`. Nothing waits for it."""
        connection = Connection(address)
        connection.socket.setblocking(False)
        self.connections.append(connection)
        if data:
            self.unsent[connection] = memoryview(data)
        return connection

    def send(self, within=60):
        """Sends what everybody has to say, until all is taken, refused, or not being taken."""
        end = time.monotonic() + within
        while self.unsent and time.monotonic() < end:
            if not any([self._send_some(connection) for connection in list(self.unsent)]):
                time.sleep(0.01)

    def _send_some(self, connection):
        data = self.unsent[connection]
        try:
            data = data[connection.socket.send(data[:65536]):]
        except BlockingIOError:
            return False
        except OSError:
            # It was refused, and closed.
            data = data[:0]
        self.unsent[connection] = data
        if not data:
            del self.unsent[connection]
        return True

    def answers(self):
        """Each connection's answer; None for one that was cut without one."""
        for connection in self.connections:
            connection.socket.settimeout(60)
            try:
                yield connection.answer()
            except (Closed, ConnectionError):
                yield None

    def close(self):
        for connection in self.connections:
            connection.close()
        self.connections, self.unsent = [], {}


KIB = 1024
MIB = 1024 * KIB


class Memory:
    """What a program's memory is at this moment, in bytes."""

    def __init__(self, pid):
        try:
            rollup = self._fields(f"/proc/{pid}/smaps_rollup")
        except PermissionError:
            pytest.skip("only root sees the memory of a process that is not dumpable")
        status = self._fields(f"/proc/{pid}/status")
        # Its own alone.
        self.private = rollup["Private_Clean"] + rollup["Private_Dirty"]
        # The most that was in memory at any time, without the files of its code: those pages the
        # kernel drops and reads again as it likes.
        self.peak = status["VmHWM"] - status["RssFile"]
        self.threads = status["Threads"] // KIB

    def __repr__(self):
        return f"private {self.private >> 10} KiB, peak {self.peak >> 10} KiB, {self.threads} threads"

    @staticmethod
    def _fields(path):
        fields = {}
        with open(path) as file:
            for line in file:
                name, _, value = line.partition(":")
                if value.split() and value.split()[0].isdigit():
                    fields[name] = int(value.split()[0]) * KIB
        return fields


def processor_seconds(pid):
    """Processor time that a process has used so far."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
