#!/usr/bin/env python3
"""Does what a page of docs/contributing tells its reader to do.

usage: replay.py PAGE SOURCE-FOLDER BUILD-FOLDER WORK-FOLDER

Applies the page's blocks of `diff` to a copy of the sources in WORK-FOLDER and
runs its blocks of `console` there, in the order of the page. What a command
prints must be what the block shows, where `...` stands for any text in a line and a
line `...` for any lines. Prints the fault and exits with 1 where a diff does not
apply, a command fails or prints something else.

`scripts/build TARGET...` is not run as it is: see build.py.
"""
import difflib
import os
import re
import shutil
import subprocess
import sys

import build

# What a page may change; folders of tests are copied one by one.
COPIED = ("include", "lib", "passes", "isa-defs", "tools", "docs")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fail(text):
    sys.exit("replay: " + text)


def blocks(page):
    for kind, text in BLOCK.findall(build.read(page)):
        if kind in ("diff", "console"):
            yield kind, text.splitlines()


# Diffs


def apply_diff(lines, source, copy, changed):
    """Applies the diff of one file; hunks are found by their text."""
    if len(lines) < 3 or not lines[0].startswith("--- ") or not lines[1].startswith("+++ b/"):
        fail("a diff begins with '--- a/FILE' and '+++ b/FILE'")
    path = lines[1][len("+++ b/"):]
    is_new = lines[0] == "--- /dev/null"
    if not is_new and lines[0] != "--- a/" + path:
        fail("a diff of two files: " + path)
    target = os.path.join(copy, path)
    copy_folder_of(path, source, copy)
    if is_new == os.path.exists(target):
        fail(path + (" exists already" if is_new else " does not exist"))
    text = "" if is_new else build.read(target)
    for hunk in hunks(lines[2:]):
        text = apply_hunk(text, hunk, path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write(text)
    changed.append(path)


def copy_folder_of(path, source, copy):
    """Copies the folder of a test with its neighbours, if it is not there yet."""
    folder = os.path.join(*path.split("/")[:2])
    if path.startswith("test/") and not os.path.exists(os.path.join(copy, folder)):
        shutil.copytree(os.path.join(source, folder), os.path.join(copy, folder))


def hunks(lines):
    hunk = None
    for line in lines:
        if line.startswith("@@"):
            if hunk:
                yield hunk
            hunk = []
        elif hunk is None:
            fail("a diff without @@")
        else:
            hunk.append(line)
    if hunk:
        yield hunk


def apply_hunk(text, hunk, path):
    def side(dropped):
        return "".join(line[1:] + "\n" for line in hunk if line[:1] != dropped)

    old, new = side("+"), side("-")
    if not text and not old:
        return new
    # A hunk begins at the start of a line.
    places = ("\n" + text).count("\n" + old)
    if places != 1:
        found = "%d places for" % places if places else "no place for"
        fail("%s: %s:\n%s" % (path, found, old))
    at = ("\n" + text).index("\n" + old)
    return text[:at] + new + text[at + len(old):]


# Commands


def run_console(lines, run):
    """Runs the commands of a block, each with the lines that it is to print."""
    command, expected = None, []
    for line in lines + ["$ "]:
        if line.startswith("$ ") and not (command or "").endswith("\\"):
            if command is not None:
                check(command, expected, run(command))
            command, expected = line[2:], []
        elif command is None:
            fail("a console block begins with '$ '")
        elif command.endswith("\\"):
            command += "\n" + line
        else:
            expected.append(line)


def check(command, expected, printed):
    if not matches(expected, printed):
        lines = difflib.unified_diff(expected, printed, "page", "printed", lineterm="")
        fail("\n".join(["$ " + command, *lines]))


def matches(expected, printed):
    if not expected:
        return not printed
    if expected[0] == "...":
        rest = expected[1:]
        return any(matches(rest, printed[at:]) for at in range(len(printed) + 1))
    # In a line `...` is any text.
    line = ".*".join(re.escape(part) for part in expected[0].split("..."))
    fits = bool(printed) and re.fullmatch(line, printed[0]) is not None
    return fits and matches(expected[1:], printed[1:])


def runner(copy, build_folder, builder, changed):
    environment = dict(os.environ)
    own = [os.path.join(copy, "build", "bin"), os.path.join(build_folder, "bin")]
    environment["PATH"] = os.pathsep.join(own + [environment["PATH"]])

    def run(command):
        if command.startswith("scripts/build "):
            builder.build(command.replace("\\\n", " ").split()[1:], changed)
            return []
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", command],
            cwd=copy, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
        if done.returncode:
            fail("$ %s\n%sexit status %d" % (command, done.stdout, done.returncode))
        return done.stdout.splitlines()

    return run


def main():
    page, source, build_folder, copy = (os.path.abspath(path) for path in sys.argv[1:])
    shutil.rmtree(copy, ignore_errors=True)
    for folder in COPIED:
        shutil.copytree(os.path.join(source, folder), os.path.join(copy, folder))
    changed = []
    run = runner(copy, build_folder, build.Builder(source, build_folder, copy, fail), changed)
    commands = 0
    for kind, lines in blocks(page):
        if kind == "diff":
            apply_diff(lines, source, copy, changed)
        else:
            run_console(lines, run)
            commands += sum(line.startswith("$ ") for line in lines)
    if not changed or not commands:
        fail("a page has diffs and commands")
    print("%d files changed, %d commands run" % (len(set(changed)), commands))


main()
