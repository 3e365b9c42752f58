"""The manual pages and completions in the tree are those of the programs."""

import re
import shutil
import subprocess

import pytest
from harness.programs import ROOT, binaries

PAGES = ["mero-consent.1", "mero-consentd.8", "mero-consentd.conf.5", "mero-dev-node.1"]


def run(*words):
    return subprocess.run(
        list(map(str, words)), capture_output=True, text=True, timeout=60,
        env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "MANWIDTH": "80"})


def test_the_files_in_the_tree_are_what_the_programs_say():
    ended = run(ROOT / ".ci" / "manual-pages", "--check", binaries())
    assert ended.returncode == 0, ended.stderr


@pytest.mark.skipif(shutil.which("man") is None, reason="man-db is not installed")
@pytest.mark.parametrize("page", PAGES)
def test_man_has_no_warning(page):
    ended = run("man", "--warnings=all", "-E", "UTF-8", "-l", "-Tutf8", "-Z", ROOT / "docs" / "man" / page)
    assert ended.returncode == 0 and ended.stderr == "", ended.stderr


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="mandoc is not installed")
@pytest.mark.parametrize("page", PAGES)
def test_mandoc_finds_no_fault(page):
    ended = run("mandoc", "-Tlint", "-Wwarning", ROOT / "docs" / "man" / page)
    assert ended.stdout + ended.stderr == ""


@pytest.mark.parametrize("page, option", [
    ("mero-consent.1", "ttl"), ("mero-consentd.8", "callback"), ("mero-dev-node.1", "prefix")])
def test_options_are_in_their_page(page, option):
    assert f"\\fB\\-\\-{option}" in (ROOT / "docs" / "man" / page).read_text()


def test_every_key_of_the_configuration_is_in_its_page():
    text = (ROOT / "docs" / "man" / "mero-consentd.conf.5").read_text()
    keys = re.findall(
        r"^# ?([A-Z][A-Za-z0-9]*)=", (ROOT / "config" / "mero-consentd.conf").read_text(), re.M)
    assert len(keys) > 5 and all(f"\\fB{key}\\fP" in text for key in keys)
