#!/usr/bin/env python3
"""How long compiling takes, beside ptxas where it is installed.

Usage: benchmarks/compile-time.py [--runs 3] [--json FILE] [--no-growth] [FILE.ptx...]

Without files: all PTX of test/kernels and benchmarks/kernels for sm_90. For each
file the processor time (user and system) and the peak memory of a process of
ptx-compile at -O3 and at -O1 and of ptxas at -O3, the least of some runs that
take turns, without the cache; then the geometric means of the ratios to ptxas.
Growth: the same for inputs of our own making that double in size, a kernel of up
to 100,000 instructions, a file of up to 2,000 kernels and a kernel of up to
20,000 branches; the last column is the growth of -O3 for twice the input.

ptx-compile is looked for in PATH.
"""
import argparse
import glob
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
LIMIT_SECONDS = 300
VALUES = 40


# --- Inputs -----------------------------------------------------------------


def straight_line(instructions):
    """A kernel of arithmetic on 40 values with some memory accesses."""
    draw = random.Random(1)
    lines = [HEADER, ".visible .entry k(.param .u64 p) {",
             f".reg .b32 %r<{VALUES}>; .reg .f32 %f<{VALUES}>; .reg .b64 %rd<4>;",
             "ld.param.u64 %rd1, [p]; mov.u32 %r0, %tid.x;",
             "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2;", "mov.f32 %f0, 0f00000000;"]
    for i in range(1, VALUES):
        lines.append(f"ld.global.u32 %r{i}, [%rd3+{4 * i}]; cvt.rn.f32.u32 %f{i}, %r{i};")
    for _ in range(instructions):
        a, b, c = (draw.randrange(1, VALUES) for _ in range(3))
        kind = draw.random()
        at = 4 * draw.randrange(1000)
        if kind < 0.45:
            op = draw.choice(("add.s32", "mul.lo.s32", "xor.b32", "and.b32", "min.s32"))
            lines.append(f"{op} %r{a}, %r{b}, %r{c};")
        elif kind < 0.9:
            lines.append(f"fma.rn.f32 %f{a}, %f{b}, %f{c}, %f{a};")
        elif kind < 0.95:
            lines.append(f"ld.global.u32 %r{a}, [%rd3+{at}];")
        else:
            lines.append(f"st.global.u32 [%rd3+{at}], %r{b};")
    for i in range(1, VALUES):
        lines.append(f"st.global.u32 [%rd3+{4 * i}], %r{i}; st.global.f32 [%rd3+{400 + 4 * i}], %f{i};")
    return "\n".join(lines + ["ret; }", ""])


def many_kernels(kernels):
    text = [HEADER]
    for i in range(kernels):
        text.append(f""".visible .entry k{i}(.param .u64 p, .param .u32 n) {{
.reg .b32 %r<6>; .reg .f32 %f<3>; .reg .b64 %rd<4>; .reg .pred %p;
ld.param.u64 %rd1, [p]; ld.param.u32 %r5, [n];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3; setp.ge.s32 %p, %r4, %r5; @%p bra END;
mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];
fma.rn.f32 %f2, %f1, %f1, 0f{0x3f800000 + i:08x}; st.global.f32 [%rd3], %f2;
END: ret; }}""")
    return "\n".join(text + [""])


def branches(count):
    lines = [HEADER, ".visible .entry k(.param .u64 p) {",
             ".reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p;",
             "ld.param.u64 %rd1, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd2, %r0, 4;",
             "add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0;"]
    for i in range(count):
        lines.append(f"ld.global.u32 %r1, [%rd3+{4 * i}]; setp.gt.u32 %p, %r1, {i}; @%p bra L{i};\n"
                     f"atom.global.add.u32 %r3, [%rd3+{4 * i}], %r2; add.u32 %r2, %r2, %r3;\nL{i}:")
    return "\n".join(lines + ["st.global.u32 [%rd3], %r2; ret; }", ""])


GROWTH = ((straight_line, "instructions", (25000, 50000, 100000)),
          (many_kernels, "kernels", (500, 1000, 2000)),
          (branches, "branches", (5000, 10000, 20000)))


# --- Measuring --------------------------------------------------------------


def cost(command):
    """(seconds of processor time, MiB at most) of a process, or None if it failed."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # No program in between: what it costs would count.
    limit = threading.Timer(LIMIT_SECONDS, process.kill)
    limit.start()
    _, status, usage = os.wait4(process.pid, 0)
    limit.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        return None
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def commands(path, work):
    with open(path) as file:
        target = re.search(r"^\.target\s+(\w+)", file.read(), re.MULTILINE).group(1)
    out = os.path.join(work, "out")
    ours = ["ptx-compile", "-w", "--no-cache", path, "-o", out]
    found = {"O3": ours + ["-O3"], "O1": ours + ["-O1"]}
    if shutil.which("ptxas"):
        found["ptxas"] = ["ptxas", "-O3", "-arch=" + target, path, "-o", out]
    return found


def measure(path, work, runs):
    row = {}
    for _ in range(runs):
        for name, command in commands(path, work).items():
            now = cost(command)
            if now:
                best = row.get(name, now)
                row[name] = [min(a, b) for a, b in zip(best, now)]
    return row


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def show(name, row, growth=None):
    cells = []
    for which in ("O3", "O1", "ptxas"):
        seconds, mebibytes = row.get(which, (None, None))
        cells.append("    not done" if seconds is None
                     else f"{seconds:7.3f} s {mebibytes:5.0f} MiB")
    print("  ".join(cells), f"{growth:5.2f}" if growth else " " * 5, name, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--no-growth", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    files = arguments.files or sorted(
        glob.glob(os.path.join(SOURCE, "test", "kernels", "*", "*.sm_90.ptx"))
        + glob.glob(os.path.join(SOURCE, "benchmarks", "kernels", "*", "*.sm_90.ptx")))
    result = {"files": {}, "growth": {}, "ratios": {}}
    print(f"{'-O3':>19}  {'-O1':>19}  {'ptxas -O3':>19}")
    with tempfile.TemporaryDirectory() as work:
        for path in files:
            row = result["files"][path] = measure(path, work, arguments.runs)
            show(os.path.relpath(path), row)
        for make, unit, sizes in () if arguments.no_growth else GROWTH:
            before = None
            for size in sizes:
                path = os.path.join(work, "input.ptx")
                with open(path, "w") as file:
                    file.write(make(size))
                row = result["growth"][f"{size} {unit}"] = measure(path, work, 1)
                now = row.get("O3")
                show(f"{size} {unit}", row, now[0] / before[0] if now and before else None)
                before = now
    rows = result["files"].values()
    for which in ("O3", "O1"):
        for index, what in enumerate(("time", "memory")):
            mean = geometric_mean(row[which][index] / row["ptxas"][index] for row in rows
                                  if which in row and "ptxas" in row)
            if mean:
                result["ratios"][f"{which} {what}"] = mean
                print(f"geometric mean of the {what} of -{which} over ptxas -O3: {mean:.3f}")
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump(result, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    sys.exit(main())
