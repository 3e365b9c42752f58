"""docs/security.md names tests and subjects of fuzzing: each of them exists."""

import re

from harness.programs import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text()


def rows():
    """The last cell of every row of every table that has a column `shown by`."""
    for line in PAGE.splitlines():
        if line.startswith("|") and "---" not in line and "shown by" not in line:
            yield line, line.strip("|").split("|")[-1]


def functions():
    found = set()
    for path in (ROOT / "Tests").rglob("*.py"):
        found |= set(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    for path in (ROOT / "Tests").rglob("*.swift"):
        found |= set(re.findall(r"\bfunc (\w+)\(", path.read_text()))
    return found


def test_every_test_that_is_named_exists():
    known = functions()
    subjects = {path.name for path in (ROOT / "Fuzzing" / "Corpus").iterdir()}
    checked = 0
    for line, cell in rows():
        tests, _, named = re.sub("subjects", "subject", cell).partition("subject")
        names = re.findall(r"`([^`]+)`", tests)
        assert names, f"nothing shows this: {line}"
        for name in names:
            assert name in known, f"there is no test {name}"
            checked += 1
        for name in re.findall(r"`([^`]+)`", named):
            assert name in subjects, f"there is no subject {name}"
    assert checked > 60
