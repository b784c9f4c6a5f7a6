"""Compares what a debugger sees of variables of the source, at every instruction of
a thread, with what an interpreter of the PTX gave to the variables' registers.

Values that follow one another and are equal count once. What is seen must be
values that the variable got, in their order: with the optimiser it may be
nowhere at times, without it nearly all of them are there. In front of its first
write a variable without optimisation may hold anything.

usage: compare_variables.py [--thread N] [--steps N] [--module PTX] MANIFEST...
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

from heddle_debug import DebugError, Session
from heddle_debug.session import find_tool

LEVELS = ("-O0", "-O1", "-O2", "-O3")


def add(sequences, key, value):
    seen = sequences.setdefault(key, [])
    if not seen or seen[-1] != value:
        seen.append(value)


def with_module(manifest, module, folder):
    """The manifest with another module, in a file of its own."""
    def absolute(value):
        if isinstance(value, dict):
            return {k: os.path.join(os.path.dirname(os.path.abspath(manifest)), v)
                    if k == "file" else absolute(v) for k, v in value.items()}
        return [absolute(v) for v in value] if isinstance(value, list) else value
    with open(manifest) as file:
        content = absolute(json.load(file))
    content["module"] = os.path.abspath(module)
    path = os.path.join(folder, os.path.basename(manifest))
    with open(path, "w") as file:
        json.dump(content, file)
    return path


def interpreted(manifest, thread):
    """By name and line, the values that a thread of the first block gave."""
    command = [find_tool(None).replace("ptx-debug", "ptx-run"), "--interpret", "--variables", manifest]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    sequences = {}
    for line in output.splitlines():
        words = line.split(" ")
        if words[:2] == ["0,0,0", "%d,0,0" % thread] and words[-1] != "-":
            add(sequences, (words[4], int(words[3])), int(words[5], 16))
    return sequences


def debugged(manifest, level, thread, steps):
    """By name and line of the declaration, the values that the debugger saw, and
    whether the thread came to its end. Pointers count from other places than the
    interpreter's; a reference is what it refers to, which no register has.
    """
    sequences, references = {}, {}
    is_over = False
    with Session(manifest, [level]) as s:
        s.command("catch launch")
        s.run()
        s.command("delete")
        s.focus(thread=thread)
        for _ in range(steps):
            stop = s.stop()
            is_over = stop is None or stop.thread_index != (thread, 0, 0) or stop.block_index != (0, 0, 0)
            if is_over:
                break
            for kind in ("arguments", "locals"):
                for v in json.loads(s.command("json variables " + kind))["variables"]:
                    key = (v["name"], v["line"])
                    if key not in references:
                        references[key] = s.command("ptype " + v["name"]).rstrip().endswith("&")
                    if "bits" in v and not references[key] and " *" not in v["value"]:
                        add(sequences, key, int(v["bits"], 16))
            try:
                is_over = "exited" in s.command("stepi")
            except DebugError:
                break
            if is_over:
                break
    return sequences, is_over


def is_in_order(part, whole):
    rest = iter(whole)
    return all(value in rest for value in part)


def matches(seen, given, level):
    """Whether values are those of an entry; registers may be wider than types."""
    widest = max(seen)
    for bits in (8, 16, 32, 64):
        if widest >> bits:
            continue
        cut = []
        for value in given:
            value &= (1 << bits) - 1
            if not cut or cut[-1] != value:
                cut.append(value)
        if is_in_order(seen, cut) or level == "-O0" and is_in_order(seen[1:], cut):
            return True
    return False


def compare(manifest, thread, steps):
    given = interpreted(manifest, thread)
    passed = True
    counts, known_ever = [], set()
    for level in LEVELS:
        seen, is_over = debugged(manifest, level, thread, steps)
        if level == "-O0":
            is_complete = is_over
        known = {key: values for key, values in seen.items() if key in given}
        counts.append(sum(map(len, known.values())))
        known_ever |= set(known)
        for key, values in known.items():
            if not matches(values, given[key], level):
                passed = False
                print("%s %s: %s of line %d is %s, interpreted %s" % (
                    manifest, level, *key, values[:20], given[key][:20]))
    total = sum(len(values) for key, values in given.items() if key in known_ever)
    print("%s: %d variables get %d values; seen at %s: %s" % (
        manifest, len(given), total, " ".join(LEVELS), " ".join(map(str, counts))))
    with open(manifest) as file:
        is_complete &= "launches" not in json.load(file)  # The debugger sees the first.
    if is_complete and counts[0] < 0.8 * total:
        passed = False
        print("%s: too few without optimisation" % manifest)
    return passed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--thread", type=int, default=5)
    parser.add_argument("--module")
    parser.add_argument("manifests", nargs="+")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        manifests = [with_module(m, a.module, folder) if a.module else m for m in a.manifests]
        passed = [compare(m, a.thread, a.steps) for m in manifests]
    print("PASS" if all(passed) else "FAIL")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
