#!/usr/bin/env python3
"""Runs random C programs as kernels and compares with what they say on the host.

Csmith makes programs without undefined behaviour. Each becomes a structure with the
globals as its members, of which every lane of a warp has its own. What globals are
in the beginning, products, quotients and shifts depend on the lane, so that lanes
part at branches and meet again. clang compiles the program for the host and, at two
of its levels, for a GPU; Heddle compiles that at -O0, -O2 and -O3, and all lanes have
to end with the values of the host:

    test/Random/csmith.py --seed 1 --count 100 [--keep DIR]

Programs that do not end on the host, have no values that depend on the lane, or are
told apart by the host's own -O0 and -O2 are left out and counted. --keep has the
programs that differ. Exits with 1 if there is one.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

INPUTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs")
LANES = 32
GPUS = ("sm_70", "sm_90", "sm_100a")
COMMON = (
    "-w -std=c++17 -fno-exceptions -fno-rtti -ffreestanding -nostdlibinc -ffp-contract=off"
    " -Wno-c++11-narrowing -Wno-incompatible-pointer-types -idirafter /usr/include"
).split()
# A global, whose value in the beginning depends on the lane by bits of its number.
SCALAR = re.compile(r"^((?:volatile )?u?int(?:8|16|32|64)_t g_\d*(\d) = )([^;{]*);")
LANE_FUNCTION = re.compile(
    r"\bsafe_(?:mul|div|mod|lshift|rshift|unary_minus)_func_(u?int(?:8|16|32|64)_t)_[a-z_]+"
)


class LeftOut(Exception):
    """Why a program says nothing."""


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the first program (1)")
    parser.add_argument("--count", type=int, default=10, help="how many programs (10)")
    parser.add_argument("--keep", metavar="DIR", help="where to keep programs that differ")
    parser.add_argument("--clang", default="clang++-22", help="LLVM's compiler (clang++-22)")
    parser.add_argument("--ptx-run", default="ptx-run", help="Heddle's ptx-run")
    parser.add_argument("--limit", type=int, default=300, help="seconds for a run (300)")
    return parser.parse_args()


def output_of(command, folder, limit):
    """What a command prints, or None if it fails or does not end."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return done.stdout if done.returncode == 0 else None


def choices(seed):
    """Options of Csmith, by the seed."""
    draw = random.Random(seed)
    chosen = ["--seed", str(seed), "--no-argc", "--quiet", "--no-packed-struct", "--lang-cpp"]
    chosen.append("--cpp11")
    if draw.random() < 0.6:
        chosen.append("--float")
    if draw.random() < 0.5:
        chosen.append("--no-volatiles")
    if draw.random() < 0.5:
        chosen += ["--max-funcs", str(draw.randint(3, 8))]
    if draw.random() < 0.3:
        chosen += ["--max-block-depth", str(draw.randint(2, 4))]
    if draw.random() < 0.3:
        chosen += ["--no-structs", "--no-unions"]
    return chosen


def as_member(line):
    """A line of the program inside of a structure: what was static is a member."""
    if line.startswith("#include") or re.match(r"static .*\bfunc_\d+\(.*\);$", line):
        return ""
    if 'printf("index' in line:  # A trace that nobody asks for.
        return ""
    line = re.sub(r"^(static |inline )+", "", line)
    line = SCALAR.sub(r"\1(\3) ^ (LANE & \2);", line)
    return re.sub(r"^int main\b", "int runProgram", line)


def lane_macros(source):
    """Functions whose results depend on the lane, each by other bits of it."""
    names = sorted({m.group(0): m.group(1) for m in LANE_FUNCTION.finditer(source)}.items())
    return [
        f"#define {name}(...) ({kind})({name}(__VA_ARGS__) ^ ((LANE >> {number % 5}) & {number % 3 + 1}))"
        for number, (name, kind) in enumerate(names)
    ]


def write_program(seed, folder):
    source = output_of(["csmith"] + choices(seed), folder, 60)
    if source is None:
        raise LeftOut("not generated")
    lines = ['#include "csmith.h"'] + lane_macros(source) + ["struct Program : Results {"]
    lines += [as_member(line) for line in source.split("\n")]
    lines += ["};", '#include "csmith-main.h"', ""]
    with open(os.path.join(folder, "program.cpp"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines))


def host_values(clang, folder):
    """What the host's lanes say, which has to be the same at both levels."""
    said = []
    for level in ("-O0", "-O2"):
        command = [clang, level, "-I", INPUTS] + COMMON + ["program.cpp", "-o", "host"]
        if output_of(command, folder, 60) is None:
            raise LeftOut("not compiled for the host")
        said.append(output_of(["./host"], folder, 3))
        if said[-1] is None:
            raise LeftOut("no end on the host")
    if said[0] != said[1]:
        raise LeftOut("undefined")
    values = [int(word) for word in said[0].split()]
    size = len(values) // LANES
    if len({tuple(values[i * size : (i + 1) * size]) for i in range(LANES)}) == 1:
        raise LeftOut("the same in all lanes")
    return values


def write_manifest(values, folder):
    out = {"buffer": "out", "type": "u64", "count": len(values), "init": "zero"}
    launch = {"module": "program.ptx", "entry": "run", "grid": [1], "block": [LANES], "args": [out]}
    launch["expect"] = [{"buffer": "out", "values": values}]
    with open(os.path.join(folder, "program.json"), "w", encoding="utf-8") as file:
        json.dump(launch, file)


def differences(seed, folder, chosen):
    """Ways of compiling in which a kernel does not what the host does."""
    draw = random.Random(seed + 1)
    found = []
    for level in (draw.choice("01"), draw.choice("23s")):
        gpu = draw.choice(GPUS)
        command = [chosen.clang, "-O" + level, "-I", INPUTS] + COMMON
        command += ["--target=nvptx64-nvidia-cuda", "-march=" + gpu, "-nogpulib", "-S"]
        if output_of(command + ["program.cpp", "-o", "program.ptx"], folder, 120) is None:
            raise LeftOut("not compiled for a GPU")
        for ours in (["-O3"], ["-O0"], ["-O2", "--execution", "translate"]):
            run = [chosen.ptx_run, "--threads", "1"] + ours + ["program.json"]
            if output_of(run, folder, chosen.limit) is None:
                found.append(f"clang -O{level} {gpu}, ptx-run {' '.join(ours)}")
    return found


def main():
    chosen = options()
    counts = {}
    for seed in range(chosen.seed, chosen.seed + chosen.count):
        with tempfile.TemporaryDirectory() as folder:
            try:
                write_program(seed, folder)
                write_manifest(host_values(chosen.clang, folder), folder)
                found = differences(seed, folder, chosen)
                result = "differ" if found else "same"
            except LeftOut as reason:
                found, result = [], str(reason)
            counts[result] = counts.get(result, 0) + 1
            for way in found:
                print(f"seed {seed} differs: {way}", flush=True)
            if found and chosen.keep:
                shutil.copytree(folder, os.path.join(chosen.keep, str(seed)), dirs_exist_ok=True)
    print(f"{chosen.count} programs: " + ", ".join(f"{n} {r}" for r, n in sorted(counts.items())))
    return 1 if counts.get("differ") else 0


if __name__ == "__main__":
    sys.exit(main())
