"""The code blocks of the documentation.

A block is fenced, or indented. An HTML comment right before it says what a test does with it:

    <!-- not run: why -->            it is not run, for this reason
    <!-- the person: approve -->     somebody decides (`approve`, `decline`) while it runs
    <!-- part of: PATH -->           it is found, line by line, in a file that is built and run
    <!-- saved as: NAME -->         it is written into that file, for a block that runs it
    <!-- shows -->                   it is what the block before it prints; `…` stands for anything

Without one, `sh` and `python` are run, one after the other in the order of the page, and `json`
has to parse. Anything else needs a comment.
"""

import re
from dataclasses import dataclass

from markdown_it import MarkdownIt

from .programs import ROOT

COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)


@dataclass
class Block:
    page: str
    line: int
    language: str
    text: str
    # The words of the comment before it; empty without one.
    comment: str

    @property
    def reason(self):
        return self.comment.removeprefix("not run:").strip() if self.is_not_run else None

    @property
    def is_not_run(self):
        return self.comment.startswith("not run:")

    @property
    def person(self):
        return self.comment.removeprefix("the person:").strip() if (
            self.comment.startswith("the person:")) else None

    @property
    def file(self):
        return self.comment.removeprefix("part of:").strip() if (
            self.comment.startswith("part of:")) else None

    @property
    def saved_as(self):
        return self.comment.removeprefix("saved as:").strip() if (
            self.comment.startswith("saved as:")) else None

    def __str__(self):
        return f"{self.page}:{self.line}"


def pages():
    """Every page with code, as a path from the root."""
    return sorted(
        str(path.relative_to(ROOT)) for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(page):
    comment = ""
    found = []
    for token in MarkdownIt().parse((ROOT / page).read_text()):
        if token.type in ("fence", "code_block"):
            found.append(Block(
                page, token.map[0] + 1, token.info.strip() or "indented", token.content, comment))
        if token.type == "html_block":
            match = COMMENT.fullmatch(token.content.strip())
            comment = match[1] if match else ""
        elif not token.type.endswith("_close"):
            comment = ""
    return found
