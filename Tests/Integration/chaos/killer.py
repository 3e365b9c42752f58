"""What befalls the daemon, and when."""

import os
import signal
import threading
import time

from rig.checks.service import SERVICE, systemctl


class Killer(threading.Thread):
    def __init__(self, world, kills):
        super().__init__(daemon=True)
        self.world, self.kills = world, kills
        # When it struck, by the book's clock.
        self.struck = []

    def run(self):
        try:
            for kill in self.kills:
                time.sleep(max(0, kill.at - self.world.book.now()))
                self.strike(kill.how)
                if kill.again:
                    time.sleep(kill.again)
                    self.strike(kill.how)
        except Exception as error:
            self.world.book.fault(f"the killer: {error!r}")
            raise

    def strike(self, how):
        service = self.world.service
        # Asked for before the moment that is waited for.
        pid = service.pid
        if how == "commit":
            self.commit_begins(within=0.4)
        elif how == "told":
            self.world.book.wait_for(is_told, within=0.4)
        elif how.startswith("refresh"):
            self.refresh_begins(within=0.8)
        self.struck.append((self.world.book.now(), how))
        if how in ("restart", "refresh-restart"):
            systemctl("restart", SERVICE)
        elif how == "reload":
            # It is refused where the service is not running at this moment.
            systemctl("reload", SERVICE, check=False)
        else:
            self.send(pid, {"term": signal.SIGTERM, "hang-up": signal.SIGHUP}.get(
                how, signal.SIGKILL))
        self.world.book.note(
            what="strike", how=how, sent=self.struck[-1][0], got=self.world.book.now(),
            status=None, body=None)

    def commit_begins(self, within):
        """Returns when the ledger's log has just been written to, and may not be on the disk."""
        log = self.world.service.state / "ledger.db-wal"
        before, deadline = written(log), time.monotonic() + within
        while written(log) == before and time.monotonic() < deadline:
            time.sleep(0.0002)

    def refresh_begins(self, within):
        """Returns when the node has taken a refresh token, whoever has its answer."""
        node = self.world.node
        before, deadline = node.calls("refresh"), time.monotonic() + within
        while node.calls("refresh") == before and time.monotonic() < deadline:
            time.sleep(0.002)

    def send(self, pid, number):
        if pid == 0:
            return
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass


def written(log):
    try:
        return log.stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def is_told(entry):
    """A request is there, or decided."""
    body = entry["body"] if isinstance(entry["body"], dict) else {}
    return entry["status"] == 201 or body.get("state") in ("approved", "declined")
