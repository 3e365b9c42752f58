"""What the journal has, field by field, and what it never has."""

import re

from harness.api import Session, path
from harness.programs import Daemon
from harness.waiting import until

from .service import SERVICE, systemctl


def test_the_fields_of_a_request_are_read_back(service, node):
    service.configure("[Daemon]\nLogLevel=debug\n")
    session = Session(service, node)
    view = session.start()
    node.decide(view["requestId"])
    session.post(path(view["requestId"], "/return"), {"url": "app:/"})
    session.decided(view["requestId"], "approved")
    session.delete("/v1/session")
    systemctl("stop", SERVICE)
    service.said("stopping")
    started = service.journal(REQUEST_ID=view["requestId"][:8])
    texts = [record["MESSAGE"] for record in started]
    assert any(text.startswith("request started") for text in texts)
    ended = next(record for record in started if record["MESSAGE"].startswith("request ended"))
    assert ended["SESSION"] == session.id[:8]
    assert ended["CONSENT_CODE"] == "approved"
    assert ended["PRIORITY"] == "6"
    assert ended["SYSLOG_IDENTIFIER"] == "mero-consentd"
    assert ended["_SYSTEMD_USER_UNIT"] == SERVICE
    assert ended["_TRANSPORT"] == "journal"
    assert re.fullmatch("[0-9a-f]{32}", ended["MESSAGE_ID"])
    # One number for one kind of thing.
    assert [record["MESSAGE"] for record in service.journal(MESSAGE_ID=ended["MESSAGE_ID"])] == [
        ended["MESSAGE"]]
    numbers = {record["MESSAGE_ID"]: record["MESSAGE"] for record in service.journal()
               if "MESSAGE_ID" in record and record["_TRANSPORT"] == "journal"}
    assert len(numbers) >= 6
    # Nothing that is a secret, at the level that says most.
    text = str(service.journal())
    for secret in (session.key, node.ready["accessToken"], node.ready["refreshToken"],
                   view["requestId"], view["code"], view["url"]):
        assert secret not in text


def test_a_failure_to_start_is_found_by_its_number(service):
    service.configure("[Daemon]\nNoSuchKey=1\n")
    assert service.api.post("/v1/sessions", {}).status == 503
    record = service.said("CONFIGURATION_INVALID")
    assert record["PRIORITY"] == "3" and record["MESSAGE_ID"]


def test_by_hand_it_writes_lines(service, scratch):
    """JOURNAL_STREAM is inherited by whatever a service starts: it has to name this stderr."""
    daemon = Daemon(scratch / "by-hand", environment={"JOURNAL_STREAM": "1:2"}).start()
    until(lambda: "mero-consentd: info: ready" in daemon.log, "it is ready")
    daemon.stop()
