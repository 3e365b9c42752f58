"""A small HTTP client that sends exactly what it is told, and reads answers strictly."""

import json
import select
import socket
from dataclasses import dataclass, field

from .waiting import PATIENCE


@dataclass
class Answer:
    status: int
    reason: str
    headers: list
    body: bytes
    # What came after the answer on the same connection.
    rest: bytes = b""

    def __getitem__(self, name):
        """The only value of a header; None without it."""
        values = self.all(name)
        assert len(values) <= 1, f"{name} is there {len(values)} times"
        return values[0] if values else None

    def all(self, name):
        return [value for known, value in self.headers if known.lower() == name.lower()]

    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()

    @property
    def code(self):
        """The code of a problem document."""
        assert self["Content-Type"] == "application/problem+json", self
        problem = self.json()
        assert problem["status"] == self.status
        return problem["code"]


class Closed(Exception):
    """The connection ended before a whole answer came."""

    def __init__(self, received):
        super().__init__(f"closed after {received!r}")
        self.received = received


class Connection:
    """One connection. Reads are bounded by PATIENCE; nothing is retried."""

    def __init__(self, address):
        family = socket.AF_UNIX if isinstance(address, str) else (
            socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        self.buffer = b""
        try:
            self.socket.connect(address)
        except OSError:
            self.socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def is_cut(self):
        """Whether the other side has closed it, whatever there is left to read (poll(2): POLLHUP)."""
        poll = select.poll()
        poll.register(self.socket, 0)
        return bool(poll.poll(0))

    def reset(self):
        """Ends the connection with a reset instead of an end."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data if isinstance(data, bytes) else data.encode())

    def end_sending(self):
        self.socket.shutdown(socket.SHUT_WR)

    def more(self):
        piece = self.socket.recv(65536)
        if not piece:
            raise Closed(self.buffer)
        self.buffer += piece

    def read_until(self, mark):
        while mark not in self.buffer:
            self.more()
        before, self.buffer = self.buffer.split(mark, 1)
        return before

    def read_exactly(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def read_to_end(self):
        """Everything until the peer ends its side."""
        while True:
            try:
                self.more()
            except Closed:
                data, self.buffer = self.buffer, b""
                return data

    def head(self):
        """The status line and the headers; the body stays unread."""
        lines = self.read_until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        version, status, reason = lines[0].split(" ", 2)
        assert version == "HTTP/1.1", lines[0]
        headers = []
        for line in lines[1:]:
            name, value = line.split(": ", 1)
            headers.append((name, value))
        return Answer(int(status), reason, headers, b"")

    def answer(self, method="GET"):
        answer = self.head()
        if method == "HEAD" or answer.status in (204, 304):
            return answer
        if answer["Transfer-Encoding"] == "chunked":
            while True:
                size = int(self.read_until(b"\r\n"), 16)
                answer.body += self.read_exactly(size)
                assert self.read_exactly(2) == b"\r\n"
                if size == 0:
                    return answer
        length = answer["Content-Length"]
        assert length is not None, answer.headers
        answer.body = self.read_exactly(int(length))
        return answer


def exchange(address, data, method="GET"):
    """Sends bytes on a new connection and reads one answer."""
    with Connection(address) as connection:
        connection.send(data)
        return connection.answer(method)


def request_bytes(method, target, headers=(), body=b"", host="localhost"):
    """A request as it goes over the wire. `host=None` leaves the field out."""
    lines = [f"{method} {target} HTTP/1.1"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines += [f"{name}: {value}" for name, value in headers]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
