"""After the storm: all is well again, everybody asks once more, and everything has to agree."""

import time

from harness.waiting import until

from .apps import FINAL
from .doors import CLAIMS
from .judge import timestamp

CLAIM = {"approved": CLAIMS["approve"], "declined": CLAIMS["decline"]}


def settle(world):
    """Answers the requests whose right return was brought at last."""
    world.node.behave()
    world.node.control("settings", tokenTtl=3_600_000)
    apps = [app for app in world.apps if app.session and not app.is_closed]
    for app in apps:
        if app.check()["body"]["needsSession"]:
            app.renew()
    returned = bring_back(world, apps)
    for app in apps:
        until(lambda: agrees(world, app), f"{app.app} knows what the node knows", 40)
    for session, request_id in returned:
        app = next(app for app in apps if app.session == session)
        until(lambda: is_noted(world, app, request_id),
              f"the return of {request_id} is noted")
    for app in apps:
        for request_id in listed(app):
            app.get(request_id)
        app.list()
    return returned


def listed(app):
    """Also those whose start was answered to nobody."""
    entry = app.list()
    assert entry["status"] == 200, entry
    return [view["requestId"] for view in entry["body"]["requests"]]


def standings(world):
    return {request["requestId"]: request for request in world.node.overview["requests"]}


def bring_back(world, apps):
    """Everything that is decided at the node is brought back once more, by some door."""
    returned, doors = [], list(world.plan.last_doors)
    known = standings(world)
    for app in apps:
        for view in app.list()["body"]["requests"]:
            node = known.get(view["requestId"])
            if node and node["standing"] in CLAIM and view["state"] in (*CLAIM, "started"):
                door = doors.pop() if doors else "post"
                world.doors.bring(door, view, CLAIM[node["standing"]], app=app)
                returned.append((app.session, view["requestId"]))
    return returned


def is_noted(world, app, request_id):
    """Whether the return that was brought last has confirmed the decision."""
    view = app.get(request_id)["body"]
    code = view.get("lastReturn", {}).get("code")
    if view["state"] in CLAIM and code == "SESSION_EXPIRED":
        # It was this return that found the tokens spent. The person goes back once more.
        world.doors.bring("post", view, CLAIM[view["state"]], app=app)
        return False
    return view["state"] not in CLAIM or code == "OK"


def agrees(world, app):
    """Whether each of the app's requests is over, or undecided at the node as well."""
    known, now = standings(world), time.time()
    for view in app.list()["body"]["requests"]:
        node = known.get(view["requestId"])
        if view.get("needsSession"):
            # It has learned meanwhile that the tokens are spent.
            app.renew()
            return False
        if view["state"] in FINAL or view["state"] == "starting" or node is None:
            continue
        if node["standing"] != "undecided" or timestamp(node["expiresAt"]) <= now + 1:
            # Somebody who asks has it read at once, and not only at the watcher's next time.
            app.confirm(view["requestId"], "app:/")
            time.sleep(0.05)
            return False
    return True


def drain(world, last_events):
    """Streams have had everything that the ledger has."""
    for app in world.apps:
        if app.stream is None or app.is_closed or app.session not in last_events:
            continue
        until(lambda: (app.stream.standing or 0) >= last_events[app.session],
              f"the stream of {app.app} has everything")
