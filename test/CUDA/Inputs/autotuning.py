"""What is served to Triton's module for timing, with a made-up one in its place."""
import os
import sys
import tempfile
import textwrap
import time
import types

MODULE = """
import types
runtime = types.SimpleNamespace()


def _summarize_statistics(times, quantiles, return_mode):
    times = sorted(times)
    return {"min": times[0], "median": times[len(times) // 2], "all": times}[return_mode]


def do_bench(fn):
    raise AssertionError("this one fills 256 MiB each time")


do_bench_cudagraph = do_bench
"""


class Clock:
    """Events at which as many milliseconds have gone by as functions have run."""
    now = 0

    def __init__(self, enable_timing):
        assert enable_timing
        self.at = None

    def record(self):
        self.at = Clock.now

    def elapsed_time(self, other):
        return float(other.at - self.at)


def import_made_up(name, text):
    folder = tempfile.mkdtemp()
    os.mkdir(os.path.join(folder, name))
    for file, content in (("__init__.py", ""), ("testing.py", text)):
        with open(os.path.join(folder, name, file), "w", encoding="utf-8") as out:
            out.write(textwrap.dedent(content))
    sys.path.insert(0, folder)
    __import__(name + ".testing")
    return sys.modules[name + ".testing"]


testing = import_made_up("triton", MODULE)
device = types.SimpleNamespace(Event=Clock, synchronize=lambda: None)
testing.runtime.driver = types.SimpleNamespace(
    active=types.SimpleNamespace(get_device_interface=lambda: device))
runs = []


def counted(milliseconds, wait=0.0):
    def run():
        runs.append(None)
        Clock.now += milliseconds
        time.sleep(wait)
    return run


found = testing.do_bench(counted(3), return_mode="min")
print("runs %d: min %s" % (len(runs), found))
runs.clear()
found = testing.do_bench(counted(2, wait=0.2), warmup=1, rep=100, return_mode="all")
print("slow runs %d: all %s" % (len(runs), found))
tensor = types.SimpleNamespace(grad=1)
testing.do_bench(counted(1), grad_to_none=[tensor], return_mode="min")
print("gradients", [tensor.grad])
runs.clear()
found = testing.do_bench_cudagraph(counted(5), rep=1000, return_mode="median")
print("cudagraph runs %d: median %s" % (len(runs), found))
try:
    testing.do_bench(counted(1), return_mode="fastest")
except AssertionError:
    print("refused: fastest")
other = import_made_up("another", MODULE)
try:
    other.do_bench(counted(1))
except AssertionError:
    print("another module is as it was")
