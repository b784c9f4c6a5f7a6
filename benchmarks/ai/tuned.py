"""Decisions of ptx-tune for kernels, as tune.py keeps them: a document for each chip."""
import json
import pathlib
from typing import Mapping

from models import DATA, DataError

FOLDER = DATA / "tuning"


def document_of(decisions: Mapping[str, Mapping[str, int]]) -> str:
    """As ptx-compile --tuning takes it (docs/tuning.md): a kernel in a line."""
    rows = ("\n  %s: %s" % (json.dumps(name), json.dumps(row)) for name, row in sorted(decisions.items()))
    return '{ "heddle_tuning": 1, "kernels": {%s } }\n' % ",".join(rows)


def read(path: pathlib.Path) -> dict[str, dict]:
    """The decisions of a document, by the names of kernels."""
    found = json.loads(path.read_text(encoding="utf-8"))
    if found.get("heddle_tuning") != 1:
        raise DataError("%s: no document of ptx-tune" % path.name)
    return found["kernels"]


class Tuned:
    """What a folder has for chips; nothing for others."""

    def __init__(self, folder: pathlib.Path = FOLDER):
        self.chips = {path.stem: read(path) for path in sorted(folder.glob("*.json"))}

    def decisions(self, chip: str, kernel: str) -> dict:
        return self.chips.get(chip, {}).get(kernel, {})
