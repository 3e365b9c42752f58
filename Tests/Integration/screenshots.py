#!/usr/bin/env python3
"""Takes pictures of every page in every state, to be looked at: `make screenshots`.

They are of the real pages: the programs are brought into each state and a real browser shows it,
on a phone and in a wide window, light and dark, in every language.
"""

import sys
import tempfile
import time
from html import escape
from pathlib import Path

from harness.chromium import Chromium
from harness.gallery import Gallery
from harness.programs import Daemon, Node

SIZES = {"phone": (360, 640), "wide": (1280, 800)}
SCHEMES = ("light", "dark")
LANGUAGES = ("en", "de", "es", "fr", "ja", "zh-CN", "zh-TW")


class Album:
    def __init__(self, folder):
        self.folder = folder
        self.rows = []

    def take(self, tab, title, name):
        """One page in every size and colour scheme."""
        row = []
        for size, (width, height) in SIZES.items():
            tab.resize(width, height, mobile=size == "phone")
            for scheme in SCHEMES:
                tab.prefer(color_scheme=scheme, reduced_motion="reduce")
                file = f"{name}-{size}-{scheme}.png"
                (self.folder / file).write_bytes(tab.picture())
                row.append(file)
        self.rows.append((title, row))

    def write_index(self, version):
        parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Pages</title>",
                 "<style>body{font:1rem system-ui;margin:1rem;background:#888}"
                 "img{height:20rem;margin:.25rem;vertical-align:top}</style>",
                 f"<h1>{len(self.rows)} pages</h1><p>By {escape(version)}</p>"]
        for title, files in self.rows:
            pictures = "".join(f'<a href="{file}"><img src="{file}" alt="{file}"></a>' for file in files)
            parts.append(f"<h2>{escape(title)}</h2><p>{pictures}</p>")
        (self.folder / "index.html").write_text("\n".join(parts))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    begin = time.monotonic()
    programs, browser = [], None
    with tempfile.TemporaryDirectory(prefix="mero-") as home:
        def start_node(*options):
            programs.append(Node(Path(home) / f"node{len(programs)}", *options))
            return programs[-1]

        try:
            daemon = Daemon(Path(home) / "daemon").start()
            programs.append(daemon)
            browser = Chromium()
            album = Album(folder)
            gallery = Gallery(daemon, start_node)
            for language in LANGUAGES:
                tab = browser.tab()
                tab.speak(language)
                for name in gallery.callback_pages:
                    gallery.show(tab, name)
                    album.take(tab, f"callback: {name}, {language}", f"{language}-{name}")
                tab.close()
            tab = browser.tab()
            for name in gallery.node_pages:
                gallery.show(tab, name, of="node")
                album.take(tab, f"development node: {name}", f"node-{name}")
            gallery.show(tab, "undecided", of="node")
            tab.ask("document.querySelector('button').focus({focusVisible: true})")
            album.take(tab, "development node: undecided, by keyboard", "node-focus")
            album.write_index(browser.version)
        finally:
            if browser:
                browser.close()
            for program in programs:
                program.kill()
    print(f"{sum(len(row) for _, row in album.rows)} pictures in {time.monotonic() - begin:.0f} s: "
          f"{folder / 'index.html'}")


if __name__ == "__main__":
    main()
