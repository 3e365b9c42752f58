"""Compares what everybody was told with the ledger and with the node's own record. Answers a
sentence for each thing that does not agree."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from datetime import datetime

from .record import Record, outcome

FINAL = ("approved", "declined", "replaced", "expired", "cancelled", "failed")
REFUSALS = {"CONSENT_REPLACED": "replaced", "CONSENT_EXPIRED": "expired",
            "CONSENT_CANCELLED": "cancelled", "CONSENT_NOT_DECIDED": "started"}
DECIDED = ("approved", "declined")
# The node's `Date` has whole seconds, and half a second is for the way.
LAST_MOMENT = 1.6


@dataclass
class Evidence:
    told: list
    ledger: str
    # `GET /dev` of the node.
    node: dict
    node_url: str
    # The wall clock's milliseconds at the beginning.
    since: int
    # The wall clock's seconds when the node was asked.
    at: float
    plan: dict
    strikes: list = field(default_factory=list)
    # Requests whose right return came after everything, so that it has to be noted.
    returned: list = field(default_factory=list)


@dataclass
class Telling:
    """One word about a request to somebody."""
    session: str
    request_id: str
    state: str
    outcome: dict
    sent: float
    got: float
    what: str


class Judge:
    def __init__(self, evidence):
        self.evidence = evidence
        self.record = Record(evidence.ledger, evidence.node_url, evidence.since)
        self.faults = []
        self.at_node = {request["requestId"]: request for request in evidence.node["requests"]}
        self.sessions = {}
        for entry in evidence.told:
            if entry.get("session"):
                self.sessions[entry["session"]] = entry["app"]
        self.owner = {}
        for row in self.record.requests:
            self.owner[row["request_id"]] = row["session"]

    def fault(self, text, *about):
        self.faults.append(" ".join([text, *map(str, about)]))

    def judge(self):
        if self.record.integrity != ["ok"]:
            self.fault("the ledger is damaged:", self.record.integrity[:3])
        self.answers()
        self.openings()
        self.starts()
        self.keys()
        self.verdicts()
        self.with_the_node()
        self.events()
        self.returns()
        self.ends_of_sessions()
        return self.faults

    # What was answered at all

    def answers(self):
        asked = self.reasons_to_ask_for_tokens()
        deleted = {entry["session"]: entry["sent"] for entry in self.evidence.told
                   if entry["what"] == "delete"}
        for entry in self.evidence.told:
            status = entry["status"]
            if status is None or entry["what"] in ("handle", "strike"):
                continue
            if status == 500 or status == 422 or (status == 409 and entry["what"] == "start"):
                self.fault("an answer that nothing explains:", entry)
            own = entry["what"] in ("get", "wait", "cancel", "confirm")
            if own and status == 404:
                self.fault("a request that was told is not there:", entry)
            end = deleted.get(entry.get("session"))
            if status == 401 and (end is None or end > entry["got"]):
                self.fault("a key that was given is none:", entry)
            body = entry["body"] if isinstance(entry["body"], dict) else {}
            if body.get("needsSession") and not asked:
                self.fault("an app was asked for tokens without a reason:", entry)

    def reasons_to_ask_for_tokens(self):
        """Tokens are lost where a refresh was cut, and where the service was stopped."""
        node = self.evidence.plan["node"]
        return node["token_ttl"] < 60_000 or node["expiries"] or any(
            how in ("term", "hang-up") for _, how in self.evidence.strikes)

    # Sessions and starts

    def openings(self):
        tried = 0
        for entry in self.evidence.told:
            if entry["what"] != "open":
                continue
            tried += 1
            if entry["status"] != 201:
                continue
            row = self.record.sessions.get(entry["body"]["session"])
            if row is None:
                self.fault("a session that was opened is lost:", entry)
            elif row["account"] != entry["account"]:
                self.fault("a session is another account's:", entry, row["account"])
        made = [name for name in self.record.sessions if not name.startswith("s_conf_")]
        if len(made) > tried:
            self.fault(f"{len(made)} sessions of {tried} openings")

    def starts(self):
        sends, keyless, keyed, silent = Counter(), Counter(), defaultdict(set), Counter()
        accounts = {name: row["account"] for name, row in self.record.sessions.items()}
        for entry in self.evidence.told:
            if entry["what"] != "start":
                continue
            place = (entry["session"], entry["kind"])
            sends[(accounts.get(entry["session"]), entry["kind"])] += 1
            if entry["key"]:
                keyed[place].add(entry["key"])
            else:
                keyless[place] += 1
            if entry["status"] == 201:
                self.started(entry)
            else:
                silent[place] += 1
        for place, count in Counter((row["session"], row["kind"])
                                    for row in self.record.requests).items():
            if count > keyless[place] + len(keyed[place]):
                self.fault("requests that no app asked for:", place, count)
        for place, count in Counter((row["session"], row["kind"]) for row in self.record.requests
                                    if row["state"] == "starting").items():
            if count > silent[place]:
                self.fault("rows are left starting although each start was answered:", place)
        for place, count in Counter((request["account"], request["kind"])
                                    for request in self.at_node.values()).items():
            if count > sends[place]:
                self.fault("the node was asked for more than apps asked for:", place, count)
        unknown = Counter(
            (request["account"], request["kind"]) for request in self.at_node.values()
            if request["requestId"] not in self.owner)
        for (account, kind), count in unknown.items():
            unanswered = sum(number for (session, its), number in silent.items()
                             if its == kind and accounts.get(session) == account)
            if count > unanswered:
                self.fault("the node has requests that the ledger lost:", account, kind, count)

    def started(self, entry):
        body = entry["body"]
        row = self.record.request(entry["session"], body["requestId"])
        if row is None:
            return self.fault("a request that was told is lost:", entry)
        for name in ("kind", "code", "url"):
            if row[name] != body.get(name):
                self.fault(f"the {name} that was told is not the ledger's:", entry, row[name])
        if not body["callback"].endswith("/" + row["ticket"]):
            self.fault("the callback that was told is not the ledger's:", entry, row["ticket"])
        node = self.at_node.get(body["requestId"])
        if node is None:
            return self.fault("the node has no such request:", entry)
        if (node["kind"], node["code"]) != (body["kind"], body["code"]):
            self.fault("the node has another request under this id:", entry, node)
        if node["account"] != self.record.sessions[entry["session"]]["account"]:
            self.fault("the node has it for another account:", entry, node)

    def keys(self):
        """An Idempotency-Key is answered with one request, for ever."""
        answers = defaultdict(set)
        for entry in self.evidence.told:
            if entry["what"] == "start" and entry["key"] and entry["status"] == 201:
                answers[(entry["session"], entry["key"])].add(entry["body"]["requestId"])
        for place, ids in answers.items():
            if len(ids) > 1:
                self.fault("one Idempotency-Key was answered with several requests:", place, ids)

    # Verdicts

    def tellings(self):
        for entry in self.evidence.told:
            body = entry["body"] if isinstance(entry["body"], dict) else {}
            facts = {"sent": entry["sent"], "got": entry["got"], "what": entry["what"]}
            if entry["what"] == "list" and entry["status"] == 200:
                for view in body["requests"]:
                    yield Telling(entry["session"], view["requestId"], view["state"],
                                  view.get("outcome"), **facts)
            elif "page" in entry and entry["what"] == "page":
                if entry["page"] in FINAL:
                    names = entry["names"]
                    if entry["door"] == "ticket" and names != entry["requestId"]:
                        self.fault("a return for another request was confirmed:", entry)
                    yield Telling(self.owner.get(names), names, entry["page"], None, **facts)
            elif entry["what"] == "confirm" and entry["status"] in (409, 410):
                code = body["code"]
                if code in REFUSALS:
                    yield Telling(entry["session"], entry["requestId"], REFUSALS[code], None,
                                  **facts)
            elif "state" in body and "requestId" in body:
                yield Telling(entry["session"], body["requestId"], body["state"],
                              body.get("outcome"), **facts)

    def verdicts(self):
        told = defaultdict(list)
        for telling in self.tellings():
            told[(telling.session, telling.request_id)].append(telling)
        for (session, request_id), tellings in told.items():
            row = self.record.request(session, request_id)
            if row is None:
                self.fault("something was told of a request that is not in the ledger:",
                           tellings[0])
                continue
            finals = [telling for telling in tellings if telling.state in FINAL]
            states = {telling.state for telling in finals}
            if len(states) > 1:
                self.fault("verdicts that differ:", request_id, states, finals)
            for state in states - {row["state"]}:
                self.fault(f"told {state}, and the ledger has {row['state']}:", request_id, finals)
            if finals:
                first = min(telling.got for telling in finals)
                for telling in tellings:
                    # A stream is behind what calls know.
                    if telling.what == "event":
                        continue
                    if telling.sent > first and telling.state not in FINAL:
                        self.fault("a verdict that was told was taken back:", telling)
            outcomes = [telling.outcome for telling in finals if telling.outcome]
            if any(other != outcomes[0] for other in outcomes):
                self.fault("outcomes that differ:", request_id, outcomes)
            if outcomes and outcome(row) not in (None, outcomes[0]):
                self.fault("the ledger has another outcome:", request_id, row["outcome"])
            if outcomes:
                self.outcome(row, outcomes[0])

    def outcome(self, row, told):
        organizations = self.evidence.node["organizations"]
        if row["kind"] == "createOrg" and told.get("orgId") not in organizations:
            self.fault("the node has no such organization:", row["request_id"], told)
        if "token" in told and row["outcome"] is not None:
            self.fault("an invite token is in the ledger:", row["request_id"])

    def with_the_node(self):
        for row in self.record.requests:
            if row["code"] is None:
                # It was being asked for. All that can end it here is its app.
                if row["state"] != "starting" and not self.was_cancelled(row):
                    self.fault("a request ended that was never with the node:", row)
                continue
            node = self.at_node.get(row["request_id"])
            if node is None:
                self.fault("the ledger has a request that the node never had:", row)
                continue
            self.compare(row, node)

    def compare(self, row, node):
        state, standing = row["state"], node["standing"]
        expiry = timestamp(node["expiresAt"])
        finished = (row["finished_at"] or 0) / 1000
        if state in DECIDED or state == "replaced":
            agrees = standing == state
        elif state == "expired":
            agrees = standing == "undecided" and finished >= expiry - LAST_MOMENT or (
                standing == "replaced" and finished >= expiry - LAST_MOMENT)
        elif state == "cancelled":
            agrees = self.was_cancelled(row)
        elif state == "started":
            over = self.record.sessions[row["session"]]["ended_at"] is not None
            # What is open in a session that is over was cancelled with it.
            agrees = standing == "undecided" and self.evidence.at < expiry and not over
        else:
            agrees = False
        if not agrees:
            self.fault(f"the ledger has {state}, and the node {standing}:", row, node)

    def was_cancelled(self, row):
        return any(
            entry["what"] == "delete" and entry["session"] == row["session"]
            or entry["what"] == "cancel" and entry["requestId"] == row["request_id"]
            for entry in self.evidence.told)

    # Events

    def events(self):
        of_requests = defaultdict(list)
        for event in self.record.events:
            of_requests[(event["session"], event["request_id"])].append(event["state"])
        for row in self.record.requests:
            states = of_requests.pop((row["session"], row["request_id"]), [])
            wanted = {"starting": []}.get(row["state"], ["started"])
            if row["state"] in FINAL:
                # A row that was left starting is cancelled without having been with the node.
                wanted = (["started"] if row["code"] else []) + [row["state"]]
            # A refused return is told as another “started”.
            if [state for number, state in enumerate(states)
                    if number == 0 or state != states[number - 1]] != wanted:
                self.fault("the events are not the request's story:", row["request_id"], states,
                           row["state"])
        for place in of_requests:
            self.fault("events of a request that is not there:", place)
        self.streams()

    def streams(self):
        heard = defaultdict(list)
        for entry in self.evidence.told:
            if entry["what"] == "event":
                heard[entry["session"]].append(entry)
        for session, entries in heard.items():
            ledger = {event["sequence"]: event for event in self.record.events_of(session)}
            last = Counter()
            for entry in entries:
                event, body = ledger.get(entry["id"]), entry["body"]
                if event is None:
                    self.fault("an event that is not in the ledger:", entry)
                    continue
                code = (body.get("lastReturn") or {}).get("code")
                if (event["request_id"], event["state"], event["last_return_code"]) != (
                        body["requestId"], body["state"], code):
                    self.fault("an event is not the ledger's:", entry, event)
                if entry["id"] <= max(last[entry["stream"]], entry["after"] or 0):
                    self.fault("events out of order, or twice:", entry)
                last[entry["stream"]] = entry["id"]
            if self.record.sessions.get(session, {}).get("ended_at") is not None:
                continue
            known = {entry["id"] for entry in entries}
            start = min(entry["begin"] for entry in entries)
            missed = sorted(number for number in ledger if number > start and number not in known)
            if missed:
                self.fault("events that a stream never had:", session, missed)

    # Returns, sessions

    def returns(self):
        for session, request_id in self.evidence.returned:
            row = self.record.request(session, request_id)
            if row and row["state"] in DECIDED and row["last_return_code"] != "OK":
                self.fault("a return that was taken is not noted:", request_id,
                           row["last_return_code"])
        for entry in self.evidence.told:
            if entry["what"] == "confirm" and entry["status"] == 200:
                if entry["body"]["requestId"] != entry["requestId"]:
                    self.fault("a return was answered with another request:", entry)

    def ends_of_sessions(self):
        deletes = defaultdict(list)
        for entry in self.evidence.told:
            if entry["what"] == "delete":
                deletes[entry["session"]].append(entry["status"])
        for name, row in self.record.sessions.items():
            if row["ended_at"] is not None and name not in deletes:
                self.fault("a session ended that no app closed:", name)
            if row["ended_at"] is None and 204 in deletes[name]:
                self.fault("a session is open that was closed:", name)


def timestamp(text):
    """Seconds since 1970."""
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def judge(evidence):
    return Judge(evidence).judge()
