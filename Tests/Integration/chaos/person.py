"""The person: sees codes and pages, decides at the node, and comes back, or not."""

import threading
import time
from urllib.error import HTTPError

from .doors import CLAIMS


class Person:
    def __init__(self, world, visits):
        self.world, self.visits = world, visits
        self.lock = threading.Lock()
        self.threads = []
        self.seen = []

    def sees(self, app, view):
        """An app shows a request."""
        with self.lock:
            visit = self.visits[len(self.seen) % len(self.visits)]
            self.seen.append(view)
            thread = threading.Thread(target=self.go, args=(app, view, visit), daemon=True)
            self.threads.append(thread)
        thread.start()

    def finish(self, within):
        deadline = time.monotonic() + within
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))
            if thread.is_alive():
                self.world.book.fault("the person did not come back in time")

    def go(self, app, view, visit):
        try:
            self.visit(app, view, visit)
        except Exception as error:
            self.world.book.fault(f"the person: {error!r}")
            raise

    def visit(self, app, view, visit):
        doors = self.world.doors
        claims = CLAIMS.get(visit.decision, "approved")
        if visit.early:
            doors.bring(visit.door, view, claims, app=app)
        time.sleep(visit.delay)
        self.decide(view["requestId"], visit.decision)
        if visit.forged in ("request", "both"):
            other = next(
                (seen["requestId"] for seen in reversed(self.seen)
                 if seen["requestId"] != view["requestId"]), "nobody")
            doors.bring(visit.door, view, claims, names=other, app=app)
        time.sleep(visit.late)
        if visit.decision == "nothing" and not visit.early:
            return
        if visit.forged in ("result", "both"):
            claims = "declined" if claims == "approved" else "approved"
        doors.bring(visit.door, view, claims, app=app)
        if visit.twice:
            doors.bring(visit.door, view, claims, app=app)

    def decide(self, request_id, decision):
        node = self.world.node
        try:
            if decision in CLAIMS:
                node.decide(request_id, decision)
            elif decision == "replace":
                node.control("replace", requestId=request_id)
        except HTTPError as error:
            # Replaced or expired meanwhile: the page says so.
            if error.code not in (409, 410):
                raise
