"""What a round is going to do: its seed alone determines it. How it falls out, time tells."""

import random
from dataclasses import asdict, dataclass, field

# Kinds with an outcome, with a secret one, with a secret in the request, and without any.
KINDS = ["createOrg", "createOrg", "createInvite", "createInvite", "acceptInvite", "renameOrg",
         "deleteOrg", "removeMember", "outbound", "release"]
DOORS = ["ticket", "bare", "handler", "post", "app", "none"]
# At any moment; when the log of the ledger was just written to; when somebody was just told that a
# request is there or decided; when the node has just renewed tokens.
KILLS = ["kill", "kill", "kill", "commit", "commit", "told", "told", "term", "restart", "reload",
         "hang-up"]


@dataclass
class Errand:
    """One request of an app, and how the app hears what became of it."""
    kind: str
    # Without an Idempotency-Key, a start whose answer was lost is not repeated.
    keyed: bool
    # The same call again although it was answered.
    repeated: bool
    hears: str  # wait, poll, list
    patience: float
    # What else it does meanwhile: patch, cancel, check, replace, nothing
    meanwhile: str
    pause: float


@dataclass
class App:
    account: int
    configured: bool
    # Whether the session trusts a key, or the development node whatever its key is.
    pinned: bool
    listens: str  # from-start, from-now, no
    errands: list
    # How it ends: close, cancel-by-close, stay
    leaves: str


@dataclass
class Visit:
    """What the person does with one request."""
    decision: str  # approve, decline, nothing, replace
    delay: float
    door: str
    early: bool
    # A return that claims something else comes first.
    forged: str  # no, result, request, both
    twice: bool
    late: float


@dataclass
class Node:
    ttl: int
    token_ttl: int
    rules: list
    restarts: list
    expiries: list


@dataclass
class Kill:
    at: float
    how: str
    again: float


@dataclass
class Plan:
    seed: int
    apps: list
    visits: list
    node: Node
    kills: list
    # Doors for the returns after everything, one a decided request.
    last_doors: list = field(default_factory=list)

    def json(self):
        return asdict(self)


def chance(rng, probability):
    return rng.random() < probability


def make(seed):
    rng = random.Random(seed)
    restarts = [round(rng.uniform(0.2, 1.6), 2)] if chance(rng, 0.2) else []
    apps = [app(rng, index, bool(restarts)) for index in range(rng.randint(3, 6))]
    if chance(rng, 0.35):
        apps[0].configured = True
        apps[0].leaves = "stay"
    if len(apps) > 3 and chance(rng, 0.3):
        # Two apps of one person: each one's new request replaces the other's.
        apps[1].account = apps[2].account
    visits = [visit(rng) for _ in range(60)]
    last_doors = [rng.choice(["ticket", "bare", "handler", "post", "app"]) for _ in range(60)]
    its_node = node(rng, restarts)
    kinds = KILLS + (["refresh", "refresh-restart"] * 4 if its_node.token_ttl < 60_000 else [])
    kills = sorted((kill(rng, kinds) for _ in range(rng.choice([1, 1, 2, 2, 3]))),
                   key=lambda kill: kill.at)
    return Plan(seed, apps, visits, its_node, kills, last_doors)


def app(rng, index, node_restarts):
    return App(
        account=index, configured=False, pinned=not node_restarts and chance(rng, 0.5),
        listens=rng.choice(["from-start", "from-start", "from-now", "no"]),
        errands=[errand(rng) for _ in range(rng.randint(1, 3))],
        leaves=rng.choice(["stay", "stay", "close", "cancel-by-close"]))


def errand(rng):
    return Errand(
        kind=rng.choice(KINDS), keyed=chance(rng, 0.65), repeated=chance(rng, 0.25),
        hears=rng.choice(["wait", "wait", "poll", "list"]),
        patience=round(rng.uniform(0.5, 1.6), 2),
        meanwhile=rng.choice(["nothing"] * 5 + ["patch", "cancel", "check", "replace"]),
        pause=round(rng.uniform(0, 0.2), 3))


def visit(rng):
    return Visit(
        decision=rng.choice(["approve"] * 6 + ["decline"] * 3 + ["nothing", "replace"]),
        delay=round(rng.uniform(0, 0.6), 3), door=rng.choice(DOORS), early=chance(rng, 0.2),
        forged=rng.choice(["no"] * 4 + ["result", "request", "both"]), twice=chance(rng, 0.25),
        late=round(rng.uniform(0, 0.8), 3) if chance(rng, 0.2) else 0.0)


def kill(rng, kinds):
    return Kill(
        at=round(rng.uniform(0.05, 1.8), 3), how=rng.choice(kinds),
        again=round(rng.uniform(0.0, 0.3), 3) if chance(rng, 0.2) else 0.0)


def node(rng, restarts):
    rules = []
    if chance(rng, 0.4):
        rules.append({"name": "slow", "on": rng.choice(["result", "request"]),
                      "times": rng.randint(1, 8), "number": rng.randint(50, 500)})
    if chance(rng, 0.2):
        rules.append({"name": "cut-before-head", "on": rng.choice(["result", "request"]),
                      "skip": rng.randint(0, 3)})
    if chance(rng, 0.15):
        rules.append({"name": "busy", "on": "result", "skip": rng.randint(0, 3), "number": 1})
    if chance(rng, 0.15):
        rules.append({"name": "unknown-session", "on": "result", "skip": rng.randint(0, 4)})
    refreshes = chance(rng, 0.35)
    if refreshes and chance(rng, 0.5):
        # The moment between the node's answer and the daemon's having it is long.
        rules.append({"name": "slow", "on": "refresh", "times": "forever",
                      "number": rng.randint(20, 200)})
    return Node(
        ttl=rng.choice([600_000, 600_000, 600_000, 2500]),
        token_ttl=rng.choice([300, 700, 1500]) if refreshes else 3_600_000,
        rules=rules, restarts=restarts,
        expiries=[round(rng.uniform(0.1, 1.5), 2)] if chance(rng, 0.3) else [])
