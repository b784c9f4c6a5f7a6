#!/usr/bin/env python3
"""Checks the folders of the libraries: their order, and that each fits a screen.

usage: check-folders.py SOURCE-FOLDER

lib/CMakeLists.txt lists the libraries in the order of dependence: a folder of
lib/, with its headers in include/heddle/, includes headers of
folders that are listed above it only, so that there are no cycles. passes/
stands right before lib/Compiler. Prints one line for each include that goes the
wrong way, for each folder that is not listed and for each with more than 40
files, and exits with 1 if there is any.
"""
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"(?:(heddle|passes)/)([^/"]+)')
LISTED = re.compile(r"^add_subdirectory\((\w+)", re.MULTILINE)
SOURCE_SUFFIXES = (".h", ".cpp", ".def")
MOST_FILES = 40


def listed_folders(root):
    with open(os.path.join(root, "lib", "CMakeLists.txt"), encoding="utf-8") as file:
        folders = list(dict.fromkeys(LISTED.findall(file.read())))
    if "Compiler" in folders:
        folders.insert(folders.index("Compiler"), "passes")
    return folders


def sources(root):
    """Yields (folder, path) for the sources of lib/, include/heddle/ and passes/."""
    for top in ("lib", "include/heddle", "passes"):
        for place, _, names in os.walk(os.path.join(root, top)):
            path = os.path.relpath(place, os.path.join(root, top)).split(os.sep)[0]
            folder = "passes" if top == "passes" else path
            for name in sorted(names):
                if folder != "." and name.endswith(SOURCE_SUFFIXES):
                    yield folder, os.path.relpath(os.path.join(place, name), root)


def faults(root):
    order = {folder: place for place, folder in enumerate(listed_folders(root))}
    for folder, path in sources(root):
        if folder not in order:
            yield "%s: lib/CMakeLists.txt does not list %s" % (path, folder)
            continue
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
            for number, line in enumerate(file, 1):
                match = INCLUDE.match(line)
                if not match:
                    continue
                used = "passes" if match.group(1) == "passes" else match.group(2)
                if used != folder and order.get(used, -1) > order[folder]:
                    yield "%s:%d: %s is listed above %s, which it includes" % (
                        path, number, folder, used)


def full_folders(root):
    for top in ("cache", "include", "lib", "passes", "tools"):
        for place, _, names in os.walk(os.path.join(root, top)):
            if len(names) > MOST_FILES:
                yield "%s: %d files in one folder" % (os.path.relpath(place, root), len(names))


def main():
    root = sys.argv[1]
    if not any(True for _ in sources(root)):
        sys.exit("no sources under " + root)
    found = sorted({*faults(root), *full_folders(root)})
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
