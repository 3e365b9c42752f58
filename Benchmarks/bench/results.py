"""Rows of the table: what was measured, against what, the aim, and whether it is met."""

import json
import statistics
from dataclasses import asdict, dataclass, field


@dataclass
class Row:
    name: str
    # Words for what was measured, its peer, and the aim.
    ours: str
    peer: str
    aim: str
    # `value` is the ratio, or the figure itself where there is no peer; met where the aim holds.
    value: float | None = None
    unit: str = ""
    met: bool | None = None
    # Whether measuring itself went wrong.
    failed: bool = False
    note: str = ""
    details: dict = field(default_factory=dict)


def judged(row, value, least=None, most=None):
    row.value = value
    row.met = (least is None or value >= least) and (most is None or value <= most)
    return row


def median(runs, name):
    return statistics.median(run[name] for run in runs)


def table(rows):
    lines = [["what", "against", "aim", "found", "", "note"]]
    for row in rows:
        found = "not measured" if row.value is None else f"{row.value:.3g}{row.unit}"
        word = {True: "met", False: "MISSED", None: ""}[row.met]
        lines.append([row.name, row.peer, row.aim, found, word, row.note])
    widths = [max(len(line[column]) for line in lines) for column in range(5)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(line, widths)), line[5]]).rstrip()
        for line in lines)


def write(path, rows, machine):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(
        {"machine": machine, "rows": [asdict(row) for row in rows]}, indent=2) + "\n")
