#!/usr/bin/env python3
"""Tunes the kernels that take most of the time of the workloads on a chip, with ptx-tune.

    PATH=build/bin:$PATH benchmarks/ai/tune.py --chip hd100 [--kernels 10] [--evaluations 60]

What is found goes to data/tuning/CHIP.json, beside what that has for other kernels; run.py takes it
with --tuned. A kernel is tuned on what is timed of the operator that takes most of its time: a slice
of the chip, and of the grid what a run of a second or so has."""
import argparse
import dataclasses
import json
import pathlib
import tempfile

import run
import tuned
from advise import Kernel, kernels_that_matter
from evaluate import Answer
from measure import Bench, Run, cut_grid, total
from operators.manifest import manifest_of, save
from smaller import shorter

# Fillings of a slice that are tuned.
FILLINGS = 1
# The part of the cycles that decisions have to save to be kept: what saves less there may cost in
# longer loops and grids.
LEAST = 0.01


def run_of(bench: Bench, kernel: Kernel) -> Run:
    """A filling of a slice, with the longer of the loops that are timed in place of a long one."""
    chip, pair = kernel.chip, shorter(kernel.op)
    op = bench.like(pair[1][0] if pair else kernel.op)
    launch = next(one for one in bench.launches_on(op, chip) if one.kernel == kernel.launch.kernel)
    cores = bench.slice_of(op, chip)
    share = max(1, round(total(launch.grid) * cores / chip.cores))
    filling = cores * bench.resident(launch, chip, cores)
    return Run(launch, chip, min(share, FILLINGS * filling), cores)


def tune(bench: Bench, kernel: Kernel, options: argparse.Namespace) -> tuple[dict, float, int]:
    """The decisions for a kernel, the part of the cycles that they save, and the cycles without them."""
    what = run_of(bench, kernel)
    launch = dataclasses.replace(what.launch, grid=cut_grid(what.launch.grid, what.ctas))
    with tempfile.TemporaryDirectory(prefix="heddle-ai-") as name:
        folder = pathlib.Path(name)
        path = save(manifest_of([launch], folder, "launch"), folder, "launch")
        words = ["--chip", kernel.chip.chip, "--figures", what.figures or "cores=1x", "--no-transfer"]
        words += ["--evaluations", str(options.evaluations), "--moves", str(options.moves)]
        words += ["--threads", str(options.jobs), "--json", "--output", str(folder / "tuning.json"), str(path)]
        done = bench.tools.run("ptx-tune", *words)
        if done.returncode:
            raise OSError("%s: %s" % (launch.kernel, done.stderr.strip()[-300:]))
        found = json.loads(done.stdout)["kernels"][0]
    return found["decisions"], 1 - found["tuned_cycles"] / found["untuned_cycles"], found["untuned_cycles"]


def answers_of(evaluator, chip: str) -> list[Answer]:
    wanted = run.chosen(argparse.Namespace(chips=chip, only=""))
    evaluator.prepare(wanted)
    return [evaluator.answer(*pair) for pair in wanted]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    run.arguments(parser)
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--kernels", type=int, default=10, help="how many of them (%(default)s)")
    parser.add_argument("--only", default="", help="of these, those in whose names this stands")
    parser.add_argument("--evaluations", type=int, default=60, help="of ptx-tune (%(default)s)")
    parser.add_argument("--moves", type=int, default=0, help="of ptx-tune (%(default)s)")
    options = parser.parse_args()
    evaluator = run.evaluator_of(options)
    bench = evaluator.bench
    answers = answers_of(evaluator, options.chip)
    bench.known = False  # of what the workloads need
    path = tuned.FOLDER / (options.chip + ".json")
    path.parent.mkdir(exist_ok=True)
    print("| kernel | as | cycles | saved | decisions |\n|---|---|---|---|---|")
    for kernel in kernels_that_matter(answers, bench, options.kernels):
        if options.only not in kernel.launch.kernel:
            continue
        decisions, saved, cycles = tune(bench, kernel, options)
        kept = tuned.read(path) if path.exists() else {}
        kept.pop(kernel.launch.kernel, None)
        kept |= {kernel.launch.kernel: decisions} if saved >= LEAST else {}
        path.write_text(tuned.document_of(kept), encoding="utf-8")
        listed = " ".join("%s=%s" % pair for pair in decisions.items())
        row = (kernel.launch.path.stem, kernel.op.name, cycles, 100 * saved, listed)
        print("| %s | %s | %d | %.1f %% | %s |" % row, flush=True)


if __name__ == "__main__":
    main()
