"""The browser is not where the daemon is: in a sandbox (C-071), or on another machine (C-072)."""

import http.client
from urllib.parse import urlsplit

import pytest
from harness.api import Session


@pytest.fixture
def default(daemon, node):
    """A session that names no place of its own to come back to."""
    return Session(daemon, node, origins=None, returnTo=None)


def test_the_return_is_on_loopback_unless_the_app_names_another_place(daemon, default):
    view = default.start()
    assert view["callback"].startswith(f"http://127.0.0.1:{daemon.port}/return/")
    # Where the node's own page sends the person.
    page = urlsplit(view["url"])
    connection = http.client.HTTPConnection(page.netloc)
    connection.request(
        "POST", f"{page.path}?{page.query}", "decision=approve",
        {"Content-Type": "application/x-www-form-urlencoded"})
    assert connection.getresponse().headers["Location"].startswith(view["callback"] + "?")


@pytest.mark.parametrize("decision", ["approve", "decline"])
def test_a_return_that_nobody_brings_is_not_needed(node, default, decision):
    view = default.start()
    node.decide(view["requestId"], decision)
    decided = default.decided(view["requestId"])
    assert decided["state"] == {"approve": "approved", "decline": "declined"}[decision]
    assert "lastReturn" not in decided


def test_a_forward_from_another_port_is_refused_and_loses_nothing(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    target = urlsplit(view["callback"]).path + f"?request_id={view['requestId']}"
    # `ssh -L P2:127.0.0.1:P`: the browser at home says its own port.
    assert daemon.site.get(target, host=f"127.0.0.1:{daemon.port - 1}").status == 421
    assert session.decided(view["requestId"])["state"] == "approved"


def test_a_forward_from_the_same_port_works(daemon, node, session):
    view = session.start()
    node.decide(view["requestId"])
    target = urlsplit(view["callback"]).path + f"?request_id={view['requestId']}"
    page = daemon.site.bring_back(target)
    assert page.status == 200 and session.request(view["requestId"])["lastReturn"]["code"] == "OK"
