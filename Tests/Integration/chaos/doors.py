"""The ways in which a return comes: as a browser brings it, and as the desktop hands it over."""

import subprocess
from urllib.parse import urlencode

from harness.programs import binaries
from harness.site import NAVIGATION, Site, target
from harness.waiting import PATIENCE
from harness.wire import request_bytes

from rig.checks.service import PORT

CLAIMS = {"approve": "approved", "decline": "declined"}


class Doors:
    def __init__(self, book, api):
        self.book, self.api = book, api
        self.site = Site(PORT)

    def bring(self, door, view, claims, names=None, app=None):
        """Answers what the page or the call said, or None.

        - view: of the request, as its app was told it.
        - claims: what the URL says of the decision.
        - names: the request that the URL names, where that is another.
        """
        query = {"request_id": names or view["requestId"], "result": claims}
        entry = {"requestId": view["requestId"], "door": door, "names": query["request_id"]}
        if door == "ticket":
            return self.browse(target(view["callback"], **query), entry)
        if door == "bare":
            return self.browse(f"/return?{urlencode(query)}", entry)
        url = f"mero-consent://return?{urlencode(query)}"
        if door == "handler":
            return self.hand_over(url, entry)
        if door == "post":
            body = self.api.bytes("POST", "/v1/returns", {"url": url})
            return self.again(
                lambda: self.book.exchange(self.api.socket, body, "POST", what="returns", **entry))
        if door == "app":
            return app.confirm(view["requestId"], url)
        return None

    def again(self, call, tries=5):
        """What was cut is tried again, as a person does who sees an error page."""
        for _ in range(tries):
            entry = call()
            if entry["status"] not in (None, 503, 429):
                break
        return entry

    def visit(self, place, **entry):
        data = request_bytes("GET", place, list(NAVIGATION.items()), host=self.site.host)
        return self.book.exchange(("127.0.0.1", PORT), data, "GET", **entry)

    def browse(self, place, entry):
        entry = self.again(lambda: self.visit(place, what="callback", **entry))
        if entry["status"] != 303:
            return entry
        facts = {name: entry[name] for name in ("requestId", "door", "names")}
        for _ in range(40):
            page = self.again(
                lambda: self.visit(entry["location"], what="page", **facts))
            if page.get("page") != "checking":
                return page
        return page

    def hand_over(self, url, entry):
        sent = self.book.now()
        for _ in range(5):
            done = subprocess.run(
                [binaries() / "mero-consent", "handle", url], capture_output=True, text=True,
                timeout=PATIENCE * 2)
            if done.returncode == 0:
                break
        return self.book.note(
            what="handle", sent=sent, got=self.book.now(), status=done.returncode, body=None,
            said=done.stderr[-500:], **entry)
