"""Inside of the rig: rounds on one installed service. `--out` is where evidence goes."""

import argparse
import json
import os
import random
import shutil
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from harness.waiting import until

from rig.checks.service import HOME, RUNTIME, Service

from . import judge, leaks, leftovers, plan, record, settle, told
from .world import CONFIGURED, World

# The ledger and the manager are used for so many rounds; then everything begins anew.
ROUNDS_OF_A_HOME = 100


class Round:
    """One round and what came of it."""

    def __init__(self, service, journal, seed, folder):
        self.service, self.journal, self.folder = service, journal, Path(folder)
        self.plan = plan.make(seed)
        self.faults = []
        self.evidence = None
        self.log = b""
        self.book = None

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        world = None
        try:
            world = World(self.service, self.folder, self.plan)
            self.book = world.book
            world.run()
            self.look(world)
        except Exception:
            self.faults.append(traceback.format_exc())
        finally:
            if world:
                self.faults += world.book.faults
                if self.evidence is None:
                    self.keep_what_there_is(world)
                world.end()
            self.log += self.journal.read()
        return self.faults

    def look(self, world):
        returned = settle.settle(world)
        copy = self.folder / "ledger.db"
        since, url = world.since, world.node.ready["url"]
        record.copy(self.service.state / "ledger.db", copy)
        heard = {}
        for event in record.Record(copy, url, since).events:
            heard[event["session"]] = event["sequence"]
        settle.drain(world, heard)
        for app in world.apps:
            if app.stream:
                app.stream.stop()
                app.stream.join(5)
        at = time.time()
        record.copy(self.service.state / "ledger.db", copy)
        self.evidence = judge.Evidence(
            told=world.book.entries, ledger=str(copy), node=world.node.overview, node_url=url,
            since=since, at=at, plan=self.plan.json(), strikes=world.killer.struck,
            returned=returned)
        self.faults += judge.judge(self.evidence)
        self.faults += self.secrets(world) + self.left(world)
        for app in world.apps:
            if app.session and not app.is_closed and not app.plan.configured:
                app.leave()

    def secrets(self, world):
        keys = [app.api.key.encode() for app in world.apps if app.api.key]
        published = [CONFIGURED] if any(app.plan.configured for app in world.apps) else []
        self.log += self.journal.read()
        return (
            leaks.in_folder(self.service.state, keys)
            + leaks.in_folder(self.service.configuration.parent, keys)
            + leaks.in_runtime(RUNTIME / "mero-consent", keys, published)
            + leaks.in_folder(RUNTIME / "mero-consentd", keys)
            + leaks.in_journal(self.log, keys) + leaks.complaints(self.log))

    def left(self, world):
        sessions = [app for app in world.apps if app.session and not app.is_closed]
        status = self.service.status
        faults = []
        if status["state"] != {"health": "ok", "reset": False, "unwritten": 0}:
            faults.append(f"the state is {status['state']}")
        return (faults + leftovers.of_processes(self.service)
                + leftovers.of_store(self.service, len(sessions),
                                        status["counts"]["sessions"])
                + leftovers.of_crashes() + leftovers.of_units(self.service))

    def keep_what_there_is(self, world):
        try:
            record.copy(self.service.state / "ledger.db", self.folder / "ledger.db")
            (self.folder / "node.json").write_text(json.dumps(world.node.overview, indent=1))
        except Exception as error:
            self.faults.append(f"evidence is missing: {error!r}")

    def keep(self, out):
        """Everything that a fault is found by."""
        place = Path(out) / f"seed-{self.plan.seed}"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(self.folder, place)
        (place / "plan.json").write_text(json.dumps(self.plan.json(), indent=1))
        (place / "faults.txt").write_text("\n".join(self.faults) + "\n")
        (place / "journal.export").write_bytes(self.log)
        if self.book:
            told.write(self.book.entries, place / "told.jsonl")
        if self.evidence:
            (place / "node.json").write_text(json.dumps(self.evidence.node, indent=1))
        return place


def statistics(book, killer):
    counts = Counter(how for _, how in killer)
    counts["calls"] = len(book.entries)
    counts["cut"] = sum(1 for entry in book.entries if entry.get("cut"))
    counts["asked for tokens"] = len({
        entry.get("session") for entry in book.entries
        if isinstance(entry["body"], dict) and entry["body"].get("needsSession")})
    counts["verdicts"] = sum(
        1 for entry in book.entries if isinstance(entry["body"], dict)
        and entry["body"].get("state") in ("approved", "declined"))
    return counts


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--runs", type=int, default=1)
    options.add_argument("--seed", type=int)
    options.add_argument("--out", required=True)
    options = options.parse_args()
    first = options.seed if options.seed is not None else random.SystemRandom().randrange(1 << 32)
    total, failed, began = Counter(), 0, time.monotonic()
    service = None
    scratch = Path(options.out) / "scratch"
    for number in range(options.runs):
        if number % ROUNDS_OF_A_HOME == 0:
            if service:
                service.remove()
            service = Service()
            service.install()
            service.start_sockets()
            journal = leaks.Journal(scratch.parent / "journal.cursor")
            journal.read()
        seed = first + number
        started = time.monotonic()
        one = Round(service, journal, seed, scratch)
        faults = one.run()
        took = time.monotonic() - started
        if one.evidence:
            total += statistics(one.book, one.evidence.strikes)
        print(f"round {number + 1}/{options.runs} seed {seed}: "
              f"{'FAULT' if faults else 'ok'} in {took:.1f} s", flush=True)
        if faults:
            failed += 1
            place = one.keep(options.out)
            for fault in faults:
                print("  " + fault[:1500], flush=True)
            print(f"  evidence: {place.name}; again: make chaos RUNS=1 SEED={seed}", flush=True)
            service.remove()
            service.install()
            service.start_sockets()
            until(lambda: service.sleeps() or service.pid, "the service is there again")
    if service:
        service.remove()
    shutil.rmtree(scratch, ignore_errors=True)
    words = ", ".join(f"{count} {name}" for name, count in sorted(total.items()))
    print(f"{options.runs} rounds, {failed} with faults, "
          f"{time.monotonic() - began:.0f} s: {words}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    os.chdir(HOME)
    main()
