"""A TCP door to a Unix socket, for tools that know only TCP."""

import re
import socket
import threading

# The head of an event stream with its first chunk: enough of a stream that never ends.
FIRST_OF_A_STREAM = re.compile(
    rb"HTTP/1\.1 200 .*text/event-stream.*?\r\n\r\n[0-9a-f]+\r\n.+\r\n$", re.S | re.I)


class Relay:
    """Passes bytes on, both ways, until either side ends. An event stream ends after its first
    chunk, as if the daemon had ended it."""

    def __init__(self, path):
        self.path = path
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.close()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            try:
                server.connect(self.path)
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.carry, args=(client, server), daemon=True).start()

    def carry(self, client, server):
        asking = threading.Thread(target=self.pass_on, args=(client, server), daemon=True)
        asking.start()
        self.pass_on(server, client, ends_streams=True)
        asking.join()
        client.close()
        server.close()

    @staticmethod
    def pass_on(source, sink, ends_streams=False):
        answer = b""
        try:
            while data := source.recv(65536):
                sink.sendall(data)
                answer = answer + data if b"text/event-stream" in answer + data else data
                if ends_streams and FIRST_OF_A_STREAM.search(answer):
                    sink.sendall(b"0\r\n\r\n")
                    break
        except OSError:
            pass
        # The whole connection: a client that is gone must not leave a stream behind.
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
