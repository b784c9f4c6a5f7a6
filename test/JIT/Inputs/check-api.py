"""Compares what the headers of the C API declare, what Functions.def lists and
what the library shows. Prints each difference; exits with 1 if there is one.

usage: check-api.py INCLUDE-FOLDER LIBRARY NM
"""
import pathlib
import re
import subprocess
import sys

EACH = re.compile(r"HEDDLE_C_API\s[^;]*?\b(heddle\w+)\(")
ROW = re.compile(r"^HEDDLE_C_FUNCTION\((\d+), (\w+)\)$", re.M)


def main():
    include, library, nm = sys.argv[1:]
    folder = pathlib.Path(include)
    declared = set()
    for header in folder.glob("*.h"):
        declared |= set(EACH.findall(header.read_text()))
    rows = ROW.findall((folder / "Functions.def").read_text())
    listed = {"heddle" + name: version for version, name in rows}
    output = subprocess.run(
        [nm, "-D", "--defined-only", library], check=True, capture_output=True, text=True
    ).stdout
    shown = dict(line.split()[-1].split("@@HEDDLE_") for line in output.splitlines() if "@@" in line)
    others = [line for line in output.splitlines() if "@@HEDDLE_" not in line and " A HEDDLE_" not in line]
    newest = re.search(r"HEDDLE_C_API_VERSION (\d+)", (folder / "Base.h").read_text())[1]

    faults = [f"shown without a version: {line}" for line in others]
    faults += [f"declared but not listed: {name}" for name in sorted(declared - set(listed))]
    faults += [f"listed but not declared: {name}" for name in sorted(set(listed) - declared)]
    faults += [
        f"{name}: version {version} in the list, {shown.get(name)} in the library"
        for name, version in sorted(listed.items())
        if shown.get(name) != version
    ]
    faults += [f"shown but not listed: {name}" for name in sorted(set(shown) - set(listed))]
    if max(map(int, listed.values())) != int(newest):
        faults.append(f"HEDDLE_C_API_VERSION is {newest}, the list's newest is another")
    for fault in faults:
        print(fault)
    print(f"{len(listed)} functions, {len(faults)} faults")
    sys.exit(bool(faults))


main()
