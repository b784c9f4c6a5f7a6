#!/usr/bin/env python3
"""Many processes on one cache directory while everything goes wrong.

usage: stress.py PROGRAMS-FOLDER WORK-FOLDER SECONDS PROCESSES [SEED]

Starts workers (test/Cache/Stress/Worker.cpp), most of them with a layer that
makes their system calls fail, kills them at random with SIGKILL, stops some for a
while, and damages the directory's files: bits flipped, cut, exchanged, replaced by
links, folders and pipes, permissions and times changed, folders removed. A worker
that gets a wrong object, crashes or hangs is a failure, and so is a change of the
file that the links lead to. In the end a worker without faults must work, and
ptx-cache must count no debris.
"""
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time

PROGRAMS, WORK = sys.argv[1:3]
SECONDS, PROCESSES = float(sys.argv[3]), int(sys.argv[4])
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else random.randrange(1 << 30)
STORE = os.path.join(WORK, "cache")
OUTSIDE = os.path.join(WORK, "outside")
WORKER_SECONDS = 3
HUNG_SECONDS = 300


class Worker:
    def __init__(self, chance, number, faults=True):
        environment = dict(os.environ)
        self.faults = faults and chance.random() < 0.7
        if self.faults:
            environment.update(LD_PRELOAD=os.path.join(PROGRAMS, "libheddle-fault-layer.so"),
                               FAULT_ROOT=WORK, FAULT_SEED=str(number),
                               FAULT_ODDS=str(chance.choice([3, 20, 200])))
        self.started = time.monotonic()
        self.killed = False
        command = [os.path.join(PROGRAMS, "heddle-cache-stress"), STORE, str(WORKER_SECONDS),
                   str(number)]
        if chance.random() < 0.1:
            command.append("mode=" + chance.choice(["read-only", "refresh"]))
        self.process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)

    def kill(self):
        self.killed = True
        self.process.kill()

    def failure(self):
        """What went wrong with a worker that has ended."""
        said = self.process.stderr.read().decode(errors="replace").strip()
        self.process.stderr.close()
        if self.process.returncode == 0 or self.killed:
            return said
        return "status %d: %s" % (self.process.returncode, said)


def entries():
    found = []
    for folder, _, names in os.walk(STORE):
        found += [os.path.join(folder, name) for name in names]
    return found


def outside():
    """What is seen of the file that links lead to."""
    status = os.stat(OUTSIDE)
    with open(OUTSIDE, "rb") as file:
        return file.read(), status.st_mode, status.st_mtime_ns


def damage(chance):
    """Does something bad to a file of the directory, and never to what a link in it
    leads to."""
    files = [path for path in entries() if not os.path.islink(path)]
    if not files:
        return
    path = chance.choice(files)
    kind = chance.randrange(12)
    if kind <= 3:
        with open(path, "r+b") as file:
            size = os.path.getsize(path)
            file.seek(chance.randrange(size + 1))
            file.write(bytes(chance.randrange(256) for _ in range(chance.choice([1, 8, 600]))))
    elif kind == 4:
        os.truncate(path, chance.randrange(os.path.getsize(path) + 1))
    elif kind == 5:
        shutil.copyfile(chance.choice(files), path)
    elif kind == 6:
        os.remove(path)
        chance.choice([lambda: os.symlink(OUTSIDE, path), lambda: os.mkdir(path),
                       lambda: os.mkfifo(path)])()
    elif kind == 7:
        os.chmod(path, chance.choice([0, 0o666, 0o400]))
    elif kind == 8:
        os.utime(path, (0, chance.choice([0, time.time() + 1e6, 2**31])))
    elif kind == 9:
        shutil.rmtree(os.path.dirname(path))
    elif kind == 10:
        os.rename(path, os.path.join(WORK, "gone"))
    elif chance.random() < 0.1:
        shutil.rmtree(STORE)


def place_of(pid):
    """Where the threads of a process are, as the kernel knows it."""
    places = []
    for thread in os.listdir("/proc/%d/task" % pid):
        with contextlib.suppress(OSError), open("/proc/%d/task/%s/syscall" % (pid, thread)) as file:
            places.append("system call " + " ".join(file.read().split()[:2]))
    return "; ".join(places)


def run(chance):
    failures, workers, started = [], [], 0
    end = time.monotonic() + SECONDS
    while time.monotonic() < end or workers:
        if time.monotonic() < end and len(workers) < PROCESSES:
            started += 1
            workers.append(Worker(chance, started))
        for worker in list(workers):
            if worker.process.poll() is not None:
                workers.remove(worker)
                if text := worker.failure():
                    failures.append(text)
            elif time.monotonic() - worker.started > HUNG_SECONDS:
                failures.append("a worker hangs in " + place_of(worker.process.pid))
                worker.kill()
        if workers and time.monotonic() < end:
            victim = chance.choice(workers)
            if chance.random() < 0.1:
                victim.kill()
            elif chance.random() < 0.02:
                victim.process.send_signal(signal.SIGSTOP)
                time.sleep(0.3)
                victim.process.send_signal(signal.SIGCONT)
            with contextlib.suppress(OSError, shutil.Error):
                damage(chance)
        time.sleep(0.01)
    return started, failures


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    with open(OUTSIDE, "w", encoding="ascii") as file:
        file.write("nobody's")
    before = outside()
    print("seed %d" % SEED)
    chance = random.Random(SEED)
    started, failures = run(chance)
    last = Worker(chance, 1000000, faults=False)
    last.process.wait(HUNG_SECONDS)
    failures += filter(None, [last.failure()])
    if outside() != before:
        failures.append("the file outside of the cache that links led to has changed")
    for failure in failures:
        print("failed: " + failure)
    print("%d processes, %d failures" % (started, len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
