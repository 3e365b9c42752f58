"""From cold to the first answer: both programs are given the socket, as a service manager does.

The daemon finds the record of an earlier run, as at every start but a person's first."""

import os
import signal
import socket
import statistics
import subprocess
import time

from harness.programs import Daemon

from .nginx import CONFIGURATION
from .peers import program
from .results import Row, judged

REQUEST = b"GET /v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n"


def rows(home, settings):
    nginx = program("nginx")
    mine, its = [], []
    for number in range(settings.rounds):
        mine.append(woken_daemon(home / f"daemon-{number}"))
        its.append(woken_nginx(nginx, home / f"nginx-{number}"))
    mine, its = statistics.median(mine), statistics.median(its)
    yield judged(
        Row("socket activation to the first answer", "from cold", "nginx, the same way", "<= 1.5",
            note=f"{mine * 1e3:.1f} of {its * 1e3:.1f} ms",
            details={"ours": mine, "peer": its}), mine / its, most=1.5)


def woken(listener, address, command, environment):
    """Seconds from a client's connection to its answer, with the program started by it.

    The program gets the listener as descriptor 3, and its own process id in LISTEN_PID."""
    begin = time.perf_counter()
    client = socket.socket(listener.family)
    client.settimeout(20)
    client.connect(address)
    client.sendall(REQUEST)
    process = subprocess.Popen(
        ["sh", "-c", 'LISTEN_PID=$$ exec "$@"', "sh", *map(str, command)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env=environment, preexec_fn=lambda: os.dup2(listener.fileno(), 3), pass_fds=(3,))
    try:
        assert client.recv(65536).startswith(b"HTTP/1.1 200")
        return time.perf_counter() - begin
    finally:
        client.close()
        # nginx has a child, which ends with it where it is asked to.
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def listening(home):
    home.mkdir(parents=True)
    address = str(home / "api.sock")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    os.chmod(address, 0o600)
    listener.listen(64)
    return listener, address


def woken_daemon(home):
    daemon = Daemon(home / "daemon", log_level="error").start()
    daemon.stop()
    listener, address = listening(home / "socket")
    with listener:
        return woken(
            listener, address, [*daemon.arguments, "--socket", address],
            daemon.environment | {"LISTEN_FDS": "1", "LISTEN_FDNAMES": "api"})


def woken_nginx(nginx, home):
    """nginx takes sockets by the variable that it hands them over with to a newer nginx; only its
    workers serve such a socket, so that it runs as usual, with a master and one worker."""
    listener, address = listening(home)
    text = CONFIGURATION.format(
        home=home, keep_alive="75s", listen=f"listen unix:{address};",
        locations='    location / { return 200 "x"; }')
    user = "user root;\n" if os.geteuid() == 0 else ""
    configuration = home / "nginx.conf"
    configuration.write_text(user + text.replace("master_process off;", "master_process on;"))
    with listener:
        return woken(
            listener, address, [nginx, "-c", configuration], os.environ | {"NGINX": "3;"})
