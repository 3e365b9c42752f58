"""nginx, one worker, with a configuration of ours and nothing of the system's."""

import socket
import subprocess
from pathlib import Path

from harness.waiting import until

from . import machine
from .peers import program

CONFIGURATION = """
worker_processes 1;
daemon off;
master_process off;
pid {home}/nginx.pid;
error_log {home}/error.log;
events {{ worker_connections 16384; }}
http {{
  access_log off;
  types {{ }}
  open_file_cache max=64;
  keepalive_requests 1000000000;
  keepalive_timeout {keep_alive};
  client_body_temp_path {home}/body;
  proxy_temp_path {home}/proxy;
  fastcgi_temp_path {home}/fastcgi;
  uwsgi_temp_path {home}/uwsgi;
  scgi_temp_path {home}/scgi;
  server {{
    {listen}
{locations}
  }}
}}
"""


class Nginx:
    """Answers what another server has answered: the same body, and the same headers.

    `answers` are (path, answer, is_file): a file is served as a site serves its pages, anything
    else out of the configuration, which is the least that nginx can do."""

    def __init__(self, home, answers, keep_alive=True):
        self.home = Path(home)
        self.home.mkdir(parents=True)
        self.socket = str(self.home / "nginx.sock")
        self.port = free_port()
        self.configuration = self.home / "nginx.conf"
        self.configuration.write_text(CONFIGURATION.format(
            home=self.home, keep_alive="75s" if keep_alive else "0",
            listen=f"listen unix:{self.socket};\n    listen 127.0.0.1:{self.port};",
            locations="\n".join(self.location(*answer) for answer in answers)))
        self.process = subprocess.Popen(
            machine.pinned(machine.SERVER, program("nginx"), "-c", self.configuration),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: Path(self.socket).exists(), "nginx listens")

    @property
    def pid(self):
        return self.process.pid

    def location(self, path, answer, is_file):
        body = answer.body.decode()
        lines = [f"location = {path} {{"]
        for name, value in answer.headers:
            if name.lower() in ("date", "connection", "content-length", "content-type"):
                continue
            lines.append(f"  add_header {name} {quoted(value)} always;")
        lines.append(f"  default_type {quoted(answer['Content-Type'])};")
        if is_file:
            page = self.home / "page"
            page.write_bytes(answer.body)
            lines.append(f"  alias {page};")
        else:
            lines.append(f"  return {answer.status} {quoted(body)};")
        return "\n".join("    " + line for line in [*lines, "}"])

    def stop(self):
        self.process.kill()
        self.process.wait(10)


def quoted(text):
    # nginx's only escapes that matter here; "$" would be a variable, and no answer has one.
    assert "$" not in text, text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
