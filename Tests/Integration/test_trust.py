"""Nodes that prove what they run, end to end; and that no root but Intel's counts in production."""

import json
import signal

import pytest
from harness import settings
from harness.api import Session
from harness.command import Command
from harness.measured import REGISTERS, MeasuredNode, TrustingDaemon, published
from harness.programs import Daemon
from harness.waiting import until

ACME = {"request": {"kind": "createOrg", "name": "Acme"}}


@pytest.fixture
def measured(programs):
    return programs(MeasuredNode)


@pytest.fixture
def trusting(programs, measured):
    """Not started: a test configures it first."""
    return programs(TrustingDaemon, measured)


def session(daemon, node, trust=None):
    place = {"url": node.ready["url"]} | ({} if trust is None else {"trust": trust})
    return Session(daemon, node, node=place)


# Whole way

@pytest.mark.parametrize("trust", [
    None, {"releases": True}, {"releases": ["right"]}, {"measurements": [REGISTERS]},
], ids=["omitted", "all", "named", "measurements"])
def test_a_node_that_proves_its_image_is_asked(trusting, measured, trust):
    other = REGISTERS | {"rtmr2": "00" * 48}
    settings.drop_in(trusting, "a.conf", settings.release("wrong", other))
    settings.drop_in(
        trusting, "b.conf", settings.release("right", REGISTERS, Image="9.9.9 locked-read-only"))
    daemon = trusting.start()
    app = session(daemon, measured, trust)
    view = app.start()
    measured.decide(view["requestId"])
    app.decided(view["requestId"], "approved")
    (proof,) = daemon.status["attestations"]
    assert proof["mock"] is False and proof["tcbStatus"] == "UpToDate"
    assert proof["advisories"] == []
    assert proof["verifiedAt"] < proof["holdsUntil"]
    named = trust is None or "releases" in trust
    assert proof["image"] == ("9.9.9 locked-read-only" if named else "image 1")


def test_what_was_verified_shows_in_status(home, trusting, measured):
    settings.drop_in(trusting, "b.conf", settings.release("right", REGISTERS, Image="9.9.9 locked"))
    daemon = trusting.start()
    session(daemon, measured).start()
    cli = Command(home, daemon)
    shown = cli("status").out
    (line,) = [line for line in shown.split("\n") if line.startswith("attested")]
    assert "9.9.9 locked, UpToDate, verified 20" in line and "holds until 20" in line
    assert [line for line in shown.split("\n") if line.startswith("releases")] == ["releases   right"]
    document = cli("status", "--json").json
    assert document["releases"] == ["right"]
    assert document["attestations"][0]["image"] == "9.9.9 locked"


def test_a_node_that_restarts_proves_itself_again(trusting, measured):
    settings.drop_in(trusting, "b.conf", settings.release("right", REGISTERS))
    daemon = trusting.start()
    app = session(daemon, measured)
    app.start()
    assert measured.calls("attest") == 1
    app.start()
    assert measured.calls("attest") == 1
    measured.control("restart")
    app.start()
    assert measured.calls("attest") == 2
    assert len(daemon.status["attestations"]) == 1


@pytest.mark.parametrize("register", sorted(REGISTERS))
def test_every_register_counts(trusting, measured, register):
    settings.drop_in(
        trusting, "a.conf", settings.release("near", REGISTERS | {register: "0f" * 48}))
    answer = session(trusting.start(), measured).post("/v1/requests", ACME)
    assert answer.code == "NODE_UNTRUSTED" and "measurements-untrusted" in answer.json()["detail"]
    assert trusting.status["attestations"] == []


def test_a_status_is_allowed_for_its_own_release_only(trusting, measured):
    settings.drop_in(trusting, "a.conf", settings.release("right", REGISTERS, AllowedTCB="OutOfDate"))
    settings.drop_in(
        trusting, "b.conf", settings.release("other", REGISTERS | {"mrtd": "00" * 48}))
    answer = session(trusting.start(), measured).post("/v1/requests", ACME)
    # UpToDate is allowed for another image, and this one was configured without it.
    assert answer.code == "NODE_UNTRUSTED" and "tcb-status-not-allowed" in answer.json()["detail"]


@pytest.mark.parametrize("lie", ["wrong-quote", "wrong-binding", "wrong-nonce", "other-key"])
def test_a_node_that_lies_is_not_asked(trusting, measured, lie):
    settings.drop_in(trusting, "b.conf", settings.release("right", REGISTERS))
    app = session(trusting.start(), measured)
    measured.misbehave(lie)
    assert app.post("/v1/requests", ACME).code == "NODE_UNTRUSTED"
    assert measured.calls("request") == 0


# Production

def test_production_trusts_no_root_of_anybodys(programs, measured):
    """Everything is sound but the root: the image is configured, the variable of the tests set."""
    daemon = programs(Daemon, environment={"MERO_TEST_ROOT": str(measured.root)})
    settings.drop_in(daemon, "b.conf", settings.release("right", REGISTERS))
    daemon.start()
    for trust in [None, {"releases": True}, {"measurements": [REGISTERS]}, {"development": True}]:
        answer = session(daemon, measured, trust).post("/v1/requests", ACME)
        assert answer.code == "NODE_UNTRUSTED", answer
        development = trust == {"development": True}
        assert ("quote-malformed" if development else "root-crl-invalid") in answer.json()["detail"]
    assert measured.calls("request") == 0 and measured.calls("handshake") == 0
    assert daemon.status["attestations"] == []


def test_the_command_line_trusts_no_root_of_anybodys(home, measured):
    cli = Command(home)
    cli.environment["MERO_TEST_ROOT"] = str(measured.root)
    ended = cli("quote", "verify", measured.quote, "--collateral", measured.collateral)
    assert ended.code == 65 and "root-crl-invalid" in ended.out
    ended = cli("node", "probe", measured.ready["url"], "--release", published(home))
    assert ended.code == 77 and "root-crl-invalid" in ended.out
    ended = cli("node", "probe", measured.ready["url"])
    assert ended.code == 77 and "root-crl-invalid" in ended.out


# mero-consent node trust

def test_node_trust_writes_what_the_daemon_reads(home, trusting, measured):
    cli = Command(home)
    cli.environment["XDG_CONFIG_HOME"] = trusting.environment["XDG_CONFIG_HOME"]
    ended = cli("node", "trust", "--release", published(home))
    assert ended.code == 0 and "systemctl --user reload mero-consentd" in ended.err
    file = settings.folder(trusting) / "mero-consentd.conf.d" / "release-9.9.9-locked-read-only.conf"
    assert file.stat().st_mode & 0o777 == 0o600
    # The release's own list of statuses widens nothing.
    assert "AllowedTCB=UpToDate\n" in file.read_text()
    daemon = trusting.start()
    assert daemon.status["releases"] == ["9.9.9-locked-read-only"]
    assert session(daemon, measured).start()["state"] == "started"


def test_several_releases_are_all_trusted(home, trusting, measured):
    cli = Command(home)
    cli.environment["XDG_CONFIG_HOME"] = trusting.environment["XDG_CONFIG_HOME"]
    other = REGISTERS | {"rtmr1": "11" * 48}
    assert cli("node", "trust", "--release", published(home, other, tag="9.9.8")).code == 0
    assert cli("node", "trust", "--release", published(home), "--name", "mine").code == 0
    daemon = trusting.start()
    assert daemon.status["releases"] == ["9.9.8-locked-read-only", "mine"]
    assert session(daemon, measured).start()["state"] == "started"


def test_node_trust_prints_and_repeats_itself(home):
    cli = Command(home)
    ended = cli("node", "trust", "--release", published(home), "--print",
                "--allow-tcb", "swhardeningneeded")
    assert ended.code == 0
    assert ended.out.startswith("[Release 9.9.9-locked-read-only]\nImage=9.9.9 locked-read-only\n")
    assert "AllowedTCB=UpToDate SWHardeningNeeded\n" in ended.out
    assert not (home / ".config").exists()
    assert cli("node", "trust", "--release", published(home), "--json").json["changed"] is True
    assert cli("node", "trust", "--release", published(home), "--json").json["changed"] is False
    # Other registers under the same name are somebody's decision.
    other = published(home, REGISTERS | {"rtmr3": "00" * 48})
    ended = cli("node", "trust", "--release", other)
    assert ended.code == 65 and "--name" in ended.err


@pytest.mark.parametrize("tag", ["9\n[Session evil]\nNode=https://evil.example", "9 ; x", "é", ""])
def test_a_releases_name_cannot_become_configuration(home, tag):
    cli = Command(home)
    ended = cli("node", "trust", "--release", published(home, tag=tag), "--name", "x", "--print")
    if tag == "":
        # Only the profile is left of the name, with a blank before it.
        assert ended.code == 65
    else:
        assert ended.code == 65 and "a configuration cannot hold" in ended.err and ended.out == ""


@pytest.mark.parametrize("content, words, code", [
    ("{}", [], 65), ("[", [], 65), (None, [], 65),
    (json.dumps({"role": "kms", "tag": "9", "profiles": {"locked-read-only": REGISTERS}}), [], 65),
    (json.dumps({"role": "node", "tag": "9", "profiles": {"debug": REGISTERS}}), [], 65),
    (json.dumps({"role": "node", "tag": "9", "profiles": {"locked-read-only": REGISTERS}}),
     ["--name", "a/b"], 64),
    (json.dumps({"role": "node", "tag": "9", "profiles": {"locked-read-only": REGISTERS}}),
     ["--allow-tcb", "Revoked"], 64),
], ids=["empty", "malformed", "missing", "kms", "profile", "name", "status"])
def test_node_trust_refuses_what_is_no_release(home, content, words, code):
    file = home / "release.json"
    if content is not None:
        file.write_text(content)
    ended = Command(home)("node", "trust", "--release", file, *words)
    assert ended.code == code and ended.err and not (home / ".config").exists()


# mero-consent node probe

def test_probe_tells_of_a_development_node(home, node):
    cli = Command(home)
    document = cli("node", "probe", node.ready["url"], "--development", "--json").json
    assert document["reachable"] and document["sealed"] and document["trusted"]
    assert document["attestation"]["mock"] is True
    assert document["transportKey"] == node.ready["transportKey"]
    assert abs(document["clock"]["aheadSeconds"]) <= 2
    document = cli(
        "node", "probe", node.ready["url"], "--transport-key", node.ready["transportKey"],
        "--json").json
    assert document["sealed"] and document["trusted"] and "attestation" not in document
    # Who says that the key is the node's.
    key, probe = node.ready["transportKey"], ["node", "probe", node.ready["url"]]
    assert f"{key}, pinned by --transport-key\n" in cli(*probe, "--transport-key", key).out
    assert f"{key}, by a mock quote\n" in cli(*probe, "--development").out
    # Nothing was asked of it.
    calls = {name for name, count in node.overview["calls"].items() if count}
    assert calls == {"attest", "handshake"}


@pytest.mark.parametrize("words, code, said", [
    ([], 77, "mock-quote"), (["--transport-key", "ab" * 32], 77, "NODE_UNTRUSTED"),
    (["--transport-key", "ab"], 65, "transportKey"),
    (["--development", "--transport-key", "ab" * 32], 64, "only one of"),
    (["--profile", "x"], 64, "--release only"),
], ids=["nothing", "wrong-key", "no-key", "two", "profile"])
def test_probe_says_why_a_node_is_not_trusted(home, node, words, code, said):
    ended = Command(home)("node", "probe", node.ready["url"], *words)
    assert ended.code == code and said in ended.out + ended.err, ended


def test_probe_tells_of_a_node_that_is_not_there(home, node):
    node.stop()
    ended = Command(home)("node", "probe", node.ready["url"], "--development", "--json")
    assert ended.code == 69
    assert ended.json["reachable"] is False and ended.json["error"]["code"] == "NODE_UNREACHABLE"
    ended = Command(home)("node", "probe", "http://node.example")
    assert ended.code == 65


# A change of the releases

def start_during(daemon, app, measured, change):
    """The answer to a start during which the releases change."""
    measured.misbehave("slow", on="request", number=4000)
    with app.connection() as connection:
        connection.send(app.bytes("POST", "/v1/requests", ACME))
        until(lambda: measured.calls("request") == 1, "the start is with the node")
        before = daemon.log.count("the configuration was read again")
        change()
        daemon.signal(signal.SIGHUP)
        until(lambda: daemon.log.count("the configuration was read again") > before, "it was read")
        return connection.answer()


def test_a_start_under_way_does_not_notice_another_release(trusting, measured):
    settings.drop_in(trusting, "a.conf", settings.release("right", REGISTERS))
    daemon = trusting.start()
    app = session(daemon, measured)
    other = settings.release("other", REGISTERS | {"rtmr2": "00" * 48})
    answer = start_during(
        daemon, app, measured, lambda: settings.drop_in(daemon, "b.conf", other))
    assert answer.status == 201 and answer.json()["state"] == "started", answer.body
    measured.decide(answer.json()["requestId"])
    app.decided(answer.json()["requestId"], "approved")
    # It has proved itself anew.
    assert measured.calls("attest") == 2


@pytest.mark.parametrize("left", [True, False], ids=["others", "none"])
def test_a_start_at_a_node_that_is_trusted_no_more_says_so(trusting, measured, left):
    drop = settings.drop_in(trusting, "a.conf", settings.release("right", REGISTERS))
    if left:
        other = settings.release("other", REGISTERS | {"rtmr2": "00" * 48})
        settings.drop_in(trusting, "b.conf", other)
    daemon = trusting.start()
    app = session(daemon, measured)
    answer = start_during(daemon, app, measured, drop.unlink)
    assert answer.code == "NODE_UNTRUSTED", answer.body
    assert "was changed while it was asked" in answer.json()["detail"]
    assert app.get("/v1/session").json()["needsSession"] is not left
    # It is there again, and so are the session's tokens.
    settings.drop_in(daemon, "a.conf", settings.release("right", REGISTERS))
    daemon.signal(signal.SIGHUP)
    until(lambda: "right" in daemon.status["releases"], "it is trusted again")
    until(lambda: app.get("/v1/session").json()["needsSession"] is False, "it works")
    assert app.start()["state"] == "started"
