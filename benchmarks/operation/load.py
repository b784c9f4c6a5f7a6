#!/usr/bin/env python3
"""Many processes on the instances of divided devices, some of which are killed at random.

    benchmarks/operation/load.py [--processes 64] [--instances 8] [--seconds 600] [--kills-a-second 0.5]

With --service heddle-deviced shares the devices out; with --instances 0 they are not divided.
Each process checks its results. Says how much was computed, how evenly, and whether
anything was lost or left: a wrong result, a process that ended by itself, a record of a
process that is gone, an instance that cannot be destroyed. Exit status 1 if so."""
import argparse
import json
import os
import pathlib
import random
import selectors
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
BIN = HERE.parents[1] / "build" / "bin"


def smi(*arguments):
    ran = subprocess.run([BIN / "ptx-smi", *arguments], capture_output=True, text=True, check=False)
    if ran.returncode:
        raise SystemExit(f"ptx-smi {' '.join(arguments)}: {ran.stderr}")
    return ran.stdout


def divide(instances):
    """Makes so many instances of the smallest profile, and returns their devices' UUIDs."""
    devices = (instances + 6) // 7
    os.environ["HEDDLE_DEVICES"] = f"{devices}xhd100"
    smi("-mig", "1")
    for device in range(devices):
        here = min(7, instances - 7 * device)
        smi("mig", "-i", str(device), "-cgi", ",".join(["1g"] * here), "-C")
    return [line.split("UUID: ")[1].rstrip(")") for line in smi("-L").splitlines() if "MIG" in line]


class Worker:
    """A process on an instance; what it did before it was killed counts."""

    def __init__(self, number, instance):
        self.number, self.instance = number, instance
        self.done, self.lived, self.kills = 0, 0.0, 0
        self.start()

    def start(self):
        self.before, self.ready = 0, None
        variables = {"CUDA_VISIBLE_DEVICES": self.instance} if self.instance else {}
        self.process = subprocess.Popen(
            [BIN / "ptx-env", "--threads=1", sys.executable, HERE / "worker.py", str(self.number)],
            env=dict(os.environ, **variables),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def take(self):
        """Reads what it tells; whether it still lives."""
        data = os.read(self.process.stdout.fileno(), 65536)
        if data and self.ready is None:
            self.ready = time.monotonic()
        self.before += data.count(b"\n")
        return bool(data)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.done += self.before
        if self.ready is not None:
            self.lived += time.monotonic() - self.ready
        self.before, self.ready = 0, None


def run(workers, seconds, kills_a_second, chance):
    """Returns what went wrong."""
    problems, selector = [], selectors.DefaultSelector()
    for worker in workers:
        selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
    end = time.monotonic() + seconds
    next_kill = time.monotonic() + 5
    while time.monotonic() < end:
        for key, _ in selector.select(0.2):
            worker = key.data
            if worker.take():
                continue
            selector.unregister(worker.process.stdout)
            worker.process.wait()
            problems.append(f"process {worker.number}: {worker.process.stderr.read().decode().strip()}")
        if kills_a_second and time.monotonic() > next_kill:
            next_kill += 1 / kills_a_second
            worker = chance.choice(workers)
            if worker.process.poll() is None:
                selector.unregister(worker.process.stdout)
                worker.stop()
                worker.kills += 1
                worker.start()
                selector.register(worker.process.stdout, selectors.EVENT_READ, worker)
    return problems


class Service:
    """heddle-deviced, for the devices of the environment."""

    def __init__(self, folder):
        path = pathlib.Path(folder) / "service"
        self.log = open(pathlib.Path(folder) / "service.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([BIN / "heddle-deviced", f"--socket={path}"], stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.process.stdout.readline()
        os.environ["HEDDLE_DEVICE_SERVICE"] = str(path)

    def end(self):
        """What is left in the service, which should be nothing."""
        def status():
            return json.loads(subprocess.run([BIN / "heddle-deviced", "--status",
                                              "--socket=" + os.environ["HEDDLE_DEVICE_SERVICE"]],
                                             capture_output=True, check=True).stdout)
        for _ in range(100):
            now = status()
            if not now["clients"]:
                break
            time.sleep(0.1)
        self.process.terminate()
        self.process.wait()
        self.log.seek(0)
        problems = [f"the service: {line.strip()}" for line in self.log]
        if now["clients"] or now["free_places"] != now["places"]:
            problems.append(f"left in the service: {now}")
        return problems


def leftovers(workers, folder):
    """What is there after all have ended, but should not be."""
    problems = []
    listed = smi("--query-compute-apps=pid", "--format=csv,noheader").split()
    expected = sorted(str(w.process.pid) for w in workers if w.process.poll() is None and w.ready is not None)
    if not set(expected) <= set(listed):
        problems.append(f"not listed: {sorted(set(expected) - set(listed))}")
    for worker in workers:
        worker.stop()
    if listed := smi("--query-compute-apps=pid", "--format=csv,noheader").split():
        problems.append(f"listed though gone: {listed}")
    if records := list(pathlib.Path(folder).glob("client-*")):
        problems.append(f"left: {[record.name for record in records]}")
    if workers[0].instance:
        smi("mig", "-dci")
        smi("mig", "-dgi")
        smi("-mig", "0")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kills-a-second", type=float, default=0.5)
    parser.add_argument("--service", action="store_true")
    options = parser.parse_args()
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEDDLE_CLIENTS"] = folder
        instances = divide(options.instances) if options.instances else [None]
        service = Service(folder) if options.service else None
        workers = [Worker(n, instances[n % len(instances)]) for n in range(options.processes)]
        problems = run(workers, options.seconds, options.kills_a_second, chance)
        problems += leftovers(workers, folder)
        if service:
            problems += service.end()
    total, kills = sum(w.done for w in workers), sum(w.kills for w in workers)
    rates = sorted(w.done / w.lived for w in workers if w.lived > 0.5 * options.seconds)
    by_instance = {}
    for worker in workers:
        rate = worker.done / worker.lived if worker.lived else 0
        by_instance.setdefault(worker.instance, []).append(rate)
    sums = sorted(sum(rates) for rates in by_instance.values())
    print(f"{options.processes} processes on {options.instances} instances for {options.seconds:.0f} s: "
          f"{total} launches checked, {total / options.seconds:.0f} a second, {kills} killed")
    print(f"launches a second of an instance: {sums[0]:.2f} to {sums[-1]:.2f}, max/min {sums[-1] / sums[0]:.3f}")
    if rates:
        print(f"of a process that lived more than half of the time: {rates[0]:.2f} to {rates[-1]:.2f}, "
              f"max/min {rates[-1] / rates[0]:.3f}")
    for problem in problems:
        print(f"problem: {problem}")
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
