#!/usr/bin/env python3
"""Machines that share a cache, each with a profile: what the profiles agree on
is compiled once.

usage: shared-cache.py SERVERS WORK-FOLDER KERNEL KERNELS ONE BOTH MORE

SERVERS is the folder of servers.py. KERNEL is a PTX file with one kernel,
KERNELS has that and another. Profile ONE is of the one, BOTH of both, MORE
counts more of the one. Prints where each object came from.
"""
import os
import re
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import servers

WORK, KERNEL, KERNELS, ONE, BOTH, MORE = sys.argv[2:]


def compile_on(machine, remote, *arguments):
    """Says what the cache did on a machine with a directory of its own."""
    output = os.path.join(WORK, machine + ".o")
    environment = dict(os.environ, HEDDLE_CACHE_MODE="on",
                       HEDDLE_CACHE_DIR=os.path.join(WORK, machine),
                       HEDDLE_CACHE_REMOTES=remote, HEDDLE_CACHE_REMOTE_LINGER="10000",
                       HEDDLE_CACHE_REMOTE_TIMEOUT="10000")
    said = subprocess.run(["ptx-compile", "--cache-report", *arguments, "-o", output],
                          env=environment, check=True, capture_output=True, text=True).stderr
    fresh = output + ".fresh"
    subprocess.run(["ptx-compile", "--cache=off", *arguments, "-o", fresh], check=True)
    with open(output, "rb") as got, open(fresh, "rb") as made:
        same = "the same object" if got.read() == made.read() else "ANOTHER OBJECT"
    origin = re.search(r"cache: (\w+)", said).group(1)
    parts = re.search(r"partitions found \d+, made \d+", said)
    print("%s: %s, %s%s" % (machine, origin, same, ", " + parts.group(0) if parts else ""))


def main():
    os.makedirs(WORK, exist_ok=True)
    with servers.redis() as port:
        remote = "redis://127.0.0.1:%d" % port
        compile_on("first", remote, "-fprofile-use=" + ONE, KERNEL)
        compile_on("second", remote, "-fprofile-use=" + BOTH, KERNEL)
        compile_on("third", remote, "-fprofile-use=" + MORE, KERNEL)
        compile_on("fourth", remote, "-fprofile-use=" + BOTH, KERNELS)
        compile_on("fifth", remote, "-fprofile-use=" + BOTH, KERNELS)
        compile_on("sixth", remote, "-fprofile-use=" + MORE, KERNELS)


main()
