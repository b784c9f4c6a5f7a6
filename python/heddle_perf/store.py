"""The store: runs with their figures and artefacts, in an SQLite file.

Artefacts (PTX, the compiler's intermediate forms, reports) are kept once by their
digest, compressed.
"""
import contextlib
import dataclasses
import hashlib
import json
import sqlite3
import time
import zlib
from typing import Iterator, Optional

VERSION = 1
SCHEMA = """
CREATE TABLE run (
  id INTEGER PRIMARY KEY, suite TEXT NOT NULL, label TEXT NOT NULL,
  tools TEXT NOT NULL, made REAL NOT NULL);
CREATE TABLE point (
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, key TEXT NOT NULL,
  kind TEXT NOT NULL, failure TEXT NOT NULL DEFAULT '');
CREATE TABLE launch (
  point INTEGER NOT NULL REFERENCES point, number INTEGER NOT NULL,
  kernel TEXT NOT NULL, cycles INTEGER NOT NULL);
CREATE TABLE sample (point INTEGER NOT NULL REFERENCES point, seconds REAL NOT NULL);
CREATE TABLE artefact (
  point INTEGER NOT NULL REFERENCES point, form TEXT NOT NULL, digest TEXT NOT NULL);
CREATE TABLE blob (digest TEXT PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE baseline (name TEXT PRIMARY KEY, run INTEGER NOT NULL REFERENCES run);
CREATE INDEX point_of_run ON point (run);
CREATE INDEX launch_of_point ON launch (point);
CREATE INDEX sample_of_point ON sample (point);
CREATE INDEX artefact_of_point ON artefact (point);
"""


class StoreError(Exception):
    """What is wrong with a store, or what it lacks."""


@dataclasses.dataclass
class Launch:
    kernel: str
    cycles: int


@dataclasses.dataclass
class Result:
    """What was measured at a point. A failure has no figures."""

    key: str
    kind: str  # "cycles" or "seconds"
    failure: str = ""
    launches: list[Launch] = dataclasses.field(default_factory=list)
    samples: list[float] = dataclasses.field(default_factory=list)
    artefacts: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class StoredResult(Result):
    """As read back: artefacts are digests, see Store.blob."""

    id: int = 0

    @property
    def cycles(self) -> int:
        return sum(launch.cycles for launch in self.launches)


@dataclasses.dataclass(frozen=True)
class Run:
    id: int
    suite: str
    label: str
    tools: str
    made: float


class Store:
    def __init__(self, path: str):
        try:
            self.database = sqlite3.connect(path)
            version = self.database.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                self.database.executescript(SCHEMA)
                self.database.execute("PRAGMA user_version = %d" % VERSION)
            elif version != VERSION:
                raise StoreError("%s has version %d, not %d" % (path, version, VERSION))
        except sqlite3.Error as problem:
            raise StoreError("%s: %s" % (path, problem)) from None

    def close(self) -> None:
        self.database.close()

    @contextlib.contextmanager
    def adding(self, suite: str, label: str, tools: str) -> Iterator[int]:
        """A run that is in the store as a whole or not at all."""
        with self.database:
            row = self.database.execute(
                "INSERT INTO run (suite, label, tools, made) VALUES (?, ?, ?, ?)",
                (suite, label, tools, time.time()),
            )
            yield row.lastrowid

    def add(self, run: int, result: Result) -> None:
        """Adds a result to a run that is being added."""
        point = self.database.execute(
            "INSERT INTO point (run, key, kind, failure) VALUES (?, ?, ?, ?)",
            (run, result.key, result.kind, result.failure),
        ).lastrowid
        self.database.executemany(
            "INSERT INTO launch VALUES (?, ?, ?, ?)",
            [(point, n, x.kernel, x.cycles) for n, x in enumerate(result.launches)],
        )
        self.database.executemany(
            "INSERT INTO sample VALUES (?, ?)", [(point, s) for s in result.samples]
        )
        for form, text in result.artefacts.items():
            digest = hashlib.sha256(text.encode()).hexdigest()
            data = zlib.compress(text.encode(), 6)
            self.database.execute("INSERT OR IGNORE INTO blob VALUES (?, ?)", (digest, data))
            self.database.execute("INSERT INTO artefact VALUES (?, ?, ?)", (point, form, digest))

    def runs(self, suite: Optional[str] = None) -> list[Run]:
        """From the first to the last."""
        rows = self.database.execute(
            "SELECT id, suite, label, tools, made FROM run ORDER BY id"
        ).fetchall()
        return [Run(*row) for row in rows if suite in (None, row[1])]

    def find(self, name: str) -> Run:
        """A run by a baseline's name, its number, its label, or `last` and `previous`; of
        several with one label the last."""
        runs = self.runs()
        places = {"last": -1, "previous": -2}
        if name in places and len(runs) >= -places[name]:
            return runs[places[name]]
        row = self.database.execute("SELECT run FROM baseline WHERE name = ?", (name,)).fetchone()
        for run in reversed(runs):
            if (row and run.id == row[0]) or (not row and name in (str(run.id), run.label)):
                return run
        raise StoreError("there is no run or baseline '%s'" % name)

    def set_baseline(self, name: str, run: Run) -> None:
        with self.database:
            self.database.execute("INSERT OR REPLACE INTO baseline VALUES (?, ?)", (name, run.id))

    def baselines(self) -> list[tuple[str, int]]:
        return self.database.execute("SELECT name, run FROM baseline ORDER BY name").fetchall()

    def results(self, run: Run) -> dict[str, StoredResult]:
        """By the points' keys, in the order of the suite."""
        found = {}
        rows = self.database.execute(
            "SELECT id, key, kind, failure FROM point WHERE run = ? ORDER BY id", (run.id,)
        ).fetchall()
        ask = self.database.execute
        for point, key, kind, failure in rows:
            launches = ask(
                "SELECT kernel, cycles FROM launch WHERE point = ? ORDER BY number", (point,)
            )
            samples = ask("SELECT seconds FROM sample WHERE point = ?", (point,))
            artefacts = ask("SELECT form, digest FROM artefact WHERE point = ?", (point,))
            found[key] = StoredResult(
                key,
                kind,
                failure,
                [Launch(*row) for row in launches],
                [row[0] for row in samples],
                dict(artefacts.fetchall()),
                point,
            )
        return found

    def blob(self, digest: str) -> str:
        row = self.database.execute("SELECT data FROM blob WHERE digest = ?", (digest,)).fetchone()
        if not row:
            raise StoreError("an artefact is missing: %s" % digest)
        return zlib.decompress(row[0]).decode()

    def report(self, result: StoredResult) -> dict:
        """What ptx-prof said."""
        return json.loads(self.blob(result.artefacts["report"]))
