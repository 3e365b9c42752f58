"""`make demo` and `make run`, as a person types them."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from harness.waiting import until

HERE = Path(__file__).parent


@pytest.fixture
def environment(home):
    """What the scripts leave behind would be left in here."""
    return dict(os.environ) | {"TMPDIR": str(home), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def running(home, environment):
    """`make run`, up to the last line that it prints."""
    process = subprocess.Popen(
        [sys.executable, str(HERE / "play.py")], env=environment, stdout=subprocess.PIPE, text=True)
    lines = []
    while not lines or not lines[-1].startswith("Ctrl-C"):
        line = process.stdout.readline()
        assert line, "it ended: " + "".join(lines)
        lines.append(line)
    yield process, lines
    process.terminate()  # it ends its programs; a kill would leave them running
    process.wait(timeout=120)


def test_the_demo_shows_each_verdict_and_leaves_nothing_behind(home, environment):
    done = subprocess.run(
        [sys.executable, str(HERE / "demo.py")], env=environment, capture_output=True, text=True,
        timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    for word in ["orgCreated", "approved", "declined", "CONSENT_REQUEST_MISMATCH",
                 "CONSENT_NOT_DECIDED", "CONSENT_REPLACED"]:
        assert word in done.stdout
    assert not done.stderr
    assert os.listdir(home) == []


def test_every_line_works_as_printed(running):
    process, lines = running
    answers = [
        subprocess.run(["bash", "-c", line], capture_output=True, text=True, timeout=120).stdout
        for line in lines if line.startswith("curl ")
    ]
    words = ['"key"', '"state":"started"', 'data-state="approved"', '"state":"approved"', '"code"',
             '"requestId"', '"requests":[', "event: request", '"wrong-request"', "{", '"transportKey"',
             '"version"']
    assert len(answers) == len(words)
    for word, answer in zip(words, answers):
        assert word in answer.replace('": ', '":'), answer


def test_the_lines_for_the_command_line_work_as_printed(home, running):
    _, lines = running
    add, ask = [line for line in lines if "/mero-consent --socket " in line]
    subprocess.run(["bash", "-c", add], check=True, timeout=120)
    node = json.loads(next(home.glob("mero-*/node.json")).read_text())
    asked = subprocess.Popen(["bash", "-c", ask], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    until(lambda: decides(node), "the command has asked, and it is approved")
    said = asked.communicate(timeout=120)[0].decode()
    assert asked.returncode == 0 and "approved" in said.lower(), said


def test_the_line_that_runs_the_example_works_as_printed(home, running):
    _, lines = running
    [line] = [line for line in lines if "create_org.py" in line]
    file = next(home.glob("mero-*/session.json"))
    assert file.stat().st_mode & 0o777 == 0o600 and {"package", "node"} <= set(json.loads(file.read_text()))
    node = json.loads(next(home.glob("mero-*/node.json")).read_text())
    # No screen: the page is opened by hand.
    screens = {"DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"}
    asked = subprocess.Popen(
        ["bash", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=home,
        env={name: value for name, value in os.environ.items() if name not in screens})
    until(lambda: decides(node), "the example has asked, and it is approved")
    said = asked.communicate(timeout=120)[0].decode()
    assert asked.returncode == 0 and "Created: " in said, said


def decides(node):
    """The second request: the first one is that of the printed calls."""
    with urllib.request.urlopen(node["control"]) as answer:
        if len(json.load(answer)["requests"]) < 2:
            return False
    body = json.dumps({"decision": "approve"}).encode()
    urllib.request.urlopen(urllib.request.Request(
        f"{node['control']}/decide", body, {"Content-Type": "application/json"})).close()
    return True


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_both_programs_and_leaves_nothing_behind(home, running, end):
    process, _ = running
    process.send_signal(end)
    assert process.wait(timeout=120) == 0
    assert os.listdir(home) == []
