"""Where the daemon's files are, whose they are, and who may read them."""

import hashlib
import os
import shutil
import stat
import subprocess

import pytest
from harness.programs import Daemon, binaries
from harness.waiting import until


class Defaults(Daemon):
    """With no path named: everything is where XDG says."""

    def __init__(self, home, *options, environment=None, unset=()):
        super().__init__(home, *options)
        self.arguments = [
            str(binaries() / "mero-consentd"), "--callback-port", "0", *map(str, options)]
        self.environment |= environment or {}
        for name in unset:
            self.environment.pop(name, None)
        runtime = self.environment.get("XDG_RUNTIME_DIR", "")
        self.socket = runtime + "/mero-consent/api.sock"
        self.api.socket = self.socket

    def fails(self):
        ended = subprocess.run(
            self.arguments, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=60, text=True, umask=0)
        return ended.returncode, ended.stderr


def modes(folder):
    return {
        str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode)
        for path in folder.rglob("*")
    }


def test_everything_is_private_whatever_the_umask(home, programs):
    """C-129, C-087 (b)."""
    daemon = programs(Defaults)
    daemon.runtime.chmod(0o755)
    old = os.umask(0)
    try:
        daemon.start()
    finally:
        os.umask(old)
    assert daemon.api.post("/v1/sessions", {}).status == 422
    for folder in (daemon.runtime / "mero-consent", daemon.home / "xdg-state"):
        for name, mode in modes(folder).items():
            kind = 0o700 if (folder / name).is_dir() else 0o600
            assert mode == kind, (name, oct(mode))
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # What was there is not ours to change.
    assert stat.S_IMODE(daemon.runtime.stat().st_mode) == 0o755


def test_a_widened_folder_is_narrowed_again(home, programs):
    daemon = programs(Defaults).start()
    assert daemon.stop() == 0
    state = daemon.home / "xdg-state" / "mero-consent"
    state.chmod(0o777)
    for file in state.iterdir():
        file.chmod(0o666)
    (daemon.runtime / "mero-consent").chmod(0o777)
    daemon.start()
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert set(modes(state).values()) == {0o600}
    assert stat.S_IMODE((daemon.runtime / "mero-consent").stat().st_mode) == 0o700


def test_the_callback_is_published_and_taken_back(home, programs):
    daemon = programs(Defaults).start()
    note = daemon.runtime / "mero-consent" / "callback"
    assert note.read_text().splitlines() == daemon.status["callbacks"]
    assert daemon.stop() == 0
    assert not note.exists()
    assert not os.path.exists(daemon.socket)


def test_the_callback_stays_that_of_the_first(home, programs):
    """Daemons with other sockets and records may have the same runtime directory."""
    first = programs(Defaults).start()
    note = first.runtime / "mero-consent" / "callback"
    published = note.read_text()
    second = programs(Daemon, environment={"XDG_RUNTIME_DIR": str(first.runtime)}).start()
    assert note.read_text() == published
    assert second.stop() == 0
    assert note.read_text() == published
    assert first.stop() == 0
    assert not note.exists()
    third = programs(Daemon, environment={"XDG_RUNTIME_DIR": str(first.runtime)}).start()
    assert note.read_text().splitlines() == third.status["callbacks"]


def test_a_link_in_a_runtime_directory_leads_nowhere(home, programs):
    """An app in a sandbox may be given the directory of the socket, to write there as well."""
    daemon = programs(Daemon).start()
    assert daemon.stop() == 0
    theirs = home / "theirs"
    theirs.mkdir()
    names = ["thesis.txt", "1", "ledger.db", "callback", "work"]
    places = [daemon.runtime / "mero-consent" / "sessions"]
    own = daemon.runtime / "mero-consentd"
    record = f"record-{hashlib.sha256(str(daemon.state).encode()).hexdigest()[:16]}"
    for link in (*places, own / record / "unwritten", own / record, own):
        for name in names:
            (theirs / name).write_text(name)
        shutil.rmtree(own, ignore_errors=True)
        link.parent.mkdir(parents=True, exist_ok=True)
        if link.exists():
            shutil.rmtree(link)
        link.symlink_to(theirs)
        daemon.start()
        assert daemon.stop() == 0
        assert {name: (theirs / name).read_text() for name in names} == {
            name: name for name in names}, link
        link.unlink()
    callback = daemon.runtime / "mero-consent" / "callback"
    callback.symlink_to(theirs / "callback")
    daemon.start()
    assert not callback.is_symlink() and daemon.stop() == 0
    assert (theirs / "callback").read_text() == "callback"


@pytest.mark.parametrize("value", ["missing", "relative", "empty", "unset"])
def test_without_a_runtime_directory_nothing_is_made_elsewhere(home, programs, value):
    """C-086, C-087 (c), (d), (e)."""
    given = {"missing": str(home / "missing"), "relative": "run", "empty": ""}
    daemon = programs(
        Defaults, environment={"XDG_RUNTIME_DIR": given[value]} if value in given else {},
        unset=["XDG_RUNTIME_DIR"] if value == "unset" else [])
    if value != "missing" and os.path.isdir(f"/run/user/{os.geteuid()}"):
        pytest.skip("this user has a runtime directory of the system")
    before = set(os.listdir("/tmp"))
    code, words = daemon.fails()
    assert code == 78 and "NO_RUNTIME_DIR" in words
    assert not (home / "missing").exists()
    assert not (daemon.home / "xdg-state").exists()
    assert not [name for name in set(os.listdir("/tmp")) - before if "mero-consent" in name]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_another_users_runtime_directory_is_not_used(home, programs):
    """C-087 (a)."""
    daemon = programs(Defaults)
    os.chown(daemon.runtime, 65534, 65534)
    code, words = daemon.fails()
    assert code == 78 and "NO_RUNTIME_DIR" in words
    assert os.listdir(daemon.runtime) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make /run/user/0")
def test_the_systems_runtime_directory_is_the_fallback(home, programs):
    """C-086: present, ours, 0700. In a mount namespace, so that this machine's stays as it is."""
    daemon = programs(Defaults, unset=["XDG_RUNTIME_DIR"])
    runtime = home / "system-run"
    for mode, expected in ((0o700, None), (0o755, 78)):
        shutil.rmtree(runtime, ignore_errors=True)
        (runtime / "0").mkdir(parents=True)
        (runtime / "0").chmod(mode)
        command = " ".join([
            "mkdir -p /run/user && mount --bind", str(runtime), "/run/user && exec",
            *daemon.arguments])
        process = subprocess.Popen(
            ["unshare", "--mount", "sh", "-c", command], env=daemon.environment,
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if expected is not None:
            _, words = process.communicate(timeout=60)
            assert process.returncode == expected and "NO_RUNTIME_DIR" in words
            continue
        socket = runtime / "0" / "mero-consent" / "api.sock"
        until(socket.exists, "the socket is there")
        process.terminate()
        _, words = process.communicate(timeout=60)
        assert process.returncode == 0
        assert sum("warning" in line and "XDG_RUNTIME_DIR" in line for line in words.splitlines()) == 1


@pytest.mark.parametrize("length, fits", [(107, True), (108, False), (300, False)])
def test_the_path_of_the_socket_has_107_bytes_at_most(home, programs, length, fits):
    """C-093."""
    tail = "/mero-consent/api.sock"
    parent = str(home) + "/"
    while len(parent) + len(tail) < length:
        left = length - len(parent) - len(tail)
        piece = min(left, 60)
        if 0 < left - piece < 2:
            piece -= 2
        parent += "x" * piece if piece == left else "x" * (piece - 1) + "/"
    assert len(parent + tail) == length
    os.makedirs(parent, mode=0o700)
    daemon = programs(Defaults, environment={"XDG_RUNTIME_DIR": parent})
    if fits:
        daemon.start()
        assert daemon.status["version"]
        return
    code, words = daemon.fails()
    assert code == 78 and "SOCKET_PATH_TOO_LONG" in words and str(length) in words
    assert os.listdir(parent) == []
    assert not (daemon.home / "xdg-state").exists()


@pytest.mark.skipif(
    subprocess.run(["unshare", "-U", "--map-current-user", "true"]).returncode != 0,
    reason="no user namespaces here")
def test_a_user_namespace_is_no_reason_not_to_start(home, programs):
    """C-094: parents seem to be nobody's there."""
    daemon = programs(Defaults)
    daemon.arguments = ["unshare", "-U", "--map-current-user", *daemon.arguments]
    daemon.start()
    assert daemon.status["version"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_another_users_state_directory_is_not_used(home, programs):
    daemon = programs(Defaults)
    state = daemon.home / "xdg-state" / "mero-consent"
    state.mkdir(parents=True)
    os.chown(state, 65534, 65534)
    code, words = daemon.fails()
    assert code == 74 and "STATE_UNAVAILABLE" in words
    assert os.listdir(state) == []
