"""docs/openapi.yaml: it is valid, and the daemon does what it says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from harness.api import opening
from harness.programs import ROOT
from harness.relay import Relay
from openapi_spec_validator import validate

HERE = Path(__file__).parent
DESCRIPTION = ROOT / "docs" / "openapi.yaml"


@pytest.fixture(scope="module")
def description():
    return yaml.safe_load(DESCRIPTION.read_text())


def test_the_description_is_valid(description):
    validate(description)


def media_types(node, place=""):
    """Every media type that has a schema, with where it stands."""
    if isinstance(node, dict):
        if "schema" in node and ("example" in node or "examples" in node):
            yield place, node
        for name, value in node.items():
            yield from media_types(value, f"{place}/{name}")
    elif isinstance(node, list):
        for number, value in enumerate(node):
            yield from media_types(value, f"{place}/{number}")


def test_every_example_is_one(description):
    count = 0
    for place, node in media_types(description):
        schema = {"$ref": "#/schema", "schema": node["schema"],
                  "components": description["components"]}
        examples = [node["example"]] if "example" in node else [
            example["value"] for example in node["examples"].values()]
        for example in examples:
            try:
                jsonschema.validate(example, schema, jsonschema.Draft202012Validator)
            except jsonschema.ValidationError as error:
                raise AssertionError(f"{place}: {error.message}") from None
            count += 1
    assert count > 20


def test_every_object_is_closed(description):
    def walk(node, place):
        if isinstance(node, dict):
            if node.get("type") == "object" and "properties" in node and "oneOf" not in place:
                assert node.get("additionalProperties") is False, place
            for name, value in node.items():
                walk(value, f"{place}/{name}")

    walk(description["components"]["schemas"], "")


@pytest.mark.parametrize("keyed", [True, False], ids=["with-a-key", "without"])
def test_the_daemon_does_what_the_description_says(desktop, node, home, keyed):
    """Generated calls, the sensible and the senseless, with every check on."""
    (home / "opening.json").write_text(json.dumps(opening(node)))
    environment = dict(os.environ) | {
        "MERO_OPENING": str(home / "opening.json"), "MERO_KEYED": "1" if keyed else "",
        "PYTHONPATH": str(HERE), "PYTHONDONTWRITEBYTECODE": "1"}
    with Relay(desktop.socket) as relay:
        environment["MERO_URL"] = relay.url
        run = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli",
             "--config-file", str(HERE / "schemathesis.toml"), "run", str(DESCRIPTION),
             "--url", relay.url, "--checks", "all"],
            cwd=HERE, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stdout[-20000:] + run.stderr[-4000:]
    assert desktop.status, "the daemon is well afterwards"
