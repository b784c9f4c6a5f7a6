#!/usr/bin/env python3
"""Hands the pipelines that ptx-compile prints to opt.

usage: check-pipelines.py PTX-COMPILE OPTION... -- OPT ARGUMENT...

Of each list of passes that ptx-compile prints with the options, opt must know all
names. What opt has no words for is taken out: conditions on functions, and bounds on
the loops that a pass sees. Prints the titles of the lists.
"""
import re
import subprocess
import sys


def lists(text):
    """The title of each list, and the list on one line."""
    title, passes = None, ""
    for line in text.splitlines() + ["end:"]:
        if line[:1] not in " ":
            if title:
                yield title, passes
            title, passes = line, ""
        else:
            passes += line.strip()


def matching(text, start):
    """Where the parenthesis is closed that is open in front of start."""
    depth = 1
    for at in range(start, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    sys.exit("parentheses do not match: " + text)


def known(passes):
    passes = re.sub(r"\bwhere<[^<>]*>\(", "function(", passes)
    passes = re.sub(r"\b(bounded-guards|keep-if-loops-change)\(", "function(", passes)
    while bound := re.search(r"\bflat\(", passes):
        end = matching(passes, bound.end())
        inner = passes[bound.end() : end]
        passes = passes[: bound.start()] + inner + passes[end + 1 :]
    return passes


def main():
    split = sys.argv.index("--")
    compiler, *options = sys.argv[1:split]
    command = [compiler, "--print-pipeline", *options]
    printed = subprocess.run(command, capture_output=True, text=True, check=True)
    failed = False
    for title, passes in lists(printed.stdout):
        opt = [*sys.argv[split + 1 :], "-passes=" + known(passes)]
        run = subprocess.run(opt, input="", capture_output=True, text=True)
        print(title, flush=True)
        print(run.stderr, end="")
        failed |= run.returncode != 0
    sys.exit(failed)


main()
