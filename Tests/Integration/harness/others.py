"""Another user of the machine, who speaks to a port."""

import base64
import json
import subprocess

from .waiting import PATIENCE

# Nobody in particular: not whom tests run as, and not whom the harness runs daemons as.
STRANGER = 4000

# Sends each request on a connection of its own, and prints what it is told.
SCRIPT = """
import base64, json, socket, sys
asked = json.load(sys.stdin)
told = []
for data in asked["requests"]:
    family = socket.AF_INET6 if ":" in asked["address"] else socket.AF_INET
    with socket.socket(family) as s:
        s.settimeout(asked["patience"])
        s.connect((asked["address"], asked["port"]))
        s.sendall(base64.b64decode(data))
        if asked["then"] == "close": continue
        if asked["then"] == "end sending": s.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := s.recv(65536): answer += piece
        told.append(base64.b64encode(answer).decode())
json.dump(told, sys.stdout)
"""


# Passes bytes on to a port, both ways, until its standard input ends.
DOOR = """
import os, socket, sys, threading
def carry(source, sink):
    try:
        while data := source.recv(65536): sink.sendall(data)
        sink.shutdown(socket.SHUT_WR)
    except OSError: pass
def accept():
    while True:
        client, _ = listener.accept()
        server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        for ends in ((client, server), (server, client)):
            threading.Thread(target=carry, args=ends, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=accept, daemon=True).start()
sys.stdin.read()
os._exit(0)
"""


class Door:
    """Connections to `address` come to `port` as another user's. It ends with its owner."""

    def __init__(self, port):
        self.process = subprocess.Popen(
            ["python3", "-I", "-c", DOOR, str(port)], user=STRANGER, group=STRANGER,
            extra_groups=[], cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.address = f"http://127.0.0.1:{int(self.process.stdout.readline())}"


def told_as(user, port, requests, address="127.0.0.1", then="read", before=()):
    """What `user` is answered, each answer to its end. `then` is what they do when they have
    asked: `read`, `end sending` and read, or `close`. `before` is a command to run them by."""
    run = subprocess.run(
        [*before, "python3", "-I", "-c", SCRIPT], capture_output=True, timeout=4 * PATIENCE,
        user=user, group=user, extra_groups=[], cwd="/", input=json.dumps({
            "address": address, "port": port, "then": then, "patience": PATIENCE,
            "requests": [base64.b64encode(data).decode() for data in requests]}).encode())
    assert run.returncode == 0, run.stderr.decode()
    return [base64.b64decode(answer) for answer in json.loads(run.stdout)]
