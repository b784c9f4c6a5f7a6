"""What launch manifests name (docs/launch-manifest.md)."""
from typing import Iterator


def files_named(value: object) -> Iterator[str]:
    """The files of a manifest: its modules, and those of its buffers."""
    if isinstance(value, list):
        for element in value:
            yield from files_named(element)
    elif isinstance(value, dict):
        for key, element in value.items():
            if key in ("file", "module"):
                names = element if isinstance(element, list) else [element]
                yield from (n for n in names if isinstance(n, str))
            else:
                yield from files_named(element)
