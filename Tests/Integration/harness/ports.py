"""Ports that stay free until somebody takes them on purpose."""

import random
import socket

# Below those that the kernel gives away by itself (ip_local_port_range).
UNASKED = range(20000, 32000)


def free_port():
    """Free on both families, and given to nobody who does not ask for it by its number."""
    while True:
        port = random.choice(UNASKED)
        try:
            with (socket.create_server(("127.0.0.1", port)),
                  socket.create_server(("::1", port), family=socket.AF_INET6)):
                return port
        except OSError:
            continue
