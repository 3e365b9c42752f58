"""`make bench`: every row of the table, each against its peer in the same run.

    python3 Benchmarks/bench [--rounds N] [--seconds S] [--only http,ledger,…] [--out FILE]
"""

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Tests" / "Integration")]
os.environ.setdefault("MERO_BIN", str(ROOT / ".build" / "release"))

from bench import (  # noqa: E402
    activation_rows, core_rows, http_rows, ledger_rows, machine, quote_rows, rest_rows, results,
    snapd_rows)
from bench.peers import MissingPeer  # noqa: E402

# Each makes its rows by itself, so that one that cannot be measured takes no other with it.
GROUPS = {
    "generator": [http_rows.check_against_wrk],
    "http": [http_rows.rows],
    "snapd": [snapd_rows.rows],
    "memory": [rest_rows.idle],
    "waiting": [rest_rows.waiting],
    "activation": [activation_rows.rows],
    "ledger": [ledger_rows.recording, ledger_rows.returning, ledger_rows.full],
    "core": [core_rows.sealing, core_rows.handshakes],
    "quotes": [quote_rows.verdicts, quote_rows.memory],
}


def measured(group, number, make, home, settings):
    """The rows of `make`, and one that says why where there are no more."""
    try:
        yield from make(home, settings)
    except MissingPeer as missing:
        yield results.Row(f"{group}.{number}", "", "", "", note=f"not measured: {missing}")
    except Exception:
        traceback.print_exc()
        reason = traceback.format_exc().splitlines()[-1]
        yield results.Row(f"{group}.{number}", "", "", "", failed=True, note=f"FAILED: {reason}")


def groups(text):
    names = text.split(",")
    for name in names:
        if name not in GROUPS:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(GROUPS)}")
    return names


def main():
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each; the median counts")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument(
        "--only", type=groups, default=list(GROUPS), metavar="GROUP,…",
        help=f"of {', '.join(GROUPS)}")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench" / "bench.json")
    settings = parser.parse_args()
    found = []
    before = machine.load_average()
    # A short path: the name of a Unix socket has 107 bytes at most.
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    try:
        for name in settings.only:
            for number, make in enumerate(GROUPS[name]):
                folder = home / f"{name}{number}"
                folder.mkdir()
                for row in measured(name, number, make, folder, settings):
                    found.append(row)
                    print(results.table([row]).splitlines()[1], flush=True)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    about = {
        "cpus": os.cpu_count(), "kernel": platform.release(), "rounds": settings.rounds,
        "seconds": settings.seconds, "loadAverage": [before, machine.load_average()],
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    results.write(settings.out, found, about)
    print()
    print(results.table(found))
    print(f"\nload average {before:.2f} before, {machine.load_average():.2f} after; {settings.out}")
    return 1 if any(row.failed for row in found) else 0


if __name__ == "__main__":
    sys.exit(main())
