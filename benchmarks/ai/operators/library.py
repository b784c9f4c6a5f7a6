"""The PTX of specialised kernels: what the tree has, and what Triton makes when it lacks something."""
import dataclasses
import functools
import hashlib
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from typing import Mapping

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
# The types of elements as Triton names them.
TRITON = {"f16": "fp16", "bf16": "bf16", "f32": "fp32", "tf32": "fp32", "f8e4m3": "fp8e4nv", "i4": "u8", "i32": "i32"}


class MissingKernel(Exception):
    """A specialisation that the tree does not have, where no Python with Triton is given."""


class KernelError(Exception):
    """A kernel that Triton does not take."""


@dataclasses.dataclass(frozen=True)
class Specialisation:
    """A Triton kernel of kernels/MODULE.py with types for its parameters, and constants for the others.

    tag: what its file's name has behind the name of the function.
    """

    module: str
    function: str
    tag: str
    signature: Mapping[str, str]
    constants: Mapping[str, object]
    warps: int = 4
    stages: int = 3

    @property
    def name(self) -> str:
        return "%s-%s" % (self.function.replace("_", "-"), self.tag)

    def described(self, target: str) -> dict:
        """As kernels/compile.py takes it."""
        return {**dataclasses.asdict(self), "name": self.name, "target": target, "sources": sources_of(self.module)}


@functools.lru_cache(maxsize=None)
def sources_of(module: str) -> str:
    """A digest of what a kernel is written in: PTX of older text is not taken."""
    texts = [(KERNELS / (name + ".py")).read_bytes() for name in (module, "common")]
    return hashlib.sha256(b"".join(texts)).hexdigest()[:16]


def pointer(kind: str) -> str:
    return "*%s:16" % TRITON[kind]


def multiple(value: int) -> str:
    """The type of a number that kernels are told more of where it is a multiple of 16."""
    return "i32:16" if value % 16 == 0 else "i32"


def compile_all(needed: list[Specialisation], target: str, folder: pathlib.Path, python: str) -> None:
    text = json.dumps([kernel.described(target) for kernel in needed])
    done = subprocess.run(
        [python, str(KERNELS / "compile.py"), str(folder)], input=text, text=True, capture_output=True
    )
    if done.returncode:
        raise KernelError("kernels did not compile:\n" + done.stderr.strip())


@functools.lru_cache(maxsize=None)
def _about(path: pathlib.Path) -> dict | None:
    return json.loads(path.read_text()) if path.exists() else None


def _matches(path: pathlib.Path, description: dict) -> bool:
    found = _about(path)
    return found is not None and found["made_of"] == json.loads(json.dumps(description))


def find(kernel: Specialisation, target: str, python: str | None = None) -> tuple[pathlib.Path, dict]:
    """The file with a specialisation's PTX, and what is known of it.

    What the tree lacks is made by Triton in `python`, and kept in a cache by the text of the sources.
    """
    description = kernel.described(target)
    kept = KERNELS / "ptx" / target / (kernel.name + ".json")
    if _matches(kept, description):
        return kept.with_suffix(".ptx"), _about(kept)
    made = _cache() / description["sources"] / target / (kernel.name + ".json")
    if not _matches(made, description):
        if python is None:
            raise MissingKernel("%s is not in %s; a Python with Triton can make it" % (kernel.name, kept.parent))
        compile_all([kernel], target, made.parent, python)
        _about.cache_clear()
    return made.with_suffix(".ptx"), _about(made)


def triton_python() -> str | None:
    """The Python that HEDDLE_TRITON_PYTHON names, or this one if it has Triton."""
    named = os.environ.get("HEDDLE_TRITON_PYTHON")
    return named if named is not None else sys.executable if importlib.util.find_spec("triton") else None


def _cache() -> pathlib.Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "heddle-benchmark"
