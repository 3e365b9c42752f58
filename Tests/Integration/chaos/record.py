"""The ledger as it is on the disk, read by another program than the daemon."""

import json
import sqlite3
from contextlib import closing


def copy(ledger, to):
    """A copy that is whole, while the daemon goes on."""
    with closing(sqlite3.connect(f"file:{ledger}?mode=ro", uri=True, timeout=20)) as source, \
            closing(sqlite3.connect(to)) as sink:
        source.backup(sink)


class Record:
    """What the ledger has of one round: of the sessions with its node, begun in it."""

    def __init__(self, path, node_url, since):
        with closing(sqlite3.connect(path)) as connection:
            connection.row_factory = sqlite3.Row
            self.integrity = [row[0] for row in connection.execute("PRAGMA integrity_check")]
            self.sessions = {row["id"]: dict(row) for row in connection.execute(
                "SELECT * FROM sessions WHERE node_url = ? AND created_at >= ?",
                (node_url, since))}
            rows = [dict(row) for row in connection.execute(
                "SELECT * FROM requests ORDER BY number")]
            events = [dict(row) for row in connection.execute(
                "SELECT * FROM events ORDER BY sequence")]
        self.requests = [row for row in rows if row["session"] in self.sessions]
        self.events = [event for event in events if event["session"] in self.sessions]
        self.by_id = {(row["session"], row["request_id"]): row for row in self.requests}

    def request(self, session, request_id):
        return self.by_id.get((session, request_id))

    def of(self, session):
        return [row for row in self.requests if row["session"] == session]

    def events_of(self, session):
        return [event for event in self.events if event["session"] == session]


def outcome(row):
    return json.loads(row["outcome"]) if row["outcome"] else None
