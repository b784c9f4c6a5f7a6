"""The kernels of a program, captured once, and those of them that are measured.

What is kept of a program is the first launch of each of its kernels as a manifest, of those that
are worth a night: a launch that runs again as it ran in the program, that takes no longer than
some seconds and needs little memory, and of these the few that execute most. Modules lose the other
kernels, where the launch does the same without them. The manifests stay, so that figures of two
nights are those of the same launches.
"""
import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from entries import only
from table import ROOT, Program

sys.path.insert(0, str(ROOT / "python"))

from heddle_perf.history import executed_by  # noqa: E402
from heddle_perf.measure import profile  # noqa: E402
from heddle_perf.tools import Tools  # noqa: E402

CHIP = "hd100"
SECONDS = 300  # that a program may take
KEPT = "kept.json"
DIFFERENT = "elements differ"


class ProgramError(Exception):
    """Why a program that is there gave no kernels."""


@dataclasses.dataclass(frozen=True)
class Limits:
    kernels: int = 6  # of a program
    instructions: int = 1_000_000  # of warps, in a launch
    bytes: int = 64 << 20  # in the files of a launch
    ptx: int = 1 << 20  # bytes of a module


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    manifest: str  # the file's name
    instructions: int


@dataclasses.dataclass(frozen=True)
class Kernels:
    """Of a program: those to measure, and why others are not."""

    kept: tuple[Kernel, ...]
    left_out: dict[str, str]


def key_of(program: Program, limits: Limits) -> str:
    """Of what was captured, and of the form in which it is kept."""
    return hashlib.sha256(repr((program.recipe, limits, "modules of one kernel")).encode()).hexdigest()


def _name(manifest: pathlib.Path) -> str:
    """Without the number of the launch, which changes with other launches, and without the digest
    that Warp gives to names."""
    return re.sub(r"_[0-9a-f]{8}_cuda_kernel_(\w+)$", r"-\1", manifest.stem.split("-", 1)[-1])


def known(program: Program, limits: Limits, folder: pathlib.Path) -> Kernels | None:
    """What was captured before, of the same recipe."""
    try:
        data = json.loads((folder / KEPT).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    if data["key"] != key_of(program, limits):
        return None
    return Kernels(tuple(Kernel(**row) for row in data["kernels"]), data["left_out"])


def _files(manifest: pathlib.Path) -> list[pathlib.Path]:
    return [path for path in manifest.parent.iterdir() if path.name.startswith(manifest.stem + ".")]


def _run(tools: Tools, command: list[str], cwd: pathlib.Path, environment: dict, folder: pathlib.Path) -> None:
    words = [tools.path("ptx-env"), "--capture=%s" % folder, *command]
    shutil.rmtree(folder, ignore_errors=True)
    try:
        done = subprocess.run(
            words, cwd=cwd, env={**os.environ, **environment}, timeout=SECONDS, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        raise ProgramError("does not end in %d s" % SECONDS) from None
    lines = done.stdout.strip().splitlines() or ["no message"]
    if done.returncode:
        raise ProgramError("exit status %d: %s" % (done.returncode, lines[-1]))
    if not list(folder.glob("*.json")):
        why = [line for line in lines if "is not captured" in line]
        raise ProgramError(why[0] if why else "launches no kernel")


def _executed(tools: Tools, manifest: pathlib.Path, limits: Limits) -> tuple[int, str]:
    """The instructions of warps of a launch, or why it cannot be measured. What a launch leaves is
    compared no more where that is not the same again: sums of atomics come in any order."""
    data = json.loads(manifest.read_text(encoding="utf-8"))
    data["max_instructions"] = 32 * limits.instructions
    manifest.write_text(json.dumps(data, indent=1), encoding="utf-8")
    whole = _without_others(manifest, data["entry"])
    report, why = profile(tools, CHIP, str(manifest), ["-O3"])
    if report is None and DIFFERENT in why:
        manifest.write_text(json.dumps({**data, "expect": []}, indent=1), encoding="utf-8")
        report, why = profile(tools, CHIP, str(manifest), ["-O3"])
    if report is None and whole:  # The kernel launches others, or something holds their addresses.
        manifest.with_suffix(".ptx").write_text(whole, encoding="utf-8")
        report, why = profile(tools, CHIP, str(manifest), ["-O3"])
    return (executed_by(json.loads(report)), "") if report else (0, why.rpartition(manifest.name + ": ")[2])


def _without_others(manifest: pathlib.Path, kernel: str) -> str:
    """Leaves other kernels out of a module and returns what it was; empty if there are none."""
    module = manifest.with_suffix(".ptx")
    whole = module.read_text(encoding="utf-8")
    module.write_text(only(whole, kernel), encoding="utf-8")
    return whole if module.stat().st_size < len(whole.encode()) else ""


def _too_large(manifest: pathlib.Path, limits: Limits) -> str:
    """Why a launch is not even tried; empty if it is."""
    module = manifest.with_suffix(".ptx").stat().st_size
    size = sum(path.stat().st_size for path in _files(manifest))
    if module > limits.ptx:
        return "a module of %.1f MB" % (module / 2**20)
    return "%d MB of memory" % (size >> 20) if size > limits.bytes else ""


def _choose(tools: Tools, manifests: list[pathlib.Path], limits: Limits, jobs: int) -> Kernels:
    left_out = {m.stem: why for m in manifests if (why := _too_large(m, limits))}
    small = [manifest for manifest in manifests if manifest.stem not in left_out]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        counts = dict(zip(small, pool.map(lambda m: _executed(tools, m, limits), small)))
    found = []
    for manifest, (count, why) in counts.items():
        if why:
            left_out[manifest.stem] = why
        elif count > limits.instructions:
            left_out[manifest.stem] = "%d instructions of warps" % count
        else:
            found.append(Kernel(_name(manifest), manifest.name, count))
    found.sort(key=lambda kernel: (-kernel.instructions, kernel.manifest))
    for kernel in found[limits.kernels:]:
        left_out[kernel.manifest.removesuffix(".json")] = "%d others execute more" % limits.kernels
    return Kernels(_with_own_names(found[:limits.kernels]), left_out)


def _with_own_names(kernels: list[Kernel]) -> tuple[Kernel, ...]:
    """Of kernels with the same name, such as cut ones of a template, the next have a number."""
    seen: dict[str, int] = {}
    result = []
    for kernel in kernels:
        seen[kernel.name] = count = seen.get(kernel.name, 0) + 1
        result.append(dataclasses.replace(kernel, name=kernel.name + ("-%d" % count if count > 1 else "")))
    return tuple(result)


def capture(
    tools: Tools, program: Program, command: list[str], cwd: pathlib.Path, environment: dict,
    folder: pathlib.Path, limits: Limits, jobs: int
) -> Kernels:
    """Runs a program, and keeps its kernels. ProgramError if there is none to measure."""
    _run(tools, command, cwd, environment, folder)
    kernels = _choose(tools, sorted(folder.glob("*.json")), limits, jobs)
    stay = {kernel.manifest for kernel in kernels.kept}
    for manifest in sorted(folder.glob("*.json")):
        if manifest.name not in stay:
            for path in _files(manifest):
                path.unlink()
    if not kernels.kept:
        shutil.rmtree(folder)
        raise ProgramError("no kernel that can be measured: %s" % next(iter(kernels.left_out.values())))
    rows = [dataclasses.asdict(kernel) for kernel in kernels.kept]
    data = {"key": key_of(program, limits), "kernels": rows, "left_out": kernels.left_out}
    (folder / KEPT).write_text(json.dumps(data, indent=1), encoding="utf-8")
    return kernels
