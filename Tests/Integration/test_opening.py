"""Opening the consent page in the person's browser."""

import os
import signal
import socket
import time

import pytest
from harness.api import Session, path
from harness.programs import Daemon
from harness.waiting import until


@pytest.fixture
def session(desktop, node):
    return Session(desktop, node)


def test_a_start_opens_the_page_where_it_is_asked_to(opener, session):
    view = session.start(open=True)
    # An opener's good end says nothing: old versions claim success and open nothing (C-062, C-063).
    assert view["opened"] == "unknown" and "openedReason" not in view
    assert opener.page() == view["url"]
    assert "opened" not in session.start(open=False)
    assert "opened" not in session.start()
    assert opener.pages == [view["url"]]


def test_a_page_is_opened_later(opener, session):
    view = session.start()
    answer = session.post(path(view["requestId"], "/open"))
    assert answer.status == 200 and answer.json() == view | {"opened": "unknown"}
    assert opener.page() == view["url"]


def test_a_repeat_of_a_start_opens_no_second_page(opener, session):
    headers = {"Idempotency-Key": "k"}
    first = session.start(open=True, headers=headers)
    again = session.start(open=True, headers=headers)
    assert again["requestId"] == first["requestId"] and "opened" not in again
    assert opener.page() and len(opener.pages) == 1


def test_what_is_finished_is_not_opened(opener, node, session):
    view = session.start()
    session.delete(path(view["requestId"]))
    answer = session.post(path(view["requestId"], "/open"))
    assert answer.status == 410 and answer.code == "CONSENT_CANCELLED"
    view = session.start()
    node.decide(view["requestId"])
    session.decided(view["requestId"])
    answer = session.post(path(view["requestId"], "/open"))
    assert answer.status == 200 and answer.json()["opened"] is False
    assert opener.pages == []


@pytest.mark.parametrize("environment, reason", [
    ({"DISPLAY": ""}, "NO_DISPLAY"),
    ({"DISPLAY": "", "SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}, "NO_DISPLAY"),
    ({"PATH": "/nonexistent", "DISPLAY": ":99"}, "NO_OPENER"),
], ids=["no-desktop", "ssh", "no-opener"])
def test_without_a_browser_the_request_is_there_all_the_same(
        programs, opener, node, environment, reason):
    """C-064, C-065."""
    daemon = programs(Daemon, environment=opener.environment | environment).start()
    session = Session(daemon, node)
    view = session.start(open=True)
    assert view["opened"] is False and view["openedReason"] == reason
    assert view["url"] and view["code"]
    answer = session.post(path(view["requestId"], "/open"))
    assert answer.status == 503 and answer.code == "BROWSER_UNAVAILABLE"
    assert answer.json()["requestId"] == view["requestId"]
    assert view["url"] in answer.json()["detail"]
    assert opener.pages == []
    # Nothing of a child's is printed, and no address of a page is logged.
    assert view["url"] not in daemon.log and reason in daemon.log


def test_an_opener_that_fails_at_once_has_opened_nothing(opener, session):
    """C-062."""
    for script, reason in (("exit 3", "NO_BROWSER"), ("sleep 0.05; exit 4", "FAILED")):
        opener.set(script)
        view = session.start(open=True)
        assert view["opened"] is False and view["openedReason"] == reason


def test_a_success_that_opened_nothing_is_not_believed(programs, node):
    """C-063: the real xdg-open on a desktop that its version does not know."""
    daemon = programs(Daemon, environment={
        "DISPLAY": ":99", "XDG_CURRENT_DESKTOP": "KDE", "KDE_FULL_SESSION": "true",
        "KDE_SESSION_VERSION": "6"}).start()
    view = Session(daemon, node).start(open=True)
    assert view["opened"] in ("unknown", False) and view["url"] and view["code"]


def test_an_opener_that_does_not_end_is_not_waited_for(opener, desktop, session):
    """C-061."""
    opener.set("trap '' TERM; sleep 15")
    begin = time.monotonic()
    assert session.start(open=True)["opened"] == "unknown"
    assert time.monotonic() - begin < 12
    assert desktop.status

    def children():
        listed = open(f"/proc/{desktop.pid}/task/{desktop.pid}/children").read().split()
        return [child for child in listed if os.path.exists(f"/proc/{child}")]

    until(lambda: not children(), "no child is left behind, not even a dead one")


def test_an_opener_gets_nothing_of_ours(programs, opener, node, home):
    opener.set(f"env >'{home}/env'; ls -l /proc/$$/fd >'{home}/fds'; grep SigBlk /proc/self/status "
                f">'{home}/signals'; mv '{home}/env' '{home}/env.done'")
    daemon = programs(Daemon, environment=opener.environment | {
        "LD_LIBRARY_PATH": "/nonexistent", "GIO_MODULE_DIR": "x", "LISTEN_PID": "1",
        "NOTIFY_SOCKET": "/nonexistent", "WATCHDOG_USEC": "0", "MERO_SECRET": "x"}).start()
    Session(daemon, node).start(open=True)
    until((home / "env.done").exists, "the opener ran")
    names = {line.partition("=")[0] for line in (home / "env.done").read_text().splitlines()}
    assert "DISPLAY" in names and "HOME" in names
    for name in names:
        assert not name.startswith(("LD_", "GIO_", "LISTEN_", "NOTIFY_", "WATCHDOG_", "MERO_"))
    # The shell's own are the script that it reads and the files that it writes.
    files = [line.split(" -> ")[1] for line in (home / "fds").read_text().splitlines()[1:]]
    assert len(files) >= 3
    for file in files:
        assert not file.startswith(("socket:", "anon_inode:", str(daemon.state))), file
    assert int((home / "signals").read_text().split()[1], 16) == 0


def test_a_return_in_the_moment_of_opening_is_answered(opener, desktop, session, home):
    """C-009: a warm web session brings the person back at once."""
    opener.set(
        f"curl -s -o /dev/null -w '%{{http_code}}\\n' --get --data-urlencode "
        f"\"request_id=$(printf %s \"$1\" | sed 's/.*consent.//; s/[?].*//')\" "
        f"http://127.0.0.1:{desktop.port}/return >>'{home}/codes'")
    for _ in range(5):
        session.start(open=True)
    codes = until(
        lambda: (home / "codes").exists() and len((home / "codes").read_text().split()) == 5
        and (home / "codes").read_text().split(), "five returns")
    assert codes == ["303"] * 5


def test_an_opener_that_stays_holds_nothing_of_the_daemons(opener, desktop, session):
    """C-078: nothing that listens is handed on, and nobody waits for the opener."""
    held, pid = opener.folder / "held", opener.folder / "pid"
    opener.set(
        f"readlink /proc/$$/fd/* >'{held}'; echo $$ >'{pid}.new'; mv '{pid}.new' '{pid}'; exec sleep 60")
    session.start(open=True)
    until(pid.exists, "the opener runs")
    try:
        # Besides the shell's own script: no socket, no file of the daemon's.
        own = ("/dev/null", str(opener.folder), str(desktop.home))
        assert [link for link in held.read_text().splitlines() if not link.startswith(own)] == []
        assert "socket:" not in held.read_text() and "ledger" not in held.read_text()
        port = desktop.port
        assert desktop.stop() == 0
        assert os.path.exists(f"/proc/{pid.read_text().strip()}"), "the opener stayed"
        for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
            with socket.socket(family) as other:
                other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                other.bind((address, port))
                other.listen()
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(desktop.socket)
    finally:
        os.kill(int(pid.read_text()), signal.SIGKILL)
