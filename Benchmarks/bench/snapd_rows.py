"""The local API against snapd's: two services that answer JSON over a Unix socket.

snapd runs out of its unpacked package, with a root of its own and no network: it is not installed,
mounts nothing and asks no store."""

import subprocess
import time
from pathlib import Path

from harness.api import API
from harness.programs import ROOT, Daemon
from harness.waiting import until

from . import load, machine
from .http_rows import compare, ratio
from .peers import MissingPeer
from .results import Row, judged

PROGRAM = ROOT / "build" / "bench" / "snapd" / "usr" / "lib" / "snapd" / "snapd"


class Snapd:
    def __init__(self, home):
        if not PROGRAM.exists():
            raise MissingPeer("the Debian package snapd was not unpacked")
        root = home / "root"
        (root / "run").mkdir(parents=True)
        self.socket = str(root / "run" / "snapd.socket")
        self.log = home / "snapd.log"
        # unshare, env and taskset become what they start: the process id is snapd's.
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                machine.pinned(
                    machine.SERVER, "unshare", "--map-root-user", "--net", "env", "-i",
                    f"SNAPPY_GLOBAL_ROOT={root}", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", PROGRAM),
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            until(self.answers, "snapd answers")
        except BaseException:
            self.stop()
            raise

    def answers(self):
        if self.process.poll() is not None:
            raise MissingPeer(f"snapd does not start: {self.log.read_text()[-200:].strip()}")
        return Path(self.socket).exists() and API(self.socket).get("/v2/system-info").status == 200

    def stop(self):
        self.process.kill()
        self.process.wait(10)


def request(home, name, target):
    file = home / name
    file.write_text(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return file


def rows(home, settings):
    snapd = Snapd(home / "snapd")
    try:
        daemon = Daemon(home / "daemon", log_level="info")
        daemon.arguments = machine.pinned(machine.SERVER, *daemon.arguments)
        daemon.start()
        try:
            # snapd prepares itself for a few seconds after its first answer.
            time.sleep(5)
            ours = load.Target(
                daemon.pid, request(home, "status", "/v1/status"), unix=daemon.socket)
            peer = load.Target(
                snapd.process.pid, request(home, "system-info", "/v2/system-info"),
                unix=snapd.socket)
            for connections in (1, 64):
                yield row(connections, compare(ours, peer, connections, settings))
        finally:
            daemon.stop()
    finally:
        snapd.stop()


def row(connections, found):
    mine, its = found["apart"]
    result = Row(
        f"GET /v1/status, {connections} conn.", "GET /v1/status", "snapd, GET /v2/system-info",
        ">= 8", details=found,
        note=(
            f"{mine['perSecond']:,.0f} of {its['perSecond']:,.0f}/s; on one CPU "
            f"{ratio(found['together'], 'perSecond'):.2f}; CPU {mine['cpuMicroseconds']:.1f} of "
            f"{its['cpuMicroseconds']:.1f} us"))
    return judged(result, mine["perSecond"] / its["perSecond"], least=8)
