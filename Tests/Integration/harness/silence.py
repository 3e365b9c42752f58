"""A node that takes every connection and never says a word."""

import socket
import threading


class Silence:
    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(4096)
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/n"
        self.connections = []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    def _accept(self):
        while True:
            try:
                self.connections.append(self.listener.accept()[0])
            except OSError:
                return

    @property
    def are_held(self):
        """How many of its connections the daemon has not closed."""
        held = 0
        for connection in list(self.connections):
            try:
                # What came first is there still; an end shows behind it only.
                connection.setblocking(False)
                while connection.recv(65536):
                    pass
            except BlockingIOError:
                held += 1
            except OSError:
                pass
        return held

    def trust(self, node):
        """`node` of a session's opening: this one, under another's key."""
        return {"url": self.url, "trust": {"transportKey": node.ready["transportKey"]}}

    def recorded(self, request_id):
        """A request that an app has started there itself."""
        return {"started": {
            "requestId": request_id, "code": "ABCD-EF", "expiresAt": "2099-01-01T00:00:00Z",
            "url": f"{self.url}/consent/{request_id}?code=ABCD-EF", "kind": "createOrg"}}

    def close(self):
        # A shutdown ends the accept that is waiting; a close alone would not.
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for connection in self.connections:
            connection.close()
