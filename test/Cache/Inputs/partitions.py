#!/usr/bin/env python3
"""Tests the cache's second level: of many kernels only those that changed are
compiled, and the object is always that of a compilation without a cache.

usage: partitions.py WORK-FOLDER [KERNELS]
"""
import os
import re
import shutil
import subprocess
import sys

WORK = sys.argv[1]
KERNELS = int(sys.argv[2]) if len(sys.argv) > 2 else 30
failures = []

HEAD = """.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.global .align 4 .b8 table[64] = {1, 2, 3};
.const .align 4 .f32 factor = 0f3F000000;
.extern .shared .align 16 .b8 dynamic[];
"""

FUNCTION = """.func (.param .b32 result) helper%(n)d(.param .b32 value)
{
  .reg .u32 %%r<4>;
  ld.param.u32 %%r1, [value];
  mul.lo.u32 %%r2, %%r1, %(constant)d;
  div.u32 %%r2, %%r2, %%r1;
  st.param.b32 [result], %%r2;
  ret;
}
"""

KERNEL = """.visible .entry kernel%(n)d(.param .u64 out)%(bounds)s
{
  .reg .u32 %%r<8>;
  .reg .u64 %%rd<4>;
  .reg .f32 %%f<4>;
  .shared .align 4 .b8 own[%(shared)d];
  ld.param.u64 %%rd1, [out];
  mov.u32 %%r1, %%tid.x;
  add.u32 %%r2, %%r1, %(constant)d;
%(call)s
  ld.global.u32 %%r3, [counter];
  add.u32 %%r2, %%r2, %%r3;
  ld.const.f32 %%f1, [factor];
  mov.b32 %%r4, %%f1;
  xor.b32 %%r2, %%r2, %%r4;
  st.shared.u32 [own], %%r2;
  bar.sync 0;
  ld.shared.u32 %%r2, [own];
  div.u32 %%r2, %%r2, %%r1;
  mul.wide.u32 %%rd2, %%r1, 4;
  add.u64 %%rd3, %%rd1, %%rd2;
  st.global.u32 [%%rd3], %%r2;
  ret;
}
"""

CALL = """  {
  .param .b32 p; .param .b32 q;
  st.param.b32 [p], %%r2;
  call (q), helper%(helper)d, (p);
  ld.param.b32 %%r2, [q];
  }"""


class Program:
    """KERNELS kernels; every third calls a function that the next one calls, too."""

    def __init__(self):
        self.head = HEAD
        self.constants = {n: n + 1 for n in range(KERNELS)}
        self.helpers = {n: n + 3 for n in range(0, KERNELS, 6)}
        self.bounds = {}
        self.order = list(range(KERNELS))

    def text(self):
        text = self.head
        for n, constant in self.helpers.items():
            text += FUNCTION % {"n": n, "constant": constant}
        for n in self.order:
            helper = n - n % 6
            call = CALL % {"helper": helper} if n % 6 < 2 else ""
            text += KERNEL % {"n": n, "constant": self.constants[n], "call": call,
                              "bounds": self.bounds.get(n, ""), "shared": 4 * (n + 1)}
        return text


def run(text, *options):
    """(partitions found, made, where from) of a compilation with the cache."""
    path = os.path.join(WORK, "input.ptx")
    with open(path, "w") as file:
        file.write(text)
    cached, fresh = os.path.join(WORK, "cached.o"), os.path.join(WORK, "fresh.o")
    environment = dict(os.environ, HEDDLE_CACHE_MODE="on", HEDDLE_CACHE_DIR=WORK + "/cache")
    done = subprocess.run(["ptx-compile", "--cache-report", *options, path, "-o", cached],
                          env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit("failed: ptx-compile: " + done.stderr)
    subprocess.run(["ptx-compile", "--no-cache", *options, path, "-o", fresh], check=True)
    with open(cached, "rb") as a, open(fresh, "rb") as b:
        if a.read() != b.read():
            failures.append("the object is not that of a compilation without a cache")
    found = re.search(r"cache: (\w+).*?(?:partitions found (\d+), made (\d+))?$", done.stderr,
                      re.MULTILINE)
    return found.group(1), int(found.group(2) or 0), int(found.group(3) or 0)


def code(text, *options):
    """The listing of the object that is compiled from a text without a cache."""
    path, output = os.path.join(WORK, "input.ptx"), os.path.join(WORK, "listed.o")
    with open(path, "w") as file:
        file.write(text)
    subprocess.run(["ptx-compile", "--no-cache", *options, path, "-o", output], check=True)
    return subprocess.run(["ptx-objdump", output], check=True, capture_output=True).stdout


def check(what, got, origin, made):
    """Some parts must have been found if some were made."""
    if got[0] != origin or got[2] != made or (made and not got[1]):
        failures.append("%s: %s, expected %s with %d made" % (what, got, origin, made))
    print("%s: %s, partitions found %d, made %d" % ((what,) + got))


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    program = Program()
    # Kernels 0 and 1 of each six are one unit with the function they share.
    units = sum(1 for n in range(KERNELS) if n % 6 != 1)
    first = run(program.text())
    if first != ("made", 0, units):
        failures.append("first: %s, expected %d units" % (first, units))
    check("the same", run(program.text()), "local", 0)

    program.constants[3] = 1000
    check("one kernel edited", run(program.text()), "made", 1)
    program.bounds[4] = " .maxntid 64"
    check("launch bounds of one", run(program.text()), "made", 1)
    program.helpers[6] = 999
    check("a function that two call", run(program.text()), "made", 1)
    commented = "// comment\n" + program.text().replace("\n", " // x\n").replace("  ", "\t")
    check("comments and blanks", run(commented), "made", 0)
    renamed = program.text().replace("%rd", "%address").replace("%r", "%number")
    check("names of registers", run(renamed), "made", 0)
    program.order.reverse()
    # Where two kernels are one unit, their order is part of it.
    check("order", run(program.text()), "made", len(program.helpers))
    program.order.reverse()
    del program.order[5]
    check("a kernel less", run(program.text()), "made", 0)
    program.head = HEAD.replace("counter = 7", "counter = 8")
    check("the value of a variable", run(program.text()), "made", 0)
    program.head = HEAD.replace("counter = 7", "counter[2] = {7, 8}")
    got = run(program.text())
    check("the size of a variable that all use", (got[0], 1, got[2]), "made", units - 1)
    got = run(program.text(), "-O1")
    check("another level", (got[0], 1, got[2]), "made", units - 1)

    # Without units, the whole module is one part, and the code the same.
    whole = program.text()
    for level in ("-O3", "-O0"):
        if code(whole, level) != code(whole, level, "--partitions=false"):
            failures.append("other code without partitions, " + level)
    if run(whole, "--partitions=false") != ("made", 0, 1):
        failures.append("units without being asked for")
    check("comments without partitions", run("// x\n" + whole, "--partitions=false"), "made", 0)

    for failure in failures:
        print("failed: " + failure)
    print("%d failures" % len(failures))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
