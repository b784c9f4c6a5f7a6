"""What the advisor (ptx-prof) says of the kernels that matter most, and manifests of these."""
import dataclasses
import hashlib
import json
import pathlib
import tempfile
from typing import Callable

from evaluate import Answer, Evaluator
from measure import Bench, Run, code_of, cost_of, cut_grid, total
from models import Chip
from operators import Launch, Operator
from operators.manifest import manifest_of, save

TEN = 10
# Warp instructions of a run of which the advisor makes several.
MOST = 4e5
# What a piece of advice has to win to be told, as a part of the cycles.
LEAST = 0.02


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A launch of an operator with the part that it has of all workloads' time."""

    op: Operator
    launch: Launch
    chip: Chip
    share: float


def kernels_that_matter(answers: list[Answer], bench: Bench, count: int = TEN) -> list[Kernel]:
    """Of all answers, the kernels with the largest sum of parts of a step's time; one operator
    for each kernel, the one that takes most."""
    sums: dict[str, float] = {}
    largest: dict[str, tuple[float, Operator, int, Chip]] = {}
    for answer in answers:
        if answer.composed is None:
            continue
        for part in answer.step.parts:
            timing = answer.timings[part.operator.name]
            for number, (name, seconds) in enumerate(timing.kernels):
                share = seconds * part.times / answer.composed.seconds
                sums[name] = sums.get(name, 0) + share
                if share > largest.get(name, (0,))[0]:
                    largest[name] = (share, part.operator, number, answer.chip)
    found = []
    for name in sorted(sums, key=lambda key: -sums[key])[:count]:
        _, op, number, chip = largest[name]
        found.append(Kernel(op, bench.launches_on(op, chip)[number], chip, sums[name]))
    return found


def small_run(bench: Bench, kernel: Kernel) -> Run:
    """A slice and a part of the grid that run in a second."""
    cores = bench.slice_of(kernel.op, kernel.chip)
    whole = total(kernel.launch.grid)
    ctas = min(whole * cores / kernel.chip.cores, max(cores, whole * MOST / max(1.0, cost_of(kernel.op))))
    return Run(kernel.launch, kernel.chip, max(1, round(ctas)), cores)


def advice_of(bench: Bench, kernel: Kernel) -> dict:
    """The pieces of advice that win most, as the report of ptx-prof has them."""
    run = small_run(bench, kernel)
    launch = dataclasses.replace(run.launch, grid=cut_grid(run.launch.grid, run.ctas))
    with tempfile.TemporaryDirectory(prefix="heddle-ai-") as name:
        folder = pathlib.Path(name)
        manifest = manifest_of([launch], folder, "launch")
        text = json.dumps(["advice", manifest["launches"], run.chip.chip, run.figures, bench.identity])
        key = hashlib.sha256((code_of(launch.path) + text).encode()).hexdigest()
        known = bench.store.get(key)
        if known is None:
            path = save(manifest, folder, "launch")
            words = ["run", "--json", "--chip", run.chip.chip, "--figures", run.figures or "cores=1x", str(path)]
            done = bench.tools.run("ptx-prof", *words)
            if done.returncode:
                return {"pieces": [], "problem": done.stderr.strip()[-200:]}
            report = json.loads(done.stdout)["launches"][0]
            cycles = report["profile"]["cycles"]
            proved = [piece for piece in report["advice"] if piece.get("proved")]
            pieces = [[piece["limiter"], piece["cycles_won"] / cycles] for piece in proved]
            known = {"pieces": sorted(pieces, key=lambda piece: -piece[1])}
            bench.store.put(key, "advice on " + launch.kernel, known)
    return known


def advise(evaluator: Evaluator, answers: list[Answer], tell: Callable[[str], None]) -> list[dict]:
    """Rows of the page: kernel, chip, what would win and how much."""
    bench = evaluator.bench
    rows = []
    for kernel in kernels_that_matter(answers, bench):
        found = advice_of(bench, kernel)
        if "problem" in found:
            tell("%s: %s" % (kernel.launch.kernel, found["problem"]))
        told = [piece for piece in found["pieces"] if piece[1] >= LEAST]
        rows.append({
            "kernel": kernel.launch.path.stem, "operator": kernel.op.name, "chip": kernel.chip.name,
            "share": kernel.share,
            "advice": ", ".join(name for name, _ in told) or "nothing",
            "won": ", ".join("%.0f %%" % (100 * won) for _, won in told),
        })  # fmt: skip
    return rows
