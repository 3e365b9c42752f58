"""Sessions and releases of the daemon's configuration."""

import os
import signal
import stat
import subprocess

import pytest
from harness import settings
from harness.api import API, Session, opening, path
from harness.programs import Daemon
from harness.waiting import until

IMAGE = {name: "0f" * 48 for name in ("mrtd", "rtmr0", "rtmr1", "rtmr2", "rtmr3")}


class Configured(Session):
    """A session that the daemon opened by itself."""

    def __init__(self, daemon, name="work"):
        API.__init__(self, daemon.socket, settings.published(daemon, name).read_text().strip())


@pytest.fixture
def tokens(home, node):
    """The node's tokens in files, as a person keeps them."""
    return {
        "TokenFile": settings.write(home / "token", node.ready["accessToken"] + "\n"),
        "RefreshTokenFile": settings.write(home / "refresh", node.ready["refreshToken"] + "\n"),
    }


@pytest.fixture
def stopped(programs):
    return programs(Daemon)


def test_a_session_of_the_configuration_works_without_an_app(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    key = settings.published(daemon, "work")
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert stat.S_IMODE(key.parent.stat().st_mode) == 0o700
    session = Configured(daemon)
    view = session.start()
    node.decide(view["requestId"])
    assert session.decided(view["requestId"], "approved")["outcome"]["kind"] == "orgCreated"
    assert daemon.status["counts"]["configuredSessions"] == 1


@pytest.mark.parametrize("kill", [False, True], ids=["stopped", "killed"])
def test_an_app_keeps_its_capability_and_its_requests(stopped, node, tokens, kill):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    session = Configured(daemon)
    view = session.start()
    daemon.restart(kill=kill)
    assert Configured(daemon).key == session.key
    # Nobody has to bring tokens.
    assert session.get("/v1/session").json()["needsSession"] is False
    node.decide(view["requestId"])
    session.decided(view["requestId"], "approved")


def test_no_token_is_written_anywhere(stopped, node, tokens, home):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    Configured(daemon).start()
    daemon.stop()
    secrets = [node.ready["accessToken"], node.ready["refreshToken"]]
    for folder in (daemon.state, daemon.runtime, daemon.home / "config"):
        for file in folder.rglob("*"):
            if file.is_file():
                assert not any(secret.encode() in file.read_bytes() for secret in secrets), file
    assert not any(secret in daemon.log for secret in secrets)


def test_taken_out_of_the_configuration_it_is_closed(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    session = Configured(daemon)
    session.start()
    daemon.stop()
    settings.configure(stopped, "")
    daemon.start()
    assert session.get("/v1/session").status == 401
    assert not settings.published(daemon, "work").exists()
    assert daemon.status["counts"] == {
        "sessions": 0, "configuredSessions": 0, "undecidedRequests": 0, "waits": 0,
        "eventStreams": 0}


def test_an_app_cannot_close_it(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    session = Configured(stopped.start())
    answer = session.delete("/v1/session")
    assert answer.status == 409 and answer.code == "SESSION_CONFIGURED"
    assert session.get("/v1/session").status == 200


def test_a_credential_of_the_service_manager_is_a_token(stopped, node, home):
    folder = home / "credentials"
    folder.mkdir(mode=0o700)
    settings.write(folder / "work.token", node.ready["accessToken"], 0o400)
    stopped.environment["CREDENTIALS_DIRECTORY"] = str(folder)
    settings.configure(stopped, settings.session("work", node, TokenFile="work.token"))
    session = Configured(stopped.start())
    assert session.start()["state"] == "started"


@pytest.mark.parametrize("spoil,said", [
    (lambda file: file.chmod(0o640), "is open to others: chmod 600 it"),
    (lambda file: file.unlink(), "cannot be read"),
    (lambda file: (file.unlink(), os.mkfifo(file, 0o600)), "is not a file"),
    (lambda file: os.chown(file, 12345, -1), "belongs to another user"),
    (lambda file: file.write_text("two words"), "has signs that no token has"),
    (lambda file: file.write_text("x" * 20_000), "cannot be read"),
    (lambda file: file.write_text(""), "is empty"),
], ids=["open", "missing", "pipe", "foreign", "words", "long", "empty"])
def test_a_token_that_cannot_be_used_is_named_and_the_rest_works(
        stopped, node, tokens, spoil, said):
    file = settings.configure(stopped, settings.session("work", node, **tokens))
    if said.startswith("belongs") and os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    spoil(tokens["TokenFile"])
    daemon = stopped.start()
    line = 1 + file.read_text().split("\n").index(f"TokenFile={tokens['TokenFile']}")
    (found,) = [text for text in daemon.log.split("\n") if "has no tokens" in text]
    assert f"{file}:{line}: the TokenFile" in found and said in found
    session = Configured(daemon)
    assert session.get("/v1/session").json()["needsSession"] is True
    # An app can bring tokens of its own.
    answer = session.patch("/v1/session", {"accessToken": node.ready["accessToken"]})
    assert answer.status == 200 and answer.json()["needsSession"] is False
    # Who checks the configuration is told the same.
    check = subprocess.run(
        [daemon.arguments[0], "--check-config"], env=daemon.environment, capture_output=True,
        text=True, timeout=60)
    assert check.returncode == 78 and said in check.stderr


def test_the_node_does_not_take_the_files_tokens_any_more(stopped, node, tokens):
    """A refresh spends the file's tokens; what the node gave in their place is in memory."""
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    session = Configured(daemon)
    node.control("tokens/expire")
    session.start()
    daemon.restart()
    view = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    assert view.code == "SESSION_EXPIRED"
    assert session.get("/v1/session").json()["needsSession"] is True
    # Newer ones in the file are found on the next start.
    new = node.control("tokens", account=node.ready["account"])
    settings.write(tokens["TokenFile"], new["accessToken"])
    daemon.restart()
    assert session.start()["state"] == "started"


def test_faults_name_file_line_and_key(stopped, node, tokens):
    main = settings.configure(stopped, "[Daemon]\nLogLevel=info\n")
    first = settings.drop_in(stopped, "10-a.conf", settings.release("a", IMAGE | {"rtmr2": "zz"}))
    second = settings.drop_in(stopped, "20-b.conf", settings.session("w", node, **tokens, Trust="x"))
    run = subprocess.run(
        [stopped.arguments[0], "--check-config"], env=stopped.environment, capture_output=True,
        text=True, timeout=60)
    assert run.returncode == 78
    assert f"{first}:5: the value of RTMR2 is not 96 hexadecimal digits" in run.stderr
    line = second.read_text().split("\n").index("Trust=x") + 1
    assert f"{second}:{line}: the value of Trust can only be" in run.stderr
    assert str(main) + ":" not in run.stderr


def test_a_configured_release_is_what_an_app_means(stopped, node):
    settings.drop_in(stopped, "10-a.conf", settings.release("a", IMAGE))
    settings.drop_in(stopped, "20-b.conf", settings.release("b", IMAGE, Image="the second"))
    daemon = stopped.start()
    assert daemon.status["releases"] == ["a", "b"]
    for given, shown in [
        (None, {"releases": True}), ({"releases": True}, {"releases": True}),
        ({"releases": ["b"]}, {"releases": ["b"]}),
    ]:
        place = {"url": node.ready["url"]} | ({} if given is None else {"trust": given})
        session = Session(daemon, node, node=place)
        assert session.get("/v1/session").json()["node"]["trust"] == shown
        # The mock quote of a development node is none of them, on loopback neither.
        answer = session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
        assert answer.code == "NODE_UNTRUSTED" and "mock-quote" in answer.json()["detail"]
    body = opening(node) | {"node": {"url": node.ready["url"], "trust": {"releases": ["c"]}}}
    answer = daemon.api.post("/v1/sessions", body)
    assert answer.status == 422 and answer.json()["field"] == "node.trust.releases"


def test_without_a_release_there_is_none_to_mean(daemon, node):
    body = opening(node) | {"node": {"url": node.ready["url"], "trust": {"releases": True}}}
    answer = daemon.api.post("/v1/sessions", body)
    assert answer.code == "NODE_UNTRUSTED" and "node trust" in answer.json()["detail"]
    # Saying nothing still means a development node on this machine.
    session = Session(daemon, node, node={"url": node.ready["url"]})
    assert session.start()["state"] == "started"


def test_a_request_outlives_a_new_key(stopped, node, tokens):
    """The runtime directory is gone after a logout."""
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    view = Configured(daemon).start()
    daemon.stop()
    settings.published(daemon, "work").unlink()
    daemon.start()
    session = Configured(daemon)
    node.decide(view["requestId"])
    session.decided(view["requestId"], "approved")


def test_a_daemon_without_a_runtime_directory_keeps_what_is_open(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    key = Configured(daemon).key
    view = Configured(daemon).start()
    daemon.stop()
    daemon.environment["XDG_RUNTIME_DIR"] = "/nonexistent"
    daemon.spawn()
    until(daemon.answers, "the daemon answers")
    assert daemon.status["counts"]["configuredSessions"] == 1
    # It has nowhere to publish a key, so the one that apps have stays good.
    answer = API(daemon.socket, key).get(path(view["requestId"]))
    assert answer.status == 200


def test_a_reload_takes_over_sessions_and_releases(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    work = Configured(daemon)
    view = work.start()
    other = settings.drop_in(daemon, "other.conf", settings.session("other", node, **tokens))
    settings.drop_in(daemon, "a.conf", settings.release("a", IMAGE))
    daemon.signal(signal.SIGHUP)
    until(lambda: daemon.status["releases"] == ["a"], "the release is trusted")
    until(lambda: daemon.status["counts"]["configuredSessions"] == 2, "the session is open")
    assert Configured(daemon, "other").get("/v1/session").status == 200
    # What was open notices nothing.
    assert work.request(view["requestId"])["state"] == "started"
    other.unlink()
    daemon.signal(signal.SIGHUP)
    until(lambda: not settings.published(daemon, "other").exists(), "the session is closed")
    assert daemon.status["counts"]["configuredSessions"] == 1


# Calls under way

ACME = {"request": {"kind": "createOrg", "name": "Acme"}}
# Milliseconds that a slow node takes: long enough for a reload in between.
SLOW = 4000


def reloaded(daemon, text):
    """Has the daemon read this configuration, and returns when it is in force."""
    before = daemon.log.count("the configuration was read again")
    settings.configure(daemon, text)
    daemon.signal(signal.SIGHUP)
    until(lambda: daemon.log.count("the configuration was read again") > before, "it was read")


def test_a_start_under_way_does_not_notice_a_reload(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    session = Configured(daemon)
    node.misbehave("slow", on="request", number=SLOW)
    with session.connection() as connection:
        connection.send(session.bytes("POST", "/v1/requests", ACME))
        until(lambda: node.calls("request") == 1, "the start is with the node")
        other = node.ready["returnTo"] + "&to=other"
        reloaded(daemon, settings.session("work", node, **tokens, ReturnTo=other))
        answer = connection.answer()
    assert answer.status == 201 and answer.json()["state"] == "started", answer.body
    # The node and the app have the same one.
    (listed,) = session.get("/v1/requests").json()["requests"]
    assert [listed["requestId"]] == [request["requestId"] for request in node.overview["requests"]]
    node.decide(listed["requestId"])
    session.decided(listed["requestId"], "approved")
    assert session.start()["state"] == "started"


def test_a_return_under_way_does_not_notice_a_reload(stopped, node, tokens):
    settings.configure(stopped, settings.session("work", node, **tokens))
    daemon = stopped.start()
    session = Configured(daemon)
    view = session.start()
    node.decide(view["requestId"])
    node.misbehave("slow", on="result", times="forever", number=SLOW)
    before = node.calls("result")
    with session.connection() as connection:
        body = {"url": f"x:?request_id={view['requestId']}"}
        connection.send(session.bytes("POST", path(view["requestId"], "/return"), body))
        until(lambda: node.calls("result") > before, "it is being read")
        other = node.ready["returnTo"] + "&to=other"
        reloaded(daemon, settings.session("work", node, **tokens, ReturnTo=other))
        answer = connection.answer()
    assert answer.status == 200 and answer.json()["state"] == "approved", answer.body
