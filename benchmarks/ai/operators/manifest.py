"""Launch manifests (docs/launch-manifest.md) of launches."""
import array
import json
import os
import pathlib
from typing import Sequence

from .launch import Argument, Buffer, Launch
from .kinds import size

# How the manifest calls the types of elements.
MANIFEST_TYPES = {"tf32": "f32", "f8e4m3": "u8", "i4": "u8", "i32": "s32"}
# Of more bytes than this, inputs of real numbers hold what memory holds at first: nothing
# depends on their values but the results.
MOST_RANDOM_BYTES = 64 << 20
# The bits of numbers of eight bits from 0 to 1.875.
SMALL_F8 = {"low": 0, "high": 0x3F}


def element_count(buffer: Buffer) -> int:
    return buffer.count // 2 if buffer.type == "i4" else buffer.count


def manifest_of(
    launches: Sequence[Launch],
    folder: pathlib.Path,
    name: str,
    most_ctas: int | None = None,
    expect: Sequence[dict] | None = None,
    most_random: int = MOST_RANDOM_BYTES,
) -> dict:
    """The manifest of launches over the same buffers; lists of numbers become files in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    modules = list(dict.fromkeys(os.path.relpath(launch.path, folder) for launch in launches))
    seen: dict[str, Buffer] = {}
    entries = []
    for launch in launches:
        entries.append({
            "entry": launch.kernel,
            "grid": cut(launch.grid, most_ctas),
            "block": list(launch.block),
            "cluster": list(launch.cluster),
            "shared_bytes": launch.shared_bytes,
            "args": [_argument(argument, seen, folder, name, most_random) for argument in launch.arguments],
        })  # fmt: skip
    which = {"module": modules[0]} if len(modules) == 1 else {"modules": modules}
    whole = {**which, "launches": entries}
    return {**whole, "expect": list(expect)} if expect else whole


def cut(grid: Sequence[int], most_ctas: int | None) -> list[int]:
    """As much of a grid as there may be CTAs, whole rows of it where it has several."""
    extents = list(grid)
    if most_ctas is None:
        return extents
    left = most_ctas
    for index, extent in enumerate(extents):
        extents[index] = max(1, min(extent, left))
        left //= extents[index]
    return extents


def save(manifest: dict, folder: pathlib.Path, name: str) -> pathlib.Path:
    path = folder / (name + ".json")
    path.write_text(json.dumps(manifest, indent=1) + "\n")
    return path


def _argument(
    argument: Argument, seen: dict[str, Buffer], folder: pathlib.Path, name: str, most_random: int
) -> dict:
    if not isinstance(argument, Buffer):
        return {"type": argument.type, "value": argument.value}
    offset = {"offset": int(size(argument.offset, argument.type))} if argument.offset else {}
    if argument.name in seen:
        return {"buffer": argument.name, **offset}
    seen[argument.name] = argument
    kind = MANIFEST_TYPES.get(argument.type, argument.type)
    entry = {"buffer": argument.name, "type": kind, "count": element_count(argument), **offset}
    init = _init(argument, folder, name, most_random)
    return {**entry, "init": init} if init is not None else entry


def _init(buffer: Buffer, folder: pathlib.Path, name: str, most_random: int) -> object:
    if isinstance(buffer.init, tuple):
        path = folder / ("%s.%s.bin" % (name, buffer.name))
        path.write_bytes(array.array("i", buffer.init).tobytes())
        return {"file": path.name}
    if not isinstance(buffer.init, dict) or "random" not in buffer.init:
        return buffer.init
    if buffer.type != "i32" and size(buffer.count, buffer.type) > most_random:
        return None
    seed = buffer.init["random"]["seed"]
    if buffer.type == "f8e4m3":
        return {"random": {"seed": seed, **SMALL_F8}}
    if buffer.type == "i4":
        return {"random": {"seed": seed, "low": 0, "high": 255}}
    return buffer.init
