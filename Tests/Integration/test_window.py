"""The GTK 4 example: its window under Xvfb, with pictures in build/screenshots/window."""

import struct

import pytest
from harness.examples import session_file
from harness.programs import ROOT
from harness.window import Screen, Window, ways


@pytest.fixture
def screen():
    screen = Screen()
    yield screen
    screen.end()


@pytest.fixture
def window(home, screen):
    started = []

    def start(session, **environment):
        started.append(Window(home, screen, session, **environment))
        return started[-1]

    yield start
    for window in started:
        window.end()


def test_a_press_leads_to_the_code_the_page_and_the_result(home, desktop, opener, node, screen):
    folder = ROOT / "build" / "screenshots" / "window"
    views = ways(
        home, screen, node, session_file(home, node), {"S": desktop.socket}, folder)
    assert [view["state"] for view in views] == ["ready", "asking", "code", "waiting", "ready"]
    assert views[-1]["text"].startswith("Created. Its id: ")
    assert len(opener.pages) == 1
    # The window lived all the while: no step of its loop took long, the waits least of all.
    assert max(view["stoodStill"] for view in views[1:]) < 6
    for name in ("window-1-ready", "window-2-code", "window-3-waiting", "window-4-created"):
        data = (folder / f"{name}.png").read_bytes()
        assert data.startswith(b"\x89PNG")
        assert struct.unpack(">II", data[16:24]) == (420, 300)
        assert len(data) > 2000, f"{name} is blank"


def test_a_refusal_is_shown_and_the_button_is_back(home, node, window):
    shown = window(session_file(home, node), S=str(home / "nobody.sock"))
    shown.shows("ready")
    shown.press()
    view = shown.shows("ready", after=2)
    assert view["text"].startswith(f"No daemon answers on {home}/nobody.sock (FileNotFoundError).")
    shown.press()
    assert shown.shows("asking", after=3)
