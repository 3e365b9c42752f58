#!/usr/bin/env python3
"""Writes the reference of the local API, docs/api.md, from docs/openapi.yaml: `make api-reference`.

A test fails when the two differ, so that nobody edits the page by hand.
"""

import json
import re
import sys
from pathlib import Path

import yaml

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "api.md"
METHODS = ("get", "post", "patch", "put", "delete")


class Reference:
    def __init__(self, description):
        self.description = description
        self.components = description["components"]

    def resolved(self, value):
        while "$ref" in value:
            *_, group, name = value["$ref"].split("/")
            value = self.components[group][name]
        return value

    # Types

    def name(self, schema):
        """A schema in a few words, with a link where it has a name of its own."""
        if "$ref" in schema:
            name = schema["$ref"].rsplit("/", 1)[1]
            return f"[{name}](#{name.lower()})"
        if "const" in schema:
            return f"`{json.dumps(schema['const'])}`"
        for key in ("oneOf", "anyOf"):
            if key in schema:
                return " or ".join(dict.fromkeys(self.name(part) for part in schema[key]))
        if "enum" in schema:
            # Words need no quotes where all are words.
            plain = all(isinstance(value, str) for value in schema["enum"])
            return ", ".join(
                f"`{value if plain else json.dumps(value)}`" for value in schema["enum"])
        if len(schema.get("allOf", ())) == 1:
            return self.name(schema["allOf"][0])
        if "properties" in schema:
            return "object of " + ", ".join(
                f"`{name}`" + (f" ({self.name(value)})" if "enum" in value else "")
                for name, value in schema["properties"].items())
        kind = schema.get("type", "any")
        kind = " or ".join(kind) if isinstance(kind, list) else kind
        if kind == "array":
            return "array of " + self.name(schema.get("items", {}))
        return kind + self.limits(schema)

    @staticmethod
    def limits(schema):
        words = []
        for low, high, unit in (("minLength", "maxLength", "characters"), ("minimum", "maximum", "")):
            if low in schema or high in schema:
                words.append(f"{schema.get(low, 0)} to {schema.get(high, '…')} {unit}".strip())
        if "pattern" in schema:
            words.append("`" + schema["pattern"].replace("|", "\\|") + "`")
        if "default" in schema:
            words.append(f"default {schema['default']}")
        return f" ({', '.join(words)})" if words else ""

    def fields(self, schema):
        properties = schema.get("properties")
        if not properties:
            return []
        lines = ["", "| field | type | |", "| --- | --- | --- |"]
        for name, value in properties.items():
            words = [] if name in schema.get("required", ()) else ["*optional*"]
            words.append(flat(value.get("description") or self.resolved(value).get("description", "")))
            lines.append(f"| `{name}` | {self.name(value)} | {'. '.join(filter(None, words))} |")
        return lines

    def type(self, name, schema):
        lines = [f"### {name}", "", schema.get("description", "").strip()]
        parts = schema.get("oneOf") or schema.get("anyOf")
        if schema.get("properties"):
            lines += self.fields(schema)
        elif parts and all("properties" in part for part in parts):
            lines.append("One of:")
            for part in parts:
                lines += self.fields(part)
        else:
            lines.append(self.name({key: value for key, value in schema.items() if key != "description"}))
        return lines + [""]

    # Calls

    def call(self, path, method, call, shared):
        lines = [f"## `{method.upper()} {path}`", "", f"{call['summary']}.", ""]
        if call.get("description"):
            lines += [fenced(call["description"].strip()), ""]
        if call.get("security", self.description.get("security")) in (None, []):
            lines += ["No key is needed.", ""]
        else:
            lines += ["`Authorization: Bearer <key>`.", ""]
        lines += self.parameters([*shared, *call.get("parameters", [])])
        if "requestBody" in call:
            content = call["requestBody"]["content"]["application/json"]
            lines += [f"**Body**: {self.name(content['schema'])}", ""] + examples(content)
        lines += self.answers(call["responses"])
        return lines

    def parameters(self, parameters):
        if not parameters:
            return []
        lines = ["| parameter | in | type | |", "| --- | --- | --- | --- |"]
        for parameter in map(self.resolved, parameters):
            lines.append(
                f"| `{parameter['name']}` | {parameter['in']} | {self.name(parameter['schema'])} | "
                f"{flat(parameter.get('description', ''))} |")
        return lines + [""]

    def answers(self, answers):
        good, refusals = [], []
        for status, answer in answers.items():
            answer = self.resolved(answer)
            if int(status) < 400:
                good += self.good(status, answer)
            else:
                refusals.append((status, answer))
        lines = good + ["| refusal | |", "| --- | --- |"]
        lines += [f"| {status} | {flat(answer['description'])} |" for status, answer in refusals]
        return lines + [""]

    def good(self, status, answer):
        words = f"**{status}**: {flat(answer['description'])}"
        if answer.get("headers"):
            words += " Headers: " + ", ".join(f"`{name}`" for name in answer["headers"]) + "."
        content = answer.get("content", {}).get("application/json")
        if not content:
            return [words, ""]
        return [f"{words} {self.name(content['schema'])}", "", *examples(content)]

    def page(self):
        info = self.description["info"]
        lines = [
            "# The local API", "",
            "<!-- Written by Tests/Integration/api_reference.py from openapi.yaml: edit that. -->", "",
            info["summary"], "", fenced(info["description"].strip()), "", "| call | |", "| --- | --- |"]
        calls = [
            (path, method, item[method], item.get("parameters", []))
            for path, item in self.description["paths"].items() for method in METHODS if method in item]
        for path, method, call, _ in calls:
            title = f"{method.upper()} {path}"
            lines.append(f"| [`{title}`](#{anchor(title)}) | {call['summary']} |")
        lines.append("")
        for call in calls:
            lines += self.call(*call)
        lines += ["## Types", ""]
        for name, schema in self.components["schemas"].items():
            lines += self.type(name, schema)
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def anchor(title):
    """As GitHub makes it of a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def fenced(text):
    """Indented lines are commands, which a test runs as a block of their own, or a picture."""

    def block(lines):
        words = re.sub("(?m)^    ", "", lines[0]).rstrip("\n")
        if words.startswith("curl "):
            return f"```sh\n{words}\n```\n"
        return f"<!-- not run: how an answer looks -->\n```text\n{words}\n```\n"

    return re.sub(r"(?m)(?:^    .*\n?)+", block, text)


def flat(text):
    return " ".join(text.split()).replace("|", "\\|")


def examples(content):
    found = [content["example"]] if "example" in content else [
        example["value"] for example in content.get("examples", {}).values()]
    lines = []
    for example in found:
        lines += ["```json", json.dumps(example, indent=2, ensure_ascii=False), "```", ""]
    return lines


def page():
    return Reference(yaml.safe_load((DOCS / "openapi.yaml").read_text())).page()


if __name__ == "__main__":
    PAGE.write_text(page())
    sys.exit(0)
