#!/usr/bin/env python3
"""Compiles kernels with random decisions of all kinds but moves, and runs them with
hazards checked.

usage: random-documents.py KERNELS PREFIX DOCUMENTS NAME ...
"""
import json
import pathlib
import random
import re
import subprocess
import sys

KERNELS, PREFIX, DOCUMENTS, *NAMES = sys.argv[1:]
CHOSEN = 0.4  # of the decisions of a document


def knobs():
    """The values of each decision that the compiler makes, by its name."""
    text = subprocess.run(["ptx-tune", "--list"], check=True, capture_output=True, text=True).stdout
    rows = re.findall(r"^(\S+)\n  .*\n  values: (.*), without", text, re.MULTILINE)
    return {name.replace("@LOOP", ""): [int(value) for value in values.split()]
            for name, values in rows if "@INSTRUCTION" not in name and not name.startswith(("block-", "grid-"))}


def main():
    dice = random.Random(12)
    decisions = knobs()
    print(len(decisions), "decisions")
    tried = 0
    for name in NAMES:
        manifest = pathlib.Path(KERNELS) / name / (name + ".json")
        description = json.loads(manifest.read_text())
        launches = description.get("launches", [description])
        for _ in range(int(DOCUMENTS)):
            values = {knob: dice.choice(domain) for knob, domain in decisions.items()
                      if dice.random() < CHOSEN}
            document = json.dumps({"heddle_tuning": 1, "kernels": {
                launch["entry"]: values for launch in launches}})
            tried += 1
            run = subprocess.run(["ptx-run", manifest, "-X", "--tuning=" + document],
                                 capture_output=True, text=True)
            if run.returncode:
                print("failed:", name, document, run.stdout, run.stderr)
    print(tried, "documents")


main()
