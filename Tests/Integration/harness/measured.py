"""A node with quotes of its own, and the daemon that trusts their root: programs of the tests."""

import json
from pathlib import Path

from .programs import Daemon, Node, binaries

# What Tests/TestPKI puts into the registers of its quotes.
REGISTERS = {"mrtd": "d0" * 48} | {f"rtmr{i}": f"a{i}" * 48 for i in range(4)}


class MeasuredNode(Node):
    """The development node on a machine of the tests' own."""

    def __init__(self, home):
        self.machine = Path(home) / "machine"
        self.machine.mkdir(parents=True, mode=0o700)
        super().__init__(home)

    def spawn(self):
        self.arguments = [str(binaries() / "measured-node"), str(self.machine)]
        super().spawn()

    @property
    def root(self):
        return self.machine / "root.der"

    @property
    def quote(self):
        return self.machine / "quote.bin"

    @property
    def collateral(self):
        return self.machine / "collateral.json"


class TrustingDaemon(Daemon):
    """The daemon with one root in the place of Intel's."""

    def __init__(self, home, node):
        super().__init__(home, environment={"MERO_TEST_ROOT": str(node.root)})
        self.arguments[0] = str(binaries() / "trusting-daemon")


def published(folder, registers=None, tag="9.9.9", profile="locked-read-only"):
    """A release's published-mrtds.json."""
    file = Path(folder) / "published-mrtds.json"
    file.write_text(json.dumps({
        "role": "node", "tag": tag, "allowed_tcb_statuses": ["uptodate", "outofdate"],
        "profiles": {profile: registers or REGISTERS},
    }))
    return file
