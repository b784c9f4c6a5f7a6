"""What the data files say: models, chips and workloads, as typed values."""
import dataclasses
import itertools
import pathlib
import re
import tomllib
from typing import Iterator

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE / "data"
CHIP_TABLE = HERE.parents[1] / "docs" / "isa" / "chips.md"
MACHINES = HERE.parent / "collectives" / "machines"
# Bytes of a weight; four bits have a scale of 16 bits for each 128.
WEIGHT_BYTES = {"f32": 4.0, "tf32": 4.0, "f16": 2.0, "bf16": 2.0, "f8e4m3": 1.0, "i4": 0.5 + 2 / 128}
PHASES = ("decode", "prefill", "forward", "train")


class DataError(Exception):
    """What is wrong with a data file."""


@dataclasses.dataclass(frozen=True, eq=False)
class Model:
    """A model's published dimensions; a family reads those that it knows."""

    name: str
    family: str
    source: str
    sizes: dict

    def __getattr__(self, name: str):
        try:
            return self.__dict__["sizes"][name]
        except KeyError:
            raise AttributeError("%s has no %s" % (self.__dict__.get("name"), name)) from None


@dataclasses.dataclass(frozen=True, eq=False)
class Chip:
    """A chip of isa-defs with its memory and what else differs from it."""

    name: str
    chip: str
    memory: float  # GB
    source: str
    figures: str = ""  # as ptx-prof --figures takes them
    machine: str = ""  # a file of collectives/machines
    published_only: bool = False  # for published.csv alone
    table: dict = dataclasses.field(default_factory=dict)  # of docs/isa/chips.md

    def figure(self, name: str, known_as: str = "") -> float:
        """A figure with the changes in it; known_as is its name in --figures."""
        value = float(self.table[name])
        for change in filter(None, self.figures.split(",")):
            key, text = change.split("=")
            if key == known_as:
                value = value * float(text[:-1]) if text.endswith("x") else float(text)
        return value

    @property
    def cores(self) -> int:
        return int(self.figure("Cores", "cores"))

    @property
    def hertz(self) -> float:
        return self.figure("ClockMHz", "clock") * 1e6

    @property
    def dram_rate(self) -> float:
        """Bytes a second that transfers reach."""
        return self.figure("DRAMBytesPerCycle", "dram") * self.figure("DRAMPercent") / 100 * self.hertz

    @property
    def matrix_rate(self) -> float:
        """Operations a second of products of half precision: 4,096 in each m16n8k16."""
        return 4096 / self.figure("MMA interval", "mma-interval") * 4 * self.cores * self.hertz


@dataclasses.dataclass(frozen=True)
class Workload:
    """A model in a phase with types and sizes: a row of the table."""

    model: Model
    phase: str
    weights: str
    batch: int
    context: int
    tensor_parallel: int
    cache: str = "f16"  # the type of keys and values that are kept
    prompts: int = 0  # that a step of tokens works through beside them
    prompt: int = 0  # the tokens of each

    @property
    def name(self) -> str:
        parts = [self.model.name, self.phase, self.weights, "b%d" % self.batch]
        parts += ["c%d" % self.context] if self.context else []
        parts += ["cache-" + self.cache] if self.cache != "f16" else []
        parts += ["with-%dx%d" % (self.prompts, self.prompt)] if self.prompts else []
        return " ".join(parts + (["tp%d" % self.tensor_parallel] if self.tensor_parallel > 1 else []))


def _read(name: str) -> dict:
    with open(DATA / name, "rb") as file:
        return tomllib.load(file)


def read_models() -> dict[str, Model]:
    found = {}
    for name, row in _read("models.toml").items():
        sizes = {key: value for key, value in row.items() if key not in ("family", "source")}
        found[name] = Model(name, row["family"], row["source"], sizes)
    return found


def chip_table() -> dict[str, dict]:
    """docs/isa/chips.md: the figures of each chip, and intervals as `MMA interval`."""
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in CHIP_TABLE.read_text().splitlines()
        if line.startswith("|")
    ]
    names = rows[0][1:]
    found: dict[str, dict] = {name: {} for name in names}
    latencies = next(row for row in rows if row[0] == "class")
    for row in rows:
        if len(row) == len(names) + 1 and re.fullmatch(r"\d+", row[1]):
            for name, cell in zip(names, row[1:], strict=True):
                found[name][row[0]] = int(cell)
        elif len(row) == len(latencies) and re.fullmatch(r"\d+", row[-1]):
            for name in names:
                column = latencies.index(name + " latency")
                found[name][row[0] + " interval"] = int(row[column + 1])
    return found


def read_chips() -> dict[str, Chip]:
    table = chip_table()
    chips = {}
    for name, row in _read("chips.toml").items():
        if row["chip"] not in table:
            raise DataError("chips.toml: there is no chip %s" % row["chip"])
        chips[name] = Chip(name, table=table[row["chip"]], **row)
    return chips


def _lists(row: dict) -> Iterator[tuple]:
    keys = ("weights", "batch", "context", "tensor_parallel")
    yield from itertools.product(*(row.get(key, [0 if key == "context" else 1]) for key in keys))


def read_workloads() -> list[Workload]:
    models, found = read_models(), []
    for row in _read("workloads.toml")["workload"]:
        if row["model"] not in models or row["phase"] not in PHASES:
            raise DataError("workloads.toml: no %s %s" % (row["model"], row["phase"]))
        for weights, batch, context, parallel in _lists(row):
            if weights not in WEIGHT_BYTES:
                raise DataError("workloads.toml: no weights of %s" % weights)
            found.append(Workload(models[row["model"]], row["phase"], weights, batch, context, parallel))
    return found
