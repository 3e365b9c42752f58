"""Every code block of README.md and docs/ is run, and what is not run says why."""

import json
import os
import re

import pytest
import api_reference
from harness.docs import Block, blocks, pages
from harness.examples import session_file
from harness.pageshell import PageShell, matches
from harness.programs import ROOT

# README.md has no comments in it; its blocks by how they begin.
README = {
    "  your app  ": "not run: a picture",
    "make demo  ": "not run: the two commands are what the tests are started by",
    "# 1. Open a session.": "run here: the answers of a call are put into the next one",
    "import http.client": "run here: with the session of a development node",
}


@pytest.fixture
def shell(home):
    started = []

    def start(**environment):
        started.append(PageShell(home, **environment))
        return started[-1]

    yield start
    for one in started:
        one.end()


@pytest.fixture
def playing(home, node, daemon):
    """What `make run` prints, for a page that takes it for granted."""
    session_file(home, node)
    (home / "node.json").write_text(json.dumps(node.ready))
    folder = home / "mero-consent"
    folder.mkdir(mode=0o700)
    (folder / "api.sock").symlink_to(daemon.socket)
    return {"S": daemon.socket}


def comment(block):
    if block.page != "README.md" or block.comment:
        return block.comment
    return next((words for start, words in README.items() if block.text.startswith(start)), "")


EVERY = [block for page in pages() for block in blocks(page)]


def ids(block):
    return str(block)


@pytest.mark.parametrize("block", EVERY, ids=ids)
def test_each_block_is_run_or_says_why_not(block):
    words = comment(block)
    if block.language == "json":
        json.loads(block.text)
    elif block.language not in ("sh", "python"):
        assert words, f"{block}: it is neither run nor says why (harness/docs.py)"
    if words.startswith("not run:"):
        assert len(words.removeprefix("not run:").strip()) > 5, f"{block}: why is it not run?"


def test_the_blocks_that_are_not_run_are_few_and_known(capsys):
    reasons = [f"{block}: {comment(block)}" for block in EVERY if comment(block).startswith("not run")]
    with capsys.disabled():
        print("\nnot run:", *reasons, sep="\n  ")
    assert len(reasons) <= 20


@pytest.mark.parametrize("block", [block for block in EVERY if block.file], ids=ids)
def test_an_excerpt_is_part_of_a_file_that_is_built_and_run(block):
    assert block.text in (ROOT / block.file).read_text(), f"{block}: not in {block.file} as it stands"


def run_page(page, shell):
    """Runs a page from its top to its end, and compares what it says that is shown."""
    printed, outputs = "", []
    for block in blocks(page):
        if block.comment == "shows":
            assert matches(block.text, printed), f"{block}: shown was {printed}"
        elif block.saved_as:
            (shell.folder / block.saved_as).write_text(block.text)
        elif block.language in ("sh", "python") and not block.is_not_run:
            printed = shell.run(block, person=block.person)
            outputs.append(printed)
    return outputs


def test_the_guide_leads_from_nothing_to_a_verified_result(home, shell):
    """With nothing set that the page does not set: a root shell has no XDG_RUNTIME_DIR either."""
    bash = shell(DISPLAY="", PATH=os.environ["PATH"], XDG_RUNTIME_DIR="")
    before = set(os.listdir(home))
    outputs = run_page("docs/guide.md", bash)
    assert any('"state": "approved"' in printed for printed in outputs), outputs
    assert "approved" in outputs[-2].lower(), outputs[-2]
    # Nothing of it is left where the page began, nor in the folder for what is temporary; besides,
    # there are the test's own notes.
    left = {name for name in set(os.listdir(home)) - before
            if not name.startswith(("block-", "shell."))}
    assert left == set()


def test_the_guides_second_step_ends_where_a_program_does_not_start(shell):
    step = next(block for block in blocks("docs/guide.md") if block.text.startswith("export XDG_RUNTIME"))
    bash = shell(PATH=os.environ["PATH"])
    bash.tell("set +e; mero-consentd() { echo why >&2; return 69; }; mero-dev-node() { return 1; }")
    assert "why" in bash.run(step)


def test_the_page_of_the_development_node_does_as_it_says(shell, playing, node, session):
    bash, page = shell(**playing, NODE=node.ready["url"]), "docs/development-node.md"
    lines = [line for block in blocks(page) if not block.is_not_run for line in block.text.split("\n")]
    commands = [line for line in lines if line.startswith("curl ")]
    assert len(commands) > 10
    for command in commands:
        if command.split("/dev/")[-1] in ("decide", "replace", "expire"):
            session.start()  # each is about the newest undecided one
        assert '"error"' not in bash.run(Block(page, 0, "sh", command, "")), command


@pytest.mark.parametrize(
    "page", [page for page in pages() if page not in (
        "README.md", "docs/guide.md", "docs/development-node.md")])
def test_every_other_page_runs(page, shell, playing):
    run_page(page, shell(**playing))


def test_the_three_calls_of_the_readme(shell, playing):
    block = next(block for block in blocks("README.md") if block.text.startswith("# 1."))
    calls = block.text.split("\n\n")
    assert len(calls) == 3
    bash = shell(**playing)

    def call(text, **more):
        return bash.run(Block("README.md", block.line, "sh", text, ""), **more)

    # What stands for a real session is replaced by one of the development node.
    opening = re.sub(r"-d '\{.*\}'", "-d @session.json", calls[0], flags=re.DOTALL)
    bash.tell(f"KEY={json.loads(call(opening))['key']}")
    head, body = re.split(r"\r?\n\r?\n", call(calls[1]), maxsplit=1)
    asked = json.loads(body[body.index("{"):])
    assert asked["state"] == "started" and asked["code"]
    etag = re.search(r"(?mi)^etag: (\S+)", head)[1]
    bash.tell(f"ID={asked['requestId']}; ETAG='{etag}'")
    decided = call(calls[2], person="approve")
    assert json.loads(decided[decided.index("{"):])["state"] == "approved"


def test_the_command_line_of_the_readme(shell, playing):
    block = next(block for block in blocks("README.md") if "request createOrg" in block.text)
    printed = shell(**playing).run(block, person=block.person)
    assert "approved" in printed and "mero-consent:" not in printed, printed


def test_the_example_of_the_readme(shell, playing):
    block = next(block for block in blocks("README.md") if "create-org.sh" in block.text)
    assert "Created: " in shell(**playing, DISPLAY="").run(block, person=block.person)


def test_the_python_of_the_readme(shell, playing):
    block = next(block for block in blocks("README.md") if block.language == "python")
    printed = shell(**playing).run(
        block, '\nprint(create_org(json.load(open("session.json")), "Acme"))\n', person="approve")
    assert "('approved', {'kind': 'orgCreated'" in printed, printed


# The pages that have to keep up with the code


def test_what_the_blocks_call_is_installed_by_every_build():
    """A reader has run `make build` (or `make demo`, `make run`), never `make test`."""
    makefile = (ROOT / "Makefile").read_text()
    packages = re.search(r"^PACKAGES = ((?:.*\\\n)*.*)$", makefile, re.MULTILINE)[1].split()
    assert re.search(r"^build: deps$", makefile, re.MULTILINE)
    words = {
        word for block in EVERY if block.language == "sh" and not block.is_not_run
        for word in re.findall(r"[\w-]+", block.text)}
    assert {"curl", "jq", "python3"} <= words
    assert {"curl", "jq", "python3"} <= set(packages)


def test_the_api_reference_is_the_description():
    assert api_reference.PAGE.read_text() == api_reference.page(), "run `make api-reference`"


CODES = [
    ("Sources/MeroConsent/Errors/ConsentError.swift", r'case \w+ = "([A-Z_]+)"'),
    ("Sources/ConsentBroker/LocalAPI/APICode.swift", r'case \w+ = "([A-Z_]+)"'),
    ("Sources/ConsentBroker/Daemon/StartFailure.swift", r'case \w+ = "([A-Z_]+)"'),
    ("Sources/ConsentClient/BrokerError.swift", r'rawValue: "([A-Z_]+)"'),
    ("Sources/mero-consent/Table/CommandFailure.swift", r'case \w+ = "([A-Z_]+)"'),
]


def test_troubleshooting_has_every_code_and_no_other():
    known = set()
    for path, pattern in CODES:
        found = set(re.findall(pattern, (ROOT / path).read_text()))
        assert found, f"{path} has no codes: where are they now?"
        known |= found
    page = (ROOT / "docs" / "troubleshooting.md").read_text()
    told = re.findall(r"^\| `([A-Z_]+)` \|", page, re.MULTILINE)
    assert len(told) == len(set(told)), "a code is told twice"
    assert set(told) == known, set(told) ^ known


def test_the_mapping_names_every_kind():
    source = (ROOT / "Sources" / "MeroConsent" / "Requests" / "ConsentKind.swift").read_text()
    kinds = re.findall(r"^  case (\w+)$", source, re.MULTILINE)
    assert len(kinds) == 16
    page = (ROOT / "docs" / "mapping.md").read_text()
    assert [kind for kind in kinds if f"`{kind}`" not in page] == []
