"""Woken by a socket: what a daemon does with sockets that it did not make, and what it says when
it cannot work."""

import itertools
import json
import os
import socket
import subprocess

import pytest

from harness.programs import binaries


class Activator:
    """Passes listening sockets to the daemon as a service manager does, on descriptors from 3."""

    def __init__(self, directory):
        self.directory = directory
        self.path = str(directory / "api.sock")
        self.unix = socket.socket(socket.AF_UNIX)
        self.unix.bind(self.path)
        self.four = socket.socket(socket.AF_INET)
        self.four.bind(("127.0.0.1", 0))
        self.port = self.four.getsockname()[1]
        self.six = socket.socket(socket.AF_INET6)
        self.six.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        self.six.bind(("::1", self.port))
        for listener in (self.unix, self.four, self.six):
            listener.listen(16)
        self.log = directory / "log"
        self.process = None

    def start(self, sockets, *options, names=None):
        """Starts the daemon with these sockets, in this order."""
        copies = [listener.fileno() for listener in sockets]

        def arrange():
            # Out of the way first, so that no number is overwritten before it was copied.
            high = [os.dup2(number, 100 + index) for index, number in enumerate(copies)]
            for index, number in enumerate(high):
                os.dup2(number, 3 + index, inheritable=True)

        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.directory),
            "XDG_RUNTIME_DIR": str(self.directory / "run"),
            "LISTEN_FDS": str(len(copies)),
        }
        if names is not None:
            environment["LISTEN_FDNAMES"] = ":".join(names)
        os.makedirs(environment["XDG_RUNTIME_DIR"], mode=0o700, exist_ok=True)
        # The pid is only known in the child, so a shell-less stub sets LISTEN_PID and executes.
        stub = "import os,sys; os.environ['LISTEN_PID']=str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])"
        self.process = subprocess.Popen(
            ["python3", "-c", stub, str(binaries() / "mero-consentd"),
             "--state-dir", str(self.directory / "state"), *options],
            env=environment, preexec_fn=arrange, stderr=open(self.log, "a"),
            pass_fds=range(3, 3 + len(copies)),
        )
        return self.process

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for listener in (self.unix, self.four, self.six):
            listener.close()

    def ask(self, request, address=None):
        """One raw request; the whole answer as text."""
        if address is None:
            client = socket.socket(socket.AF_UNIX)
            client.connect(self.path)
        else:
            client = socket.create_connection(address)
        client.settimeout(10)
        client.sendall(request.encode())
        answer = b""
        while piece := client.recv(65536):
            answer += piece
        client.close()
        return answer.decode()

    def status(self):
        answer = self.ask("GET /v1/status HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
        return json.loads(answer.split("\r\n\r\n", 1)[1])


@pytest.fixture
def activator(home):
    made = Activator(home)
    yield made
    made.close()


@pytest.mark.parametrize("order", list(itertools.permutations(["unix", "four", "six"])))
@pytest.mark.parametrize("named", [True, False])
def test_each_socket_is_known_by_its_address_and_not_by_its_place(activator, order, named):
    """C-080."""
    sockets = [getattr(activator, name) for name in order]
    activator.start(sockets, names=list(order) if named else None)
    assert activator.status()["callbacks"] == [
        f"http://127.0.0.1:{activator.port}/return", f"http://[::1]:{activator.port}/return"]
    for host in ("127.0.0.1", "::1"):
        shown = f"[{host}]" if ":" in host else host
        answer = activator.ask(
            f"GET /v1/status HTTP/1.1\r\nHost: {shown}:{activator.port}\r\n\r\n",
            (host, activator.port))
        assert answer.startswith("HTTP/1.1 404 ")


def test_a_socket_on_another_address_than_loopback_is_refused(activator):
    """C-080."""
    wide = socket.socket(socket.AF_INET)
    wide.bind(("0.0.0.0", 0))
    wide.listen(1)
    process = activator.start([activator.unix, wide])
    assert process.wait(60) == 78
    wide.close()


def test_the_socket_file_stays_for_the_one_who_made_it(activator):
    """C-077."""
    before = os.stat(activator.path).st_ino
    process = activator.start([activator.unix])
    activator.status()
    process.terminate()
    assert process.wait(60) == 0
    assert os.stat(activator.path).st_ino == before
    # A second life answers on it, also to a client that came in between.
    client = socket.socket(socket.AF_UNIX)
    client.connect(activator.path)
    client.sendall(b"GET /v1/status HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
    activator.start([activator.unix])
    client.settimeout(10)
    assert client.recv(65536).startswith(b"HTTP/1.1 200 ")
    client.close()


OPENING = json.dumps({
    "package": "com.example.notes", "accessToken": "t",
    "node": {"url": "http://127.0.0.1:9", "trust": {"development": True}}})


def post(body, path="/v1/sessions"):
    return (f"POST {path} HTTP/1.1\r\nHost: d\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}")


def problem(answer):
    return json.loads(answer.split("\r\n\r\n", 1)[1])


def test_a_wrong_configuration_is_answered_until_it_is_mended(activator):
    configuration = activator.directory / "wrong.conf"
    configuration.write_text("[Callback]\nNoSuchKey=1\n")
    process = activator.start(
        [activator.unix, activator.four, activator.six], "--config", str(configuration))
    for body in (OPENING, "{}"):
        answer = activator.ask(post(body))
        assert answer.startswith("HTTP/1.1 503 "), answer
        assert problem(answer)["code"] == "CONFIGURATION_INVALID"
        assert f"{configuration}:2" in problem(answer)["detail"]
    assert activator.status()["state"]["health"] == "unavailable"
    returned = activator.ask(
        f"GET /return?request_id=x HTTP/1.1\r\nHost: 127.0.0.1:{activator.port}\r\n\r\n",
        ("127.0.0.1", activator.port))
    assert returned.startswith("HTTP/1.1 503 ")
    assert process.poll() is None

    configuration.write_text("")
    waiting = socket.socket(socket.AF_UNIX)
    waiting.connect(activator.path)
    waiting.sendall(b"GET /v1/status HTTP/1.1\r\nHost: d\r\nConnection: close\r\n\r\n")
    # It leaves the connection for the process that comes next.
    assert process.wait(60) == 0
    activator.start(
        [activator.unix, activator.four, activator.six], "--config", str(configuration))
    waiting.settimeout(10)
    assert b'"health":"ok"' in waiting.recv(65536)
    waiting.close()


def test_a_state_directory_that_cannot_be_used_is_answered(activator):
    (activator.directory / "state").write_text("not a directory")
    process = activator.start([activator.unix])
    answer = activator.ask(post(OPENING))
    assert answer.startswith("HTTP/1.1 503 ")
    assert problem(answer)["code"] == "STATE_UNAVAILABLE"
    assert process.poll() is None
    process.terminate()
    assert process.wait(60) == 0


def told(notify):
    """The next message that is no status line."""
    while (text := notify.recv(4096).decode()).startswith("STATUS="):
        pass
    return text


def test_it_says_that_it_is_ready_once_it_listens_and_that_it_stops(activator):
    notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    path = str(activator.directory / "notify")
    notify.bind(path)
    notify.settimeout(10)
    os.environ["NOTIFY_SOCKET"] = path
    try:
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(activator.directory / "run")}
        os.makedirs(environment["XDG_RUNTIME_DIR"], mode=0o700, exist_ok=True)
        process = subprocess.Popen(
            [str(binaries() / "mero-consentd"), "--callback-port", "0",
             "--state-dir", str(activator.directory / "state")],
            env=environment, stderr=open(activator.log, "a"))
    finally:
        del os.environ["NOTIFY_SOCKET"]
    activator.process = process
    assert told(notify) == "READY=1"
    listening = socket.socket(socket.AF_UNIX)
    listening.connect(str(activator.directory / "run/mero-consent/api.sock"))
    listening.close()
    process.terminate()
    assert told(notify) == "STOPPING=1"
    assert process.wait(60) == 0
    notify.close()
