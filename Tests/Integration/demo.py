#!/usr/bin/env python3
"""Shows the main job with the real programs: `make demo`.

A node for development and the daemon start on free ports in a temporary home; an app asks for
consent, a person decides in a browser, and the app receives what the daemon has verified. Then
what goes wrong goes wrong, and each time the app is told so by its code. Whatever is not as it
has to be ends the demo with an error.
"""

import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

from harness import browser
from harness.api import Session, path
from harness.programs import Daemon, Node


def say(text=""):
    print(text, flush=True)


def show(view, *names):
    say(json.dumps({name: view[name] for name in names if name in view}, indent=2))


class Demo:
    def __init__(self, home):
        self.node = Node(home / "node")
        self.daemon = Daemon(home / "daemon", log_level="info")

    def stop(self):
        for program in (self.daemon, self.node):
            if program.is_running:
                code = program.stop()
                assert code == 0, f"{program.name} ended with {code}:\n{program.log}"

    def run(self):
        self.daemon.start()
        self.app = Session(self.daemon, self.node)
        say(f"node    {self.node.ready['url']}")
        say(f"daemon  {self.daemon.socket}")
        org = self.approved()
        self.declined(org)
        self.mismatched()
        self.too_early()
        self.replaced()

    def ask(self, **request):
        """The app asks; the node's served page will pass the return on to the app's callback."""
        say(f"  app      POST /v1/requests {shortened(json.dumps({'request': request}))}")
        view = self.app.start(request)
        self.node.control("callback", requestId=view["requestId"], url=view["callback"])
        return view

    def decide(self, view, decision):
        """The person compares the code, presses a button, and is brought back."""
        page = browser.open_page(view["url"])
        say(f"  app      shows the code {view['code']}")
        say(f"  browser  “{page.heading}” The code: {page.code}")
        assert page.code == view["code"]
        page = browser.press(page, decision)
        say(f"  person   presses {decision.capitalize()}")
        for hop in page.hops[1:]:
            say(f"  browser  → {shortened(hop)}")
        say(f"  browser  “{page.heading}”")
        return page

    def approved(self):
        say("\n1. The app asks for an organization, and the person approves.")
        view = self.ask(kind="createOrg", name="Acme")
        page = self.decide(view, "approve")
        assert page.state == "approved", page.text
        view = self.app.decided(view["requestId"], "approved")
        say("  app      receives, verified:")
        show(view, "kind", "state", "decision", "outcome", "changesOrganizations", "lastReturn")
        assert view["lastReturn"]["code"] == "OK"
        return view["outcome"]["orgId"]

    def declined(self, org):
        say("\n2. It asks for an invite, and the person declines.")
        view = self.ask(kind="createInvite", org=org, role="member", uses=1)
        page = self.decide(view, "decline")
        assert page.state == "declined", page.text
        view = self.app.decided(view["requestId"], "declined")
        say("  app      receives, verified:")
        show(view, "kind", "state", "decision", "lastReturn")
        assert "outcome" not in view

    def mismatched(self):
        say("\n3. A return names another request than the app's.")
        view = self.ask(kind="renameOrg", org="0" * 64, name="Other")
        self.come_back(view, "somebody-elses", "mismatch", "CONSENT_REQUEST_MISMATCH")

    def too_early(self):
        say("\n4. A return says “approved” before anybody has decided.")
        view = self.ask(kind="renameOrg", org="0" * 64, name="Other")
        self.come_back(view, view["requestId"], "not-decided", "CONSENT_NOT_DECIDED")
        self.early = view

    def replaced(self):
        say("\n5. A newer request of the same account takes the place of that one.")
        self.ask(kind="createOrg", name="Newer")
        view = self.app.decided(self.early["requestId"], "replaced")
        show(view, "kind", "state")
        answer = self.app.post(
            path(view["requestId"], "/return"),
            {"url": f"{view['callback']}?request_id={view['requestId']}&result=approved"})
        code = answer.json()["code"]
        say(f"  app      POST /v1/requests/{{id}}/return → {answer.status} {code}")
        assert code == "CONSENT_REPLACED"

    def come_back(self, view, named, state, code):
        page = browser.open_page(f"{view['callback']}?request_id={named}&result=approved")
        say(f"  browser  “{page.heading}”")
        assert page.state == state, page.text
        view = self.app.request(view["requestId"])
        say("  app      sees:")
        show(view, "kind", "state", "lastReturn")
        assert view["state"] == "started" and view["lastReturn"]["code"] == code


def shortened(text):
    return text if len(text) <= 80 else text[:79] + "…"


def main():
    start = time.monotonic()
    # A short path: the name of a Unix socket has 107 bytes at most.
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    home.chmod(0o700)
    demo = Demo(home)
    try:
        demo.run()
        demo.stop()
    finally:
        demo.daemon.kill()
        demo.node.kill()
        shutil.rmtree(home)
    say(f"\nAll of it as it has to be, in {time.monotonic() - start:.1f} s. Nothing is left behind.")


if __name__ == "__main__":
    sys.exit(main())
