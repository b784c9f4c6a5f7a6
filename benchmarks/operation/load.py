#!/usr/bin/env python3
"""Many processes on the instances of divided devices, some of which are killed at random.

    benchmarks/operation/load.py [--processes 64] [--instances 8] [--seconds 600] [--kills-a-second 0.5]

With --service heddle-deviced shares the devices out; with --instances 0 they are not divided.
Each process checks all of its results, and nearly all of its time is the device's: see
worker.py. The time begins when all processes have computed something. Every other process of
an instance may be killed, at random, and is started again; evenly shared is what the others
have, which live all the time, by launches and, with a service, by the time that it accounts.
Says how much was computed, how evenly, and whether anything was lost or left: a wrong
result, a process that ended by itself, a record of a process that is gone, an instance that
cannot be destroyed. Exit status 1 if so."""
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
    """A process on an instance, and those that took its place when it was killed."""

    def __init__(self, number, instance, options):
        self.number, self.instance, self.steps = number, instance, options.steps
        # Of each instance every other one.
        self.may_be_killed = number // max(options.instances, 1) % 2 == 1
        self.done, self.kills = 0, 0
        self.start()

    def start(self):
        self.has_begun = False
        variables = {"CUDA_VISIBLE_DEVICES": self.instance} if self.instance else {}
        self.process = subprocess.Popen(
            [BIN / "ptx-env", "--threads=1", sys.executable, HERE / "worker.py",
             str(self.number + 1000 * self.kills), str(self.steps)],
            env=dict(os.environ, **variables), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def take(self):
        """Reads what it tells; whether it still lives."""
        data = os.read(self.process.stdout.fileno(), 65536)
        self.has_begun |= bool(data)
        self.done += data.count(b"\n")
        return bool(data)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.has_begun = False


class Load:
    """The processes, and what is wrong with them."""

    def __init__(self, workers, chance):
        self.workers, self.chance = workers, chance
        self.problems, self.selector = [], selectors.DefaultSelector()
        for worker in workers:
            self.selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def listen(self):
        """To what they tell, for a moment."""
        for key, _ in self.selector.select(0.2):
            worker = key.data
            if worker.take():
                continue
            self.selector.unregister(worker.process.stdout)
            worker.process.wait()
            self.problems.append(f"process {worker.number}: {worker.process.stderr.read().decode().strip()}")

    def begin(self):
        """Until all have computed something."""
        while not self.problems and not all(worker.has_begun for worker in self.workers):
            self.listen()

    def kill(self):
        worker = self.chance.choice([w for w in self.workers if w.may_be_killed])
        if worker.process.poll() is not None:
            return
        self.selector.unregister(worker.process.stdout)
        worker.stop()
        worker.kills += 1
        worker.start()
        self.selector.register(worker.process.stdout, selectors.EVENT_READ, worker)

    def run(self, seconds, kills_a_second):
        begin = time.monotonic()
        next_kill = begin + 1
        while time.monotonic() < begin + seconds:
            self.listen()
            if kills_a_second and time.monotonic() > next_kill:
                next_kill += 1 / kills_a_second
                self.kill()
        return time.monotonic() - begin


class Service:
    """heddle-deviced, for the devices of the environment."""

    def __init__(self, folder):
        path = pathlib.Path(folder) / "service"
        self.log = open(pathlib.Path(folder) / "service.log", "w+", encoding="utf-8")
        self.process = subprocess.Popen([BIN / "heddle-deviced", f"--socket={path}"], stdout=subprocess.PIPE,
                                        stderr=self.log)
        self.process.stdout.readline()
        os.environ["HEDDLE_DEVICE_SERVICE"] = str(path)

    @staticmethod
    def status():
        return json.loads(subprocess.run([BIN / "heddle-deviced", "--status",
                                          "--socket=" + os.environ["HEDDLE_DEVICE_SERVICE"]],
                                         capture_output=True, check=True).stdout)

    def times(self):
        """Seconds of the devices that each process has had, by its number."""
        return {client["pid"]: client["time_us"] / 1e6 for client in self.status()["clients"]}

    def end(self):
        """What is left in the service, which should be nothing."""
        for _ in range(100):
            now = self.status()
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
    expected = sorted(str(w.process.pid) for w in workers if w.process.poll() is None and w.has_begun)
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


def say_shares(what, values):
    """Says how far apart they are."""
    values = sorted(values)
    ratio = values[-1] / values[0] if values and values[0] else float("inf")
    print(f"{what}: {values[0]:.2f} to {values[-1]:.2f}, max/min {ratio:.3f}")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--processes", type=int, default=64)
    parser.add_argument("--instances", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--kills-a-second", type=float, default=0.5)
    parser.add_argument("--steps", type=int, default=2048, help="of a kernel's loop: 2048 are some 12 ms of one core")
    parser.add_argument("--service", action="store_true")
    return parser.parse_args()


def main():
    options = parse()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HEDDLE_CLIENTS"] = folder
        instances = divide(options.instances) if options.instances else [None]
        service = Service(folder) if options.service else None
        workers = [Worker(n, instances[n % len(instances)], options) for n in range(options.processes)]
        load = Load(workers, random.Random(1))
        load.begin()
        before, times_before = [w.done for w in workers], service.times() if service else {}
        seconds = load.run(options.seconds, options.kills_a_second)
        times = service.times() if service else {}
        done = [w.done - was for w, was in zip(workers, before)]
        problems = load.problems + leftovers(workers, folder)
        if service:
            problems += service.end()
    kills = sum(w.kills for w in workers)
    print(f"{options.processes} processes on {options.instances} instances for {seconds:.0f} s: "
          f"{sum(done)} launches checked, {sum(done) / seconds:.0f} a second, {kills} killed")
    by_instance = {}
    for worker, number in zip(workers, done):
        by_instance[worker.instance] = by_instance.get(worker.instance, 0) + number
    say_shares("launches a second of an instance", [number / seconds for number in by_instance.values()])
    lasting = [w for w in workers if not w.may_be_killed]
    say_shares("launches a second of a process", [done[w.number] / seconds for w in lasting])
    if service and not problems:
        say_shares("seconds of device time of a process",
                   [times[w.process.pid] - times_before[w.process.pid] for w in lasting])
    for problem in problems:
        print(f"problem: {problem}")
    raise SystemExit(bool(problems))


if __name__ == "__main__":
    main()
