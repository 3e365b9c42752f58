"""Cryptography against `openssl speed`, each for the same time in turn."""

import json
import re
import statistics
import subprocess

from harness.programs import binaries

from . import machine
from .peers import program
from .results import Row, judged


def ours(*arguments):
    command = machine.pinned(machine.SERVER, binaries() / "core-bench", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)["perSecond"]


def openssl(seconds, *arguments):
    """The last number of the last line of `openssl speed`, as it stands there."""
    command = machine.pinned(
        machine.SERVER, program("openssl"), "speed", "-seconds", max(1, round(seconds)), *arguments)
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    return float(re.findall(r"[\d.]+", done.stdout.splitlines()[-1])[-1])


def in_turn(settings, mine, its):
    pairs = [(mine(), its()) for _ in range(settings.rounds)]
    return [statistics.median(column) for column in zip(*pairs)]


def sealing(_, settings):
    mine, its = in_turn(
        settings, lambda: ours("seal", settings.seconds),
        lambda: 1000 * openssl(settings.seconds, "-bytes", 65536, "-evp", "aes-256-gcm"))
    row = Row(
        "sealing 64 KiB frames", "bytes a second", "openssl speed, AES-256-GCM", ">= 0.8",
        note=f"{mine / 1e9:.2f} of {its / 1e9:.2f} GB/s", details={"ours": mine, "peer": its})
    yield judged(row, mine / its, least=0.8)


def handshakes(_, settings):
    mine, its = in_turn(
        settings, lambda: ours("handshake", settings.seconds),
        lambda: openssl(settings.seconds, "ecdhx25519") / 2)
    row = Row(
        "handshakes, the client's side", "a second", "openssl speed, two X25519", ">= 0.5",
        note=f"{mine:,.0f} of {its:,.0f}/s; ours makes a key too",
        details={"ours": mine, "peer": its})
    yield judged(row, mine / its, least=0.5)
