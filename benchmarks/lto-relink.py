#!/usr/bin/env python3
"""What relinking takes after a change, with full and with thin LTO.

usage: lto-relink.py [BIN-FOLDER] [--modules N] [--statements N]

Writes a program of N modules, 100 if not told otherwise: each has a kernel with
two functions of its own, and calls three functions of a library of 20. All are
compiled with -dlto. Then the program is linked anew, with nothing changed, and
after an edit of one module, of a function of the library that a few modules
call, and of one that nobody calls; each link has a cache of its own that it
shares with those before it. Times are of the wall clock, in seconds.
"""
import argparse
import os
import random
import re
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
LIBRARY_SIZE = 20


def function(name, statements, seed, visible=False, edited=False):
    """A function of one 32-bit number with a loop of so many statements."""
    chance = random.Random(seed)
    lines = ["%s.func (.param .b32 out) %s(.param .b32 value)" %
             (".visible " if visible else "", name),
             "{", "  .reg .b32 %r<8>;", "  .reg .pred %p<2>;",
             "  ld.param.b32 %r1, [value];",
             "  mov.u32 %%r2, %d;" % (12345 if edited else 54321),
             "  mov.u32 %r3, 0;", "loop:"]
    for _ in range(statements // 2):
        operation = chance.choice(["add.u32", "xor.b32", "min.u32", "sub.u32"])
        lines += ["  mad.lo.u32 %%r1, %%r1, %d, %%r2;" % chance.randrange(3, 1 << 20, 2),
                  "  %s %%r2, %%r1, %%r2;" % operation]
    lines += ["  add.u32 %r3, %r3, 1;", "  setp.lt.u32 %p1, %r3, 7;", "  @%p1 bra loop;",
              "  st.param.b32 [out], %r1;", "  ret;", "}", ""]
    return "\n".join(lines)


def call(name):
    return """  {
    .param .b32 in0;
    .param .b32 out0;
    st.param.b32 [in0], %%r1;
    call.uni (out0), %s, (in0);
    ld.param.b32 %%r1, [out0];
  }
""" % name


def module(number, statements, edited):
    called = ["shared%d" % ((number * 7 + i * 3) % (LIBRARY_SIZE - 1)) for i in range(3)]
    text = HEADER
    for name in called:
        text += ".extern .func (.param .b32 out) %s(.param .b32 value);\n" % name
    for own in ("first", "second"):
        text += function(own, statements, "%d%s" % (number, own), edited=edited)
    text += """.visible .entry kernel%d(.param .u64 data)
{
  .reg .b32 %%r<3>;
  .reg .b64 %%rd<2>;
  ld.param.u64 %%rd1, [data];
  mov.u32 %%r1, %%tid.x;
""" % number
    for name in called + ["first", "second"]:
        text += call(name)
    return text + "  st.global.u32 [%rd1], %r1;\n  ret;\n}\n"


def library(statements, edited):
    return HEADER + "".join(
        function("shared%d" % i, statements, "shared%d" % i, visible=True, edited=i == edited)
        for i in range(LIBRARY_SIZE))


class Program:
    def __init__(self, tools, folder, arguments):
        self.tools, self.folder, self.arguments = tools, folder, arguments
        self.texts = {}

    def write(self, edited_module=None, edited_function=None):
        """Compiles what has changed."""
        size = self.arguments.statements
        texts = {"library": library(size, edited_function)}
        for number in range(self.arguments.modules):
            texts["m%d" % number] = module(number, size, number == edited_module)
        for name, text in texts.items():
            if self.texts.get(name) == text:
                continue
            path = os.path.join(self.folder, name)
            with open(path + ".ptx", "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run([os.path.join(self.tools, "ptx-compile"), "-dlto", "--no-cache",
                            path + ".ptx", "-o", path + ".o"], check=True)
        self.texts = texts

    def link(self, *options):
        """Seconds, and what the cache reported of parts."""
        objects = [os.path.join(self.folder, name + ".o") for name in self.texts]
        environment = dict(os.environ, HEDDLE_CACHE_MODE="on",
                           HEDDLE_CACHE_DIR=os.path.join(self.folder, "cache"))
        start = time.monotonic()
        done = subprocess.run(
            [os.path.join(self.tools, "ptx-link"), "-dlto", "--cache-report", *options,
             *objects, "-o", os.path.join(self.folder, "program")],
            check=True, env=environment, stderr=subprocess.PIPE, encoding="utf-8")
        seconds = time.monotonic() - start
        made = re.search(r"parts found \d+, made (\d+)", done.stderr)
        return seconds, made.group(1) if made else "-"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tools", nargs="?", default=os.path.join(HERE, "../build/bin"))
    parser.add_argument("--modules", type=int, default=100)
    parser.add_argument("--statements", type=int, default=60)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = Program(arguments.tools, folder, arguments)
        print("%-36s %9s %9s %15s" % ("", "full LTO", "thin LTO", "kernels compiled"))
        for what, edits in (("first link", {}), ("nothing changed", {}),
                            ("one module edited", {"edited_module": 42}),
                            ("function of some modules edited", {"edited_function": 3}),
                            ("function that nobody calls edited",
                             {"edited_function": LIBRARY_SIZE - 1})):
            program.write(**edits)
            full, _ = program.link()
            thin, made = program.link("--thin-lto", "--split-compile=0")
            print("%-36s %9.2f %9.2f %15s" % (what, full, thin, made))


if __name__ == "__main__":
    main()
