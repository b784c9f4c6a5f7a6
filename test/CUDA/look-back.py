#!/usr/bin/env python3
"""Runs all algorithms of CUB and Thrust whose CTAs look back at what others
have found, again and again, on one thread of the host, on two, and in random
turns.

    test/CUDA/look-back.py --ptx-env build/bin/ptx-env --work FOLDER

Builds the programs of Inputs/look-back with nvcc; the last line says how many
runs were wrong.
"""
import argparse
import pathlib
import re
import subprocess
import sys

INPUTS = pathlib.Path(__file__).resolve().parent / "Inputs" / "look-back"


def build(program, folder):
    output = folder / program
    if not output.exists():
        subprocess.run(
            ["nvcc", "-cudart", "shared", "-std=c++17", "-arch=compute_90"]
            + ["-I", INPUTS, INPUTS / (program + ".cu"), "-o", output],
            check=True,
        )
    return output


def schedules(runs, seeds):
    """Options of ptx-env, and how often each algorithm runs with them."""
    yield ["--threads", "1"], runs
    yield ["--threads", "2"], runs
    for seed in range(1, seeds + 1):
        yield ["--seed", str(seed)], max(1, runs // seeds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--ptx-env", default="ptx-env")
    parser.add_argument("--work", type=pathlib.Path, default="look-back")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--size", type=int, default=150000)
    parser.add_argument("--seed-size", type=int, default=40000)
    parser.add_argument("programs", nargs="*")
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    names = args.programs or sorted(p.stem for p in INPUTS.glob("*.cu"))
    total = wrong = 0
    for name in names:
        program = build(name, args.work)
        for options, runs in schedules(args.runs, args.seeds):
            size = args.seed_size if options[0] == "--seed" else args.size
            print(name, *options, flush=True)
            done = subprocess.run(
                [args.ptx_env] + options + [program, str(runs), str(size)],
                stdout=subprocess.PIPE,
                text=True,
            )
            print(done.stdout, end="", flush=True)
            counts = re.findall(r" (\d+) of (\d+) runs wrong", done.stdout)
            total += sum(int(all_) for _, all_ in counts)
            wrong += sum(int(bad) for bad, _ in counts)
            if not re.search(r"^(PASS|FAIL)$", done.stdout, re.M):
                wrong += 1
                print("%s ended with %d" % (name, done.returncode))
    print("%d runs, %d wrong" % (total, wrong))
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
