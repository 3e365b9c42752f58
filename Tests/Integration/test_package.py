"""The Debian packages that `make deb` has made: what is in them, and that their programs work."""

import os
import subprocess

import pytest
from harness.programs import ROOT

PACKAGES = ROOT / "build/deb"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Both packages, as they lie on a machine where they are installed."""
    found = sorted(PACKAGES.glob("*.deb"))
    if not found:
        pytest.skip("there is no package: `make deb` makes them (`make test` calls it)")
    folder = tmp_path_factory.mktemp("packages")
    for package in found:
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return folder


def field(package, name):
    [path] = PACKAGES.glob(f"{package}_*.deb")
    asked = ["dpkg-deb", "-f", path, name]
    return subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip()


def test_the_swift_runtime_is_linked_in(unpacked):
    for program in (unpacked / "usr/bin").iterdir():
        needs = subprocess.run(
            ["objdump", "-p", program], check=True, capture_output=True, text=True).stdout
        assert "NEEDED" in needs and "libswift" not in needs and "libFoundation" not in needs
        assert "RPATH" not in needs and "RUNPATH" not in needs


def test_only_debians_own_libraries_are_needed(unpacked):
    depends = field("mero-consentd", "Depends")
    for library in ("libc6", "libcurl4", "libsqlite3-0", "libssl3", "libsystemd0"):
        assert library in depends


def test_the_versions_of_package_and_programs_are_one(unpacked):
    version = field("mero-consentd", "Version")
    for program in (unpacked / "usr/bin").iterdir():
        said = subprocess.run(
            [program, "--version"], check=True, capture_output=True, text=True).stdout
        assert said.split()[-1] == version


def test_the_units_start_the_installed_program(unpacked):
    unit = (unpacked / "usr/lib/systemd/user/mero-consentd.service").read_text()
    assert "ExecStart=/usr/bin/mero-consentd\n" in unit


def test_its_pages_are_where_their_links_lead(unpacked):
    folder = unpacked / "usr/share/doc/mero-consentd"
    for page in ("README.md", "docs/troubleshooting.md", "docs/guide.md", "docs/api.md",
                 "docs/openapi.yaml", "Examples/python/mero_consent.py"):
        assert (folder / page).is_file(), page


def test_its_manual_is_readable(unpacked):
    pages = sorted((unpacked / "usr/share/man").rglob("*.gz"))
    assert [page.name for page in pages] == [
        "mero-consent.1.gz", "mero-dev-node.1.gz", "mero-consentd.conf.5.gz",
        "mero-consentd.8.gz"]
    for page in pages:
        read = subprocess.run(
            ["man", "--warnings", "-l", page], check=True, capture_output=True, text=True,
            env=os.environ | {"MANPAGER": "cat", "LC_ALL": "C.UTF-8"})
        assert "NAME" in read.stdout and read.stderr == ""


def test_the_installed_programs_pass_the_main_flow(unpacked):
    """The same tests that the built ones pass, on the programs of the package."""
    run = subprocess.run(
        [ROOT / ".venv/bin/python", "-B", "-m", "pytest", "-q", "-c",
         ROOT / "Tests/Integration/pytest.ini", ROOT / "Tests/Integration/test_verdicts.py"],
        env=os.environ | {"MERO_BIN": str(unpacked / "usr/bin")}, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
