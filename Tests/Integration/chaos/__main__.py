"""`python3 -m chaos [--runs N] [--seed N]`: rounds under a user manager of their own. A round that
is at fault leaves its evidence under build/chaos, and the exit status is 1."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.programs import ROOT
from harness.stage import environment, interpreter, rig, set_up


def run(runs, seed=None, evidence=ROOT / "build" / "chaos"):
    """Answers the exit status."""
    folder = Path(tempfile.mkdtemp(prefix="mero-chaos-"))
    try:
        set_up(folder, "rig/checks", "chaos")
        out = folder / "out"
        out.mkdir(mode=0o777)
        out.chmod(0o777)
        command = [interpreter(), "-m", "chaos.inside", "--runs", str(runs), "--out", out]
        if seed is not None:
            command += ["--seed", str(seed)]
        ended = subprocess.run(
            rig(*command), env=os.environ | environment(folder), stdin=subprocess.DEVNULL)
        for place in out.glob("seed-*"):
            shutil.rmtree(evidence / place.name, ignore_errors=True)
            shutil.copytree(place, evidence / place.name)
        return ended.returncode
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    options = argparse.ArgumentParser(prog="chaos", description=__doc__)
    options.add_argument("--runs", type=int, default=10)
    options.add_argument("--seed", type=int)
    options = options.parse_args()
    if os.geteuid() != 0:
        sys.exit("chaos: only root can set up a user manager of its own")
    sys.exit(run(options.runs, options.seed))


if __name__ == "__main__":
    main()
