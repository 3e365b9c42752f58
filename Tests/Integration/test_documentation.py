"""DocC archives of the two library products, without a warning: `make docs`."""

import json
import subprocess

from harness.programs import ROOT


def test_the_archives_build_and_have_what_apps_use(tmp_path):
    done = subprocess.run(
        [str(ROOT / ".ci" / "documentation"), str(tmp_path / "docs")], cwd=ROOT,
        capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warning:" not in done.stdout + done.stderr
    for module, name in [("MeroConsent", "meroclient"), ("ConsentClient", "consentlauncher"),
                         ("ConsentClient", "meroappsession")]:
        data = tmp_path / "docs" / f"{module}.doccarchive" / "data" / "documentation"
        page = json.loads((data / module.lower() / f"{name}.json").read_text())
        assert page["abstract"], f"{name} says nothing of itself"
