#!/usr/bin/env python3
"""Writes random programs of one warp whose threads rely on being together.

usage: warp-flow.py FOLDER FIRST COUNT

Each program has branches and loops, nested and by values that differ from thread to
thread, and exchanges values through shared memory without any barrier: all accesses of
one instruction are made before those of the next one, and threads that part at a branch
are together again behind it, and behind calls of functions that some of them leave early. What comes out is computed here by steps of the whole warp.
The two sides of a branch do not touch what the other one writes, since nothing says which
side is first. Accesses are volatile, so that no compiler may change their order.
"""
import json
import os
import random
import sys

LANES = 32
MASK = 0xFFFFFFFF
VALUES, TESTS, ARRAYS = 5, 3, 4

HEAD = """.version 8.0
.target sm_90
.address_size 64
"""

KERNEL = """.visible .entry flow(.param .u64 values, .param .u64 arrays)
{{
  .reg .b32 %lane, %place, %near, %t, %n<{loops}>, %v<{values}>;
  .reg .b64 %to, %at;
  .reg .pred %again, %p<{tests}>;
  mov.u32 %lane, %tid.x;
  shl.b32 %place, %lane, 2;
"""


FUNCTION = """.visible .func (.param .b32 result) f{number}(.param .b32 a, .param .b32 b)
{{
  .reg .b32 %lane, %place, %near, %t, %n<{loops}>, %v<{values}>;
  .reg .pred %again, %p<{tests}>;
  mov.u32 %lane, %tid.x;
  shl.b32 %place, %lane, 2;
  ld.param.u32 %v0, [a];
  ld.param.u32 %v1, [b];
  add.u32 %v2, %v0, %v1;
  mov.u32 %v3, %lane;
  mov.u32 %v4, 7;
"""


class Writer:
    """Writes a program as PTX and, beside it, as functions that make a step of the warp."""

    def __init__(self, seed, left, functions=(), returns=False):
        self.random = random.Random(seed)
        self.lines, self.labels, self.loops, self.left = [], 0, 0, left
        self.functions, self.returns, self.depth = functions, returns, 0

    def emit(self, *lines):
        self.lines += ["  " + line for line in lines]

    def label(self):
        self.labels += 1
        return "L%d" % self.labels

    def place(self, label):
        self.lines.append(label + ":")

    # Statements: each writes its PTX and gives what it does to a warp's state, of the lanes that are there.

    def compute(self, _writable, _readable):
        to, a, b = (self.random.randrange(VALUES) for _ in range(3))
        factor = self.random.randrange(1, 9)
        self.emit("mad.lo.u32 %%v%d, %%v%d, %d, %%v%d;" % (to, a, factor, b))

        def step(warp, lanes):
            for lane in lanes:
                v = warp.values[lane]
                v[to] = (v[a] * factor + v[b]) & MASK

        return step

    def test(self, _writable, _readable):
        to, a = self.random.randrange(TESTS), self.random.randrange(VALUES)
        mask = self.random.choice((1, 2, 3, 4, 5))
        self.emit("and.b32 %%t, %%v%d, %d;" % (a, mask), "setp.eq.u32 %%p%d, %%t, 0;" % to)

        def step(warp, lanes):
            for lane in lanes:
                warp.tests[lane][to] = warp.values[lane][a] & mask == 0

        return step

    def store(self, writable, _readable):
        array, a = self.random.choice(writable), self.random.randrange(VALUES)
        self.emit("mov.u32 %%t, s%d;" % array, "add.u32 %t, %t, %place;", "st.volatile.shared.u32 [%%t], %%v%d;" % a)

        def step(warp, lanes):
            for lane in lanes:
                warp.arrays[array][lane] = warp.values[lane][a]

        return step

    def load(self, _writable, readable):
        array, to, far = self.random.choice(readable), self.random.randrange(VALUES), self.random.randrange(LANES)
        self.emit("add.u32 %%near, %%lane, %d;" % far, "and.b32 %near, %near, 31;", "shl.b32 %near, %near, 2;")
        self.emit("mov.u32 %%t, s%d;" % array, "add.u32 %t, %t, %near;", "ld.volatile.shared.u32 %%v%d, [%%t];" % to)

        def step(warp, lanes):
            for lane in lanes:
                warp.values[lane][to] = warp.arrays[array][(lane + far) % LANES]

        return step

    def add(self, writable, _readable):
        array, where, a = self.random.choice(writable), self.random.randrange(VALUES), self.random.randrange(VALUES)
        self.emit("and.b32 %%near, %%v%d, 7;" % where, "shl.b32 %near, %near, 2;", "mov.u32 %%t, s%d;" % array)
        self.emit("add.u32 %t, %t, %near;", "red.shared.add.u32 [%%t], %%v%d;" % a)

        def step(warp, lanes):
            for lane in lanes:
                place = warp.values[lane][where] & 7
                warp.arrays[array][place] = (warp.arrays[array][place] + warp.values[lane][a]) & MASK

        return step

    def call(self, writable, readable):
        number = self.random.choice([a for a in range(len(self.functions)) if a in writable and a in readable])
        to, a, b = (self.random.randrange(VALUES) for _ in range(3))
        self.emit("{", ".param .b32 a, b, r;", "st.param.b32 [a], %%v%d;" % a, "st.param.b32 [b], %%v%d;" % b)
        self.emit("call (r), f%d, (a, b);" % number, "ld.param.b32 %%v%d, [r];" % to, "}")

        def step(warp, lanes):
            frame = Warp(warp.arrays)
            for lane in lanes:
                x, y = warp.values[lane][a], warp.values[lane][b]
                frame.values[lane] = [x, y, (x + y) & MASK, lane, 7]
            self.functions[number](frame, lanes)
            for lane in lanes:
                warp.values[lane][to] = frame.values[lane][0]

        return step

    def leave(self, _writable, _readable):
        by = self.random.randrange(TESTS)
        self.emit("@%%p%d st.param.b32 [result], %%v0;" % by, "@%%p%d ret;" % by)

        def step(warp, lanes):
            warp.returned.update(lane for lane in lanes if warp.tests[lane][by])

        return step

    def branch(self, writable, readable):
        by, negated = self.random.randrange(TESTS), self.random.random() < 0.5
        has_both = self.random.random() < 0.5
        other, end = self.label(), self.label()
        self.emit("@%s%%p%d bra %s;" % ("" if negated else "!", by, other if has_both else end))
        mine = [a for a in writable if not has_both or self.random.random() < 0.5]
        others = [a for a in writable if a not in mine]
        first = self.block(mine, [a for a in readable if a not in others])
        second = None
        if has_both:
            self.emit("bra %s;" % end)
            self.place(other)
            second = self.block(others, [a for a in readable if a not in mine])
        self.place(end)

        def step(warp, lanes):
            sides = [[lane for lane in lanes if (warp.tests[lane][by] != negated) == side] for side in (True, False)]
            if sides[0]:
                first(warp, sides[0])
            if second and sides[1]:
                second(warp, sides[1])

        return step

    def loop(self, writable, readable):
        a, number, head, end = self.random.randrange(VALUES), self.loops, self.label(), self.label()
        self.loops += 1
        self.emit("and.b32 %%n%d, %%v%d, 3;" % (number, a))
        self.place(head)
        self.emit("setp.eq.u32 %%again, %%n%d, 0;" % number, "@%again bra " + end + ";")
        self.emit("sub.u32 %%n%d, %%n%d, 1;" % (number, number))
        body = self.block(writable, readable)
        self.emit("bra %s;" % head)
        self.place(end)

        def step(warp, lanes):
            left = {lane: warp.values[lane][a] & 3 for lane in lanes}
            while any(left.values()):
                body(warp, [lane for lane in lanes if left.get(lane)])
                left = {lane: max(n - 1, 0) for lane, n in left.items() if lane not in warp.returned}

        return step

    def block(self, writable, readable):
        steps = []
        self.depth += 1
        for _ in range(self.random.randrange(1, 6)):
            kinds = [self.compute, self.test]
            if writable:
                kinds += [self.store] * 2 + [self.add]
            if readable:
                kinds += [self.load] * 2
            if self.left > 0:
                kinds += [self.branch] * 3 + [self.loop]
            if any(a in writable and a in readable for a in range(len(self.functions))):
                kinds += [self.call]
            # Behind a branch that some leave the function from, the others are together at its end only.
            if self.returns and self.depth == 1:
                kinds += [self.leave]
            self.left -= 1
            steps.append(self.random.choice(kinds)(writable, readable))
        self.depth -= 1

        def step(warp, lanes):
            for each in steps:
                each(warp, [lane for lane in lanes if lane not in warp.returned])

        return step


class Warp:
    """The state of a kernel's threads, or of those in a function, which share the arrays."""

    def __init__(self, arrays=None):
        self.returned = set()
        self.values = [[(lane * (v + 1) + v) & MASK for v in range(VALUES)] for lane in range(LANES)]
        self.tests = [[lane & (1 << t) == 0 for t in range(TESTS)] for lane in range(LANES)]
        self.arrays = arrays or [[a * 100 + lane for lane in range(LANES)] for a in range(ARRAYS)]


def set_tests():
    return "".join("  and.b32 %%t, %%lane, %d;\n  setp.eq.u32 %%p%d, %%t, 0;\n" % (1 << t, t) for t in range(TESTS))


def write_function(seed, number):
    """A function that uses one array and may return early."""
    writer = Writer(seed * 10 + number, left=6, returns=True)
    steps = [writer.block([number], [number]) for _ in range(2)]
    text = FUNCTION.format(number=number, loops=writer.loops + 1, values=VALUES, tests=TESTS) + set_tests()
    text += "\n".join(writer.lines) + "\n  st.param.b32 [result], %v0;\n  ret;\n}\n"

    def run(frame, lanes):
        for step in steps:
            step(frame, [lane for lane in lanes if lane not in frame.returned])

    return text, run


def write(folder, seed):
    functions = [write_function(seed, number) for number in range(seed % 3)]
    writer = Writer(seed, left=40, functions=[run for _, run in functions])
    everything = list(range(ARRAYS))
    steps = [writer.block(everything, everything) for _ in range(4)]
    warp = Warp()
    for step in steps:
        step(warp, list(range(LANES)))

    text = HEAD + "".join(".shared .align 4 .b8 s%d[%d];\n" % (a, 4 * LANES) for a in range(ARRAYS))
    text += "".join(text for text, _ in functions)
    text += KERNEL.format(loops=writer.loops + 1, values=VALUES, tests=TESTS)
    for v in range(VALUES):
        text += "  mad.lo.u32 %%v%d, %%lane, %d, %d;\n" % (v, v + 1, v)
    text += set_tests()
    for a in range(ARRAYS):
        text += "  mov.u32 %%t, s%d;\n  add.u32 %%t, %%t, %%place;\n  add.u32 %%near, %%lane, %d;\n" % (a, a * 100)
        text += "  st.volatile.shared.u32 [%t], %near;\n"
    text += "\n".join(writer.lines) + "\n"
    text += "  ld.param.u64 %to, [values];\n"
    for v in range(VALUES):
        text += "  mad.lo.u32 %%t, %%lane, %d, %d;\n" % (VALUES, v)
        text += "  mul.wide.u32 %%at, %%t, 4;\n  add.u64 %%at, %%to, %%at;\n  st.global.u32 [%%at], %%v%d;\n" % v
    text += "  ld.param.u64 %to, [arrays];\n"
    for a in range(ARRAYS):
        text += "  mov.u32 %%t, s%d;\n  add.u32 %%t, %%t, %%place;\n  ld.volatile.shared.u32 %%near, [%%t];\n" % a
        text += "  add.u32 %%t, %%lane, %d;\n  mul.wide.u32 %%at, %%t, 4;\n" % (a * LANES)
        text += "  add.u64 %at, %to, %at;\n  st.global.u32 [%at], %near;\n"
    text += "  ret;\n}\n"
    with open(os.path.join(folder, "warp-%d.ptx" % seed), "w") as file:
        file.write(text)

    values = [v for lane in warp.values for v in lane]
    arrays = [v for array in warp.arrays for v in array]
    manifest = {
        "module": "warp-%d.ptx" % seed,
        "launches": [
            {
                "entry": "flow",
                "block": [LANES],
                "args": [
                    {"buffer": "values", "type": "u32", "count": len(values), "init": "zero"},
                    {"buffer": "arrays", "type": "u32", "count": len(arrays), "init": "zero"},
                ],
            }
        ],
        "expect": [{"buffer": "values", "values": values}, {"buffer": "arrays", "values": arrays}],
    }
    with open(os.path.join(folder, "warp-%d.json" % seed), "w") as file:
        json.dump(manifest, file)


def main():
    folder, first, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    for seed in range(first, first + count):
        write(folder, seed)


main()
