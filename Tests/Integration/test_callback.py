"""The callback's edge: which requests are looked at at all, and what every answer carries."""

import re
import socket
import time

import pytest
from harness.programs import Daemon
from harness.site import NAVIGATION, state, target
from harness.wire import Connection, exchange, request_bytes


@pytest.fixture
def returning(node, session):
    """A decided request whose return has not come yet, and the path of its return."""
    view = session.start()
    path = target(view["callback"], request_id=view["requestId"], result="approved")
    return view["requestId"], path


def unchanged(node, session, request_id):
    """Nothing was recorded of a refused request."""
    view = session.request(request_id)
    return view["state"] == "started" and "lastReturn" not in view


# MARK: Host


@pytest.mark.parametrize("host", ["127.0.0.1:{0}", "[::1]:{0}", "localhost:{0}", "LocalHost:{0}"])
def test_its_own_names_are_answered(daemon, node, session, returning, host):
    request_id, path = returning
    node.decide(request_id)
    site = daemon.site
    answer = site.get(path, host=host.format(site.port))
    assert answer.status == 303


@pytest.mark.parametrize("host", [
    "evil.example:{0}", "localhost:9999", "127.0.0.1", "localhost", "127.0.0.1.evil.example:{0}",
    "127.0.0.1:{0}0", "0.0.0.0:{0}", "127.1:{0}", "localhost.:{0}", "[::ffff:127.0.0.1]:{0}", "",
])
def test_every_other_name_is_421(daemon, node, session, returning, host):
    request_id, path = returning
    site = daemon.site
    answer = site.get(path, host=host.format(site.port))
    assert answer.status == 421
    assert unchanged(node, session, request_id)


def test_no_host_two_hosts_and_one_that_is_none_are_refused(daemon, node, session, returning):
    request_id, path = returning
    site = daemon.site
    line = f"GET {path} HTTP/1.1\r\n".encode()
    own = f"Host: {site.host}\r\n".encode()
    for head in (
        line, line + own + own, line + own + b"Host: evil.example\r\n",
        line + f"Host: {site.host}@evil\r\n".encode(), line + b"Host: a b\r\n",
        line.replace(b"1.1", b"1.0"),
    ):
        answer = exchange(("127.0.0.1", site.port), head + b"\r\n")
        assert answer.status in (400, 421), head
        assert_secure(answer)
    assert unchanged(node, session, request_id)


def test_an_address_in_the_request_line_counts_like_host(daemon, node, session, returning):
    request_id, path = returning
    site = daemon.site
    assert site.get(f"http://evil.example{path}").status == 421
    assert unchanged(node, session, request_id)
    node.decide(request_id)
    assert site.get(f"http://{site.host}{path}").status == 303


# MARK: Paths and methods


@pytest.mark.parametrize("path", [
    "/", "/favicon.ico", "/robots.txt", "/return/", "/returnx", "/RETURN", "/Return", "//", "//[",
    "/done", "/done/", "/return/a/b", "/v1/status", "/v1/requests", "/v1/events", "/%72eturn",
    "/favicon.ico?request_id=rq-2&result=declined",
])
def test_every_other_path_is_404(daemon, node, session, returning, path):
    request_id, _ = returning
    answer = daemon.site.get(path)
    assert answer.status == 404 and state(answer) == "not-found"
    assert_secure(answer)
    assert unchanged(node, session, request_id)


def test_the_icon_that_a_browser_asks_for_counts_for_nothing(daemon, node, session, returning):
    request_id, path = returning
    icon = {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image", "Sec-Fetch-Site": "same-origin"}
    assert daemon.site.get("/favicon.ico", icon).status == 404
    node.decide(request_id)
    assert state(daemon.site.bring_back(path)) == "approved"
    assert daemon.site.get("/favicon.ico", icon).status == 404
    assert session.request(request_id)["state"] == "approved"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "FOO"])
def test_only_get_and_head_are_served(daemon, node, session, returning, method):
    request_id, path = returning
    answer = daemon.site.call(method, path, {
        "Origin": "https://node.example", "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Private-Network": "true"})
    assert answer.status == 405 and answer["Allow"] == "GET, HEAD"
    assert_secure(answer)
    assert unchanged(node, session, request_id)


@pytest.mark.parametrize("line,status", [
    ("OPTIONS * HTTP/1.1", 405), ("CONNECT x:1 HTTP/1.1", 405), ("GET return HTTP/1.1", 400),
    ("GET  /return HTTP/1.1", 400), ("GET /return", 400), ("GET /return HTTP/2.0", 505),
    ("GET https://127.0.0.1/return HTTP/1.1", 421),
])
def test_odd_request_lines_are_refused(daemon, line, status):
    site = daemon.site
    answer = exchange(
        ("127.0.0.1", site.port), f"{line}\r\nHost: {site.host}\r\n\r\n".encode())
    assert answer.status == status
    assert_secure(answer)
    assert daemon.status


# MARK: Navigations, and everything else that browsers send


@pytest.mark.parametrize("headers", [
    {}, {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, NAVIGATION,
    {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"},
    {"Cookie": "a=" + "x" * 16000},
])
def test_a_navigation_is_a_return(daemon, node, session, returning, headers):
    request_id, path = returning
    node.decide(request_id)
    assert state(daemon.site.bring_back(path, headers)) == "approved"
    assert session.request(request_id)["lastReturn"]["code"] == "OK"


@pytest.mark.parametrize("headers", [
    {"Sec-Purpose": "prefetch"}, {"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"},
    {"X-Moz": "prefetch"}, {"X-Purpose": "preview"},
    {"Sec-Purpose": "prefetch", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "empty"},
])
def test_a_speculative_load_is_answered_204_and_uses_nothing_up(
        daemon, node, session, returning, headers, status=204):
    request_id, path = returning
    node.decide(request_id)
    before = node.calls("result")
    answer = daemon.site.get(path, headers)
    assert answer.status == status and answer.body == b""
    assert_secure(answer)
    assert unchanged(node, session, request_id) or node.calls("result") > before  # the watcher
    assert state(daemon.site.bring_back(path)) == "approved"


@pytest.mark.parametrize("purpose", ["prefetch", "prefetch;prerender"])
def test_one_that_a_browser_would_keep_for_the_navigation_is_answered_503(
        daemon, node, session, returning, purpose):
    """As Chromium sends it; what it does with a 204 is in test_browser.py."""
    test_a_speculative_load_is_answered_204_and_uses_nothing_up(
        daemon, node, session, returning, NAVIGATION | {"Sec-Purpose": purpose}, status=503)


@pytest.mark.parametrize("headers", [
    {"Sec-Fetch-Mode": "cors"}, {"Sec-Fetch-Mode": "no-cors"}, {"Sec-Fetch-Mode": "websocket"},
    {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, {"Sec-Fetch-Dest": "image"},
    {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "embed"}, {"Sec-Fetch-Mode": ""},
    {"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": "http://127.0.0.1"},
    NAVIGATION | {"Origin": "null"},
])
def test_a_pages_own_doing_is_403(daemon, node, session, returning, headers):
    request_id, path = returning
    answer = daemon.site.get(path, headers)
    assert answer.status == 403 and state(answer) == "refused"
    assert_secure(answer)
    assert unchanged(node, session, request_id)


def test_its_own_origin_is_a_pages_own_doing_too(daemon, node, session, returning):
    request_id, path = returning
    assert daemon.site.get(path, {"Origin": f"http://{daemon.site.host}"}).status == 403
    assert unchanged(node, session, request_id)


def test_head_is_answered_and_returns_nothing(daemon, node, session, returning):
    request_id, path = returning
    answer = daemon.site.call("HEAD", path, NAVIGATION)
    assert answer.status == 303 and answer.body == b""
    assert answer["Location"] == path.split("?")[0].replace("/return/", "/done/")
    assert daemon.site.call("HEAD", "/return/" + "A" * 22, NAVIGATION).status == 404
    assert daemon.site.call("HEAD", "/return", NAVIGATION).status == 303
    page = daemon.site.call("HEAD", answer["Location"], NAVIGATION)
    assert page.body == b"" and int(page["Content-Length"]) > 0
    assert unchanged(node, session, request_id)


# MARK: What every answer carries


def assert_secure(answer):
    assert answer["Cache-Control"] == "no-store"
    policy = answer["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer["Referrer-Policy"] == "no-referrer"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer["Connection"] == "close"
    for name in ("Set-Cookie", "Strict-Transport-Security", "ETag", "Last-Modified",
                 "Access-Control-Allow-Origin", "Access-Control-Allow-Private-Network", "Server"):
        assert not answer.all(name), name
    assert answer.status not in (301, 302, 307, 308)


def test_every_answer_is_secure(daemon, node, session, returning):
    request_id, path = returning
    node.decide(request_id)
    site = daemon.site
    done = path.split("?")[0].replace("/return/", "/done/")
    for answer in (
        site.get(path), site.get(done), site.get("/"), site.get("/return?request_id="),
        site.get("/return?request_id=%ZZ"), site.call("POST", path), site.get(path, host="x"),
        site.get(path, {"Origin": "null"}), site.get(path, {"Purpose": "prefetch"}),
        site.get("/return/" + "A" * 22), site.get("/done/" + "A" * 22),
        site.get("/return?" + "x" * 70000), site.get(path, {"Cookie": "x" * 70000}),
        exchange(("127.0.0.1", site.port), b"nonsense\r\n\r\n"),
    ):
        assert_secure(answer)


def test_the_connection_is_closed_after_each_answer(daemon, returning):
    _, path = returning
    site = daemon.site
    with site.connection() as connection:
        connection.send(request_bytes("GET", path, [("Connection", "keep-alive")], host=site.host))
        assert connection.answer()["Connection"] == "close"
        assert connection.read_to_end() == b""


def test_its_style_is_the_one_that_the_policy_admits(daemon):
    import base64
    import hashlib
    answer = daemon.site.get("/")
    style = re.search(r"<style>(.*?)</style>", answer.text, re.S)[1]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in answer["Content-Security-Policy"]


# MARK: Sizes


def test_a_long_query_is_read_and_a_longer_one_refused(daemon, node, session, returning):
    request_id, path = returning
    site = daemon.site
    assert site.get(path + "&extra=" + "x" * 70000).status == 414
    assert site.get(path, {"Cookie": "a=" + "x" * 70000}).status == 431
    assert unchanged(node, session, request_id)
    assert daemon.status


def test_both_edges_of_a_returns_length(daemon, node, session, returning):
    """`/return` and its query are read up to 8 KiB; the ticket, whose length is ours, is free."""
    request_id, path = returning
    node.decide(request_id)
    query = path.split("?")[1]
    too_long = path + "&x=" + "y" * (8 * 1024 + 1 - len("/return?") - len(query) - 3)
    assert daemon.site.get(too_long).status == 400
    assert daemon.site.get(too_long[:-1]).status == 303


# MARK: Connections


def test_a_return_in_single_bytes_is_one_return(daemon, node, session, returning):
    request_id, path = returning
    node.decide(request_id)
    site = daemon.site
    data = request_bytes("GET", path, NAVIGATION.items(), host=site.host)
    with site.connection() as connection:
        connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for number in range(len(data)):
            connection.send(data[number:number + 1])
        assert connection.answer().status == 303
    assert session.decided(request_id, "approved")


def test_silent_connections_are_in_nobodys_way(daemon, node, session, returning):
    request_id, path = returning
    node.decide(request_id)
    silent = [daemon.site.connection() for _ in range(10)]
    begin = time.monotonic()
    assert state(daemon.site.bring_back(path)) == "approved"
    # Not one of them has been waited for.
    assert time.monotonic() - begin < 10
    # They are closed at the header time limit, without a word.
    assert silent[0].read_to_end() == b""
    for connection in silent:
        connection.close()


def test_connections_that_are_reset_hurt_nobody(daemon, node, session, returning):
    request_id, path = returning
    for _ in range(100):
        daemon.site.connection().reset()
    bogus = path.split("?")[0] + "?request_id=bogus&result=declined"
    assert state(daemon.site.bring_back(bogus)) == "mismatch"
    node.decide(request_id)
    assert state(daemon.site.bring_back(path)) == "approved"


def test_the_page_is_read_whole_by_a_slow_client_that_sent_a_body(daemon):
    site = daemon.site
    for _ in range(20):
        with socket.socket() as plain:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
            plain.settimeout(20)
            plain.connect(("127.0.0.1", site.port))
            plain.sendall(request_bytes("GET", "/done/x", host=site.host, body=b"x" * 3000))
            data = b""
            while piece := plain.recv(200):
                data += piece
            assert data.endswith(b"</html>\n")


def test_nothing_of_it_is_reachable_from_outside(daemon):
    """Both families of loopback, and no other address."""
    port = daemon.port
    listening = set()
    for table in ("tcp", "tcp6"):
        try:
            lines = open(f"/proc/net/{table}").read().splitlines()[1:]
        except FileNotFoundError:
            continue
        for line in lines:
            local, remote_state = line.split()[1], line.split()[3]
            address, hex_port = local.split(":")
            if remote_state == "0A" and int(hex_port, 16) == port:
                listening.add(address)
    assert listening <= {"0100007F", "00000000000000000000000001000000"}
    assert "0100007F" in listening


def test_both_families_answer_with_one_port(daemon):
    status = daemon.status
    ports = {int(url.rsplit(":", 1)[1].split("/")[0]) for url in status["callbacks"]}
    assert len(ports) == 1
    if len(status["callbacks"]) == 1:
        pytest.skip("this host has no IPv6")
    site = daemon.site
    for address, host in (("127.0.0.1", site.host), ("::1", f"[::1]:{site.port}")):
        assert site.get("/nothing", host=host, address=address).status == 404


def test_a_port_that_another_holds_on_one_family_is_not_taken(programs, home):
    """Nothing is handed out that is not ours on both families."""
    for family, address in ((socket.AF_INET6, "::1"), (socket.AF_INET, "127.0.0.1")):
        try:
            holder = socket.socket(family)
            if family == socket.AF_INET6:
                holder.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            holder.bind((address, 0))
        except OSError:
            pytest.skip("this host has no IPv6")
        holder.listen()
        port = holder.getsockname()[1]
        daemon = programs(Daemon, port=port)
        daemon.spawn()
        assert daemon.wait() == 69
        assert "CALLBACK_PORT_IN_USE" in daemon.log and str(port) in daemon.log
        holder.close()


def test_an_address_that_was_given_out_is_a_literal(daemon, session):
    for view in (session.start(), session.start()):
        assert view["callback"].startswith(f"http://127.0.0.1:{daemon.port}/return/")


def test_tickets_are_128_random_bits(session):
    tickets = {session.start()["callback"].rsplit("/", 1)[1] for _ in range(20)}
    assert len(tickets) == 20
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22,}", ticket) for ticket in tickets)
