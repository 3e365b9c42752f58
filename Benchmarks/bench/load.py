"""The load: the project's own generator, and wrk to check it."""

import json
import re
import subprocess

from harness.programs import binaries

from . import machine


class Target:
    """A server under load: where it listens, whose processor time counts, what it is asked."""

    def __init__(self, pid, request, unix=None, port=None, status=200):
        self.pid, self.unix, self.port, self.status = pid, unix, port, status
        # One request file, or one for each app.
        self.requests = request if isinstance(request, list) else [request]

    @property
    def address(self):
        return ["--unix", self.unix] if self.unix else ["--tcp", self.port]


def run(target, connections, seconds, warm_up=0.2, cpu=machine.LOAD, most=None):
    """Figures of one run, with the server's processor time for each answer in microseconds."""
    command = [
        binaries() / "http-load", *target.address, "--connections", connections,
        "--seconds", seconds, "--warm-up", warm_up, "--status", target.status]
    for request in target.requests:
        command += ["--request", request]
    if most:
        command += ["--most", most]
    before = machine.cpu_seconds(target.pid)
    done = subprocess.run(
        machine.pinned(cpu, *command), capture_output=True, text=True, timeout=seconds + 30)
    used = machine.cpu_seconds(target.pid) - before
    if done.returncode != 0:
        raise RuntimeError(f"http-load: {done.stderr or done.stdout}")
    figures = json.loads(done.stdout)
    if figures["otherAnswers"] or figures["broken"]:
        raise RuntimeError(f"http-load: answers that do not count: {done.stdout}")
    # The warm-up is in the processor time too.
    share = seconds / (seconds + warm_up)
    figures["cpuMicroseconds"] = used * 1e6 * share / figures["answers"]
    return figures


def wrk(port, path, connections, seconds):
    """Requests a second, as wrk counts them, over TCP."""
    command = machine.pinned(
        machine.LOAD, "wrk", "--threads", 1, "--connections", connections,
        "--duration", f"{max(1, round(seconds))}s", f"http://127.0.0.1:{port}{path}")
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 30, check=True)
    return float(re.search(r"Requests/sec:\s+([\d.]+)", done.stdout).group(1))
