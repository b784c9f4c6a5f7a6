#!/usr/bin/env python3
"""How far composed figures are from what others have published (published.csv).

    PATH=build/bin:$PATH benchmarks/ai/compare.py [--half calibration|unseen] [--only TEXT]
        [--python PYTHON] [--json FILE] [--explain]

The composition may be changed by what the calibration half says, and never by what the unseen
half says. A series, which is a measure of a model on a device from one source, is in one half
as a whole, by the SHA-256 of its name."""
import argparse
import csv
import dataclasses
import hashlib
import json
import math
import pathlib

import explain
import memory
from evaluate import Answer, Evaluator
from models import WEIGHT_BYTES, Chip, Workload, read_chips, read_models
from run import arguments, evaluator_of

HERE = pathlib.Path(__file__).resolve().parent
# Prompts that are worked through at once, in tokens: the default of TensorRT-LLM's builder
# (max_num_tokens of its documentation).
CHUNK = 8192
STEPS = {"four-steps": 4, "thirty-steps": 30}


@dataclasses.dataclass(frozen=True)
class Published:
    """A row of published.csv."""

    source: str
    device: str
    chip: str
    software: str
    graph: bool
    model: str
    weights: str
    batch: int
    input: int
    output: int
    tensor_parallel: int
    measure: str
    value: float
    unit: str
    note: str

    @property
    def series(self) -> str:
        return " ".join((self.source, self.device, self.model, self.measure))

    @property
    def half(self) -> str:
        first = hashlib.sha256(self.series.encode()).digest()[0]
        return "calibration" if first < 128 else "unseen"

    @property
    def cache(self) -> str:
        return "f8e4m3" if "cache of eight bits" in self.note else "f16"

    @property
    def in_flight(self) -> bool:
        return "batches in flight" in self.note

    @property
    def what(self) -> str:
        sizes = "b%d %d+%d" % (self.batch, self.input, self.output)
        return "%s %s %s %s tp%d" % (self.model, self.measure, self.weights, sizes, self.tensor_parallel)


def read_published() -> list[Published]:
    with open(HERE / "published.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = []
    for row in rows:
        numbers = {key: int(row[key]) for key in ("batch", "input", "output", "tensor_parallel")}
        texts = {**row, "graph": row["graph"] == "yes", "value": float(row["value"])}
        found.append(Published(**{**texts, **numbers}))
    return found


class Predictor:
    """What the composition says of a published row, in its unit."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator = evaluator
        self.models, self.chips = read_models(), read_chips()

    def work(self, row: Published, phase: str, batch: int, context: int) -> Workload:
        parallel = row.tensor_parallel if phase != "train" else 1
        return Workload(self.models[row.model], phase, row.weights, batch, context, parallel, row.cache)

    def batch_of(self, row: Published) -> int:
        """As many sequences as fit, where the row does not say; half of what they grow by is
        free on average."""
        if row.batch:
            return row.batch
        element = int(WEIGHT_BYTES[row.cache])
        length = row.input + row.output // 2
        found = memory.fit(
            self.models[row.model], row.weights, self.chips[row.chip], length, row.tensor_parallel, element
        )
        most = min(found.sequences, memory.MOST_SEQUENCES)
        return max(1, most // 32 * 32)

    def parts(self, row: Published) -> list[tuple[Workload, float]]:
        """The steps that a row is made of, with how often each runs."""
        if row.measure == "decode":
            return [(self.work(row, "decode", row.batch, row.input + row.output // 2), 1)]
        if row.measure in ("prefill", "first-token"):
            return [(self.work(row, "prefill", row.batch, row.input), 1)]
        if row.measure == "serve":
            batch = self.batch_of(row)
            if row.in_flight:
                return self.in_flight(row, batch)
            together = max(1, min(batch, CHUNK // row.input))
            prompts = self.work(row, "prefill", together, row.input)
            tokens = self.work(row, "decode", batch, row.input + row.output // 2)
            return [(prompts, batch / together), (tokens, row.output)]
        if row.measure == "train":
            return [(self.work(row, "train", row.batch, row.input), 1)]
        return [(self.work(row, "forward", row.batch, row.input), STEPS.get(row.measure, 1))]

    def in_flight(self, row: Published, batch: int) -> list[tuple[Workload, float]]:
        """A server that takes up prompts beside the tokens of other sequences: as many at a time as keeps all
        places taken, and in so many steps."""
        tokens = self.work(row, "decode", batch, row.input + row.output // 2)
        prompts = math.ceil(batch / row.output)
        both = dataclasses.replace(tokens, prompts=prompts, prompt=row.input)
        steps = batch / prompts
        return [(both, steps)] + ([(tokens, row.output - steps)] if steps < row.output else [])

    def wanted(self, rows: list[Published]) -> list[tuple[Workload, Chip]]:
        return [(work, self.chips[row.chip]) for row in rows for work, _ in self.parts(row)]

    def predict(self, row: Published) -> tuple[float, float, str]:
        """The value, what it may be off by, and why there is none."""
        seconds = error = units = 0.0
        for answer, times in self.answers(row):
            if answer.composed is None:
                return math.nan, math.nan, answer.problem
            seconds += answer.composed.seconds * times
            error += answer.composed.error * times
            units = answer.composed.units
        if row.unit == "ms":
            return 1e3 * seconds, 1e3 * error, ""
        made = self.made_by(row, units)
        return made / seconds, made / seconds * error / seconds, ""

    def answers(self, row: Published) -> list[tuple[Answer, float]]:
        """The steps of a row as they are composed, with how often each runs."""
        chip = self.chips[row.chip]
        return [(self.evaluator.answer(work, chip, graph=row.graph), times) for work, times in self.parts(row)]

    def made_by(self, row: Published, units: float) -> float:
        """What the steps of a row make all together; units: what the last of them makes."""
        made = self.batch_of(row) * row.output if row.measure == "serve" else units
        return made * (row.tensor_parallel if row.measure == "train" else 1)

    def explain(self, row: Published) -> str:
        """Where the time of a row goes, that has a figure."""
        answers = self.answers(row)
        made = self.made_by(row, answers[-1][0].composed.units)
        return explain.explain(answers, row.value / 1e3 if row.unit == "ms" else made / row.value)


def correlation(first: list[float], second: list[float]) -> float:
    """Pearson's, of logarithms."""
    one, two = [math.log(x) for x in first], [math.log(x) for x in second]
    mean_one, mean_two = sum(one) / len(one), sum(two) / len(two)
    above = sum((a - mean_one) * (b - mean_two) for a, b in zip(one, two, strict=True))
    below = math.sqrt(sum((a - mean_one) ** 2 for a in one) * sum((b - mean_two) ** 2 for b in two))
    return above / below if below else math.nan


def classes_of(row: Published) -> list[str]:
    return ["all", "half: " + row.half, "measure: " + row.measure, "device: " + row.device, "model: " + row.model]


def summary(results: list[dict]) -> list[tuple[str, int, float, float]]:
    """Of each class the rows, the mean error in percent and the bias."""
    classes: dict[str, list[float]] = {}
    for result in results:
        for name in classes_of(result["row"]):
            classes.setdefault(name, []).append(result["off"])
    return [
        (name, len(off), 100 * sum(map(abs, off)) / len(off), 100 * sum(off) / len(off))
        for name, off in sorted(classes.items())
    ]


def print_table(results: list[dict]) -> None:
    """The tables of docs/ai-workloads.md."""
    series: dict[str, list[dict]] = {}
    for result in results:
        series.setdefault(result["row"].series, []).append(result)
    print("| device | software | workload | half | published, composed (error) |\n|---|---|---|---|---|")
    for group in series.values():
        first: Published = group[0]["row"]
        points = "; ".join(point_of(result) for result in group)
        what = "%s %s, %s" % (first.model, first.measure, first.unit)
        print("| %s | %s | %s | %s | %s |" % (first.device, first.software, what, first.half, points))
    print("\n| class | rows | error, % | bias, % |\n|---|---|---|---|")
    for name, count, error, bias in summary(results):
        print("| %s | %d | %.1f | %+.1f |" % (name, count, error, bias))


def point_of(result: dict) -> str:
    row: Published = result["row"]
    sizes = "%s b%d" % (row.weights, row.batch) if row.batch else row.weights
    lengths = " %d+%d" % (row.input, row.output) if row.measure in ("serve", "first-token", "forward") else ""
    parallel = " tp%d" % row.tensor_parallel if row.tensor_parallel > 1 else ""
    figures = (sizes + lengths + parallel, row.value, result["value"], 100 * result["off"])
    return "%s: %.4g, %.4g (%+.0f %%)" % figures


def listed_of(result: dict) -> dict:
    row: Published = result["row"]
    about = {**dataclasses.asdict(row), "half": row.half, "what": row.what}
    return {**about, "composed": result["value"], "error": result["error"], "off": result["off"]}


def compare(predictor: Predictor, rows: list[Published], tell) -> tuple[list[dict], list[tuple[Published, str]]]:
    predictor.evaluator.prepare(predictor.wanted(rows))
    results, without = [], []
    for row in rows:
        value, error, problem = predictor.predict(row)
        if problem:
            without.append((row, problem))
            continue
        # A rate that is too high by a half and a time that is too low by a third are the same.
        off = value / row.value - 1
        results.append({"row": row, "value": value, "error": error, "off": off})
        tell("%-11s %-13s %-52s %10.5g %10.5g +- %3.0f %% %+6.1f %%" % (
            row.half, row.device, row.what, row.value, value, 100 * error / value, 100 * off))
    return results, without


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("calibration", "unseen"))
    parser.add_argument("--only", default="", help="rows in whose names this stands")
    arguments(parser)
    parser.add_argument("--table", action="store_true", help="print the tables of the page")
    parser.add_argument("--explain", action="store_true", help="print where the time of each row goes")
    parser.add_argument("--json", help="write the rows with what is composed")
    options = parser.parse_args()
    evaluator = evaluator_of(options)
    rows = [row for row in read_published() if options.half in (None, row.half)]
    rows = [row for row in rows if options.only in "%s %s" % (row.device, row.what)]
    predictor = Predictor(evaluator)
    results, without = compare(predictor, rows, lambda text: print(text, flush=True))
    for result in results if options.explain else []:
        print("\n%s, %s\n%s" % (result["row"].device, result["row"].what, predictor.explain(result["row"])))
    if options.table:
        print_table(results)
    for row, problem in without:
        print("%-11s %-13s %-52s no figure: %s" % (row.half, row.device, row.what, problem[:120]))
    for name, count, error, bias in summary(results):
        print("%-32s %4d %6.1f %% %+6.1f %%" % (name, count, error, bias))
    if len(results) > 2:
        print("correlation of logarithms %.3f" % correlation(
            [result["row"].value for result in results], [result["value"] for result in results]))
    if options.json:
        listed = [listed_of(result) for result in results]
        pathlib.Path(options.json).write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
