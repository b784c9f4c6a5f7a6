"""What an operator is: a kind, a shape and types; and what is known of each kind."""
import dataclasses
from typing import Callable, Mapping, Sequence

from .launch import Step

# Bytes of an element; of i4, two lie in a byte.
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "tf32": 4, "f8e4m3": 1, "i4": 0.5, "i32": 4}


class OperatorError(Exception):
    """An operator that there is no kernel for, or whose description is wrong."""


@dataclasses.dataclass(frozen=True)
class Operator:
    """One operation of a model; what is not said has the kind's defaults."""

    kind: str
    shape: Mapping[str, int]
    types: Mapping[str, str] = dataclasses.field(default_factory=dict)

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise OperatorError("no kind of operator is called '%s'; there are %s" % (self.kind, ", ".join(KINDS)))
        object.__setattr__(self, "shape", _completed(self, "shape", self.shape, kind.shape))
        types = {key: choices[0] for key, choices in kind.types.items()}
        object.__setattr__(self, "types", _completed(self, "types", self.types, types))
        for key, value in self.types.items():
            if value not in kind.types[key]:
                known = ", ".join(kind.types[key])
                raise OperatorError("%s: %s cannot be '%s', but %s" % (self.kind, key, value, known))
        for key, value in self.shape.items():
            if not isinstance(value, int) or value < kind.least.get(key, 1):
                raise OperatorError("%s: %s cannot be %s" % (self.kind, key, value))

    @property
    def name(self) -> str:
        """A name for files and tables, the same for the same operator."""
        kind = KINDS[self.kind]
        shape = ["%s%d" % (key, value) for key, value in self.shape.items() if value != kind.shape[key]]
        types = [value for key, value in self.types.items() if value != kind.types[key][0]]
        return "-".join([self.kind, *shape, *types])

    def __hash__(self) -> int:
        return hash(self.name)


@dataclasses.dataclass(frozen=True)
class Kind:
    """What is common to operators of a kind.

    shape: the keys, with what each is where it is not said (None: it must be said).
    types: the keys, with the values there are, the usual one first.
    least: the least values of keys that may be 0.
    plan: the kernels that an operator takes, in order.
    """

    shape: Mapping[str, int | None]
    types: Mapping[str, Sequence[str]]
    flops: Callable[[Operator], float]
    bytes: Callable[[Operator], float]
    plan: Callable[[Operator, str], list[Step]]
    least: Mapping[str, int] = dataclasses.field(default_factory=dict)


KINDS: dict[str, Kind] = {}


def _completed(op: Operator, what: str, given: Mapping, defaults: Mapping) -> dict:
    """What is given, in the kind's order, with defaults where nothing is."""
    unknown = [key for key in given if key not in defaults]
    if unknown:
        raise OperatorError("%s: its %s have no '%s', but %s" % (op.kind, what, unknown[0], ", ".join(defaults)))
    full = {**defaults, **given}
    missing = [key for key, value in full.items() if value is None]
    if missing:
        raise OperatorError("%s: no %s given" % (op.kind, missing[0]))
    return full


def size(count: float, kind: str) -> float:
    """Bytes of so many elements."""
    return count * SIZES[kind]
