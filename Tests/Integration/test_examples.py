"""Each example against the real daemon and node, as a person runs it."""

import importlib.util
import json
import os
import re
import shutil
import socket
import subprocess
import threading
import time

import pytest
from harness import examples
from harness.browser import open_page, press
from harness.examples import EXAMPLES, Example, python, session_file, shell
from harness.opener import Opener
from harness.programs import ROOT
from harness.waiting import until


@pytest.fixture
def run(home):
    """Starts one example; it is ended after the test."""
    started = []

    def start(command, **environment):
        example = Example(home, command, {name: str(value) for name, value in environment.items()})
        started.append(example)
        return example

    yield start
    for example in started:
        if example.process.poll() is None:
            example.kill()


@pytest.fixture(params=["python", "shell"])
def create_org(request):
    if request.param == "python":
        return lambda *arguments: python("create_org.py", *arguments)
    return lambda *arguments: shell("create-org.sh", *arguments)


@pytest.fixture(scope="session")
def notes_app():
    """The built example of a Swift package that depends on this one."""
    folder = EXAMPLES / "swift-app"
    done = subprocess.run(
        ["swift", "build", "--package-path", str(folder)], capture_output=True, text=True,
        timeout=1200)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stdout + done.stderr
    return folder / ".build" / "debug" / "notes-app"


def code_of(node, request):
    """As the consent page shows it."""
    return next(row["code"] for row in node.overview["requests"] if row["requestId"] == request)


@pytest.mark.parametrize(
    ("decision", "code", "says"),
    [("approve", 0, r"^Created: (\S+)$"), ("decline", 1, r"^Not created: (declined)$")])
def test_the_page_opens_and_the_decision_is_told(
    home, desktop, opener, node, run, create_org, decision, code, says
):
    example = run(create_org(session_file(home, node), "Acme"), S=desktop.socket)
    shown = example.says(r"^Compare this code with the one on the page: (\S+)$")
    page = opener.page()
    request = page.rsplit("/", 1)[1].split("?")[0]
    assert code_of(node, request) == shown
    node.decide(request, decision)
    assert example.says(says)
    assert example.end() == code


def test_without_a_browser_the_link_is_shown(home, daemon, node, run, create_org):
    example = run(create_org(session_file(home, node), "Acme"), S=daemon.socket)
    page = example.says(r"^Open this page: (\S+)$")
    node.decide(page.rsplit("/", 1)[1].split("?")[0], "approve")
    assert example.says(r"^Created: (\S+)$")
    assert example.end() == 0
    assert example.text.count(page) == 1


def test_a_refusal_is_one_line_with_its_code(home, daemon, node, run, create_org):
    example = run(create_org(session_file(home, node), ""), S=daemon.socket)
    assert example.end() == 1
    assert re.fullmatch(r"CONSENT_REQUEST_INVALID: .*\n", example.text)


def test_without_a_daemon_the_socket_that_was_tried_is_named(home, node, run, create_org):
    socket = home / "nobody.sock"
    example = run(create_org(session_file(home, node), "Acme"), S=socket)
    assert example.end() == 1
    assert re.fullmatch(r"DAEMON_UNAVAILABLE: .*\n", example.text)
    assert str(socket) in example.text


def test_a_session_file_that_is_missing_is_named(home, daemon, run, create_org):
    example = run(create_org(home / "none.json", "Acme"), S=daemon.socket)
    assert example.end() != 0
    assert re.fullmatch(rf"{home}/none.json cannot be read.*\n", example.text)


def test_a_daemon_that_ends_and_starts_again_is_waited_for_and_asks_for_tokens(
    home, daemon, node, run, create_org
):
    """Started by hand it has no manager that keeps the tokens meanwhile."""
    example = run(create_org(session_file(home, node), "Acme"), S=daemon.socket)
    example.says("^(Open this page): ")
    until(lambda: daemon.status["counts"]["waits"] == 1, "the example waits")
    daemon.stop()
    daemon.start()
    assert example.end() == 1
    assert re.search("^SESSION_EXPIRED: .*needsSession", example.text, re.MULTILINE), example.text
    assert "STOPPING" not in example.text and "Traceback" not in example.text


@pytest.fixture
def consentd(home, daemon, node):
    """Examples/python/mero_consent.py as an app has it: a copy of its own."""
    spec = importlib.util.spec_from_file_location(
        "mero_consent", EXAMPLES / "python" / "mero_consent.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.session = module.Consentd.open(
        json.loads(session_file(home, node).read_text()), daemon.socket)
    return module


def test_new_tokens_let_the_same_wait_go_on(home, consentd, daemon, node):
    request = consentd.session.start("createOrg", name="Acme")
    daemon.restart(kill=True)
    with pytest.raises(consentd.ConsentError, match="needsSession") as refused:
        consentd.session.wait(request)
    assert refused.value.code == "SESSION_EXPIRED"
    tokens = json.loads((home / "session.json").read_text())
    consentd.session.renew(tokens["accessToken"], tokens.get("refreshToken"))
    node.decide(request["requestId"], "approve")
    assert consentd.session.wait(request)["state"] == "approved"


def test_a_daemon_that_stays_away_ends_the_wait_after_a_bounded_time(consentd, daemon):
    request = consentd.session.start("createOrg", name="Acme")
    daemon.kill()
    consentd.PATIENCE = 2
    begin = time.monotonic()
    with pytest.raises(consentd.ConsentError, match=re.escape(daemon.socket)) as refused:
        consentd.session.wait(request)
    assert refused.value.code == "DAEMON_UNAVAILABLE"
    assert 2 <= time.monotonic() - begin < 25


@pytest.mark.parametrize("answer", [
    b"", b"HTTP/1.1 2", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{",
    b"HTTP/1.1 500 Oops\r\nContent-Length: 2\r\n\r\n{}",
])
def test_whatever_answers_each_failure_is_an_error_of_the_client(home, consentd, answer):
    path = str(home / "other.sock")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def serve():
            with listener.accept()[0] as connection:
                connection.recv(65536)
                connection.sendall(answer)

        server = threading.Thread(target=serve)
        server.start()
        with pytest.raises(consentd.ConsentError, match=re.escape(path)):
            consentd.Consentd(path=path).call("GET", "/v1/status")
        server.join()


def test_the_key_is_in_no_command_line(home, daemon, node, run):
    example = run(shell("create-org.sh", session_file(home, node), "Acme"), S=daemon.socket)
    example.says(r"^(Open this page): ")
    # The wait is curl's, and its key came another way.
    def waiting():
        lines = [
            open(f"/proc/{pid}/cmdline", "rb").read() for pid in os.listdir("/proc")
            if pid.isdigit() and os.path.exists(f"/proc/{pid}/cmdline")]
        return [line for line in lines if b"Prefer: wait=60" in line]

    lines = until(waiting, "curl waits")
    assert all(b"Bearer" not in line for line in lines)


def test_a_swift_app_goes_through_the_daemon(home, desktop, opener, node, run, notes_app):
    example = run([notes_app, session_file(home, node), "Acme"], S=desktop.socket)
    assert example.says("^(through the daemon)$")
    shown = example.says(r"^Compare this code with the one on the page: (\S+)$")
    request = opener.page().rsplit("/", 1)[1].split("?")[0]
    assert code_of(node, request) == shown
    node.decide(request, "approve")
    assert example.says(r"^Created: \S+, (revision 1)$")
    assert example.end() == 0


def test_a_swift_app_shows_the_link_where_no_browser_can_be_opened(
    home, daemon, node, run, notes_app
):
    example = run([notes_app, session_file(home, node), "Acme"], S=daemon.socket)
    page = example.says(r"^Open this page: (\S+)$")
    node.decide(page.rsplit("/", 1)[1].split("?")[0], "approve")
    assert example.says(r"^Created: \S+, (revision 1)$")
    assert example.end() == 0


@pytest.mark.parametrize(
    ("decision", "says"),
    [("approve", r"^Created: \S+, (revision 1)$"), ("decline", "^Not created: (declined)$")])
def test_a_swift_app_is_its_own_callback_without_a_daemon(
    home, node, run, notes_app, decision, says
):
    """Its main thread sleeps in poll(2) all the while."""
    opener = Opener(home)
    session = session_file(home, node, origins=None, returnTo=None)
    example = run(
        [notes_app, session, "Acme"], S=home / "nobody.sock", **opener.environment)
    assert example.says("^(without a daemon)$")
    page = opener.page()
    # The person decides on the page, which sends the browser to the app's own callback.
    last = press(open_page(page), decision)
    assert last.state == ("approved" if decision == "approve" else "declined")
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/done/[0-9a-f]{32}", last.url)
    assert example.says(says)
    assert example.end() == 0


def test_the_swift_app_finds_the_package_in_a_clone_of_any_name(home):
    clone = home / "some clone"
    clone.mkdir()
    for name in ("Package.swift", "Sources", "Benchmarks", "Tests"):
        (clone / name).symlink_to(ROOT / name)
    shutil.copytree(
        EXAMPLES / "swift-app", clone / "Examples" / "swift-app",
        ignore=shutil.ignore_patterns(".build"))
    done = subprocess.run(
        ["swift", "package", "--package-path", clone / "Examples" / "swift-app",
         "show-dependencies", "--format", "json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["dependencies"][0]["name"] == "mero-consentd"


def test_every_example_is_tried_here():
    tried = {"python", "shell", "swift-app", "gtk4"}
    assert {folder.name for folder in EXAMPLES.iterdir()} == tried
    assert examples.SYSTEM_PYTHON
