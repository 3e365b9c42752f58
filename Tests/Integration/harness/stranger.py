"""Somebody else's site on this machine: a few pages, and notes of who asked for what."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Stranger:
    """`pages` maps a path to HTML; they can be changed while it runs."""

    def __init__(self):
        self.pages = {"/": "<!DOCTYPE html><title>Stranger</title><main data-state=\"stranger\">"}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = site.pages.get(self.path, "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def put(self, path, body):
        """A page with this body; answers its address."""
        self.pages[path] = (
            f'<!DOCTYPE html><html lang="en"><title>Stranger</title>'
            f'<main data-state="stranger">{body}</main>')
        return self.address + path

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
