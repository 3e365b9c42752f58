"""`mero-consent doctor`, and the call of the daemon that it is based on."""

import os
import stat

import pytest
from harness.command import Command
from harness.waiting import until


@pytest.fixture
def cli(home, daemon, node):
    command = Command(home, daemon)
    assert command.add("one", node).code == 0
    return command


def checks(cli):
    """The findings by their names, a list each."""
    ended = cli("doctor", "--json")
    document = ended.json
    faults = [check for check in document["checks"] if check["state"] == "fault"]
    assert document["ok"] == (not faults) and ended.code == (1 if faults else 0)
    # Whatever is wrong has a line that says how to mend it.
    assert all(check["mend"] for check in faults)
    found = {}
    for check in document["checks"]:
        found.setdefault(check["name"], []).append(check)
    return found


def states(found, name):
    return [check["state"] for check in found[name]]


def test_everything_that_works_is_ok(cli, daemon):
    found = checks(cli)
    for name in ("runtime directory", "socket", "daemon", "record", "callback"):
        assert states(found, name) == ["ok"], found[name]
    assert states(found, "one") == ["ok"] * 4, found["one"]
    assert str(daemon.port) in found["callback"][0]["text"]
    lines = cli("doctor").out.splitlines()
    assert any(line.startswith("ok") and "mero-consentd" in line for line in lines)
    assert any(line.strip().startswith("→") for line in lines)


def test_without_a_desktop_it_says_what_is_missing(cli):
    found = checks(cli)
    assert states(found, "browser") == ["fault"] and states(found, "scheme") == ["fault"]
    assert states(found, "portal") == states(found, "notifications") == ["note"]
    assert "register-scheme" in found["scheme"][0]["mend"]


def test_our_scheme_and_another_s(cli, home):
    folder = home / ".local" / "share" / "applications"
    folder.mkdir(parents=True)
    (folder / "mero-consent.desktop").write_text("[Desktop Entry]\nType=Application\n")
    (folder / "other.desktop").write_text("[Desktop Entry]\nType=Application\n")
    (home / ".config").mkdir(exist_ok=True)
    defaults = home / ".config" / "mimeapps.list"
    for handler, state in (("mero-consent.desktop", "ok"), ("other.desktop", "fault")):
        defaults.write_text(f"[Default Applications]\nx-scheme-handler/mero-consent={handler}\n")
        assert states(checks(cli), "scheme") == [state]


def test_a_daemon_that_does_not_run(home):
    found = checks(Command(home))
    assert states(found, "socket") == ["fault"] and states(found, "daemon") == ["fault"]
    # There is no user manager here: what helps is told, and nothing else.
    assert states(found, "units") == ["note"]
    for check in ("socket", "daemon"):
        assert "with “mero-consentd &”" in found[check][0]["mend"]
        assert "systemctl" not in found[check][0]["mend"]
    assert "standard error" in found["daemon"][0]["mend"]


def test_a_daemon_by_hand_is_started_on_its_own_socket(home):
    found = {check["name"]: check for check in Command(home).plain(
        "doctor", "--json", "--socket", "/nonexistent/it's").json["checks"]}
    assert "“mero-consentd --socket '/nonexistent/it'\\''s' &”" in found["socket"]["mend"]


def test_a_socket_that_others_can_use(cli, daemon):
    os.chmod(daemon.socket, 0o666)
    assert stat.S_IMODE(os.stat(daemon.socket).st_mode) == 0o666
    finding = checks(cli)["socket"][0]
    assert finding["state"] == "fault" and "666" in finding["text"] and "chmod 600" in finding["mend"]


def test_a_runtime_directory_that_others_can_use(cli, daemon):
    (daemon.runtime / "mero-consent").chmod(0o755)
    assert states(checks(cli), "runtime directory") == ["fault"]
    daemon.runtime.chmod(0o755)
    assert "chmod 700" in checks(cli)["runtime directory"][0]["mend"]


def test_a_node_that_is_gone(cli, node):
    node.kill()
    found = checks(cli)
    assert states(found, "one") == ["fault"] and "NODE_UNREACHABLE" in found["one"][0]["text"]
    assert f"“mero-consent node probe {node.ready['url']}”" in found["one"][0]["mend"]


def test_a_node_that_is_not_the_one(cli, node):
    assert cli.add("two", node, transport_key="0" * 63 + "1").code == 0
    found = checks(cli)
    assert states(found, "two") == ["ok", "fault"] and "NODE_UNTRUSTED" in found["two"][1]["text"]
    assert states(found, "one") == ["ok"] * 4


def test_tokens_that_the_node_takes_no_more(cli, node):
    node.control("tokens/revoke", account=node.ready["account"])
    found = checks(cli)
    assert states(found, "one") == ["ok", "ok", "fault"]
    assert "SESSION_EXPIRED" in found["one"][2]["text"]
    assert "session renew" in found["one"][2]["mend"]


@pytest.mark.parametrize("skew, state", [(30, "ok"), (-30, "ok"), (300, "fault"), (-300, "fault")])
def test_a_clock_that_is_wrong(cli, node, skew, state):
    node.control("settings", clockSkew=skew * 1000)
    found = checks(cli)
    assert states(found, "one")[-1] == state, found["one"]
    if state == "fault":
        assert ("ahead" if skew > 0 else "behind") in found["one"][-1]["text"]


def test_a_session_of_nobody(cli, daemon):
    folder = daemon.runtime / "mero-consent" / "cli"
    (folder / "gone").write_text("A" * 43)
    (folder / "gone").chmod(0o600)
    found = checks(cli)
    assert states(found, "gone") == ["fault"] and "session add" in found["gone"][0]["mend"]


def test_the_check_changes_nothing_at_the_node(session, node):
    session.start()
    before = node.overview["requests"]
    answer = session.post("/v1/session/check")
    assert answer.status == 200 and set(answer.json()) == {"checkedAt", "nodeClock"}
    assert node.overview["requests"] == before
    node.kill()
    until(lambda: session.post("/v1/session/check").status == 504, "the node is gone")
