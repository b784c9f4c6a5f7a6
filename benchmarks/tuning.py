#!/usr/bin/env python3
"""How many cycles ptx-tune saves, and how near it comes to the best.

usage: tuning.py [--evaluations N] [--moves N] [--chip NAME] [--json]
                 [--pgo | --blocks | MANIFEST ...]
       tuning.py --exhaustive DECISION,... [--seeds N] [--chip NAME] [--json]
                 [--pgo | --blocks | MANIFEST ...]

The first form tunes each kernel that the manifests launch (all of test/kernels
without any, with --pgo the 12 of benchmarks/inputs/pgo on the inputs that are measured
there, with --blocks ten of benchmarks/inputs/kernels, small enough for hd10 and with a choice
of blocks) and prints its cycles untuned and tuned, and the geometric mean of the
ratios. The second form measures every configuration of a part of the space, given
by its decisions, and then lets the search try a tenth of them, with several seeds:
it prints which part of the speed of the best configuration it reached. ptx-tune must
be on the PATH.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = HERE.parent / "test" / "kernels"
SHARE = 0.1  # of the space that the search may try
GOAL = 0.95  # of the best speed


def tune(manifest, arguments, folder, *options):
    """The kernels of a report, and what ptx-tune had to say."""
    command = ["ptx-tune", str(manifest), "--json", "--no-store", "--no-transfer",
               "--chip", arguments.chip, "--output", folder + "/tuning.json", *options]
    run = subprocess.run(command, capture_output=True, text=True)
    if run.returncode:
        return [], run.stderr.strip().splitlines()[-1]
    return json.loads(run.stdout)["kernels"], run.stderr.strip()


def pgo_manifests(folder):
    sys.path.insert(0, str(HERE / "inputs" / "pgo"))
    import inputs
    paths = []
    for kernel in sorted(inputs.INPUTS):
        (folder / kernel).mkdir()
        path, _ = inputs.make(kernel, False, str(folder / kernel),
                              str(HERE / "inputs" / "pgo" / kernel / (kernel + ".ptx")))
        paths.append(pathlib.Path(path))
    return paths


def block_manifests(folder):
    """Launches of 8192 threads or so, of kernels that take any block."""
    sys.path.insert(0, str(HERE / "timing"))
    from launches import (KERNELS as SOURCES, blocks, buffer, f32, floats, graph, iota, random,
                          s32, scalar, u32)
    many = 1 << 13
    table = {
        "page_rank": ("graph", many, graph(many, 8) + [
            buffer("ranks", "f32", many, {"fill": 1.0}),
            buffer("degrees", "s32", many, {"fill": 8}), buffer("next", "f32", many),
            s32(many), f32(0.85)]),
        "kmeans": ("graph", many, [
            floats("points", 8 * many), floats("centers", 8 * 8), buffer("nearest", "s32", many),
            s32(many), s32(8), s32(8)]),
        "murmur": ("hash", many, [
            buffer("keys", "u32", 4 * many, random(0, 2**32 - 1)), buffer("hashes", "u32", many),
            u32(many), u32(4)]),
        "crc32": ("hash", many // 4, [
            buffer("text", "u8", 16 * many, random(0, 255)),
            buffer("starts", "u32", many // 4 + 1, iota(0, 64)),
            buffer("sums", "u32", many // 4), u32(many // 4)]),
        "bfs_level": ("graph", many, graph(many, 8) + [
            buffer("levels", "s32", many, random(-1, 0)), buffer("changed", "s32", 1), s32(0),
            s32(many)]),
        "lennard_jones": ("physics", many, [floats("places", 4 * many, 0, 8)] + graph(many, 8) + [
            buffer("forces", "f32", 4 * many), u32(many), f32(25.0)]),
        "fft_pass": ("signal", many, [
            floats("in", 8 * many), buffer("out", "f32", 8 * many), u32(4 * many), u32(1024)]),
        "iir": ("signal", many // 4, [
            floats("in", 16 * many), buffer("out", "f32", 16 * many), u32(many // 4), u32(64),
            f32(0.2), f32(0.4), f32(0.2), f32(-0.3), f32(0.1)]),
        "lower_bound": ("sort", many, [
            buffer("sorted", "f64", many, iota(0, 1)), u32(many),
            buffer("wanted", "f64", many, random(0, many)), buffer("found", "u32", many),
            u32(many)]),
        "gelu": ("network", 8 * many, [
            floats("in", 8 * many, -4, 4), buffer("out", "f32", 8 * many), u32(8 * many)]),
    }
    paths = []
    for name, (group, threads, arguments) in table.items():
        path = folder / (name + ".json")
        path.write_text(json.dumps({
            "module": str(SOURCES / group / (group + ".nvcc.sm_90.ptx")), "entry": name,
            "grid": blocks(threads), "block": [256], "args": arguments,
            "choice": {"blocks": [[32], [64], [128], [512], [1024]]}}))
        paths.append(path)
    return paths


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def tune_all(arguments):
    rows = []
    for manifest in arguments.manifests:
        options = ["--evaluations", str(arguments.evaluations)]
        if arguments.moves is not None:
            options += ["--moves", str(arguments.moves)]
        with tempfile.TemporaryDirectory() as folder:
            kernels, message = tune(manifest, arguments, folder, *options)
        if message:
            print(f"{manifest.name}: {message}", file=sys.stderr)
        for kernel in kernels:
            rows.append(kernel)
            if not arguments.json:
                decisions = " ".join(f"{k}={v}" for k, v in kernel["decisions"].items()
                                     if not k.startswith("move-up@"))
                tried = len(kernel["costs"]) + kernel["extra_evaluations"] + kernel["moves"]
                print(f"{kernel['kernel']:24} {kernel['untuned_cycles']:9} "
                      f"{kernel['tuned_cycles']:9} {kernel['cost']:7.3f} (before moves "
                      f"{kernel['cost_before_moves']:.3f}) {tried:5} tried "
                      f"{kernel['seconds']:6.1f} s  {decisions}", flush=True)
    mean = geometric_mean([row["cost"] for row in rows])
    if arguments.json:
        print(json.dumps({"geometric_mean": mean, "kernels": rows}, indent=2))
    else:
        print(f"geometric mean of {len(rows)} kernels: {mean:.3f}")


def compare_with_best(arguments):
    """For each kernel the least cost of its space, and what a tenth finds."""
    rows = []
    only = [word for name in arguments.exhaustive.split(",") for word in ("--only", name)]
    for manifest in arguments.manifests:
        with tempfile.TemporaryDirectory() as folder:
            # The journal serves the searches that follow.
            only_here = only + ["--moves", "0", "--journal", folder + "/journal"]
            kernels, message = tune(manifest, arguments, folder, *only_here, "--strategy",
                                    "random", "--evaluations", "100000")
            if message:
                print(f"{manifest.name}: {message}", file=sys.stderr)
            for kernel in kernels:
                least = min(cost for cost in kernel["costs"] if cost is not None)
                trials = math.ceil(SHARE * kernel["space"])
                reached = []
                for seed in range(1, arguments.seeds + 1):
                    found, _ = tune(manifest, arguments, folder, *only_here, "--kernel",
                                    kernel["kernel"], "--seed", str(seed), "--evaluations",
                                    str(trials))
                    best = min(c for c in found[0]["costs"] if c is not None)
                    reached.append(least / best)
                rows.append({"kernel": kernel["kernel"], "space": kernel["space"],
                             "evaluations": trials, "unusable": kernel["unusable"],
                             "least_cost": least, "reached": reached})
                if not arguments.json:
                    print(f"{kernel['kernel']:24} {kernel['space']:6} configurations, best "
                          f"{least:.3f}; {trials} tried: {min(reached):.3f} to "
                          f"{max(reached):.3f} of its speed", flush=True)
    good = sum(min(row["reached"]) >= GOAL for row in rows)
    if arguments.json:
        print(json.dumps({"kernels": rows, "reached_goal": good}, indent=2))
    else:
        print(f"{good} of {len(rows)} kernels reach {GOAL:.0%} with every seed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifests", nargs="*", type=pathlib.Path)
    parser.add_argument("--evaluations", type=int, default=100)
    parser.add_argument("--moves", type=int)
    parser.add_argument("--pgo", action="store_true")
    parser.add_argument("--blocks", action="store_true")
    parser.add_argument("--exhaustive", metavar="DECISION,...")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.pgo:
            arguments.manifests = pgo_manifests(pathlib.Path(folder))
        if arguments.blocks:
            arguments.manifests = block_manifests(pathlib.Path(folder))
        arguments.manifests = arguments.manifests or sorted(KERNELS.glob("*/*.json"))
        (compare_with_best if arguments.exhaustive else tune_all)(arguments)


if __name__ == "__main__":
    main()
