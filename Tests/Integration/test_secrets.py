"""Nothing that is a credential is anywhere but in its owner's hands."""

import pytest
from harness.api import Session, path
from harness.site import target


@pytest.fixture
def marked(daemon, node):
    """A session whose whole life is full of secrets, and those secrets."""
    session = Session(daemon, node)
    invite = session.start({"kind": "createInvite", "org": "o"})
    daemon.site.bring_back(target(
        invite["callback"], request_id=invite["requestId"], result="approved", code="SECRET123"))
    node.decide(invite["requestId"])
    daemon.site.bring_back(target(invite["callback"], request_id=invite["requestId"]))
    token = session.decided(invite["requestId"])["outcome"]["token"]
    session.start({"kind": "acceptInvite", "token": "INVITE-MARKER"})
    daemon.api.post("/v1/returns", {
        "url": f"mero-consent://return?request_id={invite['requestId']}&code=SECRET123"})
    session.post("/v1/requests", {"request": {"kind": "acceptInvite", "token": "x" * 2000}})
    node.control("tokens/expire")
    session.start()
    node.misbehave("status", on="request")
    session.post("/v1/requests", {"request": {"kind": "acceptInvite", "token": "INVITE-MARKER"}})
    session.patch("/v1/session", {"accessToken": "ACCESS-MARKER", "refreshToken": "REFRESH-MARKER"})
    session.post("/v1/requests", {"request": {"kind": "createOrg", "name": "Acme"}})
    return session, [
        session.key, token, node.ready["accessToken"], node.ready["refreshToken"], "INVITE-MARKER",
        "ACCESS-MARKER", "REFRESH-MARKER", "SECRET123", "x" * 100,
    ]


def test_no_secret_is_in_the_state_directory(daemon, marked):
    _, secrets = marked
    found = 0
    for stage in ("running", "stopped"):
        for file in daemon.home.rglob("*"):
            if file.is_file() and file != daemon.log_path:
                data = file.read_bytes()
                found += 1
                for secret in secrets:
                    assert secret.encode() not in data, (stage, file.name)
        if stage == "running":
            daemon.stop()
    assert found


def test_no_secret_is_in_the_log_at_debug_level(daemon, marked):
    session, secrets = marked
    log = daemon.log
    assert log
    views = session.get("/v1/requests").json()["requests"]
    for secret in secrets + [view["code"] for view in views if "code" in view] + [
            view["url"] for view in views if "url" in view]:
        assert secret not in log
    for view in views:
        # Shortened to 8 characters.
        assert len(view["requestId"]) <= 8 or view["requestId"] not in log


def test_no_secret_is_on_the_command_line_or_in_an_error(daemon, marked):
    session, secrets = marked
    command = open(f"/proc/{daemon.pid}/cmdline", "rb").read().decode()
    session.patch("/v1/session", {"accessToken": "ACCESS-MARKER"})
    answers = [
        session.post("/v1/requests", {"request": {"kind": "acceptInvite", "token": "INVITE-MARKER"}}),
        session.post("/v1/requests", {"request": {"kind": "acceptInvite", "token": ["INVITE-MARKER"]}}),
        session.get("/v1/session"), session.get("/v1/requests"),
        session.post(path("x", "/return"), {"url": "x://r?code=SECRET123"}),
    ]
    for text in [command] + [answer.text for answer in answers]:
        for secret in secrets:
            assert secret not in text


def test_a_query_forges_no_line_of_the_log(daemon, session):
    """C-040."""
    before = daemon.log.count("\n")
    daemon.site.get(
        "/return?request_id=x%0A2030-01-01%20mero-consentd%3A%20rq-1%20approved%1B%5B2J&result=y%00z")
    daemon.site.get("/return?request_id=x%0Dforged%E2%80%A8line")
    log = daemon.log
    assert "\x1b" not in log and "\0" not in log
    for line in log.splitlines()[before:]:
        assert not line.startswith(("2030-01-01 mero-consentd", "forged"))
        assert len(line.encode()) <= 512
