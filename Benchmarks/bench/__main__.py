"""`make bench`: every row of the table, each against its peer in the same run.

    python3 Benchmarks/bench [--rounds N] [--seconds S] [--only http,memory,…] [--out FILE]
"""

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Benchmarks"), str(ROOT / "Tests" / "Integration")]
os.environ.setdefault("MERO_BIN", str(ROOT / ".build" / "release"))

from bench import core_rows, http_rows, ledger_rows, machine, rest_rows, results  # noqa: E402


def generator(home, settings):
    yield http_rows.check_against_wrk(home, settings)


GROUPS = {
    "generator": generator,
    "http": http_rows.rows,
    "rest": rest_rows.rows,
    "ledger": ledger_rows.rows,
    "core": core_rows.rows,
}


def main():
    parser = argparse.ArgumentParser(prog="bench")
    parser.add_argument("--rounds", type=int, default=7, help="runs of each; the median counts")
    parser.add_argument("--seconds", type=float, default=2.0, help="of each run")
    parser.add_argument("--only", default=",".join(GROUPS))
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "bench" / "bench.json")
    settings = parser.parse_args()
    found = []
    before = machine.load_average()
    # A short path: the name of a Unix socket has 107 bytes at most.
    home = Path(tempfile.mkdtemp(prefix="mero-"))
    try:
        for name in settings.only.split(","):
            for row in GROUPS[name](home / name, settings):
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
