"""`mero-consent`: options, help, streams."""

import os
import socket
import subprocess

import pytest
from harness.command import Command
from harness.programs import binaries
from harness.waiting import until


@pytest.fixture
def cli(home):
    return Command(home)


def test_tells_its_version(cli):
    assert cli("--version").out.startswith("mero-consent ")
    assert set(cli("--version", "--json").json) == {"version"}


def test_help_in_each_of_its_forms(cli):
    overview = cli().out
    assert overview == cli("--help").out == cli("help").out == cli("-h").out
    for words in (["session"], ["session", "add"], ["status"]):
        ended = cli("help", *words)
        assert ended.code == 0 and ended.out.startswith("Usage: mero-consent " + " ".join(words))
        assert cli(*words, "--help").out == ended.out


@pytest.mark.parametrize("words, hint", [
    (["stauts"], "Did you mean “mero-consent status”?"),
    (["session", "ad"], "Did you mean “mero-consent session add”?"),
    (["status", "--jsn"], "Did you mean --json?"),
    (["session", "add", "--nod", "x", "--tokn-file", "y"], "Did you mean --token-file?"),
    (["help", "sesion"], "Did you mean"),
    (["session"], "add, list"),
    (["status", "extra"], "“extra” is one argument too many"),
    (["status", "--json=yes"], "--json takes no value"),
    (["session", "remove"], "NAME is missing"),
    (["session", "add", "x"], "--node URL is missing"),
    (["status", "--socket"], "--socket needs a value"),
    (["status", "--socket", "a", "--socket", "b"], "--socket is given 2 times"),
    (["--session", "x", "status"], "--session is no option of status"),
    (["session", "add", "--re", "x"], "is the beginning of several options"),
    (["status", "-x"], "there is no option -x"),
    (["request", "--no-wait", "--no-open"], "KIND is missing between “request” and --no-wait"),
    (["request", "--name", "A"], "KIND is missing between “request” and --name: one of createOrg"),
    (["request", "-o", "file"], "KIND is missing between “request” and -o"),
    (["session", "--node", "x"], "COMMAND is missing between “session” and --node: one of add"),
    (["--no-wait", "request", "createOrg"], "COMMAND is missing before --no-wait"),
    (["request", "--no-wiat"], "there is no option --no-wiat"),
    (["status", "--socket", ""], "--socket is empty: it needs a path"),
    (["session", "renew", "x", "--token-file", ""], "--token-file is empty: it needs a path"),
])
def test_a_wrong_command_line_is_64_and_names_the_right_one(cli, words, hint):
    ended = cli(*words)
    assert ended.code == 64 and hint in ended.err and ended.out == "", ended


@pytest.mark.parametrize("path, reason", [
    ("/nonexist/api.sock", "there is no such file"),
    ("/etc/passwd", "that is no socket"),
    ("/etc/passwd/api.sock", "a part of the path is no directory"),
    ("/tmp/" + "x" * 120, "there is no such file"),
])
def test_no_daemon_is_told_with_the_path_and_the_reason(cli, path, reason):
    ended = cli("status", "--socket", path)
    assert ended.code == 69 and "Check --socket" in ended.err
    assert ended.err.startswith(
        f"mero-consent: DAEMON_UNAVAILABLE: No consent daemon answers at {path}: {reason}.\n")
    assert ended.err.count("\n") == 2
    error = cli("status", "--socket", path, "--json").json["error"]
    assert error["code"] == "DAEMON_UNAVAILABLE" and path in error["message"]


def test_a_socket_on_which_nobody_listens_is_told(cli, home):
    path = home / "mero-consent" / "api.sock"
    path.parent.mkdir()
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
        assert f"{path}: nobody listens on that socket." in cli("status").err
    path.unlink()
    ended = cli("status")
    assert f"{path}: there is no such file." in ended.err and "systemctl --user" in ended.err


@pytest.mark.parametrize("words, code", [
    (["stauts"], "USAGE"), (["list"], "NO_SESSION"), (["status"], "DAEMON_UNAVAILABLE"),
    (["handle", "nonsense\x07"], "RETURN_URL_MALFORMED"),
    (["quote", "verify", "/none", "--collateral", "/none"], "FILE_UNUSABLE"),
])
def test_each_failure_begins_with_the_code_that_explains_it(cli, words, code):
    ended = cli(*words)
    assert ended.err.startswith(f"mero-consent: {code}: "), ended
    assert cli(*words, "--json").json["error"]["code"] == code


def test_a_wrong_command_line_is_a_document_too(cli):
    ended = cli("status", "--json", "--colour")
    assert ended.code == 64 and ended.json["error"]["code"] == "USAGE"


def test_options_stand_before_the_command_and_after_it(home, daemon):
    cli = Command(home, daemon)
    for words in (["--json", "status"], ["status", "--json"]):
        assert cli(*words).json["state"] == {"health": "ok", "reset": False, "unwritten": 0}
    lines = dict(line.split(None, 1) for line in cli("status").out.splitlines())
    assert lines["record"] == "ok" and lines["sessions"] == "0"
    assert lines["daemon"].startswith("mero-consentd ")
    assert "http://127.0.0.1:" in lines["callback"]


def test_what_comes_from_outside_cannot_write_to_the_terminal(cli):
    ended = cli("\x1b[31mred\u202e")
    assert ended.code == 64 and "\\u{1b}" in ended.err and "\\u{202e}" in ended.err
    assert "\x1b" not in ended.err and "\u202e" not in ended.err


def shell(cli, line):
    environment = cli.environment | {"C": str(binaries() / "mero-consent")}
    ended = subprocess.run(
        ["bash", "-c", line], env=environment, capture_output=True, timeout=60, text=True)
    return ended.returncode, ended.stdout, ended.stderr


def test_a_reader_that_leaves_ends_it_without_a_word(cli):
    code, out, err = shell(cli, 'set -o pipefail; "$C" help | true')
    assert code in (0, 141) and err == ""


def test_an_output_that_is_full_or_closed_is_told(cli):
    code, _, err = shell(cli, '"$C" help >/dev/full')
    assert code == 74 and "No space left" in err
    code, _, err = shell(cli, '"$C" help >&-')
    assert code == 74 and "standard output" in err
    code, out, err = shell(cli, '"$C" help 2>&- <&-')
    assert code == 0 and out


def test_it_is_not_readable_while_it_runs(home, daemon):
    """Tokens go through it: like the daemon it guards itself first."""
    cli = Command(home, daemon)
    read, write = os.pipe()
    process = cli.start(
        "session", "add", "x", "--node", "http://127.0.0.1:1", "--package", "p", "--development",
        "--token-file", "-", *cli.socket, stdin=read)
    os.close(read)
    try:
        until(lambda: os.stat(f"/proc/{process.pid}/environ").st_uid == 0, "it guards itself")
    finally:
        os.close(write)
        process.communicate(timeout=60)
    assert process.returncode == 65
