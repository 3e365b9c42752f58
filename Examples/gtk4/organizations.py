#!/usr/bin/env python3
"""A window with one button, "Create organization": `organizations.py SESSION.json`.

The wait is a thread's, and what it finds is shown by GTK's own loop, so the window never stands
still. SESSION.json is the body of `POST /v1/sessions`.
"""

import json
import sys
import threading
from pathlib import Path

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk, Pango  # noqa: E402

# An app of its own has a copy of mero_consent.py beside it.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
from mero_consent import ConsentError, Consentd  # noqa: E402

WORDS = {
    "declined": "You declined. Nothing was created.",
    "replaced": "A newer request took the place of this one. Ask again.",
    "expired": "Nobody decided in time. Ask again.",
    "cancelled": "Cancelled.",
    "failed": "The node's answer could not be used. Ask again.",
}


class Window(Gtk.ApplicationWindow):
    """Goes from `ready` to `asking`, `code`, `waiting` and back."""

    def __init__(self, app, session):
        super().__init__(application=app, title="Notes", default_width=420, default_height=300)
        self.session, self.consentd, self.request = session, None, None
        self.state = None
        self.code = Gtk.Label(selectable=True, visible=False)
        attributes = Pango.AttrList()
        attributes.insert(Pango.attr_scale_new(2.6))
        attributes.insert(Pango.attr_weight_new(Pango.Weight.BOLD))
        attributes.insert(Pango.attr_family_new("monospace"))
        self.code.set_attributes(attributes)
        self.text = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER, max_width_chars=44)
        self.link = Gtk.LinkButton(label="The page did not open? Open it here", visible=False)
        self.spinner = Gtk.Spinner()
        self.button = Gtk.Button(halign=Gtk.Align.CENTER)
        self.button.add_css_class("suggested-action")
        self.button.connect("clicked", lambda _: self.press())
        box = Gtk.Box(
            orientation=Gtk.Orientation.VERTICAL, spacing=16, valign=Gtk.Align.CENTER,
            margin_start=24, margin_end=24, margin_top=24, margin_bottom=24)
        for widget in (self.text, self.code, self.spinner, self.button, self.link):
            box.append(widget)
        self.set_child(box)
        self.show_state("ready", "You have no organization yet.")

    def show_state(self, state, text):
        self.state = state
        self.text.set_label(text)
        self.code.set_visible(state in ("code", "waiting"))
        self.button.set_label("Open the page" if state == "code" else "Create organization")
        self.button.set_visible(state in ("ready", "code"))
        self.link.set_visible(state == "waiting")
        self.spinner.set_spinning(state in ("asking", "waiting"))
        self.spinner.set_visible(state in ("asking", "waiting"))

    def press(self):
        if self.state == "ready":
            self.show_state("asking", "Asking the node…")
            self.in_thread(self.ask, self.asked)
        else:
            self.show_state("waiting", "Decide on the page. It has to show this code:")
            self.in_thread(self.decide, self.decided)

    def in_thread(self, work, then):
        """Calls `work` off GTK's thread, and `then` with its answer on it."""

        def run():
            try:
                answer = work()
            except ConsentError as error:
                if error.code == "KEY_REQUIRED":
                    self.consentd = None  # ended unused: the next press opens another session
                GLib.idle_add(self.show_state, "ready", error.detail)
            else:
                GLib.idle_add(then, answer)

        # A daemon thread: closing the window does not wait for the person's decision.
        threading.Thread(target=run, daemon=True).start()

    def ask(self):
        self.consentd = self.consentd or Consentd.open(self.session)
        return self.consentd.start("createOrg", name="Acme")

    def asked(self, request):
        self.request = request
        self.code.set_label(request["code"])
        self.link.set_uri(request["url"])
        self.show_state("code", "Compare this code with the one on the page:")

    def decide(self):
        try:
            self.consentd.open_page(self.request)
        except ConsentError:
            pass  # the request waits all the same, and the link is shown
        return self.consentd.wait(self.request)

    def decided(self, request):
        if request["state"] == "approved":
            self.show_state("ready", f"Created. Its id: {request['outcome']['orgId']}")
        else:
            self.show_state("ready", WORDS[request["state"]])


class App(Gtk.Application):
    def __init__(self, session):
        super().__init__(
            application_id="com.example.Notes", flags=Gio.ApplicationFlags.NON_UNIQUE)
        self.session = session
        self.window = None

    def do_activate(self):
        self.window = self.window or Window(self, self.session)
        self.window.present()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        session = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{sys.argv[1]} cannot be read: {error}")
    sys.exit(App(session).run())
