"""`mero-consent session`: keys in the runtime directory, tokens never on the command line."""

import os
import stat

import pytest
from harness.command import Command
from harness.settings import drop_in, release


@pytest.fixture
def cli(home, daemon):
    return Command(home, daemon)


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def test_the_first_session_is_the_default(cli, node):
    ended = cli.add("one", node)
    assert (ended.code, ended.out) == (0, "added the session one, the default\n"), ended
    assert cli.add("two", node).out == "added the session two\n"
    rows = cli("session", "list", "--json").json["sessions"]
    assert [(row["name"], row["default"], row["state"]) for row in rows] == [
        ("one", True, "open"), ("two", False, "open")]
    assert rows[0]["node"] == node.ready["url"] and rows[0]["package"] == node.ready["package"]
    ended = cli("session", "remove", "one")
    assert ended.code == 0 and "two" in ended.err
    assert [row["default"] for row in cli("session", "list", "--json").json["sessions"]] == [True]


def test_keys_are_this_user_s_alone(cli, node, daemon):
    cli.add("one", node)
    folder = daemon.runtime / "mero-consent" / "cli"
    assert mode(folder) == 0o700 and mode(folder / "one") == 0o600
    (folder / "one").chmod(0o640)
    ended = cli("session", "list")
    assert ended.code == 77 and "chmod 600" in ended.err and "640" in ended.err
    (folder / "one").chmod(0o600)
    folder.chmod(0o750)
    assert cli("session", "list").code == 77


def test_a_runtime_directory_that_others_can_enter_is_named(cli, node, daemon):
    folder = daemon.runtime / "mero-consent"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o755)
    ended = cli.add("one", node)
    assert ended.code == 77 and f"chmod 700 {folder}" in ended.err, ended


@pytest.mark.parametrize("value, told", [
    (None, "XDG_RUNTIME_DIR is not set"), ("run", "is no absolute path"),
    ("/nonexist", "XDG_RUNTIME_DIR is /nonexist"),
])
def test_without_a_runtime_directory_it_says_what_to_do(cli, node, value, told):
    if value is None and os.path.isdir(f"/run/user/{os.geteuid()}"):
        pytest.skip("this machine has the directory that is missing elsewhere")
    cli.environment.pop("XDG_RUNTIME_DIR")
    if value is not None:
        cli.environment["XDG_RUNTIME_DIR"] = value
    ended = cli.add("one", node)
    assert ended.code == 78 and told in ended.err, ended
    assert ended.err.startswith("mero-consent: NO_RUNTIME_DIR: ")
    assert "export XDG_RUNTIME_DIR=$(mktemp -d)" in ended.err


def test_a_key_that_is_a_link_is_not_followed(cli, node, daemon):
    cli.add("one", node)
    folder = daemon.runtime / "mero-consent" / "cli"
    (folder / "other").symlink_to(folder / "one")
    ended = cli("session", "remove", "other")
    assert ended.code == 65, ended


def test_a_token_that_others_can_read_is_refused(cli, node):
    loose = cli.private_file("loose", node.ready["accessToken"], 0o644)
    ended = cli.add("one", node, token_file=loose)
    assert ended.code == 77 and "644" in ended.err and "chmod 600" in ended.err
    assert node.ready["accessToken"] not in ended.err + ended.out
    assert cli("session", "list", "--json").json == {"sessions": []}


@pytest.mark.parametrize("content", ["", "  \n", "two words", "tab\tinside", "x" * 20_000])
def test_a_file_that_holds_no_token_is_refused(cli, node, content):
    ended = cli.add("one", node, token_file=cli.private_file("bad", content))
    assert ended.code == 65 and ended.err


def test_tokens_from_standard_input(cli, node):
    ready = node.ready
    options = ["--node", ready["url"], "--package", ready["package"], "--development",
               "--token-file", "-"]
    assert cli("session", "add", "piped", *options, text=ready["accessToken"] + "\n").code == 0
    ended = cli("session", "add", "both", *options, "--refresh-token-file", "-", text="x")
    assert ended.code == 64 and "standard input" in ended.err


def test_no_option_takes_a_token(cli, node):
    ended = cli("session", "add", "one", "--node", "x", "--package", "y", "--access-token", "secret")
    assert ended.code == 64 and "--access-token" in ended.err


def test_a_name_is_taken_until_its_session_ends(cli, node, daemon):
    cli.add("one", node)
    ended = cli.add("one", node)
    assert ended.code == 64 and "renew" in ended.err
    # The daemon forgets sessions that were never used again; here their record is gone.
    daemon.kill()
    for file in daemon.state.glob("*"):
        file.unlink()
    daemon.start()
    assert cli("session", "list", "--json").json["sessions"][0]["state"] == "ended"
    ended = cli("session", "list")
    assert "not known to this daemon" in ended.out and f"at {daemon.socket}" in ended.err
    ended = cli("list")
    assert ended.code == 77 and "does not know the session “one”" in ended.err, ended
    assert f"mero-consent session add --socket {daemon.socket} one" in ended.err
    assert cli.add("one", node).code == 0


def test_renew_brings_back_a_session_after_a_restart(cli, node, daemon):
    cli.add("one", node)
    daemon.restart(kill=True)
    row = cli("session", "list", "--json").json["sessions"][0]
    assert row["state"] in ("needs-tokens", "open")
    ended = cli("session", "renew", "one", "--token-file", cli.home / "one.token",
                "--refresh-token-file", cli.home / "one.refresh")
    assert ended.code == 0, ended
    assert cli("session", "list", "--json").json["sessions"][0]["state"] == "open"


@pytest.mark.parametrize("name", ["", ".hidden", "-dash", "a/b", "a b", "x" * 65, "é"])
def test_names_are_plain(cli, node, name):
    ready = node.ready
    token = cli.private_file("token", ready["accessToken"])
    ended = cli("session", "add", "--node", ready["url"], "--package", "p", "--token-file", token,
                "--development", "--", name)
    assert ended.code == 64, ended


@pytest.mark.parametrize("trust", [[], ["--development", "--transport-key", "0" * 64],
                                   ["--development", "--profile", "x"],
                                   ["--development", "--trusted-releases"],
                                   ["--trusted-releases", "--profile", "x"]])
def test_trust_is_one_of_four(cli, node, trust):
    token = cli.private_file("token", node.ready["accessToken"])
    ended = cli("session", "add", "one", "--node", node.ready["url"], "--package", "p",
                "--token-file", token, *trust)
    assert ended.code == 64 and "--" in ended.err


def test_the_releases_that_the_daemon_trusts(cli, node, daemon):
    trust = {"transport_key": None, "trusted_releases": True}
    ended = cli.add("one", node, **trust)
    assert ended.code == 77 and "node trust" in ended.err, ended
    assert cli("session", "list", "--json").json == {"sessions": []}
    drop_in(daemon, "10-a.conf", release("a", {
        "mrtd": "aa" * 48, **{f"rtmr{number}": "bb" * 48 for number in range(4)}}))
    daemon.restart()
    assert cli.add("one", node, **trust).code == 0
    key = (daemon.runtime / "mero-consent" / "cli" / "one").read_text()
    shown = daemon.api.with_key(key).get("/v1/session").json()
    assert shown["node"]["trust"] == {"releases": True}
    # It is none of them, on loopback neither.
    ended = cli("request", "createOrg", "--name", "A")
    assert ended.code == 77 and "NODE_UNTRUSTED" in ended.err


def test_a_key_that_is_none_says_what_to_do(cli, node, daemon):
    cli.add("one", node)
    file = daemon.runtime / "mero-consent" / "cli" / "one"
    file.write_text("two words")
    ended = cli("session", "remove", "one")
    assert ended.code == 65 and str(file) in ended.err and "Remove that file" in ended.err


def test_configured_sessions_are_listed_and_not_removed(cli, node, daemon):
    cli.add("one", node)
    base = daemon.runtime / "mero-consent"
    (base / "sessions").mkdir(mode=0o700)
    key = (base / "cli" / "one").read_text()
    (base / "sessions" / "work").write_text(key + "\n")
    (base / "sessions" / "work").chmod(0o600)
    rows = cli("session", "list", "--json").json["sessions"]
    assert [(row["name"], row["source"]) for row in rows] == [
        ("one", "added"), ("work", "configured")]
    ended = cli("session", "remove", "work")
    assert ended.code == 77 and "configuration" in ended.err


def test_without_a_daemon_it_is_69_and_says_how_to_start_it(home):
    ended = Command(home).plain("session", "list")
    assert ended.code == 0 and "session add" in ended.err
    ended = Command(home).plain("status")
    assert ended.code == 69 and "systemctl --user start mero-consentd.socket" in ended.err
    assert ended.out == ""
    ended = Command(home).plain("status", "--json")
    assert ended.code == 69
    assert ended.json["error"]["code"] == "DAEMON_UNAVAILABLE"
    assert ended.json["error"]["exitCode"] == 69
