"""Measures points: kernels in the time of a chip, programs by the host's clock."""
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import tempfile
import time
from typing import Callable, Iterable, Iterator, Optional, Sequence

from .forms import Chain, FormError, all_forms
from .store import Launch, Result
from .suites import Point
from .tools import TIMEOUT_SECONDS, Tools

CYCLES = "gpc__cycles_elapsed.max"
WANTED_RESOLUTION = 0.01
MOST_ROUNDS = 5


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


def _reason(text: str) -> str:
    """The first error that a tool's output has, of a file without its folder, else the last
    line."""
    errors = [line for line in text.splitlines() if re.search(r"\berror *:", line, re.IGNORECASE)]
    return re.sub(r"^\S*/(?=\S*:\d)", "", errors[0]) if errors else _last_line(text)


def _modules(manifest: str) -> list[str]:
    with open(manifest, encoding="utf-8") as file:
        module = json.load(file).get("module", [])
    names = module if isinstance(module, list) else [module]
    return [os.path.join(os.path.dirname(manifest), name) for name in names]


def single_module(point: Point) -> Optional[str]:
    """The file of the one module of PTX that a point launches; None if it has several, or
    machine code, or is a program."""
    modules = _modules(point.case.manifest) if point.case.manifest else []
    if len(modules) != 1:
        return None
    with open(modules[0], "rb") as file:
        return None if file.read(4) == b"\x7fELF" else modules[0]


def _asm(tools: Tools, point: Point, module: str) -> Iterator[tuple[str, str]]:
    made = tools.run(
        "ptx-compile",
        "--emit=asm",
        "--chip=" + point.chip,
        *point.compiler_options,
        module,
        "-o",
        "-",
    )
    if not made.returncode:
        yield "asm", made.stdout


def _artefacts(tools: Tools, point: Point) -> Iterator[tuple[str, str]]:
    """The launch, the module, and what the compiler makes of it; of several modules, which
    are linked, their text alone."""
    with open(point.case.manifest, encoding="utf-8") as file:
        yield "manifest", file.read()
    yield "options", json.dumps(point.options)
    if tuning := point.tuning():
        yield "tuning", tuning
    modules = _modules(point.case.manifest)
    place = {
        "manifest": os.path.abspath(point.case.manifest),
        "folder": os.path.abspath(point.case.folder),
        "module": modules[0] if len(modules) == 1 else "",
        "chip": point.chip,
        "options": point.options,
    }
    yield "place", json.dumps(place)
    texts = []
    for module in modules:
        with open(module, "rb") as file:
            data = file.read()
        if data.startswith(b"\x7fELF"):
            return
        texts.append(data.decode(errors="replace"))
    yield "ptx", "\n".join(texts)
    if len(modules) != 1:
        return
    yield from _asm(tools, point, modules[0])
    if not tools.has("ptx-opt"):
        return
    with Chain(tools, point.chip, point.compiler_options, modules[0]) as chain:
        try:
            yield from all_forms(chain, texts[0]).items()
        except FormError:
            pass  # ptx-compile takes options that a part of the way does not.


def profile(
    tools: Tools, chip: str, manifest: str, words: Sequence[str]
) -> tuple[Optional[str], str]:
    """The report of ptx-prof, or None and what is wrong."""
    command = ["ptx-prof", "run", "--json", "--chip", chip, *words, manifest]
    done = tools.run(*command, "--no-advice")
    if done.returncode and "unknown option" in done.stderr:  # older than advice
        done = tools.run(*command)
    return (None, _reason(done.stderr)) if done.returncode else (done.stdout, "")


def launches_of(report: str) -> list[Launch]:
    return [
        Launch(launch["kernel"], int(launch["metrics"][CYCLES]["value"]))
        for launch in json.loads(report)["launches"]
    ]


def measure_kernels(tools: Tools, point: Point, keep: bool = True) -> Result:
    """With the report, and with `keep` all else that explains the figures."""
    result = Result(point.key, "cycles")
    words: list[str] = []
    for option in point.compiler_options:
        words += [option] if re.fullmatch("-O[0-3]", option) else ["-X", option]
    report, result.failure = profile(tools, point.chip, point.case.manifest, words)
    if report is None:
        return result
    result.launches = launches_of(report)
    if keep:
        result.artefacts = dict(_artefacts(tools, point))
    result.artefacts["report"] = report
    return result


class Bench:
    """Measures objects in place of a manifest's module. The manifest's other files are found
    beside it."""

    def __init__(self, tools: Tools, point: Point):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-perf-")
        self.folder = self._folder.name
        self.tools, self.point = tools, point
        self._reports: dict[tuple[str, bytes, str], Optional[str]] = {}
        source = os.path.dirname(os.path.abspath(point.case.manifest))
        for name in os.listdir(source):
            os.symlink(os.path.join(source, name), os.path.join(self.folder, name))

    def close(self) -> None:
        self._folder.cleanup()

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, name: str, data: bytes) -> str:
        path = os.path.join(self.folder, name)
        if os.path.islink(path):
            os.unlink(path)
        with open(path, "wb") as file:
            file.write(data)
        return path

    def report(self, manifest: str, code: bytes, what_if: str = "") -> Optional[str]:
        """Of ptx-prof; None if the launch fails."""
        key = manifest, code, what_if
        if key not in self._reports:
            words = ["--module", self._write("swapped.hdo", code)]
            words += ["--what-if", what_if] if what_if else []
            path = self._write("swapped.json", manifest.encode())
            self._reports[key] = profile(self.tools, self.point.chip, path, words)[0]
        return self._reports[key]


def time_program(point: Point, repeat: int) -> tuple[list[float], str]:
    """Seconds of each execution, or what failed. The first one warms up and does not count."""
    seconds = []
    for _ in range(repeat + 1):
        begin = time.perf_counter()
        try:
            done = subprocess.run(
                point.case.command,
                cwd=point.case.folder,
                capture_output=True,
                text=True,
                timeout=TIMEOUT_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as problem:
            return [], str(problem)
        if done.returncode:
            return [], "exit status %d: %s" % (done.returncode, _last_line(done.stderr))
        seconds.append(time.perf_counter() - begin)
    return seconds[1:], ""


def resolution(samples: list[float]) -> float:
    """The least change of the median, as a part of it, that so many samples tell from noise:
    the notch of a box plot (McGill, Tukey, Larsen 1978), 1.57 IQR / sqrt(n)."""
    quartiles = statistics.quantiles(samples, n=4)
    return 1.57 * (quartiles[2] - quartiles[0]) / math.sqrt(len(samples)) / quartiles[1]


def measure_program(point: Point) -> Result:
    """Goes on until a change of WANTED_RESOLUTION could be told, or MOST_ROUNDS are over."""
    result = Result(point.key, "seconds")
    for _ in range(MOST_ROUNDS):
        samples, result.failure = time_program(point, point.case.repeat)
        result.samples += samples
        if result.failure or resolution(result.samples) <= WANTED_RESOLUTION:
            break
    return result


# Measures kernels somewhere, telling of each; the results by key.
Fleet = Callable[[Tools, Sequence[Point], Callable[[Point], None]], dict[str, Result]]


def on_threads(jobs: int) -> Fleet:
    def run(
        tools: Tools, points: Sequence[Point], done: Callable[[Point], None]
    ) -> dict[str, Result]:
        results = {}
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            futures = {pool.submit(measure_kernels, tools, p): p for p in points}
            for future in concurrent.futures.as_completed(futures):
                results[futures[future].key] = future.result()
                done(futures[future])
        return results

    return run


def measure(
    tools: Tools,
    points: Iterable[Point],
    fleet: Fleet,
    progress: Callable[[int, str], None] = lambda done, key: None,
) -> list[Result]:
    """Kernels by the fleet, then programs one after the other, which would disturb each
    other. Results have the order of the points."""
    points = list(points)
    count = 0

    def done(point: Point) -> None:
        nonlocal count
        count += 1
        progress(count, point.key)

    results = fleet(tools, [p for p in points if not p.case.command], done)
    for point in points:
        if point.case.command:
            results[point.key] = measure_program(point)
            done(point)
    return [results[p.key] for p in points]
