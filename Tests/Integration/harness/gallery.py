"""Brings the real programs into every state that has a page, to look at it and to test it.

Where states would get in each other's way (an account has one open request, a node misbehaves
towards everybody), each has a node of its own; nodes are cheap.
"""

import os
from urllib.parse import urlencode

from .api import Session, path
from .others import Door
from .site import state

# More knocks than the callback's site takes at once.
KNOCKS = 100


class Gallery:
    """`daemon` runs; `start_node` answers a new node each time that it is called."""

    def __init__(self, daemon, start_node):
        self.daemon, self.site = daemon, daemon.site
        self.start_node, self.nodes = start_node, []
        self.address = f"http://{self.site.host}"
        self.main = self.pair()
        self.door = None
        self.addresses = {}

    def pair(self, *options):
        node = self.start_node(*options)
        self.nodes.append(node)
        return node, Session(self.daemon, node)

    @staticmethod
    def returning(view, request_id=None, result="approved"):
        query = urlencode({"request_id": request_id or view["requestId"], "result": result})
        return f"{view['callback']}?{query}"

    def decided(self, decision, state):
        node, session = self.main
        view = session.start()
        node.decide(view["requestId"], decision)
        session.decided(view["requestId"], state)
        return self.returning(view)

    # MARK: Pages of the callback. Each answers the address to open.

    def checking(self):
        """For 8 seconds after it was opened."""
        node, session = self.pair()
        view = session.start()
        node.misbehave("never-answers", on="result", times="forever")
        return self.returning(view)

    def approved(self):
        return self.decided("approve", "approved")

    def declined(self):
        return self.decided("decline", "declined")

    def not_decided(self):
        _, session = self.pair()
        return self.returning(session.start())

    def mismatch(self):
        return self.returning(self.main[1].start(), request_id="somebody-elses")

    def replaced(self):
        _, session = self.main
        view = session.start()
        session.start()
        session.decided(view["requestId"], "replaced")
        return self.returning(view)

    def expired(self):
        """By time: a request that a node has forgotten too early was replaced."""
        _, session = self.pair("--ttl", "1")
        view = session.start()
        session.decided(view["requestId"], "expired")
        return self.returning(view)

    def cancelled(self):
        _, session = self.main
        view = session.start()
        assert session.delete(path(view["requestId"])).status == 200
        return self.returning(view)

    def not_confirmed(self):
        node, session = self.pair()
        view = session.start()
        node.misbehave("status", on="result", times="forever")
        return self.returning(view)

    def unknown(self):
        return f"{self.address}/return/{'A' * 32}?request_id=x"

    def malformed(self):
        return f"{self.address}/return?request_id=%ZZ"

    def not_found(self):
        return f"{self.address}/elsewhere"

    def refused(self):
        """By a name that browsers take for this machine, and that is none of the daemon's."""
        return f"http://other.localhost:{self.site.port}/return?request_id=x"

    def another_user(self):
        """Takes root's rights, as whom everything here runs then."""
        self.door = self.door or Door(self.site.port)
        return f"{self.door.address}/return?request_id=x"

    def limited(self):
        def knock():
            return state(self.site.get("/return?request_id=nobodys")) == "limited"

        assert any(knock() for _ in range(KNOCKS))
        return f"{self.address}/return?request_id=nobodys"

    callback_pages = {
        "checking": checking, "approved": approved, "declined": declined,
        "not-decided": not_decided, "mismatch": mismatch, "replaced": replaced,
        "expired": expired, "cancelled": cancelled, "not-confirmed": not_confirmed,
        "unknown": unknown, "malformed": malformed, "refused": refused,
        "not-found": not_found, "limited": limited,
    }
    if os.geteuid() == 0:
        callback_pages["another-user"] = another_user

    # MARK: Pages of the development node

    def asked(self):
        return self.pair()[1].start()["url"]

    def asked_for_much(self):
        """Long words and many fields."""
        return self.pair()[1].start({
            "kind": "setMemberTeams", "org": "a" * 64, "account": "b" * 64,
            "teams": [{"team": "c" * 64, "role": "admin", "capabilities": 1023},
                      {"team": "Reading group", "role": "member"}]})["url"]

    def node_unknown(self):
        return f"{self.main[0].ready['url']}/consent/no-such"

    def node_replaced(self):
        _, session = self.main
        view = session.start()
        session.start()
        return view["url"]

    def node_expired(self):
        node, session = self.main
        view = session.start()
        node.control("expire", requestId=view["requestId"])
        return view["url"]

    def node_decided(self):
        node, session = self.main
        view = session.start()
        node.decide(view["requestId"])
        return view["url"]

    def no_callback(self):
        return f"{self.main[0].ready['url']}/app/1.0.0/?request_id=x&result=approved"

    def open_app(self):
        query = urlencode({
            "request_id": "x", "result": "approved", "callback": "mero-consent://return"})
        return f"{self.main[0].ready['url']}/app/1.0.0/?{query}"

    node_pages = {
        "undecided": asked, "undecided-long": asked_for_much, "unknown": node_unknown,
        "replaced": node_replaced, "expired": node_expired, "decided": node_decided,
        "no-callback": no_callback, "open-app": open_app,
    }

    # MARK: Showing one

    # They do not last: the way there has to be gone each time.
    PASSING = {"checking", "limited"}

    def show(self, tab, name, of="callback"):
        """Opens the page in `tab` and waits until it is there."""
        pages = self.callback_pages if of == "callback" else self.node_pages
        if (of, name) not in self.addresses or name in self.PASSING:
            self.addresses[of, name] = pages[name](self)
        assert tab.open(self.addresses[of, name]) is None
        tab.until_state(name.removesuffix("-long"))
        # It stays as it is, to be looked at: `checking` would go on every two seconds.
        tab.call("Page.stopLoading")
