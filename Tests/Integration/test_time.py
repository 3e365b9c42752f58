"""Whose clock counts, and for how long."""

from datetime import datetime, timedelta, timezone

import pytest
from harness.api import Session
from harness.programs import Node


def left(view):
    """How long a request has, by this machine's clock."""
    return datetime.fromisoformat(view["expiresAt"]) - datetime.now(timezone.utc)


def about(expected, slack=100):
    return lambda actual: abs((actual - expected).total_seconds()) < slack


@pytest.mark.parametrize("skew", [-600, 600])
def test_a_lifetime_is_by_the_nodes_clock(node, session, skew):
    """C-122: this machine's clock is ten minutes off, or the node's is."""
    node.control("settings", clockSkew=skew * 1000, ttl=300 * 1000)
    view = session.start()
    assert view["state"] == "started"
    assert about(timedelta(seconds=300))(left(view)), view


@pytest.mark.parametrize("hours,cut", [(1, False), (23, False), (25, True), (8000, True)])
def test_a_lifetime_over_a_day_is_cut_and_the_record_says_so(programs, daemon, hours, cut):
    """C-124: and nothing below a day is."""
    node = programs(Node, "--ttl", str(hours * 3600))
    view = Session(daemon, node).start()
    assert view.get("lifetimeCut", False) is cut
    assert about(timedelta(hours=min(hours, 24)))(left(view)), view


def test_a_request_outlives_a_restart_with_its_time(daemon, session):
    view = session.start()
    daemon.restart(kill=True)
    assert session.request(view["requestId"])["expiresAt"] == view["expiresAt"]
