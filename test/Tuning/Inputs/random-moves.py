#!/usr/bin/env python3
"""Compiles kernels with random moves of instructions and runs them, with hazards
checked.

usage: random-moves.py KERNELS PREFIX DOCUMENTS NAME ...
"""
import json
import pathlib
import random
import subprocess
import sys

KERNELS, PREFIX, DOCUMENTS, *NAMES = sys.argv[1:]
MOST_INSTRUCTIONS = 300
PLACES = range(1, 25)


def compile(module, document):
    output = PREFIX + ".hdo"
    subprocess.run(["ptx-compile", "--no-cache", "-w", module, "--tuning=" + json.dumps(document),
                    "-o", output], check=True)
    with open(output, "rb") as file:
        return file.read()


def main():
    dice = random.Random(12)
    tried = changed = 0
    for name in NAMES:
        manifest = pathlib.Path(KERNELS) / name / (name + ".json")
        description = json.loads(manifest.read_text())
        module = manifest.parent / description["module"]
        launches = description.get("launches", [description])
        kernels = sorted({launch["entry"] for launch in launches})
        plain = compile(module, {"heddle_tuning": 1, "kernels": {}})
        for _ in range(int(DOCUMENTS)):
            moves = {"move-up@%d" % dice.randrange(MOST_INSTRUCTIONS): dice.choice(PLACES)
                     for _ in range(60)}
            document = {"heddle_tuning": 1, "kernels": {kernel: moves for kernel in kernels}}
            tried += 1
            changed += compile(module, document) != plain
            run = subprocess.run(["ptx-run", "--module", PREFIX + ".hdo", manifest],
                                 capture_output=True, text=True)
            if run.returncode:
                print("failed:", name, json.dumps(document), run.stdout, run.stderr)
    print(tried, "documents,", changed, "with other code")


main()
