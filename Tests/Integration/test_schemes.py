"""URL handlers with the desktop's real tools in a home of the test's own: group 2 of the cases."""

import json
import os
import shutil
import subprocess
import time

import pytest
from harness.api import Session
from harness.bus import Bus, Notifications
from harness.programs import ROOT, Daemon, binaries
from harness.waiting import until

ENTRY = ROOT / "config" / "mero-consent.desktop"
OURS = "mero-consent.desktop"


class Desktop:
    """A person's desktop: a home, the programs that look into it, and the command line."""

    def __init__(self, home, daemon):
        self.home = home / "person"
        self.applications = self.home / ".local/share/applications"
        self.list = self.home / ".config/mimeapps.list"
        self.home.mkdir()
        self.program = (binaries() / "mero-consent").resolve()
        base = {name: os.environ[name] for name in ("LANG",) if name in os.environ}
        self.environment = base | {
            "HOME": str(self.home), "PATH": "/usr/local/bin:/usr/bin:/bin", "DISPLAY": ":99",
            "XDG_DATA_DIRS": str(home / "system")}
        if daemon is not None:
            # As the desktop's session has it: the socket is found by the runtime directory.
            run = self.home / "run"
            (run / "mero-consent").mkdir(parents=True, exist_ok=True)
            os.symlink(daemon.socket, run / "mero-consent/api.sock")
            self.environment["XDG_RUNTIME_DIR"] = str(run)

    def run(self, *words, environment=None, **more):
        return subprocess.run(
            [str(word) for word in words], env=self.environment | (environment or {}),
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, **more)

    def command(self, *words, **more):
        return self.run(self.program, *words, **more)

    def install(self):
        """The package's entry, as `make install` puts it in place."""
        self.applications.mkdir(parents=True)
        text = ENTRY.read_text().replace("/usr/bin/mero-consent", str(self.program))
        (self.applications / OURS).write_text(text)
        self.refresh()

    def refresh(self):
        assert self.run("update-desktop-database", self.applications).returncode == 0

    def default(self, scheme):
        return self.run("xdg-mime", "query", "default", f"x-scheme-handler/{scheme}").stdout.strip()

    def snapshot(self):
        """Every file below the home but the cache, by its bytes."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and path.name != "mimeinfo.cache"}


@pytest.fixture
def desktop(home):
    return Desktop(home, None)


@pytest.fixture
def connected(home, daemon):
    desktop = Desktop(home, daemon)
    desktop.install()
    return desktop


# The package's entry


def test_the_entry_is_valid_and_as_every_launcher_understands_it():
    """C-047, C-048, C-049, C-057."""
    subprocess.run(["desktop-file-validate", ENTRY], check=True)
    lines = dict(
        line.partition("=")[::2] for line in ENTRY.read_text().splitlines() if "=" in line)
    words = lines["Exec"].split(" ")
    assert words[0].startswith("/") and not set("\"'`\\$") & set(lines["Exec"])
    assert words[1:] == ["handle", "%u"]
    assert lines["MimeType"] == "x-scheme-handler/mero-consent;"
    assert lines["NoDisplay"] == "true" and lines["Terminal"] == "false"


@pytest.mark.parametrize("launcher", [["xdg-open"], ["gio", "open"]], ids=" ".join)
def test_a_return_goes_by_the_desktop_to_a_verified_result(connected, session, node, launcher):
    view = session.start()
    node.decide(view["requestId"])
    calls = node.calls("result")
    opened = connected.run(*launcher, f"mero-consent://return?request_id={view['requestId']}")
    assert opened.returncode == 0, opened
    ended = session.decided(view["requestId"], "approved")
    assert ended["outcome"]["orgId"] and node.calls("result") > calls


@pytest.mark.parametrize("launcher", [["xdg-open"], ["gio", "open"]], ids=" ".join)
@pytest.mark.parametrize("tail", [
    "request_id=rq-1&result=approved", "request_id=$(id)&b=`id`;'x",
    "request_id=a%26b%20c&x=%22%E6%97%A5%C3%A9&y=\"(|)<>", "request_id=日本é",
])
def test_the_handler_gets_the_url_byte_for_byte(desktop, launcher, tail):
    """C-047: with a recorder in the place of our program."""
    url = f"mero-consent://return?{tail}"
    desktop.program, seen = desktop.home / "mero-consent", desktop.home / "seen"
    desktop.program.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" >'{seen}'\n")
    desktop.program.chmod(0o755)
    desktop.install()
    assert desktop.run(*launcher, url).returncode == 0
    until(seen.exists, "the handler ran")
    until(lambda: seen.read_bytes() == f"handle\0{url}\0".encode(), "byte for byte")


# handle


@pytest.mark.parametrize("start", [
    "mero-consent://return?", "mero-consent:///return?", "mero-consent:/return?",
    "mero-consent:return?", "mero-consent://return/?", "mero-consent://RETURN?",
    "MERO-CONSENT://return?", "com.example.notes://anything/else?",
])
def test_every_spelling_of_a_return_is_taken(connected, session, node, start):
    """C-050, C-051. The node is slow; the handler is not."""
    node.misbehave("slow", on="result", number=4000, times="forever")
    view = session.start()
    node.decide(view["requestId"])
    handled = connected.command("handle", f"{start}request_id={view['requestId']}&result=declined")
    assert handled.returncode == 0, handled
    state = session.request(view["requestId"])["state"]
    assert state == "started", "it does not wait for the node"
    session.decided(view["requestId"], "approved")


def test_the_handler_does_not_wait_for_a_slow_node(connected, session, node):
    """However often it is called, and however slow the node is."""
    node.misbehave("slow", on="result", number=20000, times="forever")
    view = session.start()
    begin = time.monotonic()
    for _ in range(5):
        url = f"mero-consent://return?request_id={view['requestId']}"
        assert connected.command("handle", url).returncode == 0
    assert time.monotonic() - begin < 20


@pytest.mark.parametrize("words, code", [
    ([], 64), (["mero-consent://return?request_id=a", "b"], 64),
    (["mero-consent://return?request_id=a b"], 65), (["mero-consent://return?request_id=a\tb"], 65),
    (["mero-consent://return?request_id=a\nb"], 65), (["mero-consent://return?request_id=a\x7f"], 65),
    (["mero-consent://other?request_id=a"], 65), (["mero-consent://return?REQUEST_ID=a"], 65),
    (["mero-consent://return"], 65), (["mero-consent://return?request_id="], 65),
    (["https://notes.example/?request_id=a"], 65), (["http://127.0.0.1/?request_id=a"], 65),
    (["mero-consent://return?request_id=%zz"], 65), ([b"mero-consent://return?request_id=\xff"], 65),
    (["mero-consent://return?request_id=" + "a" * 8192], 65), ([""], 65), (["return"], 65),
])
def test_what_is_no_return_is_not_handed_over(connected, daemon, words, code):
    """C-050, C-051, C-052."""
    handled = subprocess.run(
        [connected.program, "handle", *words], env=connected.environment,
        stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    assert handled.returncode == code and handled.stderr and not handled.stdout
    assert "a return came" not in daemon.log


def test_the_handler_says_so_where_no_daemon_took_it(desktop, home):
    """Started by a desktop it has no terminal, so a notification has the words."""
    url = "mero-consent://return?request_id=rq-1"
    run = desktop.home / "empty"
    run.mkdir()
    handled = desktop.command("handle", url, environment={"XDG_RUNTIME_DIR": str(run)})
    assert handled.returncode == 69 and "rq-1" not in handled.stderr
    bus = Bus(home)
    try:
        service = bus.add(Notifications)
        for words, code in (([url], 69), (["mero-consent://other?request_id=rq-1"], 65)):
            handled = desktop.command(
                "handle", *words, environment=bus.environment | {"XDG_RUNTIME_DIR": str(run)})
            assert handled.returncode == code
        assert [summary for summary, _ in service.shown] == ["The answer did not arrive"] * 2
        for _, body in service.shown:
            assert "rq-1" not in body
    finally:
        bus.close()


def test_an_activation_token_reaches_the_app_once(connected, daemon, session, node):
    """C-070."""
    view = session.start()
    node.decide(view["requestId"])
    stream = session.events()
    url = f"mero-consent://return?request_id={view['requestId']}"
    tokens = {"XDG_ACTIVATION_TOKEN": "tok-1", "DESKTOP_STARTUP_ID": "id-1"}
    assert connected.command("handle", url, environment=tokens).returncode == 0
    event = stream.next()
    assert json.loads(event["data"])["activationToken"] == "tok-1"
    stream.close()
    with session.events(after=int(event["id"]) - 1) as again:
        assert "activationToken" not in again.next_request()
    assert "tok-1" not in json.dumps(session.request(view["requestId"]))
    assert "tok-1" not in daemon.log
    for path in daemon.state.rglob("*"):
        assert not path.is_file() or b"tok-1" not in path.read_bytes()


def test_nothing_is_written_by_starting_and_handling(connected, programs, session, node):
    """C-058: a managed list stays what it is."""
    managed = connected.home / "managed.list"
    managed.write_text("[Default Applications]\ntext/plain=x.desktop\n")
    managed.chmod(0o444)
    connected.list.parent.mkdir(exist_ok=True)
    connected.list.symlink_to(managed)
    before = connected.snapshot()
    for _ in range(3):
        programs(Daemon, environment=connected.environment).start().stop()
    view = session.start()
    url = f"mero-consent://return?request_id={view['requestId']}"
    assert connected.command("handle", url).returncode == 0
    assert connected.list.is_symlink()
    assert connected.snapshot() == before


# register-scheme


LIST = """[Added Associations]
text/plain=a.desktop;b.desktop;

[Default Applications]
text/plain=a.desktop
x-scheme-handler/mailto=mail.desktop

[Removed Associations]
text/plain=c.desktop
"""


@pytest.mark.parametrize("before", [
    None, "", LIST, LIST + "\n\n", "[Added Associations]\nx/y=z.desktop\n\n",
    LIST.replace("mailto=", "com.example.notes=other.desktop;third.desktop;\nx-scheme-handler/b="),
    # Which xdg-mime does not know, and desktops do.
    LIST.replace("mailto=", "com.example.notes = other.desktop;third.desktop;\nx-scheme-handler/b="),
], ids=["no-list", "empty", "list", "blank-lines", "no-section", "had-another", "had-blanks"])
def test_unregistering_leaves_everything_as_it_was(desktop, before):
    """C-054, C-059."""
    desktop.applications.mkdir(parents=True)
    (desktop.applications / "other.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Other\nExec=true %u\n"
        "MimeType=x-scheme-handler/com.example.notes;\n")
    desktop.refresh()
    if before is not None:
        desktop.list.parent.mkdir()
        desktop.list.write_text(before)
    files = desktop.snapshot()
    done = desktop.command("register-scheme", "COM.Example.Notes")
    assert done.returncode == 0 and "other.desktop" in done.stdout, done
    ours = "mero-consent-com.example.notes.desktop"
    subprocess.run(["desktop-file-validate", desktop.applications / ours], check=True)
    assert desktop.default("com.example.notes") == ours
    told = desktop.run("gio", "mime", "x-scheme-handler/com.example.notes").stdout
    for part in ("Default", "Registered", "Recommended"):
        assert ours in told.partition(part)[2], told
    # Nothing else has another default than before.
    changed = set(desktop.list.read_text().splitlines()) ^ set((before or "").splitlines())
    assert all("com.example.notes" in line or line in ("", "[Default Applications]")
               for line in changed), changed
    # Once more changes nothing at all.
    registered = desktop.snapshot()
    stamp = desktop.list.stat().st_mtime_ns
    assert desktop.command("register-scheme", "com.example.notes").returncode == 0
    assert desktop.snapshot() == registered and desktop.list.stat().st_mtime_ns == stamp
    done = desktop.command("unregister-scheme", "com.example.notes")
    assert done.returncode == 0 and "other.desktop" in done.stdout, done
    assert desktop.snapshot() == files
    assert "mero-consent" not in (desktop.applications / "mimeinfo.cache").read_text()
    assert desktop.default("com.example.notes") == "other.desktop"
    done = desktop.command("unregister-scheme", "com.example.notes")
    assert done.returncode == 0 and "not registered" in done.stdout
    assert desktop.snapshot() == files


def test_what_was_changed_meanwhile_stays(desktop):
    assert desktop.command("register-scheme", "com.example.notes").returncode == 0
    desktop.run("xdg-mime", "default", "x.desktop", "text/plain")
    assert desktop.command("unregister-scheme", "com.example.notes").returncode == 0
    assert "text/plain=x.desktop" in desktop.list.read_text()
    assert "mero-consent" not in desktop.list.read_text()
    # What somebody else has now is not taken from them.
    assert desktop.command("register-scheme", "com.example.notes").returncode == 0
    desktop.run("xdg-mime", "default", "y.desktop", "x-scheme-handler/com.example.notes")
    assert desktop.command("unregister-scheme", "com.example.notes").returncode == 0
    assert "com.example.notes=y.desktop" in desktop.list.read_text()


@pytest.mark.parametrize("scheme", [
    "http", "HTTPS", "file", "mailto", "tel", "ftp", "ssh", "javascript", "data", "about", "",
    "1a", "-a", "a b", "a/b", "a:b", "a;b", "é", "../x", "a" * 65, "a\nb",
])
def test_schemes_that_are_not_an_apps_are_refused(desktop, scheme):
    files = desktop.snapshot()
    for command in ("register-scheme", "unregister-scheme"):
        done = desktop.command(command, "--", scheme)
        assert done.returncode == 65 and done.stderr and not done.stdout, done
    assert desktop.snapshot() == files


def test_a_managed_list_is_left_alone(desktop):
    managed = desktop.home / "managed.list"
    managed.write_text("[Default Applications]\nx-scheme-handler/com.example.notes=y.desktop\n")
    managed.chmod(0o444)
    desktop.list.parent.mkdir()
    desktop.list.symlink_to(managed)
    (desktop.home / ".local/share/applications").mkdir(parents=True)
    (desktop.applications / "y.desktop").write_text("[Desktop Entry]\nType=Application\n")
    done = desktop.command("register-scheme", "com.example.notes")
    assert done.returncode == 1 and "is a link" in done.stderr and "y.desktop" in done.stdout
    assert desktop.list.is_symlink() and "mero-consent" not in managed.read_text()
    assert desktop.command("unregister-scheme", "com.example.notes").returncode == 0
    assert not list(desktop.applications.glob("mero-consent-*"))


@pytest.mark.parametrize("missing", ["update-desktop-database", "xdg-mime"])
def test_without_a_tool_there_is_a_warning(desktop, home, missing):
    """C-054."""
    tools = home / "tools"
    tools.mkdir()
    for folder in ("/usr/bin", "/bin"):
        for path in os.listdir(folder):
            if path != missing and not (tools / path).exists():
                (tools / path).symlink_to(f"{folder}/{path}")
    done = desktop.command(
        "register-scheme", "com.example.notes", environment={"PATH": str(tools)})
    assert done.stderr.count("warning:") == 1 and missing in done.stderr, done
    assert done.returncode == 0, "the entry alone is enough where nothing else has the scheme"


def test_json_tells_what_was_done(desktop):
    done = desktop.command("register-scheme", "com.example.notes", "--json")
    assert json.loads(done.stdout) == {
        "scheme": "com.example.notes", "done": True, "changed": True,
        "now": "mero-consent-com.example.notes.desktop"}
    done = desktop.command("unregister-scheme", "com.example.notes", "--json")
    assert json.loads(done.stdout) == {
        "scheme": "com.example.notes", "done": True, "changed": True}


def test_a_program_whose_path_needs_quotes_is_not_registered(desktop, home):
    """C-048: with quotes, some versions of xdg-open run nothing."""
    place = home / "a place"
    place.mkdir()
    shutil.copy(desktop.program, place / "mero-consent")
    done = desktop.run(place / "mero-consent", "register-scheme", "com.example.notes")
    assert done.returncode == 78 and not desktop.applications.exists()


def test_an_apps_scheme_goes_to_a_verified_result(connected, session, node):
    assert connected.command("register-scheme", "com.example.notes").returncode == 0
    view = session.start()
    node.decide(view["requestId"])
    url = f"com.example.notes://done?request_id={view['requestId']}&result=approved"
    assert connected.run("xdg-open", url).returncode == 0
    session.decided(view["requestId"], "approved")


# Several at once, and what is somebody else's


def test_registrations_at_once_lose_nothing(desktop):
    desktop.list.parent.mkdir(parents=True)
    foreign = "[Default Applications]\ntext/html=some-browser.desktop\n"
    desktop.list.write_text(foreign)
    names = [f"com.example.app{number}" for number in range(8)]
    started = [
        subprocess.Popen(
            [desktop.program, "register-scheme", name], env=desktop.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for name in names]
    assert [process.wait(60) for process in started] == [0] * len(names)
    lines = desktop.list.read_text().splitlines()
    assert "text/html=some-browser.desktop" in lines
    for name in names:
        assert f"x-scheme-handler/{name}=mero-consent-{name}.desktop" in lines


def test_an_entry_of_somebody_elses_is_left_alone(desktop):
    desktop.applications.mkdir(parents=True)
    theirs = desktop.applications / "mero-consent-com.example.app.desktop"
    theirs.write_text("[Desktop Entry]\nType=Application\nName=Mine\nExec=/bin/mine %u\n")
    before = desktop.snapshot()
    for command in ("register-scheme", "unregister-scheme"):
        ended = desktop.command(command, "com.example.app")
        assert ended.returncode not in (0, 1) and str(theirs) in ended.stderr, ended
        assert desktop.snapshot() == before


def test_a_left_over_link_is_not_written_through(desktop):
    desktop.list.parent.mkdir(parents=True)
    desktop.list.write_text("[Default Applications]\ntext/html=some-browser.desktop\n")
    victim = desktop.home / "victim"
    victim.write_text("mine")
    (desktop.list.parent / "mimeapps.list.new").symlink_to(victim)
    assert desktop.command("register-scheme", "com.example.app").returncode == 0
    assert victim.read_text() == "mine" and not desktop.list.is_symlink()


def test_a_pipe_in_place_of_the_list_holds_nothing_up(desktop):
    desktop.list.parent.mkdir(parents=True)
    os.mkfifo(desktop.list)
    process = subprocess.Popen(
        [desktop.program, "unregister-scheme", "com.example.app"], env=desktop.environment,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert process.wait(20) is not None
