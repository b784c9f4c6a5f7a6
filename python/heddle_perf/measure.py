"""Measures points: kernels in the time of a chip, programs by the host's clock."""
import concurrent.futures
import json
import math
import os
import re
import statistics
import subprocess
import time
from typing import Callable, Iterable, Iterator, Optional

from .store import Launch, Result
from .suites import Point

# What the compiler makes on the way, in its order; attribute has their meaning.
FORMS = ("ptx-dialect", "llvm-dialect", "llvm", "asm")
CYCLES = "gpc__cycles_elapsed.max"
TIMEOUT_SECONDS = 3600
WANTED_RESOLUTION = 0.01
MOST_ROUNDS = 5


class Tools:
    """The programs of a build or an installed tree."""

    def __init__(self, folder: Optional[str]):
        self.folder = folder

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name) if self.folder else name

    def run(self, name: str, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [self.path(name), *arguments],
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )

    def version(self) -> str:
        """One line; an OSError if the tools are not there."""
        lines = self.run("ptx-compile", "--version").stdout.splitlines()
        return next((line.strip() for line in lines if "eddle" in line), "unknown")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else "no message"


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


def _forms(tools: Tools, point: Point) -> Iterator[tuple[str, str]]:
    """The launch, the module, and what the compiler makes of it; of several modules, which
    are linked, their text alone."""
    with open(point.case.manifest, encoding="utf-8") as file:
        yield "manifest", file.read()
    modules = _modules(point.case.manifest)
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
    for form in FORMS:
        made = tools.run(
            "ptx-compile", "--emit=" + form, "--chip=" + point.chip, *point.options, modules[0], "-o", "-"
        )
        if made.returncode:
            return
        # The place of the module says nothing.
        yield form, made.stdout.replace(modules[0], os.path.basename(modules[0]))


def measure_kernels(tools: Tools, point: Point) -> Result:
    result = Result(point.key, "cycles")
    words = ["run", "--json", "--no-advice", "--chip", point.chip]
    for option in point.options:
        words += [option] if re.fullmatch("-O[0-3]", option) else ["-X", option]
    done = tools.run("ptx-prof", *words, point.case.manifest)
    if done.returncode:
        result.failure = _last_line(done.stderr)
        return result
    for launch in json.loads(done.stdout)["launches"]:
        cycles = launch["metrics"][CYCLES]["value"]
        result.launches.append(Launch(launch["kernel"], int(cycles)))
    result.artefacts = dict(_forms(tools, point))
    result.artefacts["report"] = done.stdout
    return result


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


def measure(
    tools: Tools,
    points: Iterable[Point],
    jobs: int,
    progress: Callable[[int, str], None] = lambda done, key: None,
) -> list[Result]:
    """Kernels on `jobs` threads, then programs one after the other, which would disturb each
    other. Results have the order of the points."""
    points = list(points)
    results: dict[str, Result] = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(measure_kernels, tools, p): p for p in points if not p.case.command
        }
        for future in concurrent.futures.as_completed(futures):
            results[futures[future].key] = future.result()
            progress(len(results), futures[future].key)
    for point in points:
        if point.case.command:
            results[point.key] = measure_program(point)
            progress(len(results), point.key)
    return [results[p.key] for p in points]
