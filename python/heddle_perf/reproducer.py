"""Writes what shows a change again: the object with the form of the earlier run, that with
the form of the later one, and for a stage of the compiler what it was given."""
import json
import os
import shutil

from . import forms
from .manifests import files_named
from .swap import Share, Swapped

SCRIPT = """#!/bin/sh
# Measures {key} with what {stage} made in the earlier run, and in the later one.
# The programs are those of PATH.
cd "$(dirname "$0")" || exit 1
{again}for which in before after; do
  echo "$which:"
  ptx-prof run --no-advice --rows 0 --chip {chip} --module $which.hdo $which.json
done
"""
AGAIN = """# The stage anew, of what it was given in the earlier run:
#   {command} given.txt -o made.txt
# What it made then is in before.txt.
"""


def _write(folder: str, name: str, data: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def _copy_files(manifest: str, source: str, folder: str) -> None:
    """The files that a launch reads."""
    for name in files_named(json.loads(manifest)):
        origin, place = os.path.join(source, name), os.path.join(folder, name)
        if os.path.isfile(origin) and os.path.abspath(place).startswith(os.path.abspath(folder)):
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copyfile(origin, place)


def write_reproducer(folder: str, key: str, chip: str, source: str, found: Swapped) -> None:
    """`source` is the folder of the point's manifest."""
    os.makedirs(folder, exist_ok=True)
    share: Share = found.main
    for which, state in (("before", share.was), ("after", share.is_now)):
        # The model alone has nothing of its own.
        state = state if state.code else share.is_now
        _write(folder, which + ".hdo", forms.decode(state.code))
        _write(folder, which + ".json", state.manifest.encode())
        _copy_files(state.manifest, source, folder)
    again = ""
    if found.again:
        again = AGAIN.format(command=found.again.command)
        _write(folder, "given.txt", found.again.given.encode())
        _write(folder, "before.txt", found.again.made.encode())
        if found.again.plan is not None:
            _write(folder, "plan.json", found.again.plan.encode())
    script = SCRIPT.format(key=key, stage=share.stage, chip=chip, again=again)
    _write(folder, "reproduce.sh", script.encode())
    os.chmod(os.path.join(folder, "reproduce.sh"), 0o755)
