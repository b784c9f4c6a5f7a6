#!/usr/bin/env python3
"""Many processes that start at once and want the same kernels, with and without a farm.

    benchmarks/operation/farm.py [--clients 64] [--kernels 24] [--alone-clients 4]

A client compiles each kernel once, in an order of its own, with an empty cache, as the
workers of a server do that starts cold. Says how long it takes until all have all:
alone (measured with fewer clients, since the work is that of each, and multiplied), by a
farm, and by one folder of the cache, which processes of one machine may share. Exit
status 1 if any object differs."""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
BIN = SOURCE / "build" / "bin"


def kernels(number):
    found = sorted([*SOURCE.glob("test/kernels/*/*.nvcc.sm_90.ptx"), *SOURCE.glob("benchmarks/inputs/kernels/*/*.ptx")])
    random.Random(1).shuffle(found)
    return found[:number]


def run_client(number, sources, environment):
    """Compiles all, and returns a hash for each."""
    order = list(sources)
    random.Random(number).shuffle(order)
    hashes = {}
    for source in order:
        made = subprocess.run([BIN / "ptx-compile", "-O3", "--chip=hd100", source, "-o", "-"], env=environment,
                              capture_output=True, check=True)
        hashes[source] = hashlib.sha256(made.stdout).hexdigest()
    return hashes


def run_clients(count, sources, folder, shared=False, **settings):
    """How long so many clients take, and what they got."""
    def environment(number):
        place = pathlib.Path(folder) / ("shared" if shared else f"client{number}")
        return {**os.environ, "HEDDLE_CACHE_MODE": "on", "HEDDLE_CACHE_DIR": str(place),
                **{f"HEDDLE_CACHE_{name.upper()}": value for name, value in settings.items()}}
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(count) as pool:
        found = list(pool.map(lambda number: run_client(number, sources, environment(number)), range(count)))
    return time.monotonic() - begin, found


def run_farm(count, sources, folder):
    address = f"unix:{folder}/socket"
    farm = subprocess.Popen([BIN / "ptx-farm", "serve", f"--cache-set=dir={folder}/farm", address],
                            env={**os.environ, "HEDDLE_CACHE_MODE": "on"}, stdout=subprocess.PIPE, text=True)
    farm.stdout.readline()
    seconds, found = run_clients(count, sources, folder, farm=address)
    status = subprocess.run([BIN / "ptx-farm", "status", address], capture_output=True, text=True, check=True)
    farm.send_signal(signal.SIGTERM)
    farm.wait()
    return seconds, found, json.loads(status.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--kernels", type=int, default=24)
    parser.add_argument("--alone-clients", type=int, default=4, help="so many clients are run alone")
    options = parser.parse_args()
    sources = kernels(options.kernels)
    with tempfile.TemporaryDirectory(prefix="farm-") as folder:
        alone, expected = run_clients(options.alone_clients, sources, f"{folder}/alone")
        seconds, found, status = run_farm(options.clients, sources, folder)
        together, also = run_clients(options.clients, sources, f"{folder}/together", shared=True)
    scaled = alone * options.clients / options.alone_clients
    print(f"{options.clients} clients, {len(sources)} kernels each, on {os.cpu_count()} cores")
    print(f"each alone      {scaled:7.1f} s ({alone:.1f} s for {options.alone_clients} clients)")
    print(f"by a farm       {seconds:7.1f} s, {status['compiled']} compilations of {status['requests']} requests, "
          f"{status['shared']} waited for another, {status['found']} were found")
    print(f"by one folder   {together:7.1f} s")
    wrong = sum(one != expected[0] for one in [*expected, *found, *also])
    print(f"{wrong} clients got something else than the first")
    return 1 if wrong or status["compiled"] != len(sources) else 0


if __name__ == "__main__":
    raise SystemExit(main())
