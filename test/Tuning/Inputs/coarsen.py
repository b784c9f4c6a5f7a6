#!/usr/bin/env python3
"""Runs kernels whose CTAs do the work of several, on grids of all small widths, and
compares with what Python computes.

usage: coarsen.py MODULE PREFIX
"""
import json
import pathlib
import subprocess
import sys

MODULE, PREFIX = sys.argv[1:]
WORD = 1 << 32


def source(count):
    """Numbers without a pattern."""
    return [(i * 2654435761 + 12345) % 1000003 for i in range(count)]


def words(name, values=None, count=None):
    if values is None:
        return {"buffer": name, "type": "u32", "count": count, "init": "zero"}
    return {"buffer": name, "type": "u32", "count": len(values), "init": {"values": values}}


def guarded(width):
    count = 64 * width
    data, bound = source(count), max(count - 70, 5)
    return ([width], [64], [words("out", count=count), words("in", data),
                            {"type": "u32", "value": bound}],
            {"out": [(3 * x + 1) % WORD if i < bound else 0 for i, x in enumerate(data)]})


def apart(width):
    data = source(32 * width)
    result = [(i + (x >> bin(i % 4).count("1") if x % 2 else -x)) % WORD
              for i, x in enumerate(data)]
    return ([width], [32], [words("out", count=len(data)), words("in", data),
                            {"type": "u32", "value": len(data)}], {"out": result})


def summed(width):
    data = source(64 * width)
    sums = [sum(data[64 * i:64 * i + 64]) % WORD for i in range(width)]
    return ([width], [64], [words("out", count=width), words("in", data),
                            words("total", count=1)],
            {"out": sums, "total": [sum(sums) % WORD]})


def turns(width):
    data = source(32 * width * 3)
    return ([width, 3], [32], [words("out", count=len(data)), words("in", data)],
            {"out": [3 ** max(x % 8, 1) for x in data]})


def strides(width):
    data = source(55 * width)
    step = 32 * width
    sums = [sum(data[i::step]) for i in range(step)]
    return ([width], [32], [words("out", count=step), words("in", data),
                            {"type": "u32", "value": len(data)}],
            {"out": [(sums[i] + sums[i ^ 1]) % WORD for i in range(step)]})


def tickets(width):
    return ([width], [1], [words("out", count=width), words("counter", count=1)],
            {"out": [1] * width, "counter": [width]})


def run(kernel, width, merged, *options, cluster=1):
    grid, block, arguments, expected = kernel(width)
    manifest = pathlib.Path(PREFIX + ".json")
    manifest.write_text(json.dumps({
        "module": MODULE, "entry": kernel.__name__, "grid": grid, "block": block,
        "cluster": [cluster],
        "args": arguments,
        "expect": [{"buffer": name, "values": values} for name, values in expected.items()]}))
    document = {"heddle_tuning": 1, "kernels": {kernel.__name__: {"coarsen-ctas": merged}}}
    result = subprocess.run(["ptx-run", manifest, "--json", "-X", "--tuning=" + json.dumps(document),
                             *options], capture_output=True, text=True)
    if result.returncode:
        print("failed:", kernel.__name__, width, merged, options, result.stdout, result.stderr)
        return 0
    return json.loads(result.stdout)["launches"][0]["code_bytes"]


def main():
    for kernel in (guarded, apart, summed, turns, strides, tickets):
        changed = 0
        for merged in (2, 4, 8):
            plain = run(kernel, 1, 1)
            # A whole group, fewer, more, and some left over.
            codes = {run(kernel, width, merged) for width in (1, 2, 3, 7, 8, 11)}
            codes.add(run(kernel, 9, merged, "--timing"))
            codes.add(run(kernel, 6, merged, cluster=2))
            changed += plain not in codes
        print(kernel.__name__, "is other code for", changed, "of 3")


main()
