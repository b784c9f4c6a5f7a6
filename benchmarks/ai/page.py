"""One page with everything, that browsers open from anywhere and that loads nothing."""
import json
import pathlib

import memory
import table
from compose import roof
from evaluate import Answer
from measure import Counted
from models import read_chips, read_models
from whatif import WhatIf

FOLDER = pathlib.Path(__file__).resolve().parent / "page"
# Debian's libjs-chart.js (docs/decisions/0014-charts-of-profiles.md); without it the page has tables alone.
CHARTS = pathlib.Path("/usr/share/javascript/chart.js/chart.min.js")
MOST_KERNELS = 10
CONTEXTS = (2048, 8192, 32768)
DEVICES = (1, 4, 8)


def kernels_of(answer: Answer) -> list[dict]:
    """The kernels that take most of a step."""
    found = []
    hertz = answer.chip.hertz
    for part in answer.step.parts:
        timing = answer.timings[part.operator.name]
        for (name, seconds), counted in zip(timing.kernels, timing.counted, strict=True):
            stalls = ", ".join("%s %.0f %%" % (state, 100 * share) for state, share in counted.stalls.items())
            found.append({
                "name": name, "label": part.label, "each": seconds, "stalls": stalls,
                "share": seconds * part.times / answer.composed.seconds,
                "dram": dram_share(answer, counted, hertz), "matrix": counted.matrix_busy,
            })  # fmt: skip
    return sorted(found, key=lambda row: -row["share"])[:MOST_KERNELS]


def dram_share(answer: Answer, counted: Counted, hertz: float) -> float:
    """The part of DRAM's rate that a launch, or the slice of it that was timed, reaches."""
    part = counted.cores / answer.chip.cores
    return counted.dram_bytes / (counted.cycles / hertz) / (answer.chip.dram_rate * part)


def rate_row(answer: Answer) -> dict:
    made = answer.composed
    parts = {"kernels": made.kernels, "launches": made.launching, "links": made.linking, "copies": made.copying}
    rows = [
        {"label": row.label, "seconds": row.seconds, "flops": row.flops, "bytes": row.bytes, "launches": row.launches}
        for row in made.rows
    ]
    return {
        "workload": answer.work.name, "chip": answer.chip.name, "rate": made.rate, "error": made.rate_error,
        "unit": made.unit, "seconds": made.seconds, "roof": max(roof(answer.step, answer.chip)) / made.seconds,
        "bound": table.bound(answer), "parts": parts, "rows": rows, "kernels": kernels_of(answer),
        "roofs": {"flops": answer.chip.matrix_rate, "bytes": answer.chip.dram_rate},
    }  # fmt: skip


def fits() -> dict:
    """What fits where, of all models with a cache."""
    rows = []
    for model in read_models().values():
        if model.family not in ("decoder", "mixture"):
            continue
        for chip in read_chips().values():
            for weights in ("f16", "f8e4m3", "i4"):
                for devices in DEVICES if chip.machine else (1,):
                    found = [memory.fit(model, weights, chip, context, devices) for context in CONTEXTS]
                    rows.append({
                        "model": model.name, "weights": weights, "chip": chip.name, "devices": devices,
                        "gb": found[0].weights, "sequences": [one.sequences for one in found],
                    })  # fmt: skip
    return {"contexts": CONTEXTS, "rows": rows}


def gain_rows(found: list[WhatIf]) -> list[dict]:
    return [{"workload": row.work.name, "chip": row.chip.name, "gains": row.gains} for row in found]


def write(path: str, answers: list[Answer], gains: list[WhatIf], advice: list[dict], published: list[dict]) -> None:
    data = {
        "about": "Operators timed by Heddle's timing model and put together with launches, links and copies.",
        "rates": [rate_row(answer) for answer in answers if answer.composed],
        "memory": fits(),
        "gains": gain_rows(gains),
        "advice": advice,
        "published": published,
    }
    text = (FOLDER / "page.html").read_text(encoding="utf-8")
    charts = CHARTS.read_text(encoding="utf-8") if CHARTS.exists() else ""
    parts = {
        "@DATA@": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "@CHARTS@": "\n".join(line for line in charts.splitlines() if not line.startswith("//# sourceMappingURL")),
        "@SCRIPT@": (FOLDER / "page.js").read_text(encoding="utf-8"),
    }
    for mark, part in parts.items():
        text = text.replace(mark, part, 1)
    pathlib.Path(path).write_text(text, encoding="utf-8")
