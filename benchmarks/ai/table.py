"""Results as tables of Markdown."""
from typing import Iterable, Sequence

from compose import roof
from evaluate import Answer
from whatif import WhatIf


def lines_of(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| %s |" % " | ".join(head), "|%s" % ("---|" * len(head))]
    return "\n".join(lines + ["| %s |" % " | ".join(row) for row in rows]) + "\n"


def number(value: float) -> str:
    return "{:,.0f}".format(value) if value >= 100 else "%.3g" % value


def bound(answer: Answer) -> str:
    """What most of a step's time is: bytes at DRAM's rate, operations at the matrix units', what
    kernels take beyond that, launches or links."""
    made = answer.composed
    compute, moved = roof(answer.step, answer.chip)
    shares = {
        "memory" if moved >= compute else "arithmetic": max(compute, moved),
        "inside kernels": made.kernels - max(compute, moved),
        "launches": made.launching,
        "links": made.linking,
    }
    name = max(shares, key=shares.get)
    return "%s %.0f %%" % (name, 100 * shares[name] / made.seconds)


def row_of(answer: Answer) -> list[str]:
    made = answer.composed
    if made is None:
        return [answer.work.name, answer.chip.name, "", "", "", answer.problem[:70]]
    best = max(roof(answer.step, answer.chip))
    return [
        answer.work.name,
        answer.chip.name,
        "%s %s/s" % (number(made.rate), made.unit),
        "%.0f %%" % (100 * made.rate_error / made.rate),
        "%.0f %%" % (100 * best / made.seconds),
        bound(answer),
    ]


def rates(answers: list[Answer]) -> str:
    """roof: the part of the time that bytes or operations would take at the chip's rates."""
    head = ["workload", "chip", "rate", "error", "roof", "most of the time"]
    return lines_of(head, (row_of(answer) for answer in answers))


def gains(found: list[WhatIf]) -> str:
    names = ["DRAM", "L2", "tensor", "launch", "link"]
    rows = (
        [row.work.name, row.chip.name, *("%.2f" % row.gains[n] if n in row.gains else "" for n in names)]
        for row in found
    )
    return lines_of(["workload", "chip", *(name + " x2" for name in names)], rows)


def advice(rows: list[dict]) -> str:
    """share: the sum over workloads of the part of a step's time."""
    cells = ([row["kernel"], row["operator"], row["chip"], row["advice"], row["won"]] for row in rows)
    return lines_of(["kernel", "as", "chip", "advice", "would win"], cells)
