"""`mero-dev-node` as a program, and its page as a person sees it."""

import json
import os
import re
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from harness import browser
from harness.programs import Node, binaries
from harness.waiting import until

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "development-node.md"


def run(*options):
    return subprocess.run(
        [binaries() / "mero-dev-node", *options], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("options", [
    ["--colour"], ["--port"], ["--port", "http"], ["--ttl", "0"], ["--callback", "https://a.example"],
    ["--prefix", "node"], ["something"],
])
def test_a_wrong_command_line_is_refused(options):
    done = run(*options)
    assert done.returncode == 64
    assert done.stderr and not done.stdout


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_it_tells_about_itself(option):
    done = run(option)
    assert done.returncode == 0
    assert "mero-dev-node" in done.stdout and not done.stderr


def test_a_port_in_use_is_refused():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("--port", str(port))
    assert done.returncode == 69
    assert str(port) in done.stderr


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_also_in_the_middle_of_an_answer(programs, end):
    node = programs(Node)
    node.misbehave("never-answers", on="page")
    parts = node.ready["url"].removeprefix("http://").split(":")
    with socket.create_connection((parts[0], int(parts[1]))) as client:
        client.sendall(f"GET /consent/x HTTP/1.1\r\nHost: {parts[0]}:{parts[1]}\r\n\r\n".encode())
        until(lambda: node.calls("page"), "the node has the request")
        node.signal(end)
        assert node.wait() == 0


def test_it_listens_on_loopback_alone(programs):
    node = programs(Node)
    port = int(node.ready["url"].rsplit(":", 1)[1])
    listening = [line.split()[1] for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
                 if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")]
    assert listening == [f"0100007F:{port:04X}"]


def test_options_show_in_the_ready_line(programs):
    node = programs(
        Node, "--prefix", "/node-7", "--callback", "mero-consent:/return", "--package", "a.b.c")
    assert node.ready["url"].endswith("/node-7")
    assert node.ready["returnTo"].startswith(node.ready["url"] + "/app/")
    assert node.ready["callback"] == "mero-consent:/return"
    assert node.ready["package"] == "a.b.c"
    assert re.fullmatch("[0-9a-f]{64}", node.ready["transportKey"])


def test_a_request_lives_as_long_as_the_option_says(programs):
    node = programs(Node, "--ttl", "2.5")
    assert node.overview["settings"]["ttl"] == 2500


def test_a_control_is_not_for_web_pages(node):
    request = urllib.request.Request(
        node.ready["control"], headers={"Origin": node.ready["origins"][0]})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 403


def test_the_person_decides_on_the_page_and_is_brought_back(daemon, node, session):
    view = session.start()
    node.control("callback", requestId=view["requestId"], url=view["callback"])
    page = browser.open_page(view["url"])
    assert page.status == 200 and page.state == "undecided"
    assert page.code == view["code"]
    assert "Acme" in page.text
    page = browser.press(page, "decline")
    assert page.state == "declined"
    assert [hop.split("?")[0].rsplit("/", 2)[1] for hop in page.hops[-3:]] == [
        "1.0.0", "return", "done"]
    assert session.decided(view["requestId"])["state"] == "declined"
    assert browser.open_page(view["url"]).state == "decided"


def test_the_examples_of_its_document_work(programs, node, session):
    """Each `curl` line, in order, with a new request whenever one is needed."""
    blocks = re.findall(r"```sh\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("curl ")]
    assert len(lines) > 10
    environment = dict(os.environ) | {"NODE": node.ready["url"]}
    for line in lines:
        if any(name in line for name in ("/decide", "/replace", "/expire")) and "tokens" not in line:
            session.start()
        done = subprocess.run(
            ["bash", "-c", line.replace("curl ", "curl -s --fail-with-body ", 1)],
            env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{line}\n{done.stdout}"
        json.loads(done.stdout)
