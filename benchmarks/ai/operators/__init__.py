"""Operators of models, as launches of kernels and as launch manifests.

`launches(op)` says which kernels of which PTX files an operator takes, `write_manifest` makes a
file of that for ptx-run and ptx-time, and KINDS says what there is, with operations and bytes.
"""
import pathlib

from . import attention, experts, images, matrix, norms, pointwise, tokens, training  # noqa: F401  (adding to KINDS)
from .launch import Buffer, Launch, Scalar, Step
from .library import MissingKernel, find
from .manifest import manifest_of, save
from .kinds import KINDS, Kind, Operator, OperatorError
from .targets import CORES, LACKING
from .users import UserKernelError, UserKernels

__all__ = [
    "KINDS", "Buffer", "Kind", "Launch", "MissingKernel", "Operator", "OperatorError", "Scalar",
    "UserKernelError", "UserKernels", "has_types", "launches", "plan", "write_manifest",
]  # fmt: skip


def plan(op: Operator, target: str = "sm_90") -> list[Step]:
    """The kernels of an operator, before their PTX is looked for."""
    if target not in CORES:
        raise OperatorError("no kernels for %s; there are some for %s" % (target, ", ".join(CORES)))
    if not has_types(op, target):
        raise OperatorError("%s: no kernels with %s for %s" % (op.kind, " or ".join(LACKING[target]), target))
    return KINDS[op.kind].plan(op, target)


def has_types(op: Operator, target: str) -> bool:
    """Whether Triton has operations on an operator's types of elements for a target."""
    return not set(LACKING[target]) & set(op.types.values())


def launches(
    op: Operator, target: str = "sm_90", python: str | None = None, kernels: UserKernels | None = None
) -> list[Launch]:
    """The launches of an operator: a user's where `kernels` has some; Triton of `python` makes what the tree lacks."""
    steps = plan(op, target)
    taken = kernels.find(op, steps) if kernels else None
    return taken or [_launch(step, target, python) for step in steps]


def write_manifest(
    op: Operator,
    folder: str | pathlib.Path,
    target: str = "sm_90",
    python: str | None = None,
    most_ctas: int | None = None,
    expect: list[dict] | None = None,
    kernels: UserKernels | None = None,
) -> pathlib.Path:
    """Writes a launch manifest of an operator; its grids are cut to most_ctas where that is given."""
    made = launches(op, target, python, kernels)
    return save(manifest_of(made, pathlib.Path(folder), op.name, most_ctas, expect), pathlib.Path(folder), op.name)


def _launch(step: Step, target: str, python: str | None) -> Launch:
    path, about = find(step.kernel, target, python)
    signature = step.kernel.signature
    arguments = [step.arguments[name] for name in signature]
    # Triton's kernels have two more pointers, to memory for tools and descriptors, which these do not use.
    arguments += [Scalar("u64", 0)] * 2
    return Launch(
        path, about["kernel"], tuple(step.grid), (about["block"],), (1,), about["shared"], tuple(arguments)
    )
