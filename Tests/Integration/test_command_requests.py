"""`mero-consent request` and what goes with it, without a terminal."""

import json
import shlex
import signal
import stat
import subprocess
import threading

import pytest
from harness.command import Command
from harness.programs import Node, binaries
from harness.site import target
from harness.waiting import PATIENCE, until

# Each kind with its required fields, and what an approval of it brings.
KINDS = {
    "createOrg": (["--name", "Acme"], "orgId"),
    "createInvite": (["--org", "o"], "token"),
    "renameOrg": (["--org", "o", "--name", "New"], "name"),
    "deleteOrg": (["--org", "o"], "apps"),
    "leaveOrg": (["--org", "o"], None),
    "removeMember": (["--org", "o", "--account", "a"], None),
    "setMemberRole": (["--org", "o", "--account", "a", "--role", "admin"], None),
    "setMemberTeams": (["--org", "o", "--account", "a", "--team", "t1:member:3"], None),
    "removeMemberTeams": (["--org", "o", "--account", "a", "--team", "t1"], None),
    "revokeInvite": (["--org", "o", "--invite-key", "k"], None),
    "setCapabilities": (["--org", "o", "--capabilities", "invite-members"], None),
    "setAllApps": (["--org", "o", "--account", "a", "--all-apps"], None),
    "release": (["--tag", "v1"], None),
    "upgrade": (["--instance", "i", "--version", "2"], None),
    "outbound": (["--instance", "i", "--host", "a.example"], None),
}


@pytest.fixture
def cli(home, daemon, node):
    command = Command(home, daemon)
    assert command.add("one", node).code == 0
    return command


def start(cli, kind="createOrg", *words):
    """Starts a request and answers its document."""
    fields = KINDS[kind][0]
    ended = cli("request", kind, *fields, "--no-wait", "--json", *words)
    assert ended.code == 0, ended
    return ended.json


def decided(cli, node, decision="approve", kind="createOrg", *words):
    view = start(cli, kind)
    node.decide(view["requestId"], decision)
    return cli("wait", view["requestId"], *words)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_asked_and_told(cli, node, kind):
    ended = decided(cli, node, "approve", kind, "--json")
    assert ended.code == 0, ended
    view = ended.json
    assert (view["kind"], view["state"], view["decision"]) == (kind, "approved", "approved")
    field = KINDS[kind][1]
    assert (field in view["outcome"]) if field else ("outcome" not in view)


def test_the_dashed_spelling_is_the_same(cli):
    ended = cli("request", "create-org", "--name", "Acme", "--no-wait", "--json")
    assert ended.json["kind"] == "createOrg"


def test_request_waits_and_tells_on_plain_lines(cli, node):
    process = cli.start("request", "createOrg", "--name", "Acme", *cli.socket)
    started = ["list", "--state", "started", "--json"]
    view = until(lambda: cli(*started).json["requests"], "it is started")[0]
    node.decide(view["requestId"])
    out, err = (text.decode() for text in process.communicate(timeout=PATIENCE))
    assert process.returncode == 0
    lines = dict(line.split(None, 1) for line in out.splitlines())
    assert lines["state"] == "approved" and lines["orgId"] and lines["kind"] == "createOrg"
    assert f"code: {view['code']}" in err and view["url"] in err
    assert f"Waiting for the decision on {view['requestId']}" in err and "left" in err
    assert "\x1b" not in out + err and "\r" not in out + err


@pytest.mark.parametrize("decision, code, state", [("decline", 3, "declined")])
def test_a_decline_is_3(cli, node, decision, code, state):
    ended = decided(cli, node, decision)
    assert ended.code == code and f"state       {state}" in ended.out


def test_not_decided_is_4(cli):
    view = start(cli)
    ended = cli("result", view["requestId"])
    assert ended.code == 4 and "No decision is known yet" in ended.err
    assert cli("wait", view["requestId"], "--timeout", "0").code == 4
    assert cli("wait", "--timeout", "1").code == 4


def test_replaced_is_6_and_cancelled_is_8(cli):
    first, second = start(cli), start(cli)
    until(lambda: cli("result", first["requestId"]).code == 6, "the first one is replaced")
    assert cli("wait", first["requestId"]).code == 6
    ended = cli("cancel", second["requestId"], "--json")
    assert ended.code == 0 and ended.json["state"] == "cancelled"
    assert cli("wait", second["requestId"]).code == 8


def test_expired_is_7(home, daemon, programs):
    node = programs(Node, "--ttl", "2")
    cli = Command(home, daemon)
    assert cli.add("one", node).code == 0
    assert cli("wait", start(cli)["requestId"]).code == 7


def test_a_return_is_judged(cli, node):
    view = start(cli)
    url = f"mero-consent://return?request_id={view['requestId']}&result=approved"
    assert cli("return", url).code == 4
    assert cli("return", "mero-consent://return?request_id=other").code == 5
    assert cli("return", "--request", view["requestId"], url.replace("id=", "id=x")).code == 5
    assert cli("return", "nonsense").code == 65
    node.decide(view["requestId"])
    ended = cli("return", url, "--json")
    assert ended.code == 0 and ended.json["decision"] == "approved"


def test_a_token_is_shown_and_kept_only_when_asked(cli, node, home):
    ended = decided(cli, node, "approve", "createInvite")
    assert ended.code == 0 and "token       <redacted>" in ended.out
    assert "--show-secret" in ended.err
    assert cli("result", "--json").json["outcome"]["token"] == "<redacted>"
    token = cli("result", "--show-secret", "--json").json["outcome"]["token"]
    assert token != "<redacted>" and token in cli("result", "--show-secret").out
    ended = cli("result", "--output", "invite")
    assert ended.code == 0 and token not in ended.out + ended.err
    assert (home / "invite").read_text() == token + "\n"
    assert stat.S_IMODE((home / "invite").stat().st_mode) == 0o600
    # What is there is never written over, and is told before anything is asked.
    ended = cli("request", "createInvite", "--org", "o", "--output", "invite")
    assert ended.code == 74 and "there already" in ended.err
    assert len(cli("list", "--json").json["requests"]) == 1
    # The next one joins by it.
    ended = cli("request", "acceptInvite", "--token-file", "invite", "--no-wait", "--json")
    assert ended.code == 0 and token not in json.dumps(ended.json)


def test_an_output_that_cannot_be_written_loses_no_token(cli, node, home):
    decided(cli, node, "approve", "createInvite")
    ended = cli("result", "-o", "/proc/none")
    assert ended.code == 74 and "The token is not lost" in ended.err
    limited = subprocess.run(
        ["bash", "-c", f"ulimit -f 0; trap '' XFSZ; exec {binaries()}/mero-consent result -o full "
         + " ".join(cli.socket)], env=cli.environment, cwd=home, capture_output=True, text=True,
        timeout=PATIENCE)
    assert limited.returncode == 74 and "The token is not lost" in limited.stderr, limited
    assert not (home / "full").exists()


def test_no_page_is_opened_without_a_word(home, desktop, opener, node):
    cli = Command(home, desktop)
    cli.add("one", node)
    assert cli("request", "createOrg", "--name", "A", "--no-wait").code == 0
    assert cli("request", "createOrg", "--name", "A", "--no-wait", "--no-open").code == 0
    assert opener.pages == []
    ended = cli("request", "createOrg", "--name", "A", "--no-wait", "--open")
    assert ended.code == 0 and "handed to the browser" in ended.err
    assert opener.page() in ended.out


def test_without_a_browser_the_address_is_told(cli):
    ended = cli("request", "createOrg", "--name", "A", "--no-wait", "--open")
    assert ended.code == 0 and "BROWSER_UNAVAILABLE" in ended.err
    assert ended.err.count("http") == 1
    ended = cli("open")
    assert ended.code == 69 and ended.err.count("http") == 1, ended
    assert ended.err.startswith("The page has to show") and "by hand" in ended.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_says_how_to_go_on(cli, number):
    view = start(cli)
    process = cli.start("wait", view["requestId"], "--session", "one", *cli.socket)
    line = process.stderr.readline()
    assert b"Waiting" in line
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == -number and out == b""
    again = f"mero-consent wait --session one --socket {cli.socket[1]} {view['requestId']}\n"
    assert err.decode().endswith(again)
    assert cli("result", view["requestId"]).code == 4


def test_waiting_goes_on_over_a_restart(cli, node, daemon):
    view = start(cli)
    process = cli.start("wait", view["requestId"], *cli.socket)
    assert b"Waiting" in process.stderr.readline()
    daemon.restart(kill=True)
    _, err = process.communicate(timeout=PATIENCE)
    # Tokens live in memory only: a restart by hand has none, and says what to do.
    assert process.returncode == 77
    renewal = f"mero-consent session renew --socket {cli.socket[1]} one --token-file FILE\n"
    assert err.decode().endswith(renewal) and b"SESSION_EXPIRED: " in err
    cli("session", "renew", "one", "--token-file", cli.home / "one.token",
        "--refresh-token-file", cli.home / "one.refresh")
    node.decide(view["requestId"])
    assert cli("wait", view["requestId"]).code == 0


def test_a_return_that_decided_nothing_is_told_while_waiting(cli, daemon):
    view = start(cli)
    process = cli.start("wait", view["requestId"], *cli.socket)
    assert b"Waiting" in process.stderr.readline()
    daemon.site.bring_back(target(view["callback"], request_id=view["requestId"]))
    assert b"CONSENT_NOT_DECIDED" in process.stderr.readline()
    process.kill()
    process.communicate()


def test_a_command_to_be_typed_again_is_one_that_a_shell_takes(cli, daemon):
    view = start(cli)
    linked = cli.home / "it's here"
    linked.symlink_to(daemon.socket)
    process = cli.start("wait", view["requestId"], "--socket", linked)
    assert b"Waiting" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    line = process.communicate(timeout=PATIENCE)[1].decode().splitlines()[-1]
    assert shlex.split(line) == ["mero-consent", "wait", "--socket", str(linked), view["requestId"]]


def test_an_empty_list_says_so(cli):
    assert "no requests yet" in cli("list").err
    assert "no requests in the state “approved”" in cli("list", "--state", "approved").err


@pytest.mark.parametrize("status, exit_code", [(422, 65), (403, 65), (429, 69), (500, 69)])
def test_a_node_that_was_reached_and_refuses_is_65(cli, node, status, exit_code):
    node.misbehave("status", on="request", number=status)
    ended = cli("request", "createOrg", "--name", "A")
    assert ended.code == exit_code, ended
    assert ended.err.startswith("mero-consent: NODE_ERROR: ") and str(status) in ended.err


def test_list_is_filtered_and_limited(cli, node):
    decided(cli, node)
    for _ in range(3):
        start(cli)
    assert len(cli("list", "--json").json["requests"]) == 4
    assert len(cli("list", "--limit", "2", "--json").json["requests"]) == 2
    rows = cli("list", "--state", "approved").out.splitlines()
    assert len(rows) == 2 and rows[0].split() == ["STARTED", "KIND", "STATE", "REQUEST"]
    for words in (["--state", "aproved"], ["--limit", "0"], ["--limit", "x"]):
        assert cli("list", *words).code == 64
    assert "Did you mean approved?" in cli("list", "--state", "aproved").err


def test_watch_tells_each_change(cli, node):
    process = cli.start("watch", "--after", "0", "--json", *cli.socket)
    view = start(cli)
    node.decide(view["requestId"])
    states, last = [], None
    killer = threading.Timer(PATIENCE, process.kill)
    killer.start()
    while "approved" not in states:
        last = json.loads(process.stdout.readline())
        states.append(last["state"])
    killer.cancel()
    process.send_signal(signal.SIGINT)
    process.communicate()
    assert process.returncode == -signal.SIGINT
    assert "started" in states
    # A reader that leaves ends it, too, although nothing more happens that it could write.
    after = int(last["id"]) - 1
    line = f"{binaries()}/mero-consent watch --after {after} {' '.join(cli.socket)} | head -n 1"
    ended = subprocess.run(
        ["bash", "-c", line], env=cli.environment, capture_output=True, text=True, timeout=PATIENCE)
    assert view["requestId"] in ended.stdout and ended.stderr == ""


def test_a_repeat_with_its_key_is_the_first_one(cli):
    first, again = (start(cli, "createOrg", "--idempotency-key", "k1") for _ in range(2))
    assert first["requestId"] == again["requestId"]


def test_what_a_node_says_moves_no_cursor(cli, node, daemon):
    view = start(cli, "renameOrg")
    name = "\x1b[2J\u202eAcme\r\u2028"
    node.misbehave("raw-answer", on="result", times="forever", value=json.dumps({
        "requestId": view["requestId"], "status": "approved",
        "outcome": {"kind": "orgRenamed", "orgId": "ab" * 32, "name": name}}))
    ended = cli("wait", view["requestId"])
    assert ended.code == 0 and "Acme" in ended.out, ended
    assert cli("result", "--json").json["outcome"]["name"] == name
    for text in (ended.out, ended.err, cli("result", "--json").out, daemon.log):
        for sign in "\x1b\u202e\r\u2028":
            assert sign not in text
    # In the log is nothing of it at all.
    assert "Acme" not in daemon.log


def test_a_node_that_cannot_be_read_is_told_from_nobody_having_decided(cli, node):
    view = start(cli)
    process = cli.start("wait", view["requestId"], *cli.socket)
    killers = [threading.Timer(PATIENCE, process.kill)]
    killers[0].start()
    assert b"Waiting" in process.stderr.readline()
    node.misbehave("status", on="result", times="forever", number=500)
    line = process.stderr.readline().decode()
    assert line.startswith("NODE_ERROR: ") and line.endswith("The wait goes on.\n"), line
    ended = cli("result", view["requestId"])
    assert ended.code == 4 and "not read    NODE_ERROR since 20" in ended.out, ended
    assert ended.err.startswith("NODE_ERROR: ") and "500" in ended.err
    assert cli("result", "--json").json["readFailure"]["code"] == "NODE_ERROR"
    watching = cli.start("watch", "--after", "0", *cli.socket)
    killers.append(threading.Timer(PATIENCE, watching.kill))
    killers[1].start()
    assert any(b"the node cannot be read: NODE_ERROR" in line for line in watching.stdout)
    watching.kill()
    watching.communicate()
    node.behave()
    assert process.stderr.readline() == b"The node is read again.\n"
    node.decide(view["requestId"])
    assert process.wait(PATIENCE) == 0
    process.communicate()
    for killer in killers:
        killer.cancel()
    assert "not read" not in cli("result").out


def test_refusals_have_their_codes(cli, node):
    assert cli("request", "createOrg", "--name", "").code == 65
    ended = cli("request", "createOrg", "--name", "A", "--return-to", "https://other.example/")
    assert ended.code == 65 and "returnTo" in ended.err
    assert cli("result", "none").code == 65
    ended = cli("list", "--session", "ones")
    assert ended.code == 78 and "Did you mean “one”?" in ended.err
    node.kill()
    assert cli("request", "createOrg", "--name", "A").code == 69


def test_a_node_that_is_not_trusted_is_77(home, daemon, node):
    cli = Command(home, daemon)
    assert cli.add("one", node, transport_key="0" * 63 + "1").code == 0
    ended = cli("request", "createOrg", "--name", "A")
    assert ended.code == 77 and "transport key" in ended.err


def test_without_a_session_it_is_78(home, daemon):
    ended = Command(home, daemon)("list")
    assert ended.code == 78 and "session add" in ended.err
