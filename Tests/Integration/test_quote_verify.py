"""`mero-consent quote verify` on public quotes, read where they are."""

import json
import os
import time

import pytest
from harness.command import Command
from harness.programs import ROOT

DATA = ROOT.parent / "shared" / "data" / "tdx"
DATA = type(DATA)(os.environ.get("TDX_DATA", DATA))


def cases():
    """Those that use a quote and collateral as they are."""
    if not (DATA / "cases.json").is_file():
        return []
    return [
        case for case in json.loads((DATA / "cases.json").read_text())["cases"]
        if case["id"].startswith("real/")
        and set(case) <= {"id", "quote", "collateral", "now", "expect", "note"}]


def case(name):
    found = [case for case in cases() if case["id"] == name]
    if not found:
        pytest.skip(f"there is no {DATA}/cases.json: no public quote was verified")
    return found[0]


def verify(home, case, *more, text=None):
    return Command(home)(
        "quote", "verify", DATA / case["quote"], "--collateral", DATA / case["collateral"],
        *more, text=text)


@pytest.mark.skipif(not cases(), reason=f"there is no {DATA}/cases.json")
@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"].split("/", 1)[1])
def test_tells_what_a_public_quote_is_worth(home, case):
    ended = verify(home, case, "--at", case["now"], "--json")
    document, expected = ended.json, case["expect"]
    assert document["ok"] is expected["ok"]
    assert ended.code == (0 if expected["ok"] else 65)
    if not expected["ok"]:
        assert document["failure"] == expected["failure"] and document["meaning"]
        return
    for name in ("status", "advisoryIds", "measurements", "reportData", "fmspc"):
        if name in expected:
            assert document[name] == expected[name], name


PHALA = "real/phala-v4-b0c06f with b0c06f-2025-06"


def test_says_it_in_words(home):
    known = case(PHALA)
    ended = verify(home, known, "--at", "2025-06-27T04:53:20Z")
    assert ended.code == 0
    lines = dict(line.split(None, 1) for line in ended.out.strip().split("\n"))
    assert lines["verdict"] == "verified" and lines["status"] == "UpToDate"
    assert lines["mrtd"] == known["expect"]["measurements"]["mrtd"]
    # By now the collateral has run out.
    ended = verify(home, known)
    assert ended.code == 65 and "not-current" in ended.out and "refused" in ended.out


def test_takes_one_of_them_from_standard_input(home):
    known = case(PHALA)
    text = (DATA / known["collateral"]).read_text()
    ended = Command(home)("quote", "verify", DATA / known["quote"], "--collateral", "-",
                          "--at", known["now"], text=text)
    assert ended.code == 0
    ended = Command(home)("quote", "verify", "-", "--collateral", "-", text=text)
    assert ended.code == 64


@pytest.mark.parametrize("quote, collateral, at, code, said", [
    (b"", b"{}", None, 65, "quote-malformed"),
    (b"MOCK_TDX_QUOTE_V1" + bytes(239), b"{}", None, 65, "mock-quote"),
    (b"x" * (64 * 1024), b"{}", None, 65, "quote-"),
    (b"x" * (64 * 1024 + 1), b"{}", None, 65, "too long"),
    (b"x", b" " * (1024 * 1024 + 1), None, 65, "too long"),
    (b"x", None, None, 65, "cannot be read"),
    (b"x", b"{}", "yesterday", 64, "--at is no time"),
    (b"x", b"{}", "999999999999", 64, "--at is no time"),
    (b"x", b"{}", "99999999999", 65, "quote-malformed"),
], ids=["empty", "mock", "largest", "too-large", "collateral-too-large", "missing", "time",
        "far", "farthest"])
def test_refuses_what_is_no_quote_quickly(home, quote, collateral, at, code, said):
    (home / "quote").write_bytes(quote)
    if collateral is not None:
        (home / "collateral").write_bytes(collateral)
    words = ["--at", at] if at else []
    start = time.monotonic()
    ended = Command(home)(
        "quote", "verify", home / "quote", "--collateral", home / "collateral", *words)
    assert ended.code == code and said in ended.out + ended.err, ended
    assert time.monotonic() - start < 30


def test_a_pipe_without_a_writer_holds_nothing_up(home):
    pipe = home / "pipe"
    os.mkfifo(pipe)
    assert Command(home)("quote", "verify", pipe, "--collateral", pipe).code == 65
    assert Command(home)("node", "trust", "--release", pipe, "--print").code == 65
