"""Somebody else's site on this machine: a few pages, over HTTP or HTTPS."""

import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Stranger:
    """`pages` maps a path to HTML, and `redirects` to another address, after GET and POST alike.

    With a `folder`, it speaks HTTPS with a certificate of its own making there.
    """

    def __init__(self, folder=None):
        self.pages = {"/": "<!DOCTYPE html><title>Stranger</title><main data-state=\"stranger\">"}
        self.redirects = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.do_GET()

            def do_GET(self):
                if self.path in site.redirects:
                    self.send_response(303)
                    self.send_header("Location", site.redirects[self.path])
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                body = site.pages.get(self.path, "").encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.place = f"127.0.0.1:{self.server.server_port}"
        self.address = f"http{'s' if folder else ''}://{self.place}"
        if folder:
            self._speak_tls(folder)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def _speak_tls(self, folder):
        key, certificate = f"{folder}/key.pem", f"{folder}/certificate.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=stranger",
             "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)

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
