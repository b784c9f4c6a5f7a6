"""Measures kernels on other machines: by workers of a Redis queue, or as tasks of Ray.

A kernel travels with the files that its manifest names, so that workers need nothing but
the tools, which have to be the same ones: the queue has the digest of the programs in its
name. A job stays in the queue until its result is stored; a worker that gives no sign of
life for a lease loses it to another one, and a job over which several have died fails.
"""
import base64
import dataclasses
import hashlib
import json
import os
import socket
import tempfile
import threading
import time
import zlib
from typing import Callable, Optional, Sequence

from .manifests import files_named
from .measure import measure_kernels
from .redis import Redis, RedisError
from .store import Launch, Result
from .suites import TUNING, Case, Point
from .tools import Tools

KEPT_SECONDS = 7 * 24 * 3600
POLL_SECONDS = 0.2
GROUP = "workers"
MOST_DEATHS = 4


class FleetError(Exception):
    """Why there are no workers."""


# ===- Jobs ---------------------------------------------------------------------===


def pack(point: Point) -> bytes:
    """A point with its files, as the same bytes each time."""
    folder, name = os.path.split(os.path.abspath(point.case.manifest))
    with open(point.case.manifest, encoding="utf-8") as file:
        names = {name, *files_named(json.load(file))}
    files = {}
    for each in sorted(names):
        with open(os.path.join(folder, each), "rb") as file:
            files[each] = base64.b64encode(file.read()).decode()
    job = {
        "key": point.key,
        "chip": point.chip,
        "options": point.options,
        "name": point.name,
        "manifest": name,
        "files": files,
        "tuning": point.tuning(),
    }
    return zlib.compress(json.dumps(job, sort_keys=True).encode(), 6)


def _safe(folder: str, name: str) -> str:
    """A name within the folder: what comes from a queue names no other place."""
    path = os.path.normpath(os.path.join(folder, name))
    if not path.startswith(folder + os.sep):
        raise FleetError("a job names the file '%s'" % name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def carry_out(tools: Tools, data: bytes) -> Result:
    """Measures what was packed."""
    job = json.loads(zlib.decompress(data))
    with tempfile.TemporaryDirectory(prefix="heddle-perf-") as folder:
        for name, text in job["files"].items():
            with open(_safe(folder, name), "wb") as file:
                file.write(base64.b64decode(text))
        options = job["options"]
        if job["tuning"] is not None:
            document = " ".join(job["tuning"].split())
            options = [TUNING + document if o.startswith(TUNING) else o for o in options]
        case = Case(job["key"], _safe(folder, job["manifest"]), folder=folder)
        point = Point(case, job["chip"], tuple(options), job["name"])
        result = measure_kernels(tools, point)
    result.key = job["key"]
    return result


def at_home(result: Result, point: Point) -> Result:
    """With the places of this machine."""
    if "place" in result.artefacts:
        place = json.loads(result.artefacts["place"])
        folder = os.path.dirname(os.path.abspath(point.case.manifest))
        if place["module"]:
            place["module"] = os.path.join(folder, os.path.basename(place["module"]))
        place["manifest"] = os.path.abspath(point.case.manifest)
        place["folder"] = os.path.abspath(point.case.folder)
        place["options"] = point.options
        result.artefacts["place"] = json.dumps(place)
    result.artefacts["options"] = json.dumps(point.options)
    if (tuning := point.tuning()) is not None:
        result.artefacts["tuning"] = tuning
    return result


def _packed(result: Result) -> bytes:
    return zlib.compress(json.dumps(dataclasses.asdict(result)).encode(), 6)


def _unpacked(data: bytes) -> Result:
    row = json.loads(zlib.decompress(data))
    row["launches"] = [Launch(**launch) for launch in row["launches"]]
    return Result(**row)


# ===- Redis ---------------------------------------------------------------------===


class Names:
    """Of what a build has in the server."""

    def __init__(self, tools: Tools):
        self.prefix = "heddle:perf:1:" + tools.identity()
        self.jobs = self.prefix + ":jobs"

    def bundle(self, job: str) -> str:
        return "%s:bundle:%s" % (self.prefix, job)

    def asked(self, job: str) -> str:
        return "%s:asked:%s" % (self.prefix, job)

    def result(self, job: str) -> str:
        return "%s:result:%s" % (self.prefix, job)


def measure_on_queue(
    tools: Tools, points: Sequence[Point], address: str, done: Callable[[Point], None]
) -> dict[str, Result]:
    """Waits for workers; the results by key."""
    server, names = Redis(address), Names(tools)
    waiting: dict[str, Point] = {}
    for point in points:
        data = pack(point)
        job = hashlib.sha256(data).hexdigest()
        waiting[job] = point
        if server("EXISTS", names.result(job)):
            continue
        server("SET", names.bundle(job), data, "EX", KEPT_SECONDS)
        if server("SET", names.asked(job), "1", "NX", "EX", KEPT_SECONDS):
            server("XADD", names.jobs, "*", "job", job)
    results = {}
    while waiting:
        for job, point in list(waiting.items()):
            found = server("GET", names.result(job))
            if isinstance(found, bytes):
                results[point.key] = at_home(_unpacked(found), point)
                del waiting[job]
                done(point)
        if waiting:
            time.sleep(POLL_SECONDS)
    return results


class _Heartbeat:
    """Tells the server now and then that the worker lives."""

    def __init__(self, address: str, words: Sequence[str], pause: float):
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(address, words, pause), daemon=True)
        self._thread.start()

    def _run(self, address: str, words: Sequence[str], pause: float) -> None:
        try:
            server = Redis(address)
            while not self._over.wait(pause):
                server(*words)
        except RedisError:
            pass  # Another worker takes the job, and it is done twice.

    def __enter__(self) -> "_Heartbeat":
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class Worker:
    def __init__(self, tools: Tools, address: str, lease: float):
        self.tools, self.address, self.lease = tools, address, lease
        self.server, self.names = Redis(address), Names(tools)
        self.name = "%s-%d-%d" % (socket.gethostname(), os.getpid(), time.monotonic_ns())
        try:
            self.server("XGROUP", "CREATE", self.names.jobs, GROUP, "0", "MKSTREAM")
        except RedisError as problem:
            if "BUSYGROUP" not in str(problem):
                raise

    def _take(self) -> Optional[tuple[str, str]]:
        """A job's name in the stream and its own: one that a dead worker had, or a new one."""
        milliseconds = str(int(self.lease * 1000))
        found = self.server(
            "XAUTOCLAIM", self.names.jobs, GROUP, self.name, milliseconds, "0", "COUNT", "1"
        )
        entries = found[1] if isinstance(found, list) else []
        if not entries:
            read = self.server(
                "XREADGROUP", "GROUP", GROUP, self.name, "COUNT", "1", "BLOCK", "500",
                "STREAMS", self.names.jobs, ">",
            )  # fmt: skip
            entries = read[0][1] if read else []
        return (entries[0][0].decode(), entries[0][1][1].decode()) if entries else None

    def _deaths(self, entry: str) -> int:
        rows = self.server("XPENDING", self.names.jobs, GROUP, entry, entry, "1")
        return int(rows[0][3]) - 1 if isinstance(rows, list) and rows else 0

    def _carry_out(self, entry: str, job: str) -> Result:
        data = self.server("GET", self.names.bundle(job))
        if not isinstance(data, bytes):
            return Result("", "cycles", "the job's files are gone from the queue")
        if self._deaths(entry) >= MOST_DEATHS:
            return Result("", "cycles", "%d workers died over it" % MOST_DEATHS)
        return carry_out(self.tools, data)

    def step(self) -> bool:
        """Whether there was a job, which then is done."""
        taken = self._take()
        if not taken:
            return False
        entry, job = taken
        alive = ("XCLAIM", self.names.jobs, GROUP, self.name, "0", entry, "JUSTID")
        with _Heartbeat(self.address, alive, self.lease / 4):
            result = self._carry_out(entry, job)
        self.server("SET", self.names.result(job), _packed(result), "EX", KEPT_SECONDS, "NX")
        self.server("DEL", self.names.asked(job))
        self.server("XACK", self.names.jobs, GROUP, entry)
        self.server("XDEL", self.names.jobs, entry)
        return True

    def run(self, idle: float) -> int:
        """Works until there was nothing to do for so many seconds; 0: for ever. How many jobs
        it did."""
        count, last = 0, time.monotonic()
        while not idle or time.monotonic() - last < idle:
            if self.step():
                count, last = count + 1, time.monotonic()
        return count


# ===- Ray -----------------------------------------------------------------------===


def measure_on_ray(
    tools: Tools, points: Sequence[Point], address: str, done: Callable[[Point], None]
) -> dict[str, Result]:
    """Each point is a task of a Ray cluster, whose nodes have the tools at the same place;
    with the address `local` the cluster is this machine. Ray gives a task whose node is lost
    to another one. Ray is no part of Heddle."""
    try:
        import ray
    except ImportError:
        raise FleetError("--ray needs the package ray") from None
    this_package = os.path.dirname(os.path.abspath(__file__))
    try:
        ray.init(
            address=None if address == "local" else address,
            ignore_reinit_error=True,
            runtime_env={"py_modules": [this_package]},
            log_to_driver=False,
            logging_level="warning",
        )
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise FleetError("--ray %s: %s" % (address, error)) from None
    task = ray.remote(max_retries=MOST_DEATHS - 1)(carry_out)
    pending = {task.remote(tools, pack(point)): point for point in points}
    results = {}
    while pending:
        ready, _ = ray.wait(list(pending))
        for each in ready:
            point = pending.pop(each)
            try:
                result = ray.get(each)
            except ray.exceptions.RayError as error:
                result = Result(point.key, "cycles", str(error).strip().splitlines()[-1])
            results[point.key] = at_home(result, point)
            done(point)
    return results
