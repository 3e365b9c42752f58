"""What waits for the disk: recording by many apps at once, a return, a full record."""

import sqlite3
import statistics
import time
from datetime import datetime, timedelta, timezone

from harness.api import Session, path
from harness.programs import Daemon, Node

from . import load, machine
from .core_rows import ours
from .results import Row, judged, median

APPS = 64
# Below the limit of undecided requests of one session, for all sessions together.
MOST = APPS * 60
FULL = 100_000


def recording(home, settings):
    runs, commits = [], []
    for number in range(settings.rounds):
        folder = home / str(number)
        folder.mkdir(parents=True)
        commits.append(ours("commits", 1, folder))
        runs.append(record_once(folder))
    mine, its = median(runs, "perSecond"), statistics.median(commits)
    row = Row(
        f"requests recorded, {APPS} apps at once", "a second", "SQLite, one commit each", ">= 5",
        note=f"{mine:,.0f} of {its:,.0f}/s", details={"ours": mine, "peer": its})
    yield judged(row, mine / its, least=5)


def record_once(folder):
    node = Node(folder / "node")
    daemon = Daemon(folder / "daemon", log_level="error").start()
    expires = (datetime.now(timezone.utc) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    try:
        requests = []
        view = Session(daemon, node, account="f" * 64).start()
        page = view["url"].replace(view["requestId"], "@" * 12)
        for app in range(APPS):
            session = Session(daemon, node, account=f"{app:064x}")
            started = {
                "requestId": "@" * 12, "url": page,
                "code": view["code"], "expiresAt": expires, "kind": "createOrg"}
            requests.append(folder / f"app-{app}")
            requests[-1].write_bytes(session.bytes("POST", "/v1/requests", {"started": started}))
        target = load.Target(daemon.pid, requests, unix=daemon.socket, status=201)
        return load.run(target, APPS, 10, warm_up=0, most=MOST)
    finally:
        daemon.kill()
        node.kill()


def returning(home, settings):
    """The time of a return less the node's: that of a call which asks the node and records
    nothing, since nobody has decided."""
    folder = home / "disk"
    folder.mkdir(parents=True)
    node = Node(home / "node")
    daemon = Daemon(home / "daemon", log_level="error").start()
    session = Session(daemon, node)
    taken, asked, commits = [], [], []
    try:
        for _ in range(max(20, 7 * settings.rounds)):
            view = session.start()
            # The first refusal is written down, the same one again is not.
            timed(session, view["requestId"], 409)
            asked.append(timed(session, view["requestId"], 409))
            node.decide(view["requestId"])
            taken.append(timed(session, view["requestId"], 200))
        for number in range(settings.rounds):
            (folder / str(number)).mkdir()
            commits.append(1 / ours("commits", 1, folder / str(number)))
    finally:
        daemon.kill()
        node.kill()
    mine = statistics.median(taken) - statistics.median(asked)
    its = statistics.median(commits)
    row = Row(
        "return to verified and recorded", "without the node", "a durable SQLite commit", "<= 2",
        note=f"{mine * 1e3:.2f} of {its * 1e3:.2f} ms",
        details={"ours": mine, "peer": its, "whole": statistics.median(taken)})
    yield judged(row, mine / its, most=2)


def timed(session, request_id, status):
    body = {"url": "x://r"}
    with session.connection() as connection:
        data = session.bytes("POST", path(request_id, "/return"), body)
        begin = time.perf_counter()
        connection.send(data)
        answer = connection.answer()
        assert answer.status == status, answer
        return time.perf_counter() - begin


def full(home, settings):
    """The same call with 100 and with 100,000 finished requests in the record."""
    found = {}
    for count in (100, FULL):
        node = Node(home / f"{count}/node")
        daemon = Daemon(home / f"{count}/daemon", log_level="error")
        daemon.arguments = machine.pinned(machine.SERVER, *daemon.arguments)
        daemon.start()
        session = Session(daemon, node)
        view = session.start()
        node.decide(view["requestId"])
        assert session.post(path(view["requestId"], "/return"), {"url": "x://r"}).status == 200
        daemon.stop()
        fill(daemon.state, count)
        daemon.start()
        request = home / f"{count}/request"
        request.write_bytes(session.bytes("GET", path(view["requestId"])))
        found[count] = (node, daemon, load.Target(daemon.pid, request, unix=daemon.socket))
    runs = {count: [] for count in found}
    try:
        for _ in range(settings.rounds):
            for count, (_, _, target) in found.items():
                runs[count].append(load.run(target, 1, settings.seconds))
    finally:
        for node, daemon, _ in found.values():
            daemon.kill()
            node.kill()
    small, large = (median(runs[count], "p50") for count in (100, FULL))
    row = Row(
        "100,000 finished requests: GET /v1/requests/{id}", "its time", "100 in it", "<= 1.1",
        note=f"{large:.0f} of {small:.0f} us", details={"full": large, "few": small})
    yield judged(row, large / small, most=1.1)


def fill(state, count):
    """Copies of the one finished request, under ids of their own."""
    database = sqlite3.connect(state / "ledger.db")
    names = [name for _, name, *_ in database.execute("PRAGMA table_info(requests)")]
    kept = [name for name in names if name not in ("number", "request_id", "ticket")]
    database.execute(
        f"INSERT INTO requests (request_id, ticket, {', '.join(kept)}) "
        f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
        f"SELECT printf('copy-%026d', i), lower(hex(randomblob(16))), {', '.join(kept)} "
        "FROM requests, n WHERE state = 'approved'")
    database.commit()
    assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    database.close()
