#!/usr/bin/env python3
"""What profiles do to kernels of AI workloads, in cycles of the timing model.

    PATH=build/bin:$PATH benchmarks/ai/profiles.py [--chip hd100] [--only TEXT] [--check]

The kernels are those of data/kernels.toml, with as many CTAs. Each is measured without a profile and
with one of another input: the operator with the first of its sizes that can be halved so that the
kernel stays the same. What both leave in their outputs is compared.
--check: exit with 1 if a kernel takes more than 1 % more cycles with its profile."""
import argparse
import dataclasses
import json
import math
import pathlib
import sys
import tempfile
import tomllib

from measure import cut_grid
from models import DATA
from operators import Buffer, Launch, Operator, launches
from operators.kinds import OperatorError
from operators.manifest import manifest_of, save
from perf import Tools
from smaller import grids, with_shape

# Which sizes are halved, the first that a kernel allows.
SIZES = ("kv", "q", "k", "n", "m", "rows", "columns", "h", "elements", "tokens")
MOST_LOSS = 0.01


class Failure(Exception):
    """What went wrong with a kernel."""


def other_input(op: Operator) -> Operator | None:
    """An operator of another size with the same kernels."""
    names = [name for name, _ in grids(op)]
    for key in SIZES:
        size = op.shape.get(key, 0)
        if size < 2 or size % 2:
            continue
        # A prompt has as many queries as keys.
        prompt = key == "kv" and op.shape.get("q") == size
        found = with_shape(op, **{key: size // 2}, **({"q": size // 2} if prompt else {}))
        try:
            if [name for name, _ in grids(found)] == names:
                return found
        except OperatorError:
            continue
    return None


def part_of(launch: Launch, ctas: int) -> Launch:
    return dataclasses.replace(launch, grid=cut_grid(launch.grid, ctas))


def run(tools: Tools, *words: str) -> str:
    done = tools.run("ptx-run", *words)
    if done.returncode:
        raise Failure(done.stderr.strip()[-300:])
    return done.stdout


def measured(tools: Tools, path: pathlib.Path, chip: str, outputs: list[str], *options: str) -> tuple[int, list[str]]:
    """Cycles, and what the outputs hold."""
    report = json.loads(run(tools, str(path), "--chip", chip, "--timing", "--json", *options))
    held = [run(tools, str(path), "--chip", chip, "--dump", name, *options) for name in outputs]
    return sum(launch["profile"]["cycles"] for launch in report["launches"]), held


def compare(tools: Tools, first: Launch, other: Launch, ctas: int, chip: str, folder: pathlib.Path) -> tuple[int, int]:
    """Cycles of a launch without a profile and with that of another one."""
    path = save(manifest_of([part_of(first, ctas)], folder, "launch"), folder, "launch")
    counted = save(manifest_of([part_of(other, ctas)], folder, "other"), folder, "other")
    profile = folder / "profile"
    run(tools, str(counted), "--chip", chip, "-X", "-fprofile-probes", "--profile-out", str(profile))
    outputs = [a.name for a in first.arguments if isinstance(a, Buffer) and a.role == "output"]
    plain, expected = measured(tools, path, chip, outputs)
    used, found = measured(tools, path, chip, outputs, "-X", "-fprofile-use=%s" % profile)
    if found != expected:
        raise Failure("other results with a profile")
    return plain, used


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", help="the folder of the programs; those of PATH if not given")
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--only", default="", help="kernels in whose names this stands")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    tools, ratios = Tools(options.tools), []
    with open(DATA / "kernels.toml", "rb") as file:
        rows = tomllib.load(file)["kernel"]
    print("| kernel | as | profile of | without | with | |\n|---|---|---|---|---|---|")
    for row in rows:
        op = Operator(row["kind"], row["shape"], row.get("types", {}))
        other = other_input(op)
        if other is None:
            print("%s: no other input" % op.name, file=sys.stderr)
            continue
        for first, second in zip(launches(op), launches(other), strict=True):
            if options.only not in first.kernel:
                continue
            with tempfile.TemporaryDirectory(prefix="heddle-ai-") as name:
                plain, used = compare(tools, first, second, row["ctas"], options.chip, pathlib.Path(name))
            ratios.append(used / plain)
            figures = (first.path.stem, op.name, other.name, plain, used, 100 * (ratios[-1] - 1))
            print("| %s | %s | %s | %d | %d | %+.1f %% |" % figures, flush=True)
    if not ratios:
        sys.exit("profiles: no such kernel")
    mean, worst = math.exp(sum(map(math.log, ratios)) / len(ratios)) - 1, max(ratios) - 1
    print("| all %d | | | | | mean %+.1f %%, worst %+.1f %% |" % (len(ratios), 100 * mean, 100 * worst))
    sys.exit(options.check and worst > MOST_LOSS)


if __name__ == "__main__":
    main()
