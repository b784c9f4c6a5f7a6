#!/usr/bin/env python3
"""What debugging costs: opening many kernels, conditions, and nothing at all.

Usage: benchmarks/debugger.py [--bin build/bin] [--kernels 1000] [--rounds 5]

Prints a table of user time, the time of the busiest thread, which is what other work
on the machine does not make longer, and wall time, each the least of the rounds:
- a loop of a million iterations by `ptx-run --no-strict`, and by `ptx-debug` without
  breakpoints;
- the same with a breakpoint in the loop whose condition never holds: a million hits
  of a warp;
- from the start of `ptx-debug` to a breakpoint in the last of so many kernels, each
  with the loop: as a code object, and from PTX with its lines at -O0 and -O3.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
import time

KERNEL = """
.visible .entry loop%(number)d(.param .u64 out, .param .u32 count) {
  .reg .pred %%p<2>;
  .reg .b32 %%r<8>;
  .reg .b64 %%rd<4>;
  ld.param.u64 %%rd1, [out];
  ld.param.u32 %%r1, [count];
  mov.u32 %%r2, %%tid.x;
  mov.u32 %%r3, 0;
$loop:
  xor.b32 %%r2, %%r2, %%r3;
  mad.lo.s32 %%r2, %%r2, 3, %(number)d;
  add.u32 %%r3, %%r3, 1;
  setp.lt.u32 %%p1, %%r3, %%r1;
  @%%p1 bra $loop;
  mov.u32 %%r4, %%tid.x;
  mul.wide.u32 %%rd2, %%r4, 4;
  add.u64 %%rd3, %%rd1, %%rd2;
  st.global.u32 [%%rd3], %%r2;
  ret;
}
"""


def write_inputs(folder, kernels):
    """Manifests that launch the first kernel of one, and the last of many."""
    os.makedirs(folder, exist_ok=True)
    def module(name, count):
        text = "".join(KERNEL % {"number": n} for n in range(count))
        with open(os.path.join(folder, name), "w") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n" + text)

    def manifest(name, module, kernel, count):
        with open(os.path.join(folder, name), "w") as file:
            json.dump({"module": module, "entry": "loop%d" % kernel, "grid": [1], "block": [32],
                       "args": [{"buffer": "out", "type": "u32", "count": 32, "init": "zero"},
                                {"type": "u32", "value": count}]}, file)
    module("one.ptx", 1)
    module("many.ptx", kernels)
    manifest("one.json", "one.ptx", 0, 1000000)
    manifest("many.json", "many.ptx", kernels - 1, 10)
    manifest("object.json", "many.hdo", kernels - 1, 10)


def thread_times(process):
    """Processor time of each thread of a process so far, by its number."""
    times = {}
    folder = "/proc/%d/task" % process
    for thread in os.listdir(folder):
        with open(os.path.join(folder, thread, "schedstat")) as file:
            times[thread] = int(file.read().split()[0]) / 1e9
    return times


def measure(command, folder, rounds):
    """The least user time, time of the busiest thread and wall time, in seconds."""
    best = [float("inf")] * 3
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env={**os.environ, "HEDDLE_CACHE_MODE": "off"})
        threads = {}
        while process.poll() is None:
            try:
                threads.update(thread_times(process.pid))
            except OSError:
                pass  # It has ended meanwhile.
            time.sleep(0.002)
        if process.returncode:
            raise SystemExit("%s failed" % " ".join(command))
        wall = time.monotonic() - start
        user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        best = [min(pair) for pair in zip(best, (user, max(threads.values(), default=0), wall))]
    return best


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--kernels", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    a = parser.parse_args()

    def tool(name):
        return os.path.join(os.path.abspath(a.bin), name)
    debug = [tool("ptx-debug"), "-batch"]
    last = ["-ex", "break loop%d" % (a.kernels - 1), "-ex", "run", "-ex", "kill"]
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder, a.kernels)
        subprocess.run([tool("ptx-compile"), "-w", "-lineinfo", "many.ptx", "-o", "many.hdo"], cwd=folder,
                       check=True)
        rows = [
            ("a million iterations, ptx-run", [tool("ptx-run"), "--no-strict", "one.json"], a.rounds),
            ("... ptx-debug", [*debug, "-ex", "run", "one.json"], a.rounds),
            ("... with a million hits of a condition",
             [*debug, "-ex", "break one.ptx:15 if threadIdx.x == 99", "-ex", "run", "one.json"], 1),
            ("the last of %d kernels, a code object" % a.kernels, [*debug, *last, "object.json"], a.rounds),
            ("... PTX, -O0", [*debug, "-O0", *last, "many.json"], a.rounds),
            ("... PTX, -O3", [*debug, *last, "many.json"], a.rounds),
            ("... PTX, -O3, one thread", [*debug, "-X", "--split-compile=1", *last, "many.json"], a.rounds),
        ]
        print("%-42s %8s %8s %8s" % ("", "user s", "thread s", "wall s"))
        for name, command, rounds in rows:
            print("%-42s %8.2f %8.2f %8.2f" % (name, *measure(command, folder, rounds)), flush=True)


if __name__ == "__main__":
    main()
