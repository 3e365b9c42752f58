"""The command line and the configuration file of the daemon."""

import os
import stat
import subprocess

import pytest
from harness.programs import Daemon, binaries


@pytest.fixture
def run(home):
    """Runs the daemon to its end; for calls that end by themselves."""
    environment = {
        "HOME": str(home), "XDG_RUNTIME_DIR": str(home), "PATH": os.environ["PATH"]}

    def call(*options, **more):
        ended = subprocess.run(
            [binaries() / "mero-consentd", *map(str, options)], env=environment | more,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60, text=True)
        return ended.returncode, ended.stdout, ended.stderr

    return call


def test_tells_its_version_and_its_options(run):
    code, out, _ = run("--version")
    assert code == 0 and out.startswith("mero-consentd ")
    code, out, _ = run("--help")
    assert code == 0
    for option in ("config", "socket", "callback-port", "state-dir", "log-level", "check-config",
                   "version", "help"):
        assert f"--{option}" in out


@pytest.mark.parametrize("options", [
    ["--nonsense"], ["operand"], ["--socket"], ["--callback-port", "65536"],
    ["--callback-port", "+1"], ["--callback-port", ""], ["--log-level", "loud"],
    ["--state-dir", "relative"], ["--socket", "relative"],
])
def test_a_wrong_option_is_64(run, options):
    code, _, words = run(*options)
    assert code == 64 and words


def test_faults_of_the_file_are_named_with_their_lines(run, home):
    file = home / "c.conf"
    file.write_text("[Daemon]\nLogLevel=loud\n\n[Callback]\nColour=red\n")
    for options in (["--check-config"], []):
        code, _, words = run("--config", file, *options)
        assert code == 78
        assert f"{file}:2: the value of LogLevel" in words
        assert f"{file}:5: unknown key Colour" in words
        # The last line has the word, alike at a check and at a start.
        assert words.splitlines()[-1].startswith("mero-consentd: error: CONFIGURATION_INVALID: ")
    assert sorted(os.listdir(home)) == ["c.conf"]


def test_a_file_without_faults_is_0(run, home):
    file = home / "c.conf"
    file.write_text("[Daemon]\nLogLevel=debug\n")
    assert run("--config", file, "--check-config")[0] == 0
    assert run("--check-config")[0] == 0
    # A file that was named has to be there; the one of the usual place need not.
    assert run("--config", home / "none", "--check-config")[0] == 78
    usual = home / ".config" / "mero-consent"
    usual.mkdir(parents=True)
    (usual / "mero-consentd.conf").write_text("nonsense\n")
    code, _, words = run("--check-config")
    assert code == 78 and "mero-consentd.conf:1:" in words


@pytest.fixture
def drop_ins(home):
    folder = home / ".config" / "mero-consent" / "mero-consentd.conf.d"
    folder.mkdir(parents=True)
    return folder


def test_a_pipe_or_a_device_is_no_configuration_and_holds_nothing_up(run, drop_ins):
    os.mkfifo(drop_ins / "a.conf")
    (drop_ins / "b.conf").symlink_to("/dev/zero")
    (drop_ins / "c.conf").symlink_to("nowhere")
    code, _, words = run("--check-config")
    assert code == 78
    for name in ("a.conf", "b.conf", "c.conf"):
        assert f"{name}: cannot be read" in words
    assert words.count("not a regular file") == 2 and "No such file" in words


def test_a_configuration_that_others_can_write_is_a_fault(run, drop_ins):
    file = drop_ins / "a.conf"
    file.write_text("[Daemon]\nLogLevel=debug\n")
    assert run("--check-config")[0] == 0
    for writable, mode in ((file, 0o666), (file, 0o620), (drop_ins, 0o777)):
        usual = writable.stat().st_mode & 0o777
        writable.chmod(mode)
        code, _, words = run("--check-config")
        assert code == 78 and f"chmod go-w {writable}" in words
        writable.chmod(usual)
    if os.geteuid() == 0:
        os.chown(file, 1, 1)
        code, _, words = run("--check-config")
        assert code == 78 and "belongs to another user" in words


def test_options_overrule_the_file_and_the_file_the_defaults(home, programs):
    other = home / "from-file"
    file = home / "c.conf"
    file.write_text(
        f"[Daemon]\nStateDirectory={other}\nLogLevel=error\nSocket={home}/unused.sock\n"
        "[Callback]\nCallbackPort=1\n")
    daemon = programs(Daemon, "--config", file)
    daemon.start()
    # The harness names socket, port, state and level by options.
    assert not other.exists() and not (home / "unused.sock").exists()
    assert daemon.stop() == 0
    index = daemon.arguments.index("--state-dir")
    del daemon.arguments[index:index + 2]
    daemon.start()
    assert (other / "ledger.db").exists()
    assert stat.S_IMODE(other.stat().st_mode) == 0o700


def test_nothing_secret_or_foreign_is_readable_by_others(daemon):
    """The process guards itself from its first line."""
    assert daemon.process.poll() is None
    limits = open(f"/proc/{daemon.pid}/limits").read()
    core = next(line for line in limits.splitlines() if line.startswith("Max core file size"))
    assert core.split()[4:6] == ["0", "0"]
    # Not dumpable: what is below /proc/PID is root's, whoever runs it.
    assert os.stat(f"/proc/{daemon.pid}/environ").st_uid == 0
    assert "Umask:\t0077" in open(f"/proc/{daemon.pid}/status").read()
