"""Kernels of a user's in place of ours: a folder with kernels.toml that maps operators to launches of its PTX.

    [[operator]]
    kind = "silu_mul"
    types = { type = "f32" }             # only operators of these types; what is not said may be any
    least = { rows = 1 }                 # and of shapes from here ...
    most = { rows = 64 }                 # ... to here
    [[operator.launch]]
    module = "unary.ptx"
    entry = "silu"
    grid = ["ceil(columns, 256)", "rows"]
    block = [256]
    shared_bytes = 0
    args = [{ buffer = "x" }, { buffer = "out", offset = 0 }, { type = "s32", value = "columns" }]

Numbers may be expressions of the operator's shape, with + - * // % and ceil(a, b). Buffers are those that the
operator has by these names (`write.py --buffers KIND ...` prints them); one with a type and a count is memory of the
kernel's own.
The first entry that fits an operator is taken.
"""
import ast
import operator
import pathlib
import tomllib
from typing import Mapping

from .kinds import KINDS, Operator
from .launch import Buffer, Launch, Scalar, Step, scratch

OPERATIONS = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod, ast.Div: operator.truediv, ast.Pow: operator.pow,
}  # fmt: skip
KEYS = {"kind", "types", "least", "most", "launch"}
LAUNCH_KEYS = {"module", "entry", "grid", "block", "cluster", "shared_bytes", "args"}


class UserKernelError(Exception):
    """A kernels.toml that cannot be taken, with its place."""


def evaluate(text: object, names: Mapping[str, float]) -> float:
    """A number, or an expression of numbers by names."""
    if not isinstance(text, str):
        return text
    try:
        return _value(ast.parse(text, mode="eval").body, names)
    except (SyntaxError, ZeroDivisionError) as error:
        raise UserKernelError("'%s': %s" % (text, error)) from None


def _value(node: ast.AST, names: Mapping[str, float]) -> float:
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Name):
        if node.id in names:
            return names[node.id]
        raise UserKernelError("the shape has no '%s', but %s" % (node.id, ", ".join(names)))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_value(node.operand, names)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATIONS:
        return OPERATIONS[type(node.op)](_value(node.left, names), _value(node.right, names))
    if isinstance(node, ast.Call) and ast.unparse(node.func) == "ceil" and len(node.args) == 2:
        above, below = (_value(argument, names) for argument in node.args)
        return -(-above // below)
    raise UserKernelError("'%s' is no expression of + - * / // %% ** and ceil(a, b)" % ast.unparse(node))


class UserKernels:
    """What a folder's kernels.toml maps."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        self._folder = pathlib.Path(folder)
        path = self._folder / "kernels.toml"
        try:
            self._entries = tomllib.loads(path.read_text()).get("operator", [])
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise UserKernelError("%s: %s" % (path, error)) from None
        for number, entry in enumerate(self._entries, 1):
            place = "%s: operator %d" % (path, number)
            _check_keys(place, entry, KEYS)
            if entry.get("kind") not in KINDS:
                raise UserKernelError("%s: no kind of operator is called '%s'" % (place, entry.get("kind")))
            for launch in entry.get("launch", []):
                _check_keys(place + ": launch", launch, LAUNCH_KEYS)

    def find(self, op: Operator, steps: list[Step]) -> list[Launch] | None:
        """The launches of an operator, whose buffers are those of our own steps; None if there are none."""
        buffers = {a.name: a for step in steps for a in step.arguments.values() if isinstance(a, Buffer)}
        for entry in self._entries:
            if _fits(entry, op):
                return [self._launch(launch, op, buffers) for launch in entry["launch"]]
        return None

    def _launch(self, launch: dict, op: Operator, buffers: dict[str, Buffer]) -> Launch:
        def extents(key: str) -> tuple[int, ...]:
            return tuple(int(evaluate(value, op.shape)) for value in launch.get(key, [1]))

        path = self._folder / launch["module"]
        if not path.exists():
            raise UserKernelError("%s is not there" % path)
        arguments = tuple(_argument(argument, op, buffers) for argument in launch["args"])
        shared = int(evaluate(launch.get("shared_bytes", 0), op.shape))
        shape = (extents("grid"), extents("block"), extents("cluster"))
        return Launch(path, launch["entry"], *shape, shared, arguments)


def _argument(argument: dict, op: Operator, buffers: dict[str, Buffer]) -> Buffer | Scalar:
    if "buffer" not in argument:
        return Scalar(argument["type"], evaluate(argument["value"], op.shape))
    name = argument["buffer"]
    if "count" in argument:
        return scratch(name, argument["type"], evaluate(argument["count"], op.shape))
    if name not in buffers:
        raise UserKernelError("%s has no buffer '%s', but %s" % (op.kind, name, ", ".join(buffers)))
    return buffers[name].behind(int(evaluate(argument.get("offset", 0), op.shape)))


def _fits(entry: dict, op: Operator) -> bool:
    return (
        entry["kind"] == op.kind
        and all(op.types.get(key) == value for key, value in entry.get("types", {}).items())
        and all(op.shape.get(key, 0) >= value for key, value in entry.get("least", {}).items())
        and all(op.shape.get(key, 0) <= value for key, value in entry.get("most", {}).items())
    )


def _check_keys(place: str, given: dict, known: set[str]) -> None:
    unknown = sorted(set(given) - known)
    if unknown:
        raise UserKernelError("%s: no key is called '%s'; there are %s" % (place, unknown[0], ", ".join(sorted(known))))
