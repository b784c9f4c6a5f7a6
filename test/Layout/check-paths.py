#!/usr/bin/env python3
"""Checks that files and folders that pages name are there, on any machine.

usage: check-paths.py SOURCE-FOLDER

In the pages at the top and in docs/, `a/b` in
backquotes that begins with a folder of the project is a path, which may have
*, and File.cpp alone is the name of a source somewhere. A path from the root
that is below two folders may only begin with one that every machine has: any
other is of the machine that a page, or results that a page is made of, was
written on. What pages call by its path alone is executable. Prints one line for
each path of which that is not so, and exits with 1 if there is any.
"""
import fnmatch
import glob
import os
import re
import sys

CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"^[\w.*/-]+$")
# A command, behind the variables that are set for it.
CALLED = re.compile(r"^(?:\w+=\S+ )*([\w.-]+/[\w./-]+\.(?:py|sh)) \S")
SOURCE = re.compile(r"^\w+\.(cpp|h|def|td)$")
OF_ROOT = re.compile(r"(?<![\w/.~*>\])}:-])/([\w.-]+)/[\w.-]+/[\w.-]*")
EVERYWHERE = ("bin", "dev", "etc", "lib", "opt", "proc", "run", "sys", "tmp", "usr", "var")
# What pages are made of.
RESULTS = "test/Ecosystem/results.json"
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


def lines_of(root, files):
    for path in files:
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                yield "%s:%d" % (os.path.relpath(path, root), number), line


def of_one_machine(root):
    """What is said of paths that other machines do not have."""
    results = os.path.join(root, RESULTS)
    for place, line in lines_of(root, [*pages(root), *filter(os.path.exists, [results])]):
        for path in OF_ROOT.finditer(line):
            if path.group(1) not in EVERYWHERE:
                yield "%s: %s is a path of one machine" % (place, path.group())


def not_executable(root):
    """Scripts that pages call as if they were."""
    for place, line in lines_of(root, pages(root)):
        for command in [*CODE.findall(line), *([line.strip()] if line.startswith("    ") else [])]:
            called = CALLED.match(command)
            path = called and os.path.join(root, called.group(1))
            if path and os.path.exists(path) and not os.access(path, os.X_OK):
                yield "%s: %s cannot be called like that" % (place, called.group(1))


def main():
    root = sys.argv[1]
    paths, names = known(root)
    tops = tuple(p + "/" for p in paths if "/" not in p)
    found, checked = [], 0
    for place, line in lines_of(root, pages(root)):
        for text in CODE.findall(line):
            is_path = PATH.match(text) and text.startswith(tops) and not text.startswith(MADE)
            is_name = SOURCE.match(text)
            checked += bool(is_path or is_name)
            if (is_path and not is_there(text, paths)) or (is_name and text not in names):
                found.append("%s: no %s" % (place, text))
    found += [*of_one_machine(root), *not_executable(root)]
    print("\n".join(found))
    sys.exit(1 if found or not checked else 0)


if __name__ == "__main__":
    main()
