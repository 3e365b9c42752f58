"""`packaging/install`, which `make install` and the package run: all is in place, and gone again."""

import os
import re
import subprocess

import pytest
from harness.programs import ROOT, binaries

PREFIX = "/opt/mero"


def put(destination, *options):
    subprocess.run(
        [ROOT / "packaging/install", *options, "--from", binaries(), destination, PREFIX],
        check=True)


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


@pytest.fixture
def installed(tmp_path):
    put(tmp_path)
    return tmp_path


def test_every_text_names_the_place_of_the_programs(installed):
    texts = [path for path in installed.rglob("*") if path.is_file() and "bin" not in path.parts]
    assert texts and not [path for path in texts if b"@bindir@" in path.read_bytes()]
    unit = (installed / "opt/mero/lib/systemd/user/mero-consentd.service").read_text()
    assert "ExecStart=/opt/mero/bin/mero-consentd\n" in unit


def test_removing_takes_away_exactly_what_was_put(installed):
    others = installed / "opt/mero/bin/somebody-elses"
    others.write_text("")
    put(installed, "--dev-node")
    assert len(files(installed)) > 15
    put(installed, "--remove")
    put(installed, "--remove", "--dev-node")
    assert files(installed) == {"opt/mero/bin/somebody-elses"}


def test_the_links_of_the_installed_pages_lead_somewhere(installed):
    folder = installed / "opt/mero/share/doc/mero-consentd"
    pages = {page: page.read_text() for page in [*folder.glob("*.md"), *folder.glob("docs/*.md")]}
    links = [(page, link) for page, text in pages.items()
             for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text)]
    assert len(links) > 15 and {page.name for page in pages} >= {
        "README.md", "troubleshooting.md", "security.md", "http.md", "api.md", "guide.md"}
    assert [link for link in links if not (link[0].parent / link[1]).exists()] == []


def test_what_is_installed_is_listed(installed):
    """docs/operations.md, “Installed”."""
    section = (ROOT / "docs/operations.md").read_text().split("\n## Installed\n")[1].split("\n## ")[0]
    put(installed, "--dev-node")
    listed = re.findall(r"(?:bin|lib|share)/[\w./{},-]+", section)
    for file in files(installed):
        file = file.removeprefix("opt/mero/")
        name = file.rsplit("/", 1)[1]
        assert name in section or any(
            place.endswith("/") and file.startswith(place) for place in listed) or (
                name.endswith(".socket")), file


def test_the_units_and_the_entry_are_valid(installed, home):
    root = installed / "opt/mero"
    entry = root / "share/applications/mero-consent.desktop"
    subprocess.run(["desktop-file-validate", entry], check=True)
    for unit in (root / "lib/systemd/user").iterdir():
        text = unit.read_text().replace(PREFIX, str(root))
        unit.write_text(text)
    verified = subprocess.run(
        ["systemd-analyze", "--user", "verify", "--man=no", "--recursive-errors=no",
         *sorted((root / "lib/systemd/user").iterdir())],
        capture_output=True, text=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "XDG_RUNTIME_DIR": str(home)})
    assert (verified.returncode, verified.stderr) == (0, "")


def test_modes_are_those_of_programs_and_texts(installed):
    modes = {path.stat().st_mode & 0o777 for path in (installed / "opt/mero/bin").iterdir()}
    assert modes == {0o755}
    assert (installed / "opt/mero/lib/systemd/user/mero-consentd.socket").stat().st_mode & 0o777 == 0o644
