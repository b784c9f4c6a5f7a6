"""Launches of kernels, with their arguments, and the steps that they are planned as."""
import dataclasses
import pathlib
from typing import Mapping, Sequence

from .library import Specialisation


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Memory of the device. Arguments with the same name are the same memory.

    role: input, output, both (changed in place) or scratch.
    init: as in docs/launch-manifest.md, or a tuple of whole numbers.
    offset: how many elements into the memory the kernel's pointer points.
    """

    name: str
    type: str
    count: int
    role: str = "input"
    init: object = None
    offset: int = 0

    def behind(self, elements: int) -> "Buffer":
        """A pointer to a later element of the same memory."""
        return dataclasses.replace(self, offset=self.offset + elements)


@dataclasses.dataclass(frozen=True)
class Scalar:
    type: str
    value: float


Argument = Buffer | Scalar
NOTHING = Scalar("u64", 0)


@dataclasses.dataclass(frozen=True)
class Step:
    """A kernel with its grid; arguments by the names of its parameters."""

    kernel: Specialisation
    grid: Sequence[int]
    arguments: Mapping[str, Argument]


@dataclasses.dataclass(frozen=True)
class Launch:
    """A kernel of a PTX file, and all that it takes to start it."""

    path: pathlib.Path
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    cluster: tuple[int, ...]
    shared_bytes: int
    arguments: tuple[Argument, ...]


def real(name: str, kind: str, count: float, seed: int, low: float = -1, high: float = 1) -> Buffer:
    """An input of random numbers."""
    return Buffer(name, kind, int(count), "input", {"random": {"seed": seed, "low": low, "high": high}})


def listed(name: str, values: Sequence[int]) -> Buffer:
    """An input of whole numbers."""
    return Buffer(name, "i32", len(values), "input", tuple(values))


def output(name: str, kind: str, count: float) -> Buffer:
    return Buffer(name, kind, int(count), "output")


def scratch(name: str, kind: str, count: float) -> Buffer:
    return Buffer(name, kind, int(count), "scratch")


def integer(value: int) -> Scalar:
    return Scalar("s32", value)


def number(value: float) -> Scalar:
    return Scalar("f32", value)
