"""Reads the table of projects."""
import json
import pathlib
import re

KINDS = ("ours", "theirs", "not supported", "time")


def read():
    """The projects of projects.json; the patterns of causes are compiled."""
    path = pathlib.Path(__file__).resolve().parent / "projects.json"
    projects = json.loads(path.read_text(encoding="utf-8"))
    for project in projects:
        for cause in project.get("causes", []):
            if cause["kind"] not in KINDS:
                raise ValueError(f"{path.name}: {project['name']}: no kind {cause['kind']!r}")
            cause["pattern"] = re.compile(cause["pattern"])
    return projects
