"""What a verdict about a quote costs, against the signatures and chains that it rests on."""

import re
import subprocess

from harness.programs import binaries

from . import machine
from .results import Row, judged


def quote_bench(*arguments):
    """Its words. It measures ours and the peer in turn by itself, in processor time."""
    command = machine.pinned(machine.SERVER, binaries() / "quote-bench", *arguments)
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    # 1 says that something is over its limit, which is judged here.
    if done.returncode not in (0, 1):
        raise RuntimeError(f"quote-bench: {done.stderr}")
    return done.stdout


def verdicts(*_):
    words = quote_bench()
    mine = int(re.search(r"^a verdict.*: (\d+) us$", words, re.M).group(1))
    its = int(re.search(r"^OpenSSL's signatures.*: (\d+) us$", words, re.M).group(1))
    row = Row(
        "a verdict about a quote", "its time", "OpenSSL's signatures and chains", "<= 1.5",
        note=f"{mine} of {its} us", details={"ours": mine, "peer": its})
    yield judged(row, mine / its, most=1.5)


def memory(*_):
    words = quote_bench("memory")
    count, most, what = re.search(
        r"^(\d+) hostile inputs; the highest took (\d+) KiB \((.*)\)", words).groups()
    row = Row(
        "hostile quotes and collateral: memory", "at its height", "none", "<= 1024 KiB",
        unit=" KiB", note=f"{count} inputs; {what}")
    yield judged(row, int(most), most=1024)
