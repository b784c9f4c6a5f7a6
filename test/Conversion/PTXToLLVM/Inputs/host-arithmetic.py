#!/usr/bin/env python3
"""Runs lowered PTX functions on the host against reference definitions.

usage: host-arithmetic.py PTX-OPT LLVM-TOOLS-FOLDER WORK-FOLDER

Each case is a function of PTX text over arguments %a0, %a1, ... that leaves its
result in %r, and the same function in Python, whose result counts modulo the
width. Arguments come from a fixed seed, many of them near the limits.
"""
import ctypes
import itertools
import os
import random
import subprocess
import sys

CASES_PER_FUNCTION = 150

# The instructions that docs/ir-contract.md makes builtins.
BUILTINS = """
typedef unsigned u32;
u32 __heddle_bfe_u32(u32 a, u32 pos, u32 len) {
  u32 d = 0;
  pos &= 255, len &= 255;
  for (u32 i = 0; i < len && pos + i < 32; ++i)
    d |= (a >> (pos + i) & 1) << i;
  return d;
}
u32 __heddle_bfe_s32(u32 a, u32 pos, u32 len) {
  pos &= 255, len &= 255;
  u32 last = pos + len - 1, sign = len ? a >> (last > 31 ? 31 : last) & 1 : 0;
  u32 d = 0;
  for (u32 i = 0; i < 32; ++i)
    d |= (i < len && pos + i < 32 ? a >> (pos + i) & 1 : sign) << i;
  return d;
}
u32 __heddle_bfi_b32(u32 a, u32 b, u32 pos, u32 len) {
  pos &= 255, len &= 255;
  for (u32 i = 0; i < len && pos + i < 32; ++i)
    b = (b & ~(1u << (pos + i))) | ((a >> i & 1) << (pos + i));
  return b;
}
u32 __heddle_bfind_u32(u32 a) {
  for (int i = 31; i >= 0; --i)
    if (a >> i & 1)
      return i;
  return ~0u;
}
u32 __heddle_bfind_s32(int a) { return __heddle_bfind_u32(a < 0 ? ~a : a); }
"""


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def saturate32(x):
    return clamp(x, -(1 << 31), (1 << 31) - 1)


def quotient(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def field(bits, is_signed, a, pos, length):
    pos, length = pos & 255, length & 255
    last = min(pos + length - 1, bits - 1)
    sign = a >> last & 1 if is_signed and length else 0
    result = 0
    for i in range(bits):
        inside = i < length and pos + i < bits
        result |= (a >> (pos + i) & 1 if inside else sign) << i
    return result


def insert(bits, a, b, pos, length):
    pos, length = pos & 255, length & 255
    for i in range(length):
        if pos + i < bits:
            bit = 1 << (pos + i)
            b = b & ~bit | (bit if a >> i & 1 else 0)
    return b


def highest(x, bits, is_signed):
    if is_signed and signed(x, bits) < 0:
        x = ~signed(x, bits)
    return x.bit_length() - 1


class Cases(list):
    def add(self, name, text, arguments, result, function):
        self.append((name, text, arguments, result, function))


def any_width(cases):
    for w in (16, 32, 64):
        s = lambda x, w=w: signed(x, w)
        add = lambda name, text, n, f, w=w: cases.add(
            "%s_%d" % (name, w), text.replace("W", str(w)), [w] * n, w, f
        )
        shift = lambda name, text, f, w=w: cases.add(
            "%s_%d" % (name, w), text.replace("W", str(w)), [w, 32], w, f
        )
        shift("shl", "shl.bW %r, %a0, %a1;", lambda a, n, w=w: a << n if n < w else 0)
        shift("shr_u", "shr.uW %r, %a0, %a1;", lambda a, n: a >> min(n, 64))
        shift("shr_s", "shr.sW %r, %a0, %a1;", lambda a, n, s=s, w=w: s(a) >> min(n, w))
        add("mul_hi_s", "mul.hi.sW %r, %a0, %a1;", 2, lambda a, b, s=s, w=w: s(a) * s(b) >> w)
        add("mul_hi_u", "mul.hi.uW %r, %a0, %a1;", 2, lambda a, b, w=w: a * b >> w)
        add("mad_hi", "mad.hi.sW %r, %a0, %a1, %a2;", 3,
            lambda a, b, c, s=s, w=w: (s(a) * s(b) >> w) + c)
        add("sad_s", "sad.sW %r, %a0, %a1, %a2;", 3,
            lambda a, b, c, s=s: abs(s(a) - s(b)) + c)
        add("sad_u", "sad.uW %r, %a0, %a1, %a2;", 3, lambda a, b, c: abs(a - b) + c)
        add("min", "min.sW %r, %a0, %a1;", 2, lambda a, b, s=s: min(s(a), s(b)))
        add("max", "max.uW %r, %a0, %a1;", 2, max)
        add("abs", "abs.sW %r, %a0;", 1, lambda a, s=s: abs(s(a)))
        add("cnot", "cnot.bW %r, %a0;", 1, lambda a: int(a == 0))
        for d in (3, 7, 10):
            add("div%d" % d, "div.sW %%r, %%a0, %d;" % d, 1,
                lambda a, s=s, d=d: quotient(s(a), d))
            add("rem%d" % d, "rem.sW %%r, %%a0, -%d;" % d, 1,
                lambda a, s=s, d=d: s(a) - d * quotient(s(a), d))


def bits(cases):
    for w, sign in itertools.product((32, 64), "us"):
        is_signed = sign == "s"
        cases.add("bfe_%s%d" % (sign, w), "bfe.%s%d %%r, %%a0, %%a1, %%a2;" % (sign, w),
                  [w, 32, 32], w,
                  lambda a, p, n, w=w, g=is_signed: field(w, g, a, p, n))
        cases.add("bfind_%s%d" % (sign, w), "bfind.%s%d %%r, %%a0;" % (sign, w), [w], 32,
                  lambda a, w=w, g=is_signed: highest(a, w, g))
        cases.add("bfind_shift_%s%d" % (sign, w),
                  "bfind.shiftamt.%s%d %%r, %%a0;" % (sign, w), [w], 32,
                  lambda a, w=w, g=is_signed: -1 if highest(a, w, g) < 0
                  else w - 1 - highest(a, w, g))
    for w in (32, 64):
        cases.add("bfi_%d" % w, "bfi.b%d %%r, %%a0, %%a1, %%a2, %%a3;" % w, [w, w, 32, 32],
                  w, lambda a, b, p, n, w=w: insert(w, a, b, p, n))
        cases.add("popc_%d" % w, "popc.b%d %%r, %%a0;" % w, [w], 32,
                  lambda a: bin(a).count("1"))
        cases.add("clz_%d" % w, "clz.b%d %%r, %%a0;" % w, [w], 32,
                  lambda a, w=w: w - a.bit_length())
        cases.add("brev_%d" % w, "brev.b%d %%r, %%a0;" % w, [w], w,
                  lambda a, w=w: int(format(a, "0%db" % w)[::-1], 2))
    for mode in ("clamp", "wrap"):
        amount = lambda n, m=mode: min(n, 32) if m == "clamp" else n & 31
        cases.add("shf_l_" + mode, "shf.l.%s.b32 %%r, %%a0, %%a1, %%a2;" % mode, [32] * 3, 32,
                  lambda a, b, n, f=amount: (b << 32 | a) << f(n) >> 32)
        cases.add("shf_r_" + mode, "shf.r.%s.b32 %%r, %%a0, %%a1, %%a2;" % mode, [32] * 3, 32,
                  lambda a, b, n, f=amount: (b << 32 | a) >> f(n))


def special_products(cases):
    def product24(a, b, is_signed, high):
        a, b = ((signed(x, 24) if is_signed else x & 0xFFFFFF) for x in (a, b))
        return a * b >> 16 if high else a * b

    for sign, part in itertools.product("us", ("lo", "hi")):
        f = lambda a, b, g=sign == "s", h=part == "hi": product24(a, b, g, h)
        cases.add("mul24_%s_%s" % (part, sign), "mul24.%s.%s32 %%r, %%a0, %%a1;" % (part, sign),
                  [32] * 2, 32, f)
        cases.add("mad24_%s_%s" % (part, sign),
                  "mad24.%s.%s32 %%r, %%a0, %%a1, %%a2;" % (part, sign), [32] * 3, 32,
                  lambda a, b, c, f=f: f(a, b) + c)
    s = lambda x: signed(x, 32)
    cases.add("add_sat", "add.sat.s32 %r, %a0, %a1;", [32] * 2, 32,
              lambda a, b: saturate32(s(a) + s(b)))
    cases.add("sub_sat", "sub.sat.s32 %r, %a0, %a1;", [32] * 2, 32,
              lambda a, b: saturate32(s(a) - s(b)))
    cases.add("mad_sat", "mad.hi.sat.s32 %r, %a0, %a1, %a2;", [32] * 3, 32,
              lambda a, b, c: saturate32((s(a) * s(b) >> 32) + s(c)))
    cases.add("mul_wide", "mul.wide.s32 %r, %a0, %a1;", [32] * 2, 64, lambda a, b: s(a) * s(b))
    cases.add("mul_wide_16", "mul.wide.u16 %r, %a0, %a1;", [16] * 2, 32, lambda a, b: a * b)
    cases.add("mad_wide", "mad.wide.u32 %r, %a0, %a1, %a2;", [32, 32, 64], 64,
              lambda a, b, c: a * b + c)


def carries(cases):
    halves = """.reg .b32 %l0, %h0, %l1, %h1;
      mov.b64 {%l0, %h0}, %a0; mov.b64 {%l1, %h1}, %a1;"""
    cases.add("add64", halves + """add.cc.u32 %l0, %l0, %l1; addc.u32 %h0, %h0, %h1;
      mov.b64 %r, {%l0, %h0};""", [64] * 2, 64, lambda a, b: a + b)
    cases.add("sub64", halves + """sub.cc.u32 %l0, %l0, %l1; subc.u32 %h0, %h0, %h1;
      mov.b64 %r, {%l0, %h0};""", [64] * 2, 64, lambda a, b: a - b)
    cases.add("carry", """.reg .b32 %t; add.cc.u32 %t, %a0, %a1; addc.cc.u32 %t, %a2, %a3;
      addc.u32 %r, 0, 0;""", [32] * 4, 32,
              lambda a, b, c, d: c + d + (a + b >> 32) >> 32)
    cases.add("borrow", """.reg .b32 %t; sub.cc.u32 %t, %a0, %a1; subc.cc.u32 %t, %a2, %a3;
      subc.u32 %r, 0, 0;""", [32] * 4, 32, lambda a, b, c, d: -int(c - d - int(a < b) < 0))
    # The flag is the carry of an adder, which says that there is no borrow.
    cases.add("carry_in_difference", """.reg .b32 %t; add.cc.u32 %t, %a0, %a1;
      subc.u32 %r, %a2, %a3;""", [32] * 4, 32,
              lambda a, b, c, d: c - d - 1 + (a + b >> 32))
    cases.add("borrow_in_sum", """.reg .b32 %t; sub.cc.u32 %t, %a0, %a1;
      addc.u32 %r, %a2, %a3;""", [32] * 4, 32, lambda a, b, c, d: c + d + int(a >= b))
    cases.add("mad128", """.reg .b64 %l; mad.lo.cc.u64 %l, %a0, %a1, %a2;
      madc.hi.u64 %r, %a0, %a1, %a3;""", [64] * 4, 64,
              lambda a, b, c, d: a * b + c + (d << 64) >> 64)


def conversions(cases):
    types = [(sign, w) for sign in "us" for w in (8, 16, 32, 64)]
    limits = lambda sign, w: (-(1 << w - 1), (1 << w - 1) - 1) if sign == "s" else (0, (1 << w) - 1)
    number = lambda x, sign, w: signed(x, w) if sign == "s" else x & (1 << w) - 1
    for (to, from_, sat) in itertools.product(types, types, ("", ".sat")):
        (low, high), (from_low, from_high) = limits(*to), limits(*from_)
        if sat and from_low >= low and from_high <= high:
            continue  # PTX has .sat only where it does something.

        def convert(x, to=to, from_=from_, sat=sat, low=low, high=high):
            x = number(x, *from_)
            return number(clamp(x, low, high) if sat else x, *to)

        name = "%s%d_%s%d%s" % (*to, *from_, sat.replace(".", "_"))
        text = "cvt%s.%s%d.%s%d %%r, %%a0;" % (sat, *to, *from_)
        widths = max(from_[1], 16), max(to[1], 16)
        cases.add("cvt_" + name, text, [widths[0]], widths[1], convert)
        if widths != (64, 64):  # In registers that are wider than the types.
            cases.add("cvt_wide_" + name, text, [64], 64, convert)


def predicates(cases):
    s = lambda x: signed(x, 32)
    comparisons = {
        "eq": lambda a, b: a == b, "ne": lambda a, b: a != b,
        "lt": lambda a, b: a < b, "le": lambda a, b: a <= b,
        "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
    }
    for name, f in comparisons.items():
        cases.add("setp_" + name, """.reg .pred %%p, %%q; .reg .b32 %%x, %%y;
          setp.%s.s32 %%p|%%q, %%a0, %%a1; selp.b32 %%x, 1, 0, %%p; selp.b32 %%y, 2, 0, %%q;
          or.b32 %%r, %%x, %%y;""" % name, [32] * 2, 32,
                  lambda a, b, f=f: 1 if f(s(a), s(b)) else 2)
        cases.add("set_" + name, """.reg .pred %%p; setp.ne.u32 %%p, %%a2, 0;
          set.%s.xor.u32.u32 %%r, %%a0, %%a1, %%p;""" % name, [32] * 3, 32,
                  lambda a, b, c, f=f: -int(f(a, b) != (c != 0)))
    cases.add("slct", "slct.b32.s32 %r, %a0, %a1, %a2;", [32] * 3, 32,
              lambda a, b, c: a if s(c) >= 0 else b)
    cases.add("guard", """.reg .pred %p; setp.lt.s32 %p, %a0, %a1; mov.b32 %r, %a2;
      @%p add.s32 %r, %r, %a0; @!%p xor.b32 %r, %r, %a1;""", [32] * 3, 32,
              lambda a, b, c: c + a if s(a) < s(b) else c ^ b)
    cases.add("guarded_rem", """.reg .pred %p; setp.lt.s32 %p, %a0, %a1; mov.b32 %r, %a0;
      @%p rem.u32 %r, %a0, 10; @!%p div.u32 %r, %a1, 3;""", [32] * 2, 32,
              lambda a, b: a % 10 if s(a) < s(b) else b // 3)


def control(cases):
    def loop(a, b):
        for i in range(b & 15, 0, -1):
            a = a * 3 + i
        return a

    cases.add("loop", """.reg .pred %p; .reg .b32 %i; mov.b32 %r, %a0; and.b32 %i, %a1, 15;
      L: setp.eq.s32 %p, %i, 0; @%p bra E; mad.lo.s32 %r, %r, 3, %i; add.s32 %i, %i, -1; bra L;
      E:""", [32] * 2, 32, loop)
    # The arguments of a block are passed at once.
    cases.add("swap", """.reg .pred %p; .reg .b32 %x, %y, %t, %i; mov.b32 %x, %a0;
      mov.b32 %y, %a1; and.b32 %i, %a2, 7; L: setp.eq.s32 %p, %i, 0; @%p bra E; mov.b32 %t, %x;
      mov.b32 %x, %y; mov.b32 %y, %t; sub.s32 %i, %i, 1; bra L; E: sub.s32 %r, %x, %y;""",
              [32] * 3, 32, lambda a, b, c: b - a if c & 1 else a - b)
    cases.add("table", """.reg .b32 %i; and.b32 %i, %a0, 3; ts: .branchtargets A, B, C, A;
      brx.idx %i, ts; A: mov.b32 %r, %a1; bra E; B: not.b32 %r, %a1; bra E; C: shl.b32 %r, %a1, 1;
      E:""", [32] * 2, 32, lambda a, b: [b, ~b, b << 1, b][a & 3])
    cases.add("local", """.local .align 8 .b8 buf[16]; .reg .b64 %p; .reg .b32 %i, %x;
      mov.u64 %p, buf; st.local.v2.b32 [%p], {%a0, %a1}; st.local.b8 [buf+1], %a2;
      ld.local.u16 %i, [%p]; ld.local.s8 %x, [buf+7]; add.s32 %r, %i, %x;""", [32] * 3, 32,
              lambda a, b, c: (a & 255 | (c & 255) << 8) + signed(b >> 24, 8))
    cases.add("pieces", """.reg .b16 %h<4>; .reg .b32 %x, %y; mov.b32 {%h0, %h1}, %a0;
      mov.b32 {%h2, %h3}, %a1; mov.b32 %x, {%h1, %h2}; mov.b32 %y, {%h3, %h0};
      sub.u32 %r, %x, %y;""", [32] * 2, 32,
              lambda a, b: (a >> 16 | (b & 0xFFFF) << 16) - (b >> 16 | (a & 0xFFFF) << 16))


def ptx_of(cases):
    lines = [".version 8.8", ".target sm_100", ".address_size 64"]
    for name, text, arguments, result, _ in cases:
        params = ", ".join(".param .b%d p%d" % (w, i) for i, w in enumerate(arguments))
        lines.append(".visible .func (.param .b%d ret) %s(%s)\n{" % (result, name, params))
        lines.append(".reg .b%d %%r;" % result)
        for i, w in enumerate(arguments):
            lines.append(".reg .b%d %%a%d; ld.param.b%d %%a%d, [p%d];" % (w, i, w, i, i))
        lines += [text, "st.param.b%d [ret], %%r; ret;\n}" % result]
    return "\n".join(lines) + "\n"


def build(ptx_opt, tools, folder, text):
    """Compiles the functions for the host, unoptimised and optimised."""
    path = lambda name: os.path.join(folder, name)
    tool = lambda name: os.path.join(tools, name)
    with open(path("cases.ptx"), "w") as file:
        file.write(text)
    with open(path("builtins.c"), "w") as file:
        file.write(BUILTINS)
    run = lambda *command: subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    run(ptx_opt, path("cases.ptx"), "--convert-ptx-to-llvm", "-o", path("cases.mlir"))
    ir = run(tool("mlir-translate"), "--mlir-to-llvmir", path("cases.mlir")).decode()
    ir = "\n".join(l for l in ir.split("\n") if not l.startswith("target "))
    # Local memory is the host's stack.
    ir = ir.replace(", addrspace(5)", "").replace(" addrspace(5)", "")
    with open(path("cases.ll"), "w") as file:
        file.write(ir)
    for level in ("-O0", "-O2"):
        library = path("cases%s.so" % level)
        run(tool("clang"), level, "-w", "-shared", "-fPIC", "-o", library, path("cases.ll"),
            path("builtins.c"))
        yield level, ctypes.CDLL(library)


def argument(source, bits):
    kind = source.random()
    if kind < 0.35:
        return source.getrandbits(bits)
    if kind < 0.65:
        return source.getrandbits(source.randint(1, 7))
    if kind < 0.8:
        return (1 << bits) - 1 - source.getrandbits(3)
    if kind < 0.9:
        return (1 << bits - 1) - source.getrandbits(2)
    return 0


def count_failures(level, library, cases):
    ctype = {16: ctypes.c_uint16, 32: ctypes.c_uint32, 64: ctypes.c_uint64}
    source = random.Random(1)
    failures = 0
    for name, _, arguments, result, reference in cases:
        function = getattr(library, name)
        function.restype = ctype[result]
        function.argtypes = [ctype[w] for w in arguments]
        for _ in range(CASES_PER_FUNCTION):
            values = [argument(source, w) for w in arguments]
            found = function(*values)
            expected = reference(*values) & (1 << result) - 1
            if found != expected:
                failures += 1
                print("%s %s%s: expected %#x, found %#x"
                      % (level, name, [hex(v) for v in values], expected, found))
                break
    return failures


def main(ptx_opt, tools, folder):
    cases = Cases()
    for make in (any_width, bits, special_products, carries, conversions, predicates, control):
        make(cases)
    failures = 0
    for level, library in build(ptx_opt, tools, folder, ptx_of(cases)):
        failures += count_failures(level, library, cases)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
