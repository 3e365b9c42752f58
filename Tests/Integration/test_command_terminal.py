"""`mero-consent` at a terminal, with a person in front of it."""

import signal

import pytest
from harness.command import Command
from harness.screen import Screen
from harness.waiting import until


@pytest.fixture
def cli(home, desktop, node):
    command = Command(home, desktop)
    assert command.add("one", node).code == 0
    return command


ASK = ["request", "createOrg", "--name", "Acme"]


def newest(cli):
    return cli("list", "--limit", "1", "--json").json["requests"][0]


def test_it_shows_the_code_asks_waits_and_tells(cli, node, opener):
    with Screen(cli, *ASK) as screen:
        screen.until("Open the page in the browser? [Y/n]")
        view = newest(cli)
        # The code stands there before the page is open, large and as text.
        assert opener.pages == [] and view["code"] in screen.text and "█" in screen.text
        screen.type("\n")
        screen.until("The page was handed to the browser.")
        assert opener.page() == view["url"]
        screen.until("left (Ctrl-C stops waiting)")
        node.decide(view["requestId"])
        assert screen.end() == 0
        assert "state       approved" in screen.text
        # The line that was written over is gone.
        assert "Ctrl-C stops" not in screen.text
        assert "\x1b[32m" in screen.raw


def test_no_means_that_the_page_is_not_opened(cli, node, opener):
    with Screen(cli, *ASK) as screen:
        screen.until("[Y/n]")
        screen.type("maybe\n")
        screen.until("Please answer y or n.")
        screen.type("n\n")
        screen.until("to be opened by hand")
        view = newest(cli)
        assert view["url"] in screen.text.replace("\n", "")
        node.decide(view["requestId"], "decline")
        assert screen.end() == 3
    assert opener.pages == []


def test_the_end_of_the_input_is_a_no(cli, opener):
    with Screen(cli, *ASK, "--timeout", "1") as screen:
        screen.until("[Y/n]")
        screen.type("\x04")
        assert screen.end() == 4
    assert opener.pages == []


@pytest.mark.parametrize("words, opened", [("--open", 1), ("--no-open", 0)])
def test_an_answer_on_the_command_line_is_not_asked_for(cli, opener, words, opened):
    with Screen(cli, *ASK, words, "--timeout", "1") as screen:
        assert screen.end() == 4
        assert "[Y/n]" not in screen.text
    until(lambda: len(opener.pages) == opened, "the page")


def test_ctrl_c_says_how_to_go_on(cli):
    with Screen(cli, *ASK, "--no-open") as screen:
        screen.until("Ctrl-C stops waiting")
        screen.type("\x03")
        assert screen.end() == -signal.SIGINT
        assert f"wait --socket {cli.socket[1]} {newest(cli)['requestId']}" in screen.text


def test_ctrl_c_at_the_question_and_at_a_token_ends_it(cli, node):
    with Screen(cli, *ASK) as screen:
        screen.until("[Y/n]")
        screen.type("\x03")
        assert screen.end() == -signal.SIGINT
        # The request is there, and goes on.
        assert f"wait --socket {cli.socket[1]} {newest(cli)['requestId']}" in screen.text
    with Screen(cli, "session", "renew", "one", "--token-file", "-") as screen:
        screen.until("press Enter")
        until(lambda: not screen.shows_what_is_typed, "the terminal hides it")
        screen.type("\x03")
        assert screen.end() == -signal.SIGINT
        assert screen.shows_what_is_typed


def test_a_terminal_that_hangs_up_shows_what_is_typed_again(cli):
    with Screen(cli, "session", "renew", "one", "--token-file", "-") as screen:
        screen.until("press Enter")
        until(lambda: not screen.shows_what_is_typed, "the terminal hides it")
        screen.process.send_signal(signal.SIGHUP)
        assert screen.end() == -signal.SIGHUP
        assert screen.shows_what_is_typed


def test_a_token_at_the_terminal_is_not_shown_and_may_be_long(cli, node):
    token = node.ready["accessToken"]
    with Screen(cli, "session", "renew", "one", "--token-file", "-") as screen:
        screen.until("press Enter")
        until(lambda: not screen.shows_what_is_typed, "the terminal hides it")
        # A line that is dropped, longer than a terminal's own line, a Ctrl-Z, and two slips of the
        # finger.
        screen.type("x" * 6000 + "\x15" + token + "\x1ax\x7f\x7f\n")
        assert screen.end() == 0
        assert screen.shows_what_is_typed
        assert token not in screen.raw and "xxx" not in screen.raw


def test_no_color_is_honoured(cli):
    start = [*ASK, "--no-open", "--timeout", "1"]
    with Screen(cli, *start, NO_COLOR="1") as screen:
        screen.end()
        assert "\x1b[3" not in screen.raw and "\x1b[1m" not in screen.raw
    with Screen(cli, *start, NO_COLOR="") as screen:
        screen.end()
        assert "\x1b[1m" in screen.raw
    with Screen(cli, *start, TERM="dumb") as screen:
        screen.end()
        assert "\x1b" not in screen.raw


def test_narrow_terminals_get_narrow_lines(cli):
    with Screen(cli, *ASK, "--no-open", "--timeout", "1", columns=40) as screen:
        screen.end()
        assert "█" not in screen.text and newest(cli)["code"] in screen.text
    with Screen(cli, "--help", columns=40) as screen:
        screen.end()
        assert max(map(len, screen.text.splitlines())) <= 40


def test_json_on_a_terminal_is_one_document(cli):
    with Screen(cli, "list", "--json") as screen:
        assert screen.end() == 0
        assert screen.text.strip().startswith('{"requests":') and "\x1b" not in screen.raw
