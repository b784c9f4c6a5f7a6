"""The time of operators on chips, by the timing model, kept by content.

A launch is timed on a slice of the chip: a part of its cores with as much of DRAM's and L2's
rate, and as much of the grid. Grids of many fillings are cut to two lengths, and long loops to
two depths, between and beyond which time is a straight line (docs/ai-workloads.md has how far
that is off).
"""
import concurrent.futures
import contextlib
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
from typing import Callable, Iterable, Iterator, Sequence

from models import Chip
from operators import KINDS, Launch, Operator, has_types, launches
from operators.manifest import manifest_of, save
from perf import Tools
from smaller import like, shorter
from tuned import Tuned, document_of

# Of PTX, as operators have them: for much shared memory, for little, and for that with numbers of eight bits.
TARGETS = ("sm_90", "sm_80", "sm_89")
SCHEMA = "CREATE TABLE IF NOT EXISTS launch (key TEXT PRIMARY KEY, about TEXT NOT NULL, result TEXT NOT NULL)"
# Cores of a slice. Products share what they load over cores, so their slices are larger.
SLICE = {"gemm": 33, "conv2d": 33, "moe_gemm": 33, "weight_gradient": 33}
SMALL_SLICE = 16
# Larger inputs are zeros, which cost the host nothing: time does not depend on values.
MOST_RANDOM_BYTES = 1 << 20
# Warp instructions of a run that is not worth cutting, less than a second of the model.
CHEAP = 8e5
# The part of a time that a slice, and that a cut, may be off: accuracy.py measures both.
SLICE_ERROR, CUT_ERROR = 0.06, 0.07
# The part of the matrix units' time from which on they are what a kernel waits for.
BUSY = 0.4


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
    shares: bool = True  # whether CTAs load what others do, so that L2 has all that it has for the chip

    @property
    def figures(self) -> str:
        """The slice: as much of each shared rate as it has of the cores, and of L2 where nothing is shared. What that
        writes back takes a channel as long at a time as on the chip."""
        changes = [self.chip.figures] if self.chip.figures else []
        changes += [self.what_if] if self.what_if else []
        if self.cores < self.chip.cores:
            part = self.cores / self.chip.cores
            changes += ["cores=%d" % self.cores, "dram=%.6fx" % part, "l2=%.6fx" % part]
            changes += [] if self.shares else ["l2-size=%.6fx" % part, *self.fewer_writes(part)]
        return ",".join(changes)

    def fewer_writes(self, part: float) -> list[str]:
        """How much a channel of DRAM collects that has a part of its rate; nothing where it collects nothing."""
        sectors = self.chip.figure("DRAMWriteSectors")
        return ["dram-writes=%d" % max(1, round(sectors * part))] if sectors > 1 else []


def following(short: Counted, long: Counted) -> float:
    """The cycles of each filling behind the first, of runs of one and of two. A core whose last CTA ends late keeps the
    run from its end, and no filling behind it: where each filling has the same work for the matrix units, their busy
    part says how long cores had CTAs."""
    if short.matrix_busy and long.matrix_busy:
        with_ctas = short.cycles * (2 * short.matrix_busy / long.matrix_busy - 1)
        return min(with_ctas, long.cycles - short.cycles)
    return long.cycles - short.cycles


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
        self,
        store: Store,
        tools: Tools,
        python: str | None = None,
        what_if: str = "",
        known: bool = False,
        tuned: Tuned | None = None,
    ):
        """known: only what the store has is there, and nothing runs. tuned: decisions for kernels."""
        self.store, self.tools, self.python, self.what_if, self.known = store, tools, python, what_if, known
        self.tuned, self.identity = tuned, tools.identity()
        self.ran = self.found = 0
        self._resident: dict[tuple, int] = {}
        self._turns: dict[str, threading.Lock] = {}

    def changed(self, what_if: str) -> "Bench":
        """The same on chips with other figures."""
        return Bench(self.store, self.tools, self.python, what_if, self.known, self.tuned)

    def decisions(self, launch: Launch, chip: Chip) -> str:
        """The document of ptx-tune for a kernel; empty if there is none."""
        found = self.tuned.decisions(chip.chip, launch.kernel) if self.tuned else {}
        return document_of({launch.kernel: found}) if found else ""

    def key(self, run: Run, manifest: dict) -> str:
        decided = self.decisions(run.launch, run.chip)
        about = [manifest["launches"], run.chip.chip, run.figures, self.identity, *([decided] if decided else [])]
        text = json.dumps(about, sort_keys=True)
        return hashlib.sha256((code_of(run.launch.path) + text).encode()).hexdigest()

    def run(self, run: Run) -> Counted:
        grid = cut_grid(run.launch.grid, run.ctas)
        launch = dataclasses.replace(run.launch, grid=grid)
        with tempfile.TemporaryDirectory(prefix="heddle-ai-") as name:
            folder = pathlib.Path(name)
            manifest = manifest_of([launch], folder, "launch", most_random=MOST_RANDOM_BYTES)
            manifest["max_instructions"] = 10**15
            key = self.key(run, manifest)
            with self.turn(key):
                known = self.store.get(key)
                if known is not None:
                    self.found += 1
                    return Counted(**known)
                if self.known:
                    raise MeasureError("%s is not timed yet" % run.launch.path.stem)
                report = self._profile(run, save(manifest, folder, "launch"))
                counted = counted_of(report, total(launch.block))
                self.ran += 1
                about = "%s %s on %s %s" % (launch.path.stem, "x".join(map(str, grid)), run.chip.chip, run.figures)
                self.store.put(key, about, dataclasses.asdict(counted))
        return counted

    @contextlib.contextmanager
    def turn(self, key: str) -> Iterator[None]:
        """Who times a launch that another times already waits for it."""
        with self._turns.setdefault(key, threading.Lock()):
            yield

    def _profile(self, run: Run, path: pathlib.Path) -> dict:
        words = ["run", "--json", "--no-advice", "--fresh-memory=zero", "--chip", run.chip.chip]
        words += ["--figures", run.figures] if run.figures else []
        decided = self.decisions(run.launch, run.chip)
        words += ["-X", "--tuning=" + decided] if decided else []
        done = self.tools.run("ptx-prof", *words, str(path))
        if done.returncode:
            raise MeasureError("%s: %s" % (run.launch.path.stem, done.stderr.strip()[-300:]))
        return json.loads(done.stdout)

    def slice_of(self, op: Operator, chip: Chip) -> int:
        return min(chip.cores, SLICE.get(op.kind, SMALL_SLICE))

    def like(self, op: Operator) -> Operator:
        """What is timed in place of an operator, of which a part of each grid is timed."""
        return like(op)

    def time_launch(
        self, op: Operator, launch: Launch, like: Launch, chip: Chip, cost: float, ctas: int
    ) -> tuple[float, float, Counted]:
        """Cycles of so many CTAs of a launch, the part that they may be off by, and what a run
        said. cost: warp instructions of all of it, roughly. like: a launch whose first CTAs do the same."""
        cores = self.slice_of(op, chip)
        whole = max(1, ctas * cores / chip.cores)
        sliced = SLICE_ERROR if cores < chip.cores else 0.0

        def run(count: int) -> Counted:
            taken = like if count <= total(like.grid) else launch
            return self.run(Run(taken, chip, count, cores, self.what_if, op.kind in SLICE))

        filling = 0
        if cost * cores / chip.cores > CHEAP and whole > 2 * cores:
            filling = cores * self.resident(like, chip, cores)
        if not filling or whole <= 3 * filling:
            counted = run(math.ceil(whole))
            return counted.cycles, sliced, counted
        short, long = run(filling), run(2 * filling)
        fillings = whole / filling
        # Where the matrix units are busy, a filling that is not whole takes as long as one.
        if long.matrix_busy >= BUSY:
            fillings = math.ceil(fillings)
        cycles = short.cycles + following(short, long) * (fillings - 1)
        return cycles, sliced + CUT_ERROR, long

    def resident(self, launch: Launch, chip: Chip, cores: int) -> int:
        """How many CTAs of a launch a core holds, which its code and its block decide."""
        key = (launch.path, launch.kernel, launch.block, launch.shared_bytes, chip.chip)
        if key not in self._resident:
            self._resident[key] = self.find_resident(launch, chip, cores)
        return self._resident[key]

    def find_resident(self, launch: Launch, chip: Chip, cores: int) -> int:
        about = [launch.kernel, launch.block, launch.shared_bytes, chip.chip, self.identity, "resident"]
        about += filter(None, [self.decisions(launch, chip)])
        key = hashlib.sha256((code_of(launch.path) + json.dumps(about)).encode()).hexdigest()
        found = self.store.get(key)
        if found is None:
            found = {"resident": self.run(Run(launch, chip, cores, cores)).resident}
            self.store.put(key, "CTAs of a core: %s on %s" % (launch.path.stem, chip.chip), found)
        return found["resident"]

    def launches_on(self, op: Operator, chip: Chip) -> list[Launch]:
        """An operator's launches, with smaller tiles where a chip's CTAs have less shared memory."""
        for target in filter(functools.partial(has_types, op), TARGETS):
            made = launches(op, target, self.python)
            if all(launch.shared_bytes <= chip.table["SharedBytesPerCTA"] for launch in made):
                return made
        raise MeasureError("%s: no kernels with as little shared memory as %s has" % (op.name, chip.name))

    def time_whole(self, op: Operator, chip: Chip) -> Timing:
        """An operator with the loops that it has."""
        made = self.launches_on(op, chip)
        cost = cost_of(op) / len(made)
        seconds = error = 0.0
        kernels, runs = [], []
        smaller = self.like(op)
        shown = self.launches_on(smaller, chip) if smaller is not op else made
        # A smaller operator is found for much shared memory, and may have other tiles where there is little.
        if [launch.kernel for launch in shown] != [launch.kernel for launch in made]:
            shown = made
        for number, (launch, one) in enumerate(zip(made, shown, strict=True)):
            ctas = total(launch.grid) if number else math.ceil(total(launch.grid) * busy_part(op))
            cycles, off, counted = self.time_launch(op, launch, one, chip, cost, ctas)
            took = cycles / chip.hertz
            seconds += took
            error += off * took
            kernels.append((launch.path.stem, took))
            runs.append(counted)
        return Timing(seconds, error / seconds, len(made), tuple(kernels), tuple(runs))

    def time(self, op: Operator, chip: Chip) -> Timing:
        """An operator; long loops by two shorter ones."""
        cheap = cost_of(op) * self.slice_of(op, chip) / chip.cores <= CHEAP
        pair = None if cheap else shorter(op)
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
