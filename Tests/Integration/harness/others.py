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


# Opens connections, sends on each what it is told, and keeps them until its standard input ends. A
# connection that was closed is opened again at once where it is told to.
CROWD = """
import base64, selectors, socket, sys, threading, os
address, port, count, data, again = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
data = base64.b64decode(data)
ends = selectors.DefaultSelector()
def one():
    s = socket.create_connection((address, port))
    try:
        if data: s.sendall(data)
    except OSError: pass
    ends.register(s, selectors.EVENT_READ)
for _ in range(count): one()
print(flush=True)
def wait():
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=wait, daemon=True).start()
while True:
    for key, _ in ends.select():
        try:
            if key.fileobj.recv(65536): continue
        except OSError: pass
        ends.unregister(key.fileobj)
        key.fileobj.close()
        if again == "again": one()
"""


class Connections:
    """Connections to a port that are there at once, another user's unless `user` is given."""

    def __init__(self, port, count, data=b"", again=False, user=STRANGER):
        self.process = subprocess.Popen(
            ["python3", "-I", "-c", CROWD, "127.0.0.1", str(port), str(count),
             base64.b64encode(data).decode(), "again" if again else ""],
            user=user, group=user, extra_groups=[], cwd="/", stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)
        assert self.process.stdout.readline() == b"\n"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


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
