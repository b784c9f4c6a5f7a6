#!/usr/bin/env python3
"""PTX of every CUDA source of a checkout that nvcc compiles as it is, for code-quality.py.

Usage: benchmarks/checkout.py CHECKOUT FOLDER [--match REGEX] [--clang CLANG] [--seconds 120]
                              [--jobs 1] [-- OPTION...]

Writes FOLDER/NAME.ptx for each source whose path in the checkout matches REGEX. A source
is looked for its headers in its own folder, the folders above it, and those of the
checkout that are called include, inc, src or common. OPTIONs stand behind
`nvcc -ptx -O3 -std=c++17 -arch=sm_90 -lineinfo` and win over them; with --clang that
compiler takes the sources, for --cuda-gpu-arch=sm_90. What does not compile (for want of
other projects, mostly), takes longer than the seconds, or has no kernel that an earlier
file does not have, too, is left out. Prints how many kernels there are in the end.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HEADER_FOLDERS = {"include", "inc", "src", "common"}
MOST_FOLDERS = 60
ENTRY = re.compile(r"\.entry\s+([\w$]+)(.*?)^}", re.DOTALL | re.MULTILINE)
# What differs between two compilations of one kernel: places in sources, names.
PLACES = re.compile(r"^\s*(//.*|\.loc.*|\.file.*)\n|[\w$.]*__\w+|\$\w+", re.MULTILINE)


def header_folders(checkout):
    found = [path for path in sorted(checkout.rglob("*"))
             if path.is_dir() and path.name in HEADER_FOLDERS]
    return found[:MOST_FOLDERS]


def command(source, checkout, shared, output, arguments):
    parents = [path for path in source.parents
               if path == checkout or checkout in path.parents]
    folders = [f"-I{path}" for path in [*parents, *shared]]
    if arguments.clang:
        start = [arguments.clang, "-x", "cuda", "--cuda-device-only", "-S", "-O3",
                 "-std=c++17", "--cuda-gpu-arch=sm_90", "-gline-tables-only"]
    else:
        start = ["nvcc", "-ptx", "-O3", "-std=c++17", "-arch=sm_90", "-lineinfo"]
    return [*start, *folders, *arguments.options, str(source), "-o", str(output)]


def compile_source(source, checkout, shared, folder, arguments):
    name = "__".join(source.relative_to(checkout).with_suffix("").parts)
    output = folder / (name + ".ptx")
    if output.exists():
        return output
    try:
        done = subprocess.run(command(source, checkout, shared, output, arguments),
                              capture_output=True, text=True, timeout=arguments.seconds)
    except subprocess.TimeoutExpired:
        return None
    return output if done.returncode == 0 and output.exists() else None


def kernels(ptx):
    """The text of each kernel, without what differs between two copies of it."""
    return [PLACES.sub("", body) for _, body in ENTRY.findall(ptx.read_text())]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--match", default="")
    parser.add_argument("--clang")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--jobs", type=int, default=1)
    mine, _, options = " ".join(sys.argv[1:]).partition(" -- ")
    arguments = parser.parse_args(mine.split())
    arguments.options = options.split()
    checkout = arguments.checkout.resolve()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    sources = [path for path in sorted(checkout.rglob("*.cu"))
               if re.search(arguments.match, str(path.relative_to(checkout)))]
    shared = header_folders(checkout)
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        outputs = list(pool.map(lambda source: compile_source(
            source, checkout, shared, arguments.folder, arguments), sources))
    seen, kept = set(), 0
    for output in filter(None, outputs):
        fresh = set(kernels(output)) - seen
        if not fresh:
            output.unlink()
            continue
        seen |= fresh
        kept += 1
    print(f"{len(sources)} sources, {kept} files with {len(seen)} different kernels")
    return 0 if seen else 1


if __name__ == "__main__":
    sys.exit(main())
