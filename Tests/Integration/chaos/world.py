"""The installed service, a node for each round, and what a round's people share."""

import time

from harness import settings
from harness.api import API
from harness.programs import Node
from harness.waiting import until

from rig.checks.service import HOME, RUNTIME, SERVICE, systemctl

from .apps import App
from .doors import Doors
from .killer import Killer
from .person import Person
from .told import Book

CONFIGURED = "chaos"


class World:
    """One round's."""

    def __init__(self, service, folder, plan):
        self.service, self.plan = service, plan
        self.book = Book()
        self.since = int(time.time() * 1000)
        self.secrets = HOME / ".secrets"
        self.node = Node(folder)
        self.node.control("settings", ttl=plan.node.ttl, tokenTtl=plan.node.token_ttl)
        for rule in plan.node.rules:
            self.node.control("misbehave", **rule)
        self.doors = Doors(self.book, API(service.socket))
        self.person = Person(self, plan.visits)
        self.killer = Killer(self, plan.kills)
        accounts = {app.account: self.node.control("tokens") for app in plan.apps}
        self.apps = [
            App(self, number, app,
                accounts[app.account] if number == app.account
                else self.tokens(accounts[app.account]["account"]))
            for number, app in enumerate(plan.apps)]
        self.configure()

    def tokens(self, account):
        return self.node.control("tokens", account=account)

    def secret(self, kind, name):
        return f"{kind}-{self.since}-{name}"

    # A session of the configuration

    def configure(self):
        """The configuration of this round takes the place of the last one's."""
        app = next((app for app in self.apps if app.plan.configured), None)
        text = ""
        if app:
            files = {
                "TokenFile": settings.write(
                    self.secrets / "token", app.tokens["accessToken"] + "\n"),
                "RefreshTokenFile": settings.write(
                    self.secrets / "refresh", app.tokens["refreshToken"] + "\n")}
            trust = {} if app.plan.pinned else {"TransportKey": None, "Development": "yes"}
            text = settings.session(
                CONFIGURED, self.node, Account=app.tokens["account"], **files, **trust)
        self.service.configuration.parent.mkdir(parents=True, exist_ok=True)
        settings.write(self.service.configuration, text)
        # A process that has had no such folder in its configuration may not read it.
        self.service.wake()
        systemctl("restart" if app else "reload", SERVICE)
        key = self.key_file
        if app:
            until(key.exists, "the key of the configured session is published")
        else:
            until(lambda: not key.exists(), "the key of the former session is gone")

    @property
    def key_file(self):
        return RUNTIME / "mero-consent" / "sessions" / CONFIGURED

    def configured_key(self):
        return self.key_file.read_text().strip()

    # The round

    def run(self):
        for app in self.apps:
            app.thread.start()
        self.killer.start()
        for at in sorted([("restart", at) for at in self.plan.node.restarts]
                         + [("tokens/expire", at) for at in self.plan.node.expiries],
                         key=lambda step: step[1]):
            time.sleep(max(0, at[1] - self.book.now()))
            if at[0] == "restart":
                self.node.control("restart")
            else:
                for app in self.apps:
                    self.node.control("tokens/expire", account=app.tokens["account"])
        for app in self.apps:
            app.thread.join(40)
            if app.thread.is_alive():
                self.book.fault(f"{app.app} did not come to an end")
        self.killer.join(60)
        self.person.finish(60)

    def end(self):
        for app in self.apps:
            if app.stream:
                app.stream.stop()
        self.node.kill()
