"""Requests a second: the local API and the callback, against nginx."""

from harness.api import Session, path
from harness.programs import Daemon, Node
from harness.wire import exchange

from . import load, machine
from .nginx import Nginx
from .peers import program
from .results import Row, judged, median


class Daemons:
    """The programs of these rows: a node with one session's request, and the daemon pinned."""

    def __init__(self, home):
        self.home = home
        self.node = Node(home / "node")
        self.daemon = Daemon(home / "daemon", log_level="info")
        self.daemon.arguments = machine.pinned(machine.SERVER, *self.daemon.arguments)
        self.daemon.start()
        self.session = Session(self.daemon, self.node)

    def stop(self):
        self.daemon.stop()
        self.node.stop()


def pairs(programs, settings):
    """(name, our target, nginx's target, nginx) for each row."""
    daemon, session, home = programs.daemon, programs.session, programs.home
    ended = session.start()
    programs.node.decide(ended["requestId"])
    session.post(path(ended["requestId"], "/return"), {"url": "x://r"})
    # After it: a newer request takes the place of an undecided one.
    view = session.start()
    local = [
        ("GET /v1/status", "/v1/status"),
        ("GET /v1/requests/{id}, undecided", path(view["requestId"])),
        ("GET /v1/requests/{id}, approved", path(ended["requestId"])),
    ]
    for index, (name, target) in enumerate(local):
        request = home / f"local-{index}"
        request.write_bytes(session.bytes("GET", target))
        answer = session.get(target)
        assert answer.status == 200, answer
        nginx = Nginx(home / f"nginx-{index}", [(target, answer, False)])
        yield (
            name, load.Target(daemon.pid, request, unix=daemon.socket),
            load.Target(nginx.pid, request, unix=nginx.socket), nginx)
    target = "/done/" + ended["callback"].rsplit("/", 1)[1]
    answers = [exchange(("127.0.0.1", daemon.port), get(target, daemon.port))]
    assert answers[0].status == 200, answers[0]
    nginx = Nginx(home / "nginx-page", [(target, answers[0], True)], keep_alive=False)
    requests = []
    for port in (daemon.port, nginx.port):
        requests.append(home / f"page-{port}")
        requests[-1].write_bytes(get(target, port))
    yield (
        "GET /done/{ticket}, callback", load.Target(daemon.pid, requests[0], port=daemon.port),
        load.Target(nginx.pid, requests[1], port=nginx.port), nginx)


def get(target, port):
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\n\r\n".encode()


def compare(ours, peer, connections, settings):
    """Medians of both, run in turn: apart on two CPUs, and with the load on the server's own."""
    found = {}
    for placement, cpu in (("apart", machine.LOAD), ("together", machine.SERVER)):
        runs = ([], [])
        for _ in range(settings.rounds):
            for target, kept in zip((ours, peer), runs):
                kept.append(load.run(target, connections, settings.seconds, cpu=cpu))
        found[placement] = [
            {name: median(kept, name) for name in ("perSecond", "cpuMicroseconds", "p50", "p99")}
            for kept in runs]
    return found


def rows(home, settings):
    programs = Daemons(home)
    try:
        for name, ours, peer, nginx in pairs(programs, settings):
            try:
                # A callback has 128 connections, those that are closing among them.
                for connections in (1, 16) if ours.port else (1, 64):
                    yield row(name, connections, compare(ours, peer, connections, settings))
            finally:
                nginx.stop()
    finally:
        programs.stop()


def row(name, connections, found):
    mine, its = found["apart"]
    result = Row(
        f"{name}, {connections} conn.", name, "nginx, the same answer", ">= 0.7",
        details=found,
        note=(
            f"{mine['perSecond']:,.0f} of {its['perSecond']:,.0f}/s; on one CPU "
            f"{ratio(found['together'], 'perSecond'):.2f}; CPU {mine['cpuMicroseconds']:.1f} of "
            f"{its['cpuMicroseconds']:.1f} us"))
    return judged(result, mine["perSecond"] / its["perSecond"], least=0.7)


def ratio(pair, name):
    return pair[0][name] / pair[1][name]


def check_against_wrk(home, settings):
    """Both generators on the same nginx over TCP: what ours counts is not the generator's doing."""
    program("wrk")
    request = home / "request"
    request.write_bytes(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

    class Answer:
        status, headers, body = 200, [], b"x" * 300

        def __getitem__(self, _):
            return "text/plain"

    nginx = Nginx(home / "nginx", [("/", Answer(), False)])
    target = load.Target(nginx.pid, request, port=nginx.port)
    runs, wrks = [], []
    try:
        for _ in range(settings.rounds):
            runs.append(load.run(target, 64, settings.seconds))
            wrks.append({"perSecond": load.wrk(nginx.port, "/", 64, settings.seconds)})
    finally:
        nginx.stop()
    mine, its = median(runs, "perSecond"), median(wrks, "perSecond")
    result = Row(
        "the load generator, 64 conn., TCP", "http-load", "wrk, the same nginx", ">= 0.9",
        note=f"{mine:,.0f} of {its:,.0f}/s", details={"ours": mine, "wrk": its})
    yield judged(result, mine / its, least=0.9)
