"""The callback serves its own user's connections and nobody else's: every user of the machine can
reach a port."""

import os
import re
import shutil
import signal
import socket

import pytest
from harness.api import Session
from harness.connections import accepted, rows
from harness.others import STRANGER, Connections, told_as
from harness.programs import Daemon
from harness.site import NAVIGATION, state, target
from harness.waiting import until
from harness.wire import Connection, request_bytes

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")


def asking(path, port, headers=NAVIGATION, method="GET", host="127.0.0.1"):
    return request_bytes(method, path, list(headers.items()), host=f"{host}:{port}")


def undated(answer):
    return re.sub(rb"\r\nDate: [^\r]*", b"", answer)


def state_of(answer):
    found = re.search(rb'data-state="([a-z-]+)"', answer)
    return found and found[1].decode()


def test_another_user_of_the_machine_learns_nothing(daemon, node):
    """Also one who knows the request and its ticket: to the byte the same, whatever there is."""
    session = Session(daemon, node)

    def stranger(request_id, ticket):
        query = f"?request_id={request_id}&result=approved"
        paths = ["/", "/return", f"/return{query}", "/return?request_id=guess", "/return/guess",
                 f"/return/{ticket}{query}", f"/done/{ticket}", "/done/guess"]
        direct = NAVIGATION | {"Sec-Fetch-Site": "none"}
        requests = [asking(path, daemon.port, headers)
                    for path in paths for headers in (NAVIGATION, direct, {})]
        requests += [asking(f"/done/{ticket}", daemon.port, method="HEAD"),
                     asking(f"/return/{ticket}{query}", daemon.port, {"Sec-Purpose": "prefetch"}),
                     asking(f"/return/{ticket}{query}", daemon.port, host="localhost")]
        answers = [undated(answer) for answer in told_as(STRANGER, daemon.port, requests)]
        assert all(answer.startswith(b"HTTP/1.1 403 ") for answer in answers), answers
        assert {state_of(answer) for answer in answers} == {"another-user", None}
        return answers

    told = [stranger("none", "none")]
    for decision, end in [("approve", "approved"), ("decline", "declined")]:
        view = session.start()
        names = view["requestId"], view["callback"].rsplit("/", 1)[1]
        told.append(stranger(*names))
        node.decide(view["requestId"], decision)
        told.append(stranger(*names))
        session.decided(view["requestId"], end)
        asked = node.overview["calls"]
        told.append(stranger(*names))
        assert node.overview["calls"] == asked
        assert "lastReturn" not in session.request(view["requestId"])
        secrets = [*names, view["code"], view["url"], node.ready["package"], end]
        assert not [word for word in secrets if word.encode() in b"".join(told[-1])]
    assert all(answers == told[0] for answers in told)
    assert "callback: a return" not in daemon.log


def test_another_users_knocks_use_nothing_up(daemon, node, session):
    """The limit on returns without a ticket is for the person's own."""
    view = session.start()
    node.decide(view["requestId"])
    knock = asking("/return", daemon.port)
    told = told_as(STRANGER, daemon.port, [knock] * 150)
    assert {state_of(answer) for answer in told} == {"another-user"}
    path = f"/return?request_id={view['requestId']}"
    assert state(daemon.site.bring_back(path)) == "approved"
    assert session.request(view["requestId"])["lastReturn"]["code"] == "OK"


HALF = b"GET /return HTTP/1.1\r\nHost: 127.0.0.1\r\n"


def return_is_taken(daemon, node, session):
    """The person's way back, on connections of their own, and what the app is told of it."""
    view = session.start()
    node.decide(view["requestId"])
    place = target(view["callback"], request_id=view["requestId"], result="approved")
    assert state(daemon.site.bring_back(place)) == "approved"
    assert session.request(view["requestId"])["lastReturn"]["code"] == "OK"


@pytest.mark.parametrize("data", [b"", HALF], ids=["silent", "half a request"])
def test_another_user_holds_none_of_the_places(daemon, node, session, data):
    """However many connections they have."""
    with Connections(daemon.port, 400, data):
        # Who connects later is accepted later.
        return_is_taken(daemon, node, session)
        # Of theirs, there are the places for strangers and no more.
        until(lambda: accepted(daemon.port) <= 16, "the others are closed", within=8)
        return_is_taken(daemon, node, session)
    until(lambda: accepted(daemon.port) == 0, "all are closed")


def test_another_user_who_connects_without_a_pause_keeps_nobody_out(daemon, node, session):
    with Connections(daemon.port, 400, HALF, again=True):
        for _ in range(10):
            return_is_taken(daemon, node, session)


@pytest.mark.parametrize("data", [b"", HALF, b"GET / HTTP/1.0\r\n\r\n"],
                         ids=["silent", "half a request", "does not go after its answer"])
def test_the_persons_own_programs_do_not_hold_the_places(daemon, node, session, data):
    with Connections(daemon.port, 200, data, user=os.getuid()):
        return_is_taken(daemon, node, session)
    with Connections(daemon.port, 200, data, again=True, user=os.getuid()):
        for _ in range(10):
            return_is_taken(daemon, node, session)


FORMS = ["keeps", "closes", "HTTP/1.0", "ends sending"]


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("form", FORMS)
def test_each_form_of_a_connection_is_its_users(daemon, address, form):
    data = asking("/done/none", daemon.port)
    if form == "closes":
        data = data.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    if form == "HTTP/1.0":
        data = data.replace(b"HTTP/1.1", b"HTTP/1.0")
    with Connection((address, daemon.port)) as own:
        own.send(data)
        if form == "ends sending":
            own.end_sending()
        answer = own.answer()
    assert answer.status == 404 and state(answer) == "unknown"
    then = "end sending" if form == "ends sending" else "read"
    told, = told_as(STRANGER, daemon.port, [data], address, then)
    assert told.startswith(b"HTTP/1.1 403 ") and state_of(told) == "another-user"


def ends_of_nobody(port):
    """What is left of clients' ends that were closed, as the kernel shows it once the other side
    knows (proc(5): FIN_WAIT2)."""
    return [row for row in rows("tcp") if row[2].endswith(f":{port:04X}") and row[3] == "05"]


def test_whose_a_closed_connection_was_nobody_knows(daemon, session):
    """Of a socket that its process has closed the kernel says that it is root's, as whom this
    daemon runs."""
    view = session.start()
    path = target(view["callback"], request_id=view["requestId"], result="approved")
    site = daemon.site
    daemon.signal(signal.SIGSTOP)
    try:
        told_as(STRANGER, site.port, [asking(path, site.port)], then="close")
        until(lambda: ends_of_nobody(site.port), "its end has no user any more")
    finally:
        daemon.signal(signal.SIGCONT)
    answered = until(
        lambda: re.findall("callback: (another-user|a return)", daemon.log), "it was answered")
    assert answered == ["another-user"]
    assert "lastReturn" not in session.request(view["requestId"])


def test_a_client_that_closes_before_it_is_read_has_returned(daemon, session):
    """Whose it is was asked when it connected, and is known when its end has gone."""
    view = session.start()
    path = target(view["callback"], request_id=view["requestId"], result="approved")
    site = daemon.site
    with site.connection() as client:
        until(lambda: accepted(site.port), "it is accepted")
        daemon.signal(signal.SIGSTOP)
        client.send(asking(path, site.port))
    try:
        until(lambda: ends_of_nobody(site.port), "its end has no user any more")
    finally:
        daemon.signal(signal.SIGCONT)
    until(lambda: "callback: a return" in daemon.log, "it was taken")
    until(lambda: "lastReturn" in session.request(view["requestId"]), "the app is told")
    assert "another-user" not in daemon.log


# Runs a command that has no NETLINK_SOCK_DIAG, as on a kernel without it.
WITHOUT_LOOKUPS = """
import ctypes, os, platform, struct, sys
number = {"x86_64": 41, "aarch64": 198}[platform.machine()]
LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06
def line(code, value, yes=0, no=0): return struct.pack("=HBBI", code, yes, no, value)
lines = [
    line(LOAD, 0), line(EQUALS, number, 0, 5), line(LOAD, 16), line(EQUALS, 16, 0, 3),
    line(LOAD, 32), line(EQUALS, 4, 0, 1), line(RETURN, 0x50000 | 93), line(RETURN, 0x7fff0000)]
code = ctypes.create_string_buffer(b"".join(lines))
program = struct.pack("HP", len(lines), ctypes.addressof(code))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == 0 and prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""


def test_where_the_kernel_does_not_tell_nobody_is_served(programs, node):
    """The decision is found all the same."""
    daemon = programs(Daemon)
    daemon.arguments = ["python3", "-I", "-c", WITHOUT_LOOKUPS, *daemon.arguments]
    daemon.start()
    assert daemon.log.count("the callback serves nobody") == 1
    session = Session(daemon, node)
    view = session.start()
    path = target(view["callback"], request_id=view["requestId"], result="approved")
    answer = daemon.site.get(path)
    assert answer.status == 403 and state(answer) == "another-user"
    node.decide(view["requestId"])
    assert "lastReturn" not in session.decided(view["requestId"], "approved")


def test_where_it_tells_the_log_has_nothing_to_say(daemon):
    assert daemon.site.get("/nothing").status == 404
    assert "serves nobody" not in daemon.log


class Persons(Daemon):
    """A daemon of an ordinary user, to whose socket root cannot speak."""

    USER = 4001

    def __init__(self, home, *before):
        with socket.create_server(("127.0.0.1", 0)) as holder:
            port = holder.getsockname()[1]
        super().__init__(home, port=port)
        self.number = port
        home.parent.chmod(0o755)
        for path in [home, *home.rglob("*")]:
            os.chown(path, self.USER, self.USER)
        self.arguments = [
            "setpriv", f"--reuid={self.USER}", f"--regid={self.USER}", "--clear-groups", *before,
            *self.arguments]

    def start(self):
        self.spawn()
        until(lambda: "callback" in self.log or not self.is_running, "it has started")
        assert self.is_running, self.log
        return self


def test_root_is_another_user(programs):
    daemon = programs(Persons).start()
    data = asking("/done/none", daemon.number)
    states = [state_of(*told_as(user, daemon.number, [data])) for user in (0, Persons.USER)]
    assert states == ["another-user", "unknown"]


@pytest.mark.skipif(
    not shutil.which("unshare") or not shutil.which("ip"), reason="it needs a namespace of its own")
def test_in_a_container_without_root_its_own_user_is_served(programs):
    """Who is root in there is the person out here."""
    up = 'ip link set lo up; exec "$@"'
    daemon = programs(Persons, "unshare", "-U", "-r", "-n", "sh", "-ec", up, "-").start()
    data = asking("/done/none", daemon.number)
    inside = ["nsenter", "-t", str(daemon.pid), "-n"]
    own, = told_as(0, daemon.number, [data], before=[*inside, "-U"])
    assert state_of(own) == "unknown"
    # As root of this machine, who has no number in there.
    roots, = told_as(0, daemon.number, [data], before=inside)
    assert state_of(roots) == "another-user"
