"""Every page in every state, as a browser shows it: to eyes, to a screen reader, to the keyboard."""

import shutil
import tempfile
from pathlib import Path

import pytest
from harness.gallery import Gallery
from harness.looks import contrast, sticking_out, too_faint
from harness.programs import Daemon, Node
from harness.stranger import Stranger

CALLBACK = [("callback", name) for name in Gallery.callback_pages]
NODE = [("node", name) for name in Gallery.node_pages]
LANGUAGES = {"de": "de", "es": "es", "fr": "fr", "ja": "ja", "zh-CN": "zh-Hans",
             "zh-TW": "zh-Hant"}


@pytest.fixture(scope="module")
def gallery():
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    programs = [Daemon(home / "daemon").start()]

    def start_node(*options):
        programs.append(Node(home / f"node{len(programs)}", *options))
        return programs[-1]

    yield Gallery(programs[0], start_node)
    for program in programs:
        program.kill()
    shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="module")
def tab(chromium):
    tab = chromium.tab()
    yield tab
    tab.close()


@pytest.fixture(params=CALLBACK + NODE, ids=lambda page: "-".join(page))
def page(request, gallery, tab):
    """The tab with that page in it."""
    tab.requests.clear()
    tab.complaints.clear()
    tab.resize(360, 640, mobile=True)
    tab.prefer(color_scheme="light")
    gallery.show(tab, request.param[1], of=request.param[0])
    return request.param


def test_a_page_is_good(page, gallery, tab):
    """One test for all, since getting there is what takes the time."""
    site, name = page
    says_first_what_it_is_about(tab)
    reads_well_aloud(tab, site, name)
    loads_nothing_and_runs_nothing(tab, gallery)
    can_be_read(tab)
    fits(tab)
    keeps_still(tab)


def says_first_what_it_is_about(tab):
    heading = tab.ask("[...document.querySelectorAll('h1')].map(e => e.innerText)")
    assert len(heading) == 1 and tab.ask("document.querySelectorAll('main').length") == 1
    if tab.state != "undecided":
        assert tab.title.startswith(heading[0])
    assert tab.ask("document.documentElement.lang") == "en"
    assert tab.ask("document.characterSet") == "UTF-8"
    assert tab.ask("document.compatMode") == "CSS1Compat"


def reads_well_aloud(tab, site, name):
    """What a screen reader is told, in its order."""
    tree = tab.tree()
    roles = [role for role, _, _ in tree]
    assert roles.count("main") == 1 and roles.count("heading") == 1
    assert tree[0][:2] == ("RootWebArea", tab.title)
    heading = next(node for node in tree if node[0] == "heading")
    assert heading[1] and heading[2]["level"] == 1
    assert not {"image", "img", "graphics-symbol"} & set(roles), "the mark is only for eyes"
    can_be_focused = [
        (role, name) for role, name, properties in tree[1:] if properties.get("focusable")]
    assert can_be_focused == {
        "undecided": [("button", "Approve"), ("button", "Decline")],
        "open-app": [("link", "Open the app")],
    }.get(name.removesuffix("-long"), []), site


def loads_nothing_and_runs_nothing(tab, gallery):
    assert {request["type"] for request in tab.requests} == {"Document"}
    own = [gallery.address, gallery.refused()]
    own += [gallery.door.address] if gallery.door else []
    own += ["mero-consent:"] if tab.state == "open-app" else []
    own += [program.ready["url"] for program in gallery.nodes]
    for request in tab.requests:
        assert request["url"].startswith(tuple(own)), request
    # An error status is one of ours; beyond that the browser has nothing to say.
    complaints = [
        text for text in tab.complaints if not text.startswith("Failed to load resource: the server")
    ]
    assert complaints == []
    assert tab.ask("document.scripts.length + document.images.length") == 0


def can_be_read(tab):
    for scheme in ("light", "dark"):
        tab.prefer(color_scheme=scheme)
        assert too_faint(tab) == [], scheme
        ground = tab.ask("getComputedStyle(document.body).backgroundColor")
        assert (contrast(ground, "rgb(0, 0, 0)") < 3) == (scheme == "dark"), "it follows the scheme"
    assert tab.ask(
        "Math.min(...[...document.querySelectorAll('main *')].filter(e => e.innerText?.trim())"
        ".map(e => parseFloat(getComputedStyle(e).fontSize)))") >= 15


def fits(tab):
    """No scrolling sideways, down to 320 px and with letters twice as large."""
    for width in (1280, 360, 320):
        tab.resize(width, 640)
        assert sticking_out(tab) == [], width
    tab.ask("document.documentElement.style.fontSize = '200%'")
    assert sticking_out(tab) == [], "with 200 % text"


def keeps_still(tab):
    moving = "document.getAnimations().length"
    assert tab.ask(moving) == (tab.state == "checking")
    tab.prefer(reduced_motion="reduce")
    assert tab.ask(moving) == 0


@pytest.mark.parametrize("name,elements", [
    ("undecided", ["[value=approve]", "[value=decline]"]), ("open-app", [".button"]),
])
def test_what_can_be_pressed_is_large_and_shows_its_focus(gallery, tab, name, elements):
    tab.resize(360, 640, mobile=True)
    gallery.show(tab, name, of="node")
    for scheme in ("light", "dark"):
        tab.prefer(color_scheme=scheme)
        ground = tab.ask("getComputedStyle(document.querySelector('main')).backgroundColor")
        for element in elements:
            height, line, thickness, colour = tab.ask(
                "(e => { e.focus({focusVisible: true}); let s = getComputedStyle(e); return ["
                "e.getBoundingClientRect().height, s.outlineStyle, parseFloat(s.outlineWidth),"
                f" s.outlineColor] }})(document.querySelector('{element}'))")
            assert height >= 44 and line == "solid" and thickness >= 2
            assert contrast(colour, ground) >= 3


@pytest.mark.parametrize("wanted", LANGUAGES)
def test_every_language_fits_in_every_state(gallery, chromium, wanted):
    tab = chromium.tab()
    tab.speak(wanted)
    tab.resize(320, 640, mobile=True)
    titles = set()
    for name in Gallery.callback_pages:
        # How long these words are says nothing that the others do not; they take seconds.
        if name in Gallery.PASSING:
            continue
        gallery.show(tab, name)
        assert tab.ask("document.documentElement.lang") == LANGUAGES[wanted]
        assert tab.title.startswith(tab.text_of("h1"))
        tab.ask("document.documentElement.style.fontSize = '200%'")
        assert sticking_out(tab) == [], name
        titles.add(tab.title)
    assert len(titles) == len(Gallery.callback_pages) - len(Gallery.PASSING)
    tab.close()


@pytest.mark.parametrize("languages,language", [
    # What a person has set, from the first wish to the last; the browser makes weights of it.
    ("de-AT,de,en", "de"), ("pt-BR,fr,en", "fr"), ("en-GB,de", "en"), ("zh-CN,zh,en", "zh-Hans"),
    ("zh-TW,zh,en", "zh-Hant"),
    ("ko,ja", "ja"), ("es-419,es,en", "es"), ("sv", "en"),
])
def test_the_page_speaks_what_the_browser_is_set_to(gallery, chromium, languages, language):
    tab = chromium.tab()
    tab.speak(languages)
    gallery.show(tab, "approved")
    assert tab.ask("document.documentElement.lang") == language
    assert tab.requests[-1]["answer"]["content-language"] == language
    tab.close()


def test_the_measures_measure(chromium):
    """Both edges of the contrast that counts, and of what fits."""
    stranger = Stranger()
    tab = chromium.tab()
    try:
        tab.resize(320, 640)
        tab.open(stranger.put("/", (
            '<p style="color:#777">faint</p><p style="color:#767676">clear</p>'
            '<p style="color:#949494;font-size:24px">large</p>'
            '<p style="color:#959595;font-size:24px">large and faint</p>')))
        assert [what for what, _ in too_faint(tab)] == ["faint", "large and faint"]
        assert sticking_out(tab) == []
        tab.open(stranger.put("/", '<p style="width:330px">wide</p>'))
        assert len(sticking_out(tab)) >= 2
    finally:
        tab.close()
        stranger.close()
