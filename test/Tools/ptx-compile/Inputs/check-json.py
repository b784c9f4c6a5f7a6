#!/usr/bin/env python3
"""Checks a file against what docs/diagnostics.md says of JSON documents.

usage: check-json.py FILE

Prints one line for each message. A property that the page does not name is a
fault, and so are a missing one, a wrong type and an unknown severity.
"""
import json
import sys

REQUIRED = {"severity": str, "message": str}
OPTIONAL = {
    "file": str,
    "line": int,
    "column": int,
    "endColumn": int,
    "warning": str,
    "replacement": str,
    "notes": list,
}
SEVERITIES = ("error", "warning", "note", "info")


def fail(path, what):
    sys.exit(path + ": " + what)


def check(diagnostic, path, indent):
    for name in REQUIRED:
        if name not in diagnostic:
            fail(path, "no '%s'" % name)
    for name, value in diagnostic.items():
        wanted = REQUIRED.get(name) or OPTIONAL.get(name)
        if wanted is None:
            fail(path, "unknown property '%s'" % name)
        if type(value) is not wanted:
            fail(path, "'%s' has another type" % name)
        if wanted is int and value < 1:
            fail(path, "'%s' is not from 1" % name)
    if diagnostic["severity"] not in SEVERITIES:
        fail(path, "unknown severity")
    if ("column" in diagnostic) != ("endColumn" in diagnostic):
        fail(path, "a column without its end, or the reverse")
    if "column" in diagnostic and not (
            "line" in diagnostic
            and diagnostic["endColumn"] >= diagnostic["column"]):
        fail(path, "a column out of place")
    print(indent + diagnostic["severity"] + ": " + diagnostic["message"])
    for index, note in enumerate(diagnostic.get("notes", [])):
        check(note, "%s.notes[%d]" % (path, index), indent + "  ")


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        document = json.load(file)
    if sorted(document) != ["diagnostics", "tool", "version"]:
        fail("document", "other properties than tool, version and diagnostics")
    for index, diagnostic in enumerate(document["diagnostics"]):
        check(diagnostic, "diagnostics[%d]" % index, "")


main()
