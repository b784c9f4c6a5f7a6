#!/usr/bin/env python3
"""Checks that files and folders that pages name are there.

usage: check-paths.py SOURCE-FOLDER

In the pages at the top and in docs/, `a/b` in
backquotes that begins with a folder of the project is a path, which may have
*, and File.cpp alone is the name of a source somewhere. Prints one line for
each that is not there, and exits with 1 if there is any.
"""
import fnmatch
import glob
import os
import re
import sys

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^[\w.*/-]+$")
SOURCE = re.compile(r"^\w+\.(cpp|h|def|td)$")
# What building, installing or another version makes.
MADE = ("build/", "docs/isa/")


def pages(root):
    for pattern in ("*.md", "docs/*.md", "docs/Dialects/*.md"):
        yield from sorted(glob.glob(os.path.join(root, pattern)))


def known(root):
    """The project's paths, folders with a slash behind them, and names of sources."""
    paths, names = set(), set()
    for place, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f != ".git" and not f.startswith("build")]
        at = os.path.relpath(place, root)
        paths.update(os.path.normpath(os.path.join(at, f)) for f in folders + files)
        names.update(files)
    return paths, names


def is_there(path, paths):
    path = path.rstrip("/")
    return path in paths or ("*" in path and bool(fnmatch.filter(paths, path)))


def main():
    root = sys.argv[1]
    paths, names = known(root)
    tops = tuple(p + "/" for p in paths if "/" not in p)
    found, checked = [], 0
    for page in pages(root):
        with open(page, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                for text in CODE.findall(line):
                    is_path = PATH.match(text) and text.startswith(tops) and not text.startswith(MADE)
                    is_name = SOURCE.match(text)
                    checked += bool(is_path or is_name)
                    if (is_path and not is_there(text, paths)) or (is_name and text not in names):
                        found.append("%s:%d: no %s" % (os.path.relpath(page, root), number, text))
    print("\n".join(found))
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
