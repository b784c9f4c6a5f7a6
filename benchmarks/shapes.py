"""Inputs of any size for the compiler, each a function of how many there are.

Used by compile-time.py and by test/CompileTime/growth.test.
"""
import random

HEADER = ".version 8.0\n.target sm_90\n.address_size 64\n"
VALUES = 40
# A kernel whose threads have an address in %rd3, an argument in %r1 and a sum in %r2.
BEGIN = [HEADER, ".visible .entry k(.param .u64 p, .param .u32 n) {",
         ".reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p;",
         "ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r0, %tid.x;",
         "mul.wide.u32 %rd2, %r0, 4; add.s64 %rd3, %rd1, %rd2; mov.u32 %r2, 0;"]
END = ["st.global.u32 [%rd3], %r2; ret; }", ""]


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


def one_register(count):
    """Branches that all test the same register."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"setp.gt.u32 %p, %r1, {i}; @%p bra L{i};\n"
                     f"atom.global.add.u32 %r3, [%rd3+{4 * i}], %r2; add.u32 %r2, %r2, %r3;\nL{i}:")
    return "\n".join(lines + END)


def sums(count):
    """One sum of values that are loaded, in one block."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"ld.global.u32 %r3, [%rd3+{4 * i}]; add.u32 %r2, %r2, %r3;")
    return "\n".join(lines + END)


def updates(count):
    """Neighbouring places that are each loaded, changed and stored, in one block."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"ld.global.u32 %r3, [%rd3+{4 * i}]; add.u32 %r3, %r3, {i + 1};\n"
                     f"st.global.u32 [%rd3+{4 * i}], %r3;")
    return "\n".join(lines + END)


def live_values(count):
    """Values that are all loaded before the first is used, more than registers."""
    lines = BEGIN + [f".reg .b32 %v<{count}>;"]
    for i in range(count):
        lines.append(f"ld.global.u32 %v{i}, [%rd3+{4 * i}];")
    lines.append("bar.sync 0;")
    for i in range(count):
        lines.append(f"add.u32 %r2, %r2, %v{count - 1 - i}; mul.lo.u32 %r2, %r2, %v{i};")
    return "\n".join(lines + END)


def nested(count):
    """Conditions inside of conditions."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"ld.global.u32 %r3, [%rd3+{4 * i}]; setp.gt.u32 %p, %r3, {i}; @%p bra L{i};\n"
                     f"st.global.u32 [%rd3+{4 * i}], %r0;")
    for i in reversed(range(count)):
        lines.append(f"L{i}: add.u32 %r2, %r2, {i + 1}; st.global.u32 [%rd3+{4 * i}], %r2;")
    return "\n".join(lines + END)


def cases(count):
    """A jump through a table of labels."""
    labels = ", ".join(f"C{i}" for i in range(count))
    lines = BEGIN + [f"T: .branchtargets {labels};", f"rem.u32 %r4, %r1, {count}; brx.idx %r4, T;"]
    for i in range(count):
        lines.append(f"C{i}: add.u32 %r2, %r2, {7 * i + 1}; bra E;")
    return "\n".join(lines + ["E:"] + END)


def exits(count):
    """Ways from everywhere to eight ends, each with its values of then."""
    lines = BEGIN + [".reg .b32 %v<16>;"] + [f"ld.global.u32 %v{i}, [%rd3+{4 * i}];" for i in range(16)]
    for i in range(count):
        lines.append(f"ld.global.u32 %r3, [%rd3+{4 * i}]; setp.eq.u32 %p, %r3, {i}; @%p bra E{i % 8};\n"
                     f"add.u32 %v{i % 16}, %v{(i + 3) % 16}, %r3;")
    for i in range(8):
        lines.append(f"E{i}: add.u32 %r2, %r2, %v{i}; st.global.u32 [%rd3+{400 + 4 * i}], %v{i + 8};")
    return "\n".join(lines + END)


def quads(count):
    """Values of 128 bits that are all loaded before the first is used."""
    lines = BEGIN + [f".reg .b32 %v<{4 * count}>;"]
    parts = [", ".join(f"%v{4 * i + j}" for j in range(4)) for i in range(count)]
    for i in range(count):
        lines.append(f"ld.global.v4.u32 {{{parts[i]}}}, [%rd1+{16 * i}];")
    lines.append("bar.sync 0;")
    for i in range(count):
        lines.append(f"add.u32 %v{4 * i}, %v{4 * i}, %v{4 * (count - 1 - i) + 1};\n"
                     f"st.global.v4.u32 [%rd1+{16 * (count - 1 - i)}], {{{parts[i]}}};")
    return "\n".join(lines + END)


def barriers(count):
    """Barriers, between which threads store and load."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"st.global.u32 [%rd3+{4 * i}], %r2; bar.sync 0;\n"
                     f"ld.global.u32 %r3, [%rd3+{4 * (7 * i % count)}]; add.u32 %r2, %r2, %r3;")
    return "\n".join(lines + END)


def stores(count):
    """Stores of two values in turn, in one block."""
    lines = BEGIN + [f"st.global.u32 [%rd3+{4 * i}], %r{i % 2};" for i in range(count)]
    return "\n".join(lines + END)


def textures(count):
    """Texels, each at a place that depends on the last."""
    lines = [HEADER, ".global .texref t;"] + BEGIN[1:] + [".reg .b32 %t<4>;"]
    for _ in range(count):
        lines.append("tex.2d.v4.u32.s32 {%t0, %t1, %t2, %t3}, [t, {%r0, %r2}];\n"
                     "add.u32 %r2, %t0, %t3; xor.b32 %r2, %r2, %t1;")
    return "\n".join(lines + END)


def small_blocks(count):
    """Branches that all compare one uniform value with the same argument."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"setp.gt.u32 %p, %r2, %r1; @%p bra L{i}; mad.lo.u32 %r2, %r2, %r1, {i};\n"
                     f"st.global.u32 [%rd3+{4 * i}], %r2;\nL{i}: xor.b32 %r2, %r2, {i + 1};")
    return "\n".join(lines + END)


def constants(count):
    """One sum of values that are each a constant more than one other."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"add.u32 %r2, %r2, %r1; add.u32 %r1, %r1, {i + 1};")
    return "\n".join(lines + END)


def shared_arrays(count):
    """Arrays in shared memory, each stored to and loaded from once."""
    lines = [HEADER] + [f".shared .align 4 .b8 s{i}[{16 + 4 * (i % 3)}];" for i in range(count)] + BEGIN[1:]
    lines += [f"st.shared.u32 [s{i}+4], %r0;" for i in range(count)] + ["bar.sync 0;"]
    lines += [f"ld.shared.u32 %r3, [s{i}+8]; add.u32 %r2, %r2, %r3;" for i in range(count)]
    return "\n".join(lines + END)


def surfaces(count):
    """Texels of a surface that are loaded and stored, each at a place that depends on the last."""
    lines = [HEADER, ".global .surfref s;"] + BEGIN[1:]
    for _ in range(count):
        lines.append("suld.b.2d.b32.trap %r3, [s, {%r0, %r2}]; add.u32 %r2, %r2, %r3;\n"
                     "sust.b.2d.b32.trap [s, {%r0, %r3}], %r2;")
    return "\n".join(lines + END)


def matrices(count):
    """Products of matrices into 16 accumulators in turn."""
    sums = [f"%c{4 * i}, %c{4 * i + 1}, %c{4 * i + 2}, %c{4 * i + 3}" for i in range(16)]
    lines = BEGIN + [".reg .b32 %a<8>; .reg .f32 %c<64>;"]
    lines += [f"ld.global.u32 %a{i}, [%rd3+{4 * i}];" for i in range(8)]
    lines += [f"mov.f32 %c{i}, 0f00000000;" for i in range(64)]
    for i in range(count):
        a, b, c, d, e, f = (f"%a{(i + j) % 8}" for j in range(6))
        lines.append("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     f"{{{sums[i % 16]}}}, {{{a}, {b}, {c}, {d}}}, {{{e}, {f}}}, {{{sums[i % 16]}}};")
    lines += [f"st.global.f32 [%rd3+{400 + 4 * i}], %c{i};" for i in range(64)]
    return "\n".join(lines + END)


def loops(count):
    """Loops one after the other, of one number of iterations."""
    lines = BEGIN.copy()
    for i in range(count):
        lines.append(f"mov.u32 %r4, 0;\nL{i}: ld.global.u32 %r3, [%rd3+{4 * i}]; mad.lo.u32 %r2, %r3, %r2, {i};\n"
                     f"add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra L{i};")
    return "\n".join(lines + END)


def array_loops(count):
    """Loops one after the other, each over elements of its own."""
    lines = BEGIN + [".reg .b64 %q<2>;"]
    for i in range(count):
        lines.append(f"mov.u32 %r4, 0;\nL{i}: mul.wide.u32 %q0, %r4, 4; add.s64 %q1, %rd3, %q0;\n"
                     f"ld.global.u32 %r3, [%q1+{64 * i}]; mad.lo.u32 %r2, %r3, %r2, {i}; st.global.u32 [%q1+{64 * i}], %r2;\n"
                     f"add.u32 %r4, %r4, 1; setp.lt.u32 %p, %r4, %r1; @%p bra L{i};")
    return "\n".join(lines + END)


def nested_loops(count):
    """Loops inside of loops."""
    lines = BEGIN + [f".reg .b32 %i<{count}>;"]
    for i in range(count):
        lines.append(f"mov.u32 %i{i}, 0;\nL{i}: ld.global.u32 %r3, [%rd3+{4 * i}]; add.u32 %r2, %r2, %r3;")
    for i in reversed(range(count)):
        lines.append(f"add.u32 %i{i}, %i{i}, 1; setp.lt.u32 %p, %i{i}, %r1; @%p bra L{i};")
    return "\n".join(lines + END)


def divisions(count):
    """Divisions by values that are loaded, into one sum."""
    lines = BEGIN.copy()
    for i in range(count):
        operation = ("rem.u32", "div.s32", "rem.s32", "div.u32")[i % 4]
        lines.append(f"ld.global.u32 %r3, [%rd3+{4 * i}]; {operation} %r4, %r1, %r3; add.u32 %r2, %r2, %r4;")
    return "\n".join(lines + END)


def places(count):
    """Loads from places that are computed, in one block."""
    lines = BEGIN + [".reg .b64 %q<2>;"]
    for i in range(count):
        lines.append(f"mad.lo.u32 %r4, %r1, {i}, %r0; mul.wide.u32 %q0, %r4, 4; add.s64 %q1, %rd1, %q0;\n"
                     "ld.global.u32 %r3, [%q1]; xor.b32 %r2, %r2, %r3;")
    return "\n".join(lines + END)


def calls(count):
    """Functions, of which each calls two of those before it."""
    lines = [HEADER]
    for i in range(count):
        lines.append(f".func (.param .b32 o) f{i} (.param .b32 a, .param .b64 q) {{\n"
                     ".reg .b32 %r<4>; .reg .b64 %q; ld.param.u32 %r1, [a]; ld.param.u64 %q, [q];\n"
                     f"ld.global.u32 %r2, [%q+{4 * i}]; mad.lo.u32 %r1, %r1, %r2, {i};")
        for callee in range(i - 1, max(i - 5, -1), -2):
            lines.append("{ .param .b32 x; .param .b32 y; .param .b64 z;\n"
                         "st.param.b32 [y], %r1; st.param.b64 [z], %q;\n"
                         f"call (x), f{callee}, (y, z); ld.param.b32 %r3, [x]; add.u32 %r1, %r1, %r3; }}")
        lines.append("st.param.b32 [o], %r1; ret; }")
    lines += BEGIN[1:] + ["{ .param .b32 x; .param .b32 y; .param .b64 z;",
                          "st.param.b32 [y], %r1; st.param.b64 [z], %rd3;",
                          f"call (x), f{count - 1}, (y, z); ld.param.b32 %r2, [x]; }}"]
    return "\n".join(lines + END)
