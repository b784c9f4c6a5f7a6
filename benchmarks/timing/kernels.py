"""Programs of whole kernels that others published times of, in PTX: rows, lattices,
products, copies. As in programs.py, rates are of two lengths; times of launches are
those of the whole, with empty caches."""

import re
import struct

from programs import Launch, difference, kernel

INDEX = "  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n"
THREAD = INDEX + "  mad.lo.u32 %i3, %i0, %i1, %i2;\n"


def gigabytes(moved, cycles, figures):
    """GB/s."""
    return moved / cycles * figures["ClockMHz"] / 1e3


def milliseconds(cycles, figures):
    return cycles / figures["ClockMHz"] / 1e3


# Chases.
def latency_permutation(size, chip, figures, folder):
    """Cycles of a load in a chain through all words of a set in a pseudo-random order,
    which a generator makes that visits a power of two and leaves out what is beyond the
    set. Of sets far beyond L2 as much is taken as says the same."""
    words = min(size, 3 * figures["L2Bytes"]) // 4
    period = 1 << (words - 1).bit_length()
    warm = words if 4 * words < 2 * figures["L2Bytes"] else 0
    load = "  mul.wide.u32 %a0, %i4, 4; add.u64 %a0, %a0, %rd0; ld.global.u32 %i4, [%a0];\n"
    loop = lambda name, limit, step: (
        f"  mov.u32 %i5, 0;\n{name}:\n  .pragma \"nounroll\";\n" + load * step
        + f"  add.u32 %i5, %i5, {step}; setp.lt.u32 %p0, %i5, {limit}; @%p0 bra {name};\n")
    text = kernel(1, 4, "  mov.u32 %i2, %tid.x; mov.u32 %i6, %i2;\n"
                  "BUILD:\n  setp.ge.u32 %p3, %i6, %r2; @%p3 bra BUILT; mov.u32 %i4, %i6;\n"
                  "NEXT:\n  mad.lo.u32 %i4, %i4, 1664525, 1013904223; and.b32 %i4, %i4, %r3;\n"
                  "  setp.ge.u32 %p4, %i4, %r2; @%p4 bra NEXT;\n"
                  "  mul.wide.u32 %a0, %i6, 4; add.u64 %a0, %a0, %rd0; st.global.u32 [%a0], %i4;\n"
                  "  add.u32 %i6, %i6, 1024; bra BUILD;\n"
                  "BUILT:\n  bar.sync 0; setp.ne.u32 %p5, %i2, 0; @%p5 bra DONE;\n"
                  "  mov.u32 %i4, 0; setp.eq.u32 %p1, %r1, 0; @%p1 bra MEASURED;\n"
                  + loop("WARM", "%r1", 1) + "MEASURED:\n" + loop("LOOP", "%r0", 32)
                  + "  setp.ne.u32 %p2, %i4, -1; @%p2 bra DONE;\n  st.global.u32 [%rd0], %i4;\n")
    steps = 4096
    make = lambda count: Launch(text, 1, [1024], [words * 4], [count, warm, words, period - 1])
    return difference(make, chip, folder, 1024, 1024 + steps) / steps


# Copies and reads.
def vectors(floats):
    """Parts of at most four floats."""
    return [min(floats, 4)] * max(1, floats // 4)


def moves(operation, floats, address, first=0):
    text = ""
    for number, width in enumerate(vectors(floats)):
        names = [f"%f{first + 4 * number + n}" for n in range(width)]
        kind = {1: "f32", 2: "v2.f32", 4: "v4.f32"}[width]
        value = names[0] if width == 1 else "{" + ", ".join(names) + "}"
        place = f"[{address}+{16 * number}]"
        text += f"  ld.global.{kind} {value}, {place};\n" if operation == "ld" else \
            f"  st.global.{kind} {place}, {value};\n"
    return text


def copy_float(floats, chip, figures, folder):
    """GB/s of a copy by so many floats of each thread."""
    text = kernel(2, 0, THREAD + f"  mul.wide.u32 %a0, %i3, {4 * floats};\n"
                  "  add.u64 %a1, %rd0, %a0; add.u64 %a2, %rd1, %a0;\n"
                  + moves("ld", floats, "%a1") + moves("st", floats, "%a2"))
    size = 4 * floats * 256
    first = -(-2 * figures["L2Bytes"] // size)

    def make(ctas):
        return Launch(text, ctas, [256], [ctas * size] * 2, [])
    cycles = difference(make, chip, folder, first, 2 * first)
    return gigabytes(2 * first * size, cycles, figures)


def clpeak_read(floats, chip, figures, folder):
    """GB/s of reads: 16 vectors of each thread, a group's width apart."""
    step = 4 * floats * 256
    body = THREAD + (f"  mul.lo.u32 %i4, %i0, {16 * 256}; add.u32 %i4, %i4, %i2;\n"
                     f"  mul.wide.u32 %a0, %i4, {4 * floats}; add.u64 %a0, %rd0, %a0;\n"
                     "  mov.f32 %f100, 0f00000000;\n")
    for _ in range(16):
        body += moves("ld", floats, "%a0") + f"  add.u64 %a0, %a0, {step};\n"
        body += "".join(f"  add.f32 %f100, %f100, %f{n};\n" for n in range(floats))
    text = kernel(2, 0, body + "  mul.wide.u32 %a1, %i3, 4; add.u64 %a1, %rd1, %a1;\n"
                  "  st.global.f32 [%a1], %f100;\n")
    first = -(-2 * figures["L2Bytes"] // (16 * step))

    def make(ctas):
        return Launch(text, ctas, [256], [ctas * 16 * step, ctas * 1024], [])
    cycles = difference(make, chip, folder, first, 2 * first)
    return gigabytes(first * 16 * step, cycles, figures)


def clpeak_double(_, chip, figures, folder):
    """GFLOPS of multiply-adds, two chains of each thread."""
    chain = "  fma.rn.f64 %d0, %d1, %d0, %d1; fma.rn.f64 %d1, %d0, %d1, %d0;\n" * 8
    text = kernel(1, 1, THREAD + "  mul.wide.u32 %a0, %i3, 8; add.u64 %a0, %rd0, %a0;\n"
                  "  ld.global.f64 %d0, [%a0]; mov.f64 %d1, %d0; mov.u32 %i4, 0;\n"
                  "LOOP:\n  .pragma \"nounroll\";\n" + chain
                  + "  add.u32 %i4, %i4, 1; setp.lt.u32 %p0, %i4, %r0; @%p0 bra LOOP;\n"
                  "  add.f64 %d0, %d0, %d1; st.global.f64 [%a0], %d0;\n")
    ctas, rounds = figures["Cores"] * (figures["WarpsPerCore"] // 8), 4
    make = lambda count: Launch(text, ctas, [256], [ctas * 256 * 8], [count])
    cycles = difference(make, chip, folder, 2, 2 + rounds)
    return gigabytes(ctas * 256 * rounds * 16 * 2, cycles, figures)


def elementwise_mul_i8(size, chip, figures, folder):
    """Milliseconds of a launch with a byte for each thread. Of large sizes the rate of a
    part is taken."""
    text = kernel(2, 1, THREAD + "  setp.ge.u32 %p0, %i3, %r0; @%p0 bra DONE;\n"
                  "  cvt.u64.u32 %a0, %i3; add.u64 %a1, %rd0, %a0; add.u64 %a2, %rd1, %a0;\n"
                  "  ld.global.s8 %i4, [%a1]; mul.lo.s32 %i4, %i4, 42; st.global.u8 [%a2], %i4;\n")

    def cycles(count):
        return Launch(text, -(-count // 256), [256], [count] * 2, [count]).cycles(chip, folder)
    whole = 1 << 24
    if size <= whole:
        return milliseconds(cycles(size), figures)
    first, part = cycles(whole), 1 << 22
    rate = (cycles(whole + part) - first) / part
    return milliseconds(first + (size - whole) * rate, figures)


# Rows.
def reduction(warps, value="%f120", operation="add"):
    """The sum or the maximum of a value over so many warps, in all their threads."""
    exchange = lambda distance: (
        f"  mov.b32 %i8, {value}; shfl.sync.bfly.b32 %i9, %i8, {distance}, 31, -1;\n"
        f"  mov.b32 %f121, %i9; {operation}.f32 {value}, {value}, %f121;\n")
    text = "".join(exchange(d) for d in (16, 8, 4, 2, 1))
    if warps == 1:
        return text
    text += ("  shr.u32 %i10, %i2, 5; mad.lo.u32 %i10, %i10, 4, %i12; bar.sync 0;\n"
             f"  st.shared.f32 [%i10], {value}; bar.sync 0;\n"
             f"  and.b32 %i11, %i2, {warps - 1}; mad.lo.u32 %i11, %i11, 4, %i13;\n"
             f"  ld.shared.f32 {value}, [%i11];\n")
    distance = warps // 2
    while distance:
        text += exchange(distance)
        distance //= 2
    return text


def halves(word, first):
    """Two numbers in bfloat16 as floats."""
    return (f"  shl.b32 %i8, {word}, 16; mov.b32 %f{first}, %i8;\n"
            f"  and.b32 %i8, {word}, 0xffff0000; mov.b32 %f{first + 1}, %i8;\n")


def row_head(size, threads, width, rows=1):
    """What comes before rows, so many for each CTA after the first %r0. These bring L2
    into the state in which Triton's do_bench leaves it: with zeros that it has written."""
    each = threads // rows
    row = ("  mov.u32 %i3, %i2; mov.u32 %i13, %i12;\n" if rows == 1 else
           f"  div.u32 %i14, %i2, {each}; mad.lo.u32 %i0, %i0, {rows}, %i14;\n"
           f"  rem.u32 %i3, %i2, {each}; mad.lo.u32 %i13, %i14, {each // 32 * 4}, %i12;\n")
    return INDEX + (f"  setp.ge.u32 %p6, %i0, %r0; @%p6 bra ROWS;\n"
                    f"  mad.lo.u32 %i3, %i0, {threads}, %i2; mul.wide.u32 %a0, %i3, 16;\n"
                    f"  add.u64 %a0, %rd4, %a0; mul.wide.u32 %a1, %r0, {16 * threads};\n"
                    "  mov.f32 %f0, 0f00000000; mov.u32 %i3, 0;\n"
                    "FLUSH:\n  .pragma \"nounroll\";\n"
                    "  st.global.v4.f32 [%a0], {%f0, %f0, %f0, %f0}; add.u64 %a0, %a0, %a1;\n"
                    "  add.u32 %i3, %i3, 1; setp.lt.u32 %p5, %i3, %r1; @%p5 bra FLUSH;\n"
                    "  bra DONE;\nROWS:\n  sub.u32 %i0, %i0, %r0; mov.u32 %i12, dynamic;\n"
                    + row + "  mul.wide.u32 %a0, %i3, 16;\n"
                    f"  mul.wide.u32 %a1, %i0, {size * width}; add.u64 %a1, %a1, %a0;\n"
                    "  add.u64 %a2, %rd0, %a1; add.u64 %a3, %rd1, %a1;\n"
                    "  add.u64 %a4, %rd2, %a0; add.u64 %a5, %rd3, %a0;\n")


# What Triton's do_bench measures beside the time of the grid: the launch that the first
# event lets go, and the second one's wait for all that was stored. And the part of L2
# that is still to be written back when the grid begins, of what do_bench fills it with.
# Both are calibrated by Liger-Kernel's rows on the A100 and the H100 SXM.
EVENTS_NS = {"a100-like": 8500}
OTHER_EVENTS_NS = 5000
WRITTEN_PART = 2 / 3


def time_of_rows(body, ctas, threads, buffers, chip, figures, folder, whole=None):
    """Milliseconds between two events around a launch: from the end of what came before,
    which is the time of the flush alone. Of more CTAs as a whole the rate of the last
    third is taken. The CTAs that fill L2 fill the chip, so that no other one begins
    before they end."""
    first = figures["Cores"] * min(figures["CTAsPerCore"], figures["WarpsPerCore"] * 32 // threads)
    rounds = round(figures["L2Bytes"] * WRITTEN_PART / (first * threads * 16))
    text = kernel(5, 2, body, threads)

    def cycles(count):
        return Launch(text, first + count, [threads],
                      buffers + [first * rounds * threads * 16], [first, rounds],
                      256).cycles(chip, folder)
    taken = cycles(ctas)
    if whole and whole > ctas:
        part = ctas // 3
        taken += (taken - cycles(ctas - part)) / part * (whole - ctas)
    return (milliseconds(taken - cycles(0), figures)
            + EVENTS_NS.get(chip, OTHER_EVENTS_NS) / 1e6)


def vectors_of_row(size, each):
    """Parts of eight numbers that a thread has, and the bytes between them."""
    return size // each // 8, each * 16


def load_row(parts, step):
    return "".join(
        f"  ld.global.v4.b32 {{%i4, %i5, %i6, %i7}}, [%a2+{step * part}];\n"
        + "".join(halves(f"%i{4 + n}", 8 * part + 2 * n) for n in range(4))
        for part in range(parts))


def store_row(parts, step, numbers):
    """Numbers: what makes those of a part, in the first eight registers of its own."""
    text = ""
    for part in range(parts):
        text += numbers(part) + "".join(
            f"  cvt.rn.bf16x2.f32 %i{4 + n}, %f{8 * part + 2 * n + 1}, %f{8 * part + 2 * n};\n"
            for n in range(4))
        text += f"  st.global.v4.b32 [%a3+{step * part}], {{%i4, %i5, %i6, %i7}};\n"
    return text


def mean_square(parts, size, warps):
    """One by the root of a row's mean square, in %f120."""
    return ("  mov.f32 %f120, 0f00000000;\n"
            + "".join(f"  fma.rn.f32 %f120, %f{n}, %f{n}, %f120;\n" for n in range(8 * parts))
            + reduction(warps) + f"  mul.f32 %f120, %f120, {hexadecimal(1 / size)};\n"
            "  add.f32 %f120, %f120, 0f358637BD;\n  rsqrt.approx.f32 %f120, %f120;\n")


def norm_rms(size, chip, figures, folder):
    """A CTA for each of 2048 rows in bfloat16."""
    threads = row_threads(size)
    parts, step, rows = size // threads // 8, threads * 16, 2048
    body = row_head(size, threads, 2) + load_row(parts, step)
    for part in range(parts):
        body += (f"  ld.global.v4.b32 {{{', '.join(f'%i{16 + 4 * part + n}' for n in range(4))}}}, "
                 f"[%a4+{step * part}];\n")
    body += mean_square(parts, size, threads // 32)

    def numbers(part):
        text = ""
        for n in range(4):
            text += halves(f"%i{16 + 4 * part + n}", 122) + "".join(
                f"  mul.f32 {x}, {x}, %f120; mul.f32 {x}, {x}, %f{122 + k};\n"
                for k, x in enumerate(f"%f{8 * part + 2 * n + k}" for k in range(2)))
        return text
    body += store_row(parts, step, numbers)
    bytes_of = rows * size * 2
    return time_of_rows(body, rows, threads, [bytes_of] * 2 + [size * 2, 16], chip, figures,
                        folder)


def norm_layer(size, chip, figures, folder):
    """A CTA for each of 4096 rows in single precision."""
    threads = row_threads(size)
    parts, step, rows = size // threads // 4, threads * 16, 4096
    count = 4 * parts
    four = lambda first: "{" + ", ".join(f"%f{first + n}" for n in range(4)) + "}"
    body = row_head(size, threads, 4)
    # Weights, biases, the row, in registers that follow each other behind %f128.
    weight, bias, numbers = 128, 128 + count, range(count)
    for base, first in (("%a4", weight), ("%a5", bias), ("%a2", 0)):
        body += "".join(f"  ld.global.v4.f32 {four(first + 4 * part)}, [{base}+{step * part}];\n"
                        for part in range(parts))
    body += "  mov.f32 %f120, 0f00000000;\n" + "".join(
        f"  add.f32 %f120, %f120, %f{n};\n" for n in numbers)
    body += reduction(threads // 32) + f"  mul.f32 %f120, %f120, {hexadecimal(1 / size)};\n"
    body += "".join(f"  sub.f32 %f{n}, %f{n}, %f120;\n" for n in numbers)
    body += "  mov.f32 %f119, 0f00000000;\n" + "".join(
        f"  fma.rn.f32 %f119, %f{n}, %f{n}, %f119;\n" for n in numbers)
    body += reduction(threads // 32, "%f119") + (
        f"  mul.f32 %f119, %f119, {hexadecimal(1 / size)};\n  add.f32 %f119, %f119, 0f358637BD;\n"
        "  rsqrt.approx.f32 %f119, %f119;\n")
    for part in range(parts):
        body += "".join(f"  mul.f32 %f{n}, %f{n}, %f119;\n  fma.rn.f32 "
                        f"%f{n}, %f{n}, %f{weight + n}, %f{bias + n};\n"
                        for n in range(4 * part, 4 * part + 4))
        body += f"  st.global.v4.f32 [%a3+{step * part}], {four(4 * part)};\n"
    return time_of_rows(body, rows, threads, [rows * size * 4] * 2 + [size * 4] * 2, chip,
                        figures, folder)


def many_rows(size, threads, rows, body, chip, figures, folder):
    """GB/s of 32768 rows in bfloat16 that are read and written, so many by a CTA. Of
    large ones as many as L2 would hold say what the others take."""
    whole = 32768 // rows
    enough = -(-figures["L2Bytes"] // (2 * size * rows))
    ctas = min(whole, enough // 3 * 3 + 3)
    bytes_of = ctas * rows * size * 2
    time = time_of_rows(body, ctas, threads, [bytes_of] * 2 + [size * 4, 16], chip, figures,
                        folder, whole)
    return 2 * 32768 * size * 2 / time / 1e6


def norm_rms_many(size, threads, rows, chip, figures, folder):
    """Rows by their root mean square and weights in single precision."""
    each = threads // rows
    parts, step = vectors_of_row(size, each)
    body = row_head(size, threads, 2, rows) + load_row(parts, step) + "  add.u64 %a4, %a4, %a0;\n"
    for first in range(0, 8 * parts, 4):
        names = ", ".join(f"%f{128 + first + n}" for n in range(4))
        body += (f"  ld.global.nc.v4.f32 {{{names}}}, "
                 f"[%a4+{2 * step * (first // 8) + 4 * (first % 8)}];\n")
    body += mean_square(parts, size, each // 32)
    numbers = lambda part: "".join(
        f"  mul.f32 %f{n}, %f{n}, %f120; mul.f32 %f{n}, %f{n}, %f{128 + n};\n"
        for n in range(8 * part, 8 * part + 8))
    return many_rows(size, threads, rows, body + store_row(parts, step, numbers), chip, figures,
                     folder)


def softmax_many(size, threads, rows, chip, figures, folder):
    """Rows by their maximum, and the sum of their exponentials."""
    each = threads // rows
    parts, step = vectors_of_row(size, each)
    count = range(8 * parts)
    body = row_head(size, threads, 2, rows) + load_row(parts, step)
    body += "  mov.f32 %f120, %f0;\n" + "".join(
        f"  max.f32 %f120, %f120, %f{n};\n" for n in count)
    body += reduction(each // 32, operation="max")
    body += "  mul.f32 %f120, %f120, 0fBFB8AA3B;\n" + "".join(
        f"  fma.rn.f32 %f{n}, %f{n}, 0f3FB8AA3B, %f120; ex2.approx.f32 %f{n}, %f{n};\n"
        for n in count)
    body += "  mov.f32 %f119, 0f00000000;\n" + "".join(
        f"  add.f32 %f119, %f119, %f{n};\n" for n in count)
    body += reduction(each // 32, "%f119") + "  rcp.approx.f32 %f119, %f119;\n"
    numbers = lambda part: "".join(
        f"  mul.f32 %f{8 * part + n}, %f{8 * part + n}, %f119;\n" for n in range(8))
    return many_rows(size, threads, rows, body + store_row(parts, step, numbers), chip, figures,
                     folder)


# Liger-Kernel has a CTA for each row, QuACK as many threads as a row is worth, of 128.
def triton_rows(size):
    return row_threads(size), 1


def cute_rows(size):
    each = 32 if size <= 3072 else 64 if size <= 6144 else 128
    return 128, 128 // each


MANY_ROWS = {"norm-rms32k": norm_rms_many, "softmax32k": softmax_many}
CHOOSES_THREADS = {"triton": triton_rows, "cute": cute_rows}


def row_threads(size):
    """As the published program chooses them."""
    return 32 * (32 if size >= 32768 else 16 if size >= 8192 else 8 if size >= 2048 else 4)


def hexadecimal(value):
    return "0f" + struct.pack(">f", value).hex().upper()


# Lattices.
def lbm(_, chip, figures, folder):
    """Millions of cells a second of a lattice with 19 directions in single precision,
    256 cells a row, which moves values in place: half of them from neighbours."""
    row, plane = 256, 65536
    offsets = [1, row, plane, 1 + row, 1 + plane, row + plane, 1 - row, 1 - plane, row - plane]
    body = THREAD + ("  cvt.u64.u32 %a0, %i3; add.u64 %a1, %rd1, %a0;\n"
                     "  ld.global.u8 %i4, [%a1]; setp.ne.u32 %p0, %i4, 0; @%p0 bra DONE;\n"
                     f"  add.u32 %i5, %i3, {2 * plane}; mul.wide.u32 %a2, %i5, 4;\n"
                     "  add.u64 %a2, %rd0, %a2; cvt.u64.u32 %a3, %r0; shl.b64 %a3, %a3, 2;\n"
                     "  mov.u64 %a4, %a2;\n")
    # Value 0 is the cell's; of each pair one is the cell's and one a neighbour's.
    places = [0] + [offset * 4 * near for offset in offsets for near in (0, 1)]
    for number, place in enumerate(places):
        body += f"  ld.global.f32 %f{number}, [%a4+{place}]; add.u64 %a4, %a4, %a3;\n"
    body += "  mov.f32 %f40, 0f00000000;\n"
    body += "".join(f"  add.f32 %f40, %f40, %f{n};\n" for n in range(19))
    # Density, velocity and the step to equilibrium: eight operations of each value.
    body += "".join(f"  fma.rn.f32 %f{41 + n % 8}, %f{n}, %f40, %f{n};\n"
                    for _ in range(4) for n in range(19))
    body += "".join(f"  fma.rn.f32 %f{n}, %f{41 + (n + k) % 8}, %f40, %f{n};\n"
                    for k in range(4) for n in range(19))
    body += "  mov.u64 %a4, %a2;\n"
    order = [0] + [n + 1 if n % 2 else n - 1 for n in range(1, 19)]
    for number, place in enumerate(places):
        body += f"  st.global.f32 [%a4+{place}], %f{order[number]}; add.u64 %a4, %a4, %a3;\n"
    text = kernel(2, 1, body)
    short = -(-2 * figures["L2Bytes"] // (153 * plane))

    def make(planes):
        cells = (planes + 4) * plane
        return Launch(text, planes * plane // 64, [64], [19 * cells * 4, cells], [cells])
    cycles = difference(make, chip, folder, short, 2 * short)
    return short * plane / cycles * figures["ClockMHz"]


# Products.
SGEMM_SIZE, TILE = 4096, 32


def sgemm_text(kind):
    """A CTA of 32 x 32 threads, one result each; CTAs follow each other down a column."""
    n = SGEMM_SIZE
    row, column = ("%i4", "%i5") if kind != "naive" else ("%i5", "%i4")
    place = INDEX + (f"  and.b32 %i6, %i0, {n // TILE - 1}; shr.u32 %i7, %i0, 7;\n"
                     "  shr.u32 %i4, %i2, 5; and.b32 %i5, %i2, 31;\n"
                     f"  mad.lo.u32 %i8, %i6, {TILE}, {row};\n"
                     f"  mad.lo.u32 %i9, %i7, {TILE}, {column};\n"
                     f"  mul.wide.u32 %a0, %i8, {4 * n}; add.u64 %a1, %rd0, %a0;\n"
                     "  mul.wide.u32 %a2, %i9, 4; add.u64 %a3, %rd1, %a2;\n"
                     "  mov.f32 %f0, 0f00000000; mov.u32 %i10, 0;\n")
    finish = ("  add.u64 %a0, %a0, %a2; add.u64 %a0, %rd2, %a0; ld.global.f32 %f1, [%a0];\n"
              "  add.f32 %f0, %f0, %f1; st.global.f32 [%a0], %f0;\n")
    if kind != "shared":
        step = "".join(f"  ld.global.f32 %f2, [%a1+{4 * k}];\n"
                       f"  ld.global.f32 %f3, [%a3+{4 * n * k}];\n"
                       "  fma.rn.f32 %f0, %f2, %f3, %f0;\n" for k in range(4))
        return kernel(3, 1, place + "LOOP:\n  .pragma \"nounroll\";\n" + step
                      + f"  add.u64 %a1, %a1, 16; add.u64 %a3, %a3, {16 * n};\n"
                      "  add.u32 %i10, %i10, 4; setp.lt.u32 %p0, %i10, %r0; @%p0 bra LOOP;\n"
                      + finish)
    inner = "".join(f"  ld.shared.f32 %f2, [%i13+{4 * k}]; ld.shared.f32 %f3, [%i14+{128 * k}];\n"
                    "  fma.rn.f32 %f0, %f2, %f3, %f0;\n" for k in range(TILE))
    return kernel(3, 1, place + "  mov.u32 %i11, dynamic; mad.lo.u32 %i12, %i2, 4, %i11;\n"
                  "  mad.lo.u32 %i13, %i4, 128, %i11; mad.lo.u32 %i14, %i5, 4, %i11;\n"
                  "  add.u32 %i14, %i14, 4096; mul.wide.u32 %a4, %i5, 4; add.u64 %a1, %a1, %a4;\n"
                  f"  mul.wide.u32 %a4, %i4, {4 * n}; add.u64 %a3, %a3, %a4;\n"
                  "LOOP:\n  .pragma \"nounroll\";\n"
                  "  ld.global.f32 %f4, [%a1]; ld.global.f32 %f5, [%a3];\n"
                  "  st.shared.f32 [%i12], %f4; st.shared.f32 [%i12+4096], %f5; bar.sync 0;\n"
                  + inner + "  bar.sync 0; add.u64 %a1, %a1, 128;\n"
                  f"  add.u64 %a3, %a3, {4 * n * TILE};\n"
                  "  add.u32 %i10, %i10, 32; setp.lt.u32 %p0, %i10, %r0; @%p0 bra LOOP;\n" + finish)


def sgemm(kind, chip, figures, folder):
    """GFLOPS by what more steps of K take in more waves of CTAs: the first wave, the
    start and the end do not count."""
    text, n = sgemm_text(kind), SGEMM_SIZE
    wave = figures["Cores"] * (figures["WarpsPerCore"] // 32)
    steps = (32, 96)

    def more(count):
        make = lambda waves: Launch(text, wave * waves, [1024], [n * n * 4] * 3, [count], 8192)
        return difference(make, chip, folder, 1, 3)
    cycles = more(steps[1]) - more(steps[0])
    return gigabytes(2 * wave * 1024 * 2 * (steps[1] - steps[0]), cycles, figures)


# Transposition.
MATRIX, SIDE = 8192, 32  # Rows and columns; those of a tile.


def transpose_tiles(threads):
    """The corner of a CTA's tile and that of its place in the transposed matrix, as
    %a1 and %a2; %i4, %i5 are the thread's column and row of a tile."""
    tiles = MATRIX // SIDE
    corner = lambda row, column: (
        f"  mul.wide.u32 %a0, {row}, {SIDE * MATRIX * 4}; mul.wide.u32 %a3, {column}, {SIDE * 4};\n"
        "  add.u64 %a0, %a0, %a3;\n")
    return INDEX + (f"  and.b32 %i6, %i0, {tiles - 1}; shr.u32 %i7, %i0, {tiles.bit_length() - 1};\n"
                    f"  and.b32 %i4, %i2, {threads - 1}; shr.u32 %i5, %i2, "
                    f"{threads.bit_length() - 1};\n"
                    + corner("%i7", "%i6") + "  add.u64 %a1, %rd0, %a0;\n"
                    + corner("%i6", "%i7") + "  add.u64 %a2, %rd1, %a0;\n")


def at_thread(base, row, column, width):
    """%a4: the element of a matrix that belongs to a row and a column of a tile."""
    return (f"  mul.wide.u32 %a0, {row}, {MATRIX * 4}; mul.wide.u32 %a3, {column}, {4 * width};\n"
            f"  add.u64 %a4, {base}, %a0; add.u64 %a4, %a4, %a3;\n")


def transpose_text(kind, number):
    """naive: an element of each thread, written down a column. tiled, tiledpadded,
    coarsen: through shared memory by columns of so many elements of each thread. vec:
    by so many neighbours."""
    if kind == "naive":
        return 1024, kernel(2, 0, transpose_tiles(SIDE) + at_thread("%a1", "%i5", "%i4", 1)
                            + "  ld.global.nc.f32 %f0, [%a4];\n"
                            + at_thread("%a2", "%i4", "%i5", 1) + "  st.global.f32 [%a4], %f0;\n")
    width, each = (number, 1) if kind == "vec" else (1, number)
    row = 4 * (SIDE + (kind != "tiled"))
    across = SIDE // width
    rows = SIDE // each
    value = lambda n: "{" + ", ".join(f"%f{width * n + k}" for k in range(width)) + "}" \
        if width > 1 else f"%f{n}"
    mode = {1: "f32", 2: "v2.f32", 4: "v4.f32"}[width]
    # A tile in shared memory: rows as they are read, and columns as they are written.
    body = transpose_tiles(across) + (
        f"  mov.u32 %i8, dynamic; mad.lo.u32 %i9, %i5, {row}, %i8;\n"
        f"  mad.lo.u32 %i9, %i4, {4 * width}, %i9;\n"
        f"  mad.lo.u32 %i10, %i4, {row * width}, %i8; mad.lo.u32 %i10, %i5, 4, %i10;\n"
        + at_thread("%a1", "%i5", "%i4", width))
    step = rows * MATRIX * 4
    for n in range(each):
        body += f"  ld.global.nc.{mode} {value(n)}, [%a4+{step * n}];\n"
    for n in range(each):
        body += "".join(f"  st.shared.f32 [%i9+{rows * row * n + 4 * k}], %f{width * n + k};\n"
                        for k in range(width))
    body += "  bar.sync 0;\n" + at_thread("%a2", "%i5", "%i4", width)
    for n in range(each):
        body += "".join(f"  ld.shared.f32 %f{width * n + k}, [%i10+{4 * rows * n + row * k}];\n"
                        for k in range(width))
        body += f"  st.global.{mode} [%a4+{step * n}], {value(n)};\n"
    return across * rows, kernel(2, 0, body)


def transpose(kind, number, chip, figures, folder):
    """GB/s, read and written. A matrix that is smaller than the published one: rows are
    as far apart in what matters, and caches hold as little of it."""
    threads, text = transpose_text(kind, number)
    tile = 2 * SIDE * SIDE * 4
    first = -(-3 * figures["L2Bytes"] // (2 * tile))
    more = first // 2
    make = lambda ctas: Launch(text, ctas, [threads], [MATRIX * MATRIX * 4] * 2, [],
                               SIDE * (SIDE + 1) * 4)
    return gigabytes(more * tile, difference(make, chip, folder, first, first + more), figures)


PROGRAMS = {"latency-permutation": latency_permutation, "copy-float": copy_float,
            "clpeak-read-float": clpeak_read, "clpeak-fma-double": clpeak_double,
            "elementwise-mul-i8": elementwise_mul_i8, "norm-rms-triton": norm_rms,
            "norm-layer-triton": norm_layer, "lbm-f32": lbm}


def measure(program, size, chip, figures, folder):
    """As programs.measure."""
    if program in PROGRAMS:
        return PROGRAMS[program](size, chip, figures, folder)
    rows, _, language = program.rpartition("-")
    if rows in MANY_ROWS:
        return MANY_ROWS[rows](size, *CHOOSES_THREADS[language](size), chip, figures, folder)
    name, _, kind = program.partition("-")
    if name == "transpose":
        found = re.fullmatch(r"(naive|tiled|tiledpadded|coarsen|vec)(\d?)", kind)
        return transpose(found[1], int(found[2] or 1), chip, figures, folder) if found else None
    if name == "sgemm" and kind in ("naive", "coalesced", "shared") and size == SGEMM_SIZE:
        return sgemm(kind, chip, figures, folder)
    return None
