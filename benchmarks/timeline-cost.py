#!/usr/bin/env python3
"""What a timeline of a program costs, in instructions of the host or in wall time.

usage: timeline-cost.py [--wall ROUNDS] [--kernels NAME,...] [BUILD-FOLDER]

The program launches a kernel many times with a range of NVTX around each launch and a copy after every tenth, for
several sizes of the kernel. Instructions are valgrind's count of the last 1,000 launches, with the code in the cache:
of the threads of the program and of the device (`noted`, the same for each format), and for each format with those of
the thread that writes the file. Times are those of the loop, of runs with and without a timeline in turn.
"""
import argparse
import ctypes
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FORMATS = ("pftrace", "json", "sqlite")
# What the first ones begin is not counted.
FIRST, LAUNCHES = 300, 1000
# CTAs of 128 threads, and turns of each thread's loop.
KERNELS = {"empty": (1, 0), "small": (8, 20), "medium": (32, 50), "large": (64, 100)}
PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 data, .param .u32 turns)
{
  .reg .pred %p;
  .reg .f32 %f;
  .reg .b32 %r<5>;
  .reg .b64 %d<4>;
  ld.param.u64 %d1, [data];
  ld.param.u32 %r1, [turns];
  mov.u32 %r2, %tid.x;
  mov.u32 %r3, %ctaid.x;
  mad.lo.u32 %r4, %r3, 128, %r2;
  cvta.to.global.u64 %d1, %d1;
  mul.wide.u32 %d2, %r4, 4;
  add.u64 %d3, %d1, %d2;
  ld.global.f32 %f, [%d3];
loop:
  setp.eq.u32 %p, %r1, 0;
  @%p bra done;
  fma.rn.f32 %f, %f, %f, %f;
  sub.u32 %r1, %r1, 1;
  bra loop;
done:
  st.global.f32 [%d3], %f;
  ret;
}
"""


def program(ctas, turns, launches):
    """Runs in a process of its own; prints how long the loop takes."""
    driver, nvtx = ctypes.CDLL("libcuda.so.1"), ctypes.CDLL("libnvToolsExt.so.1")

    def call(function, *arguments):
        if code := getattr(driver, function)(*arguments):
            sys.exit("%s: error %d" % (function, code))

    context, module, kernel, data = (ctypes.c_void_p() for _ in range(4))
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), PTX)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"work")
    call("cuMemAlloc_v2", ctypes.byref(data), ctypes.c_size_t(1 << 20))
    count = ctypes.c_uint32(turns)
    places = (ctypes.c_void_p * 2)(ctypes.addressof(data), ctypes.addressof(count))
    extents = [ctypes.c_uint(n) for n in (ctas, 1, 1, 128, 1, 1)]
    host = ctypes.create_string_buffer(4096)
    begin = time.perf_counter()
    for number in range(launches):
        nvtx.nvtxRangePushA(b"launch")
        call("cuLaunchKernel", kernel, *extents, ctypes.c_uint(0), None, places, None)
        nvtx.nvtxRangePop()
        if number % 10 == 9:
            call("cuMemcpyDtoH_v2", host, data, ctypes.c_size_t(4096))
    call("cuCtxSynchronize")
    print(time.perf_counter() - begin)


def run(build, folder, timeline, arguments, prefix=()):
    environment = dict(os.environ, LD_LIBRARY_PATH=os.path.join(build, "lib"), HEDDLE_HOST_THREADS="1",
                       PYTHONHASHSEED="0")
    environment.pop("HEDDLE_TIMELINE", None)
    if timeline:
        path = os.path.join(folder, "run." + timeline)
        if os.path.exists(path):
            os.remove(path)
        environment["HEDDLE_TIMELINE"] = path
    done = subprocess.run([*prefix, sys.executable, os.path.abspath(__file__), "--program", *map(str, arguments)],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    return done


def instructions(build, folder, timeline, arguments):
    """Of all threads but the one that writes the file, and of that one."""
    counts = os.path.join(folder, "counts")
    run(build, folder, timeline, arguments,
        ("valgrind", "--tool=callgrind", "--separate-threads=yes", "--callgrind-out-file=" + counts))
    sums = [0, 0]
    for name in glob.glob(counts + "-*"):
        with open(name, encoding="utf-8") as file:
            text = file.read()
        os.remove(name)
        sums["EventLog::write()" in text] += int(re.search(r"^(?:summary|totals): (\d+)", text, re.M).group(1))
    return sums


def added(build, folder, timeline, kernel):
    """What the launches add to a process with the first ones."""
    more, first = (instructions(build, folder, timeline, (*kernel, n)) for n in (FIRST + LAUNCHES, FIRST))
    return [a - b for a, b in zip(more, first)]


def main():
    parser = argparse.ArgumentParser(usage="timeline-cost.py [--wall ROUNDS] [--kernels NAME,...] [BUILD-FOLDER]")
    parser.add_argument("--kernels", default=",".join(KERNELS))
    parser.add_argument("--wall", type=int, default=0)
    parser.add_argument("--program", nargs=3, type=int)
    parser.add_argument("build", nargs="?", default=os.path.join(HERE, "../build"))
    options = parser.parse_args()
    if options.program:
        return program(*options.program)
    build = os.path.abspath(options.build)
    ways = ("noted", *FORMATS)[1 if options.wall else 0:]
    print("%-8s %16s" % ("kernel", "without") + "".join("%12s" % name for name in ways))
    with tempfile.TemporaryDirectory() as folder:
        for name in options.kernels.split(","):
            kernel = KERNELS[name]
            # The code is in the cache from now on: the compiler is not loaded.
            run(build, folder, None, (*kernel, 1))
            if options.wall:
                times = {way: [] for way in (None, *FORMATS)}
                for _ in range(options.wall):
                    for way, found in times.items():
                        found.append(float(run(build, folder, way, (*kernel, LAUNCHES)).stdout))
                sums = {way: statistics.median(found) for way, found in times.items()}
                line = "%-8s %13.1f ms" % (name, 1e3 * sums[None])
            else:
                found = {way: added(build, folder, way, kernel) for way in (None, *FORMATS)}
                sums = {way: sum(counts) for way, counts in found.items()}
                sums["noted"] = statistics.median(found[way][0] for way in FORMATS)
                line = "%-8s %16d" % (name, sums[None])
            print(line + "".join("%+10.2f %%" % (100 * (sums[way] / sums[None] - 1)) for way in ways), flush=True)
    return None


main()
