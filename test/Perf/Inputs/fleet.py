"""Measures kernels by workers of a Redis queue, one of which dies over a job, and compares
with what threads measure.

usage: fleet.py SERVERS-FOLDER KERNELS-FOLDER BUILD-BIN FOLDER
"""
import os
import shutil
import signal
import subprocess
import sys
import time

SERVERS, KERNELS, BIN, FOLDER = sys.argv[1:]
sys.path.insert(0, SERVERS)
import servers  # noqa: E402

from heddle_perf.fleet import GROUP, Names, measure_on_queue  # noqa: E402
from heddle_perf.measure import on_threads  # noqa: E402
from heddle_perf.redis import Redis  # noqa: E402
from heddle_perf.suites import read_suite  # noqa: E402
from heddle_perf.tools import Tools  # noqa: E402

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        print("failed: " + what)


def start(address, *words):
    line = [sys.executable, "-m", "heddle_perf", "worker", "--queue", address, "--tools", BIN]
    return subprocess.Popen([*line, *words], stdout=subprocess.PIPE, text=True)


def kill_at_work(server, names, worker):
    """Stops a worker that has a job, for good."""
    while worker.poll() is None:
        pending = server("XPENDING", names.jobs, GROUP)
        if isinstance(pending, list) and pending[0]:
            worker.send_signal(signal.SIGKILL)
            worker.wait()
            return bool(server("XPENDING", names.jobs, GROUP)[0])
        time.sleep(0.005)
    return False


def main():
    signal.alarm(300)  # nothing here may wait for ever
    os.makedirs(FOLDER, exist_ok=True)
    for name in ("nbody", "spmv"):
        shutil.copytree(os.path.join(KERNELS, name), os.path.join(FOLDER, name), dirs_exist_ok=True)
    suite = os.path.join(FOLDER, "suite.toml")
    with open(suite, "w", encoding="utf-8") as file:
        file.write('[[case]]\nmanifest = "*/*.json"\n')
    points = list(read_suite(suite).points())
    tools = Tools(BIN)
    here = on_threads(1)(tools, points, lambda point: None)
    with servers.redis() as port:
        address = "redis://127.0.0.1:%d" % port
        server, names = Redis(address), Names(tools)
        server("XGROUP", "CREATE", names.jobs, GROUP, "0", "MKSTREAM")
        # The first worker finds the jobs that a request leaves, and dies.
        asking = subprocess.Popen(
            [sys.executable, "-m", "heddle_perf", "--store", os.path.join(FOLDER, "store.db"), "run", suite,
             "--tools", BIN, "--queue", address]
        )  # fmt: skip
        check(kill_at_work(server, names, start(address, "--lease", "1")), "a worker died with a job")
        worker = start(address, "--lease", "1", "--idle", "4")
        check(asking.wait() == 0, "the run ended well")
        there = measure_on_queue(tools, points, address, lambda point: None)
        check(worker.communicate()[0].strip() == "2 kernels measured", "each was measured once")
        check(server("XLEN", names.jobs) == 0, "no job is left")
    check(list(here) == [p.key for p in points], "all points are there")
    for key, result in here.items():
        other = there[key]
        # A report names the manifest, which was elsewhere.
        forms = [name for name, text in result.artefacts.items() if text != other.artefacts.get(name)]
        check(result.launches == other.launches, "the same figures: " + key)
        check(set(forms) <= {"report"}, "the same forms: %s: %s" % (key, forms))
    print("%d checks" % checks)


main()
