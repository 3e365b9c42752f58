"""What everybody was told, and what was asked for: each call with its answer, or that none came."""

import json
import threading
import time

from harness.site import state
from harness.waiting import PATIENCE
from harness.wire import Closed, exchange

# The process that had the connection is gone. An app repeats its call, where that is safe.
CUT = (Closed, ConnectionResetError, BrokenPipeError)


class Book:
    """Everything of one round, in the order in which it was written down."""

    def __init__(self):
        self.entries = []
        self.faults = []
        self.lock = threading.Condition()
        self.began = time.monotonic()

    def now(self):
        return round(time.monotonic() - self.began, 6)

    def fault(self, text):
        with self.lock:
            self.faults.append(text)

    def note(self, **entry):
        with self.lock:
            entry["n"] = len(self.entries)
            self.entries.append(entry)
            self.lock.notify_all()
        return entry

    def wait_for(self, condition, within):
        """Returns as soon as somebody is told something of this kind, or when the time is up."""
        with self.lock:
            seen, deadline = len(self.entries), time.monotonic() + within
            while not any(map(condition, self.entries[seen:])):
                if not self.lock.wait(deadline - time.monotonic()):
                    return

    def exchange(self, address, data, method, **entry):
        """One call. Answers the entry, whose `status` is None where no answer came."""
        entry |= {"sent": self.now(), "status": None, "body": None}
        answer = None
        try:
            answer = exchange(address, data, method)
        except CUT as error:
            entry["cut"] = type(error).__name__
        except TimeoutError:
            self.fault(f"no answer within {PATIENCE} s: {entry}")
        except OSError as error:
            # Its sockets are the manager's: whatever becomes of the daemon, they take us.
            self.fault(f"refused, {error!r}: {entry}")
        entry["got"] = self.now()
        if answer is not None:
            entry["status"] = answer.status
            kind = answer["Content-Type"] or ""
            if "json" in kind:
                entry["body"] = answer.json()
            elif "html" in kind:
                entry["page"] = state(answer)
            entry["etag"], entry["location"] = answer["ETag"], answer["Location"]
        return self.note(**entry)


class Caller:
    """One session's calls, written down."""

    def __init__(self, book, api, app):
        self.book, self.api, self.app = book, api, app
        self.session = None

    def call(self, what, method, path, body=None, headers=(), **more):
        data = self.api.bytes(method, path, body, headers)
        return self.book.exchange(
            self.api.socket, data, method, what=what, app=self.app, session=self.session, **more)


def write(entries, path):
    with open(path, "w") as file:
        for entry in entries:
            file.write(json.dumps(entry) + "\n")
