"""The time of operators on chips, by the timing model, kept by content.

A launch is timed on a slice of the chip: a part of its cores with as much of DRAM's and L2's
rate, and as much of the grid. Grids of many fillings are cut to two lengths, and long loops to
two depths, between and beyond which time is a straight line (docs/ai-workloads.md has how far
that is off).
"""
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import math
import pathlib
import re
import sqlite3
import tempfile
import threading
from typing import Callable, Iterable, Sequence

from models import Chip
from operators import KINDS, Launch, Operator, launches, plan
from operators.manifest import manifest_of, save
from perf import Tools

# Of PTX, as operators have them: for much and for little shared memory.
TARGETS = ("sm_90", "sm_80")
SCHEMA = "CREATE TABLE IF NOT EXISTS launch (key TEXT PRIMARY KEY, about TEXT NOT NULL, result TEXT NOT NULL)"
# Cores of a slice. Products share what they load over cores, so their slices are larger.
SLICE = {"gemm": 33, "conv2d": 33, "moe_gemm": 33}
SMALL_SLICE = 16
# Warp instructions of a run that is not worth cutting, half a second of the model.
CHEAP = 6e5
# The part of a time that a slice, and that a cut, may be off: accuracy.py measures both.
SLICE_ERROR, CUT_ERROR = 0.06, 0.07
# The part of the matrix units' time from which on they are what a kernel waits for.
BUSY = 0.4
# Three fillings of the largest chip with three tiles on a core, so that a launch is always cut.
MANY_TILES = 1280
# Products of many tiles are timed by one of these with the same kernel: rows and columns.
PRODUCTS = tuple((m, n) for m in (1024, 2048, 4096) for n in (2048, 3072, 4096, 6144, 8192))


class MeasureError(Exception):
    """A launch that the model could not time."""


@dataclasses.dataclass(frozen=True)
class Counted:
    """What a run of the model said of the CTAs that it timed."""

    cycles: float
    ctas: int
    cores: int
    resident: int  # CTAs that a core holds
    dram_bytes: float
    l2_bytes: float
    instructions: float
    matrix_busy: float  # part of the matrix units' time
    issue_busy: float
    stalls: dict


@dataclasses.dataclass(frozen=True)
class Timing:
    """The time of one operator. error: what it may be off by, as a part of it."""

    seconds: float
    error: float
    launches: int
    kernels: tuple[tuple[str, float], ...]  # names and seconds
    counted: tuple[Counted, ...] = ()


@dataclasses.dataclass(frozen=True)
class Run:
    """A launch of which `ctas` run on `cores` cores of a chip."""

    launch: Launch
    chip: Chip
    ctas: int
    cores: int
    what_if: str = ""

    @property
    def figures(self) -> str:
        """The slice: as much of each shared rate as it has of the cores."""
        changes = [self.chip.figures] if self.chip.figures else []
        changes += [self.what_if] if self.what_if else []
        if self.cores < self.chip.cores:
            part = self.cores / self.chip.cores
            changes += ["cores=%d" % self.cores, "dram=%.6fx" % part, "l2=%.6fx" % part]
        return ",".join(changes)


def total(grid: Iterable[int]) -> int:
    return math.prod(grid)


def cut_grid(grid: Sequence[int], ctas: int) -> tuple[int, ...]:
    """About so many CTAs of a grid, in its order: whole rows where it has several."""
    extents, left = [], ctas
    for extent in grid:
        kept = max(1, min(extent, left))
        extents.append(kept)
        left = max(1, round(left / kept))
    return tuple(extents)


@functools.lru_cache(maxsize=None)
def code_of(path: pathlib.Path) -> str:
    """PTX without remarks, lines of sources and spaces that say nothing."""
    lines = (re.sub(r", ", ",", " ".join(line.split())) for line in path.read_text(encoding="utf-8").splitlines())
    return "\n".join(line for line in lines if line and not line.startswith((".loc", ".file", "//")))


class Store:
    """Results by the digest of all that they come from."""

    def __init__(self, path: str):
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, timeout=60)
        self._database.execute(SCHEMA)

    def get(self, key: str) -> dict | None:
        with self._lock:
            row = self._database.execute("SELECT result FROM launch WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def put(self, key: str, about: str, result: dict) -> None:
        with self._lock, self._database:
            self._database.execute("INSERT OR REPLACE INTO launch VALUES (?, ?, ?)", (key, about, json.dumps(result)))


def counted_of(report: dict, block: int) -> Counted:
    launch = report["launches"][0]
    profile, metrics = launch["profile"], launch["metrics"]
    cores = report["chip_figures"]["cores"]
    slots = max(1, profile["active_cycles"] * report["chip_figures"]["schedulers_per_core"])
    states = sorted(profile["states"].items(), key=lambda item: -item[1])
    warps = max(1, sum(profile["states"].values()))
    return Counted(
        cycles=profile["cycles"],
        ctas=total(launch["grid"]),
        cores=cores,
        resident=max(1, round(profile["theoretical_warps"] / math.ceil(block / 32))),
        dram_bytes=profile["memory"]["dram_read_bytes"] + profile["memory"]["dram_write_bytes"],
        l2_bytes=metrics["lts__t_bytes.sum"]["value"],
        instructions=profile["warp_instructions"],
        matrix_busy=profile["pipes"]["matrix"]["busy"] / slots,
        issue_busy=profile["warp_instructions"] / max(1, profile["cycles"] * cores * 4),
        stalls={name: round(count / warps, 4) for name, count in states[:4] if count},
    )


class Bench:
    """Runs launches with the tools of a build, and keeps what they took."""

    def __init__(
        self, store: Store, tools: Tools, python: str | None = None, what_if: str = "", known: bool = False
    ):
        """known: only what the store has is there, and nothing runs."""
        self.store, self.tools, self.python, self.what_if, self.known = store, tools, python, what_if, known
        self.identity = tools.identity()
        self.ran = self.found = 0
        self._resident: dict[tuple, int] = {}

    def changed(self, what_if: str) -> "Bench":
        """The same on chips with other figures."""
        return Bench(self.store, self.tools, self.python, what_if, self.known)

    def key(self, run: Run, manifest: dict) -> str:
        text = json.dumps([manifest["launches"], run.chip.chip, run.figures, self.identity], sort_keys=True)
        return hashlib.sha256((code_of(run.launch.path) + text).encode()).hexdigest()

    def run(self, run: Run) -> Counted:
        grid = cut_grid(run.launch.grid, run.ctas)
        launch = dataclasses.replace(run.launch, grid=grid)
        with tempfile.TemporaryDirectory(prefix="heddle-ai-") as name:
            folder = pathlib.Path(name)
            manifest = manifest_of([launch], folder, "launch")
            manifest["max_instructions"] = 10**15
            key = self.key(run, manifest)
            known = self.store.get(key)
            if known is not None:
                self.found += 1
                return Counted(**known)
            if self.known:
                raise MeasureError("%s is not timed yet" % run.launch.path.stem)
            path = save(manifest, folder, "launch")
            report = self._profile(run, path)
        counted = counted_of(report, total(launch.block))
        self.ran += 1
        about = "%s %s on %s %s" % (launch.path.stem, "x".join(map(str, grid)), run.chip.chip, run.figures)
        self.store.put(key, about, dataclasses.asdict(counted))
        return counted

    def _profile(self, run: Run, path: pathlib.Path) -> dict:
        words = ["run", "--json", "--no-advice", "--chip", run.chip.chip]
        words += ["--figures", run.figures] if run.figures else []
        done = self.tools.run("ptx-prof", *words, str(path))
        if done.returncode:
            raise MeasureError("%s: %s" % (run.launch.path.stem, done.stderr.strip()[-300:]))
        return json.loads(done.stdout)

    def slice_of(self, op: Operator, chip: Chip) -> int:
        return min(chip.cores, SLICE.get(op.kind, SMALL_SLICE))

    def time_launch(
        self, op: Operator, launch: Launch, chip: Chip, cost: float, ctas: int
    ) -> tuple[float, float, Counted]:
        """Cycles of so many CTAs of a launch, the part that they may be off by, and what a run
        said. cost: warp instructions of all of it, roughly."""
        cores = self.slice_of(op, chip)
        whole = max(1, ctas * cores / chip.cores)
        sliced = SLICE_ERROR if cores < chip.cores else 0.0
        if cost * cores / chip.cores <= CHEAP or whole <= 2 * cores:
            counted = self.run(Run(launch, chip, math.ceil(whole), cores, self.what_if))
            return counted.cycles, sliced, counted
        filling = cores * self.resident(launch, chip, cores)
        if whole <= 3 * filling:
            counted = self.run(Run(launch, chip, math.ceil(whole), cores, self.what_if))
            return counted.cycles, sliced, counted
        short, long = (self.run(Run(launch, chip, n * filling, cores, self.what_if)) for n in (1, 2))
        fillings = whole / filling
        # Where the matrix units are busy, a filling that is not whole takes as long as one.
        if long.matrix_busy >= BUSY:
            fillings = math.ceil(fillings)
        cycles = short.cycles + (long.cycles - short.cycles) * (fillings - 1)
        return cycles, sliced + CUT_ERROR, long

    def resident(self, launch: Launch, chip: Chip, cores: int) -> int:
        """How many CTAs of a launch a core holds, which its code and its block decide."""
        key = (launch.path, launch.kernel, launch.block, launch.shared_bytes, chip.chip)
        if key not in self._resident:
            self._resident[key] = self.find_resident(launch, chip, cores)
        return self._resident[key]

    def find_resident(self, launch: Launch, chip: Chip, cores: int) -> int:
        about = [launch.kernel, launch.block, launch.shared_bytes, chip.chip, self.identity, "resident"]
        key = hashlib.sha256((code_of(launch.path) + json.dumps(about)).encode()).hexdigest()
        found = self.store.get(key)
        if found is None:
            found = {"resident": self.run(Run(launch, chip, cores, cores)).resident}
            self.store.put(key, "CTAs of a core: %s on %s" % (launch.path.stem, chip.chip), found)
        return found["resident"]

    def launches_on(self, op: Operator, chip: Chip) -> list[Launch]:
        """An operator's launches, with smaller tiles where a chip's CTAs have less shared memory."""
        made = launches(op, TARGETS[0], self.python)
        if all(launch.shared_bytes <= chip.table["SharedBytesPerCTA"] for launch in made):
            return made
        return launches(op, TARGETS[1], self.python)

    def time_whole(self, op: Operator, chip: Chip) -> Timing:
        """An operator with the loops that it has."""
        made = self.launches_on(op, chip)
        cost = cost_of(op) / len(made)
        seconds = error = 0.0
        kernels, runs = [], []
        like = like_product(op)
        shown = self.launches_on(like, chip) if like is not op else made
        for number, (launch, one) in enumerate(zip(made, shown, strict=True)):
            ctas = total(launch.grid) if number else math.ceil(total(launch.grid) * busy_part(op))
            cycles, off, counted = self.time_launch(op, one, chip, cost, ctas)
            took = cycles / chip.hertz
            seconds += took
            error += off * took
            kernels.append((launch.path.stem, took))
            runs.append(counted)
        return Timing(seconds, error / seconds, len(made), tuple(kernels), tuple(runs))

    def time(self, op: Operator, chip: Chip) -> Timing:
        """An operator; long loops by two shorter ones."""
        shorter = SERIAL.get(op.kind)
        pair = shorter(op, chip) if shorter else None
        if pair is None:
            return self.time_whole(op, chip)
        (first, at_first), (second, at_second), at = pair
        one, two = self.time_whole(first, chip), self.time_whole(second, chip)
        slope = (two.seconds - one.seconds) / (at_second - at_first)
        seconds = max(two.seconds, one.seconds + slope * (at - at_first))
        grown = seconds / two.seconds
        kernels = tuple((name, took * grown) for name, took in two.kernels)
        return Timing(seconds, two.error + CUT_ERROR, two.launches, kernels, two.counted)


def cost_of(op: Operator) -> float:
    """Warp instructions of an operator, roughly: 12 for each 512 bytes, and three for each product
    of 16 x 8 x 16."""
    kind = KINDS[op.kind]
    return kind.bytes(op) / 512 * 12 + kind.flops(op) / 4096 * 3


def busy_part(op: Operator) -> float:
    """The part of an operator's first grid that has anything to do; it is at the beginning."""
    if op.kind != "moe_gemm":
        return 1.0
    return min(1.0, op.shape["tokens"] * op.shape["top_k"] / op.shape["experts"])


def with_shape(op: Operator, **sizes: int) -> Operator:
    return Operator(op.kind, {**op.shape, **sizes}, op.types)


Pair = tuple[tuple[Operator, float], tuple[Operator, float], float]


def tiles_of(op: Operator) -> int:
    return total(plan(op)[0].grid)


def like_product(op: Operator) -> Operator:
    """A product that takes the same kernel as often in a filling, for all of many tiles: only
    tiles next to each other share what they load."""
    if op.kind != "gemm" or tiles_of(op) < MANY_TILES:
        return op
    kernel = plan(op)[0].kernel.name
    rows = op.shape["m"]
    choices = PRODUCTS if rows >= 1024 else [(rows, n) for n in (4096, 8192, 16384, 32768, 65536)]
    for m, n in choices:
        other = with_shape(op, m=m, n=n)
        if plan(other)[0].kernel.name == kernel and tiles_of(other) >= MANY_TILES:
            return other
    return op


def shorter_product(op: Operator, chip: Chip) -> Pair | None:
    """Products of a depth of 512 and of 1024 in place of a longer one."""
    depth = op.shape["k"]
    if depth <= 1024 or cost_of(op) * SLICE["gemm"] / chip.cores <= CHEAP:
        return None
    return (with_shape(op, k=512), 512), (with_shape(op, k=1024), 1024), depth


def shorter_cache(op: Operator, chip: Chip) -> Pair | None:
    """A cache whose parts are as many, and shorter."""
    kept = op.shape["kv"]
    sequences = op.shape["batch"] * op.shape["kv_heads"]
    if kept <= 2048 or sequences < 264 or cost_of(op) * SMALL_SLICE / chip.cores <= CHEAP:
        return None
    return (with_shape(op, kv=1024), 1024), (with_shape(op, kv=2048), 2048), kept


def shorter_convolution(op: Operator, chip: Chip) -> Pair | None:
    """Convolutions of 128 and of 256 channels in place of more."""
    channels = op.shape["c"]
    if channels <= 256 or cost_of(op) * SLICE["conv2d"] / chip.cores <= CHEAP:
        return None
    return (with_shape(op, c=128), 128), (with_shape(op, c=256), 256), channels


def shorter_prompt(op: Operator, chip: Chip) -> Pair | None:
    """Prompts whose blocks of queries are fewer; with a mask, work grows with the square."""
    queries = op.shape["q"]
    if queries <= 1024 or op.shape["kv"] != queries:
        return None
    first, second = with_shape(op, q=512, kv=512), with_shape(op, q=1024, kv=1024)
    work: Callable[[Operator], float] = KINDS[op.kind].flops
    return (first, work(first)), (second, work(second)), work(op)


SERIAL: dict[str, Callable[[Operator, Chip], Pair | None]] = {
    "gemm": shorter_product,
    "conv2d": shorter_convolution,
    "moe_gemm": shorter_product,
    "attention_decode": shorter_cache,
    "attention_prefill": shorter_prompt,
    "attention_backward": shorter_prompt,
}


def time_all(bench: Bench, wanted: Iterable[tuple[Operator, Chip]], jobs: int, tell: Callable[[str], None]) -> dict:
    """Timings, or what went wrong, of each operator on each chip; equal ones once."""
    unique = {(op.name, chip.name): (op, chip) for op, chip in wanted}
    results: dict = {}

    def one(item: tuple) -> None:
        key, (op, chip) = item
        try:
            results[key] = bench.time(op, chip)
        except Exception as problem:  # pylint: disable=broad-except
            results[key] = problem
            if not bench.known:
                tell("%s on %s: %s" % (op.name, chip.name, problem))

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done, _ in enumerate(pool.map(one, unique.items()), 1):
            if done % 20 == 0 and not bench.known:
                tell("%d of %d operators timed, %d launches run" % (done, len(unique), bench.ran))
    return results
