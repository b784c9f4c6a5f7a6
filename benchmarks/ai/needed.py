#!/usr/bin/env python3
"""Lists operators that take every kernel of the workloads, of published.csv, of the suite and of
accuracy.py, for kernels/regenerate.py.

    benchmarks/ai/needed.py > benchmarks/ai/kernels/workloads.json"""
import json
import tomllib
from typing import Iterator

import accuracy
import compare
from families import step_of
from layers import NotSupported
from models import DATA, read_workloads
from operators import Operator, OperatorError, plan
from smaller import shorter


def operators() -> Iterator[Operator]:
    works = read_workloads()
    predictor = compare.Predictor(None)
    works += [work for row in compare.read_published() for work, _ in predictor.parts(row)]
    for work in works:
        try:
            yield from (part.operator for part in step_of(work).parts)
        except (NotSupported, OperatorError):
            continue
    yield from accuracy.TRIALS
    with open(DATA / "kernels.toml", "rb") as file:
        rows = tomllib.load(file)["kernel"]
    yield from (Operator(row["kind"], row["shape"], row.get("types", {})) for row in rows)


def with_shorter(op: Operator) -> list[Operator]:
    """What is measured for an operator: itself, or two with shorter loops."""
    pair = shorter(op)
    return [op, pair[0][0], pair[1][0]] if pair else [op]


def main() -> None:
    seen: set[str] = set()
    rows = []
    for given in operators():
        for op in with_shorter(given):
            names = {step.kernel.name for step in plan(op)}
            if names - seen:
                seen |= names
                rows.append([op.kind, dict(op.shape), dict(op.types)])
    print("[\n" + ",\n".join(" " + json.dumps(row) for row in rows) + "\n]")


if __name__ == "__main__":
    main()
