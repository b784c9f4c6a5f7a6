"""Histograms of bytes and sums of integers, as others published times of them, in PTX.
Times are those of rounds or of CTAs in the middle of a launch, by two lengths."""

from programs import Launch, difference, kernel

INDEX = ("  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;\n"
         "  mad.lo.u32 %i3, %i0, %i1, %i2;\n")
THREADS = 512


# Histograms.
def histogram_text(kind):
    """A round is a byte of each thread, or 16 of them. Counters are in shared memory
    unless they are global."""
    vector, shared = kind == "shared-vector", kind != "global"
    add = ("  mad.lo.u32 %i6, %i5, 4, %i7; red.shared.add.u32 [%i6], 1;\n" if shared else
           "  mul.wide.u32 %a2, %i5, 4; add.u64 %a2, %rd0, %a2; red.global.add.u32 [%a2], 1;\n")
    if vector:
        count = "  ld.global.nc.v4.b32 {%i10, %i11, %i12, %i13}, [%a1];\n" + "".join(
            f"  bfe.u32 %i5, %i{10 + word}, {8 * byte}, 8;\n" + add
            for word in range(4) for byte in range(4))
    else:
        count = "  ld.global.nc.u8 %i5, [%a1];\n" + add
    clear = ("  setp.ge.u32 %p1, %i2, 256; @%p1 bra CLEAR;\n  mad.lo.u32 %i6, %i2, 4, %i7;\n"
             "  st.shared.u32 [%i6], 0;\nCLEAR:\n  bar.sync 0;\n") if shared else ""
    end = ("  bar.sync 0; @%p1 bra DONE;\n  mad.lo.u32 %i6, %i2, 4, %i7; ld.shared.u32 %i5, [%i6];\n"
           "  setp.eq.u32 %p2, %i5, 0; @%p2 bra DONE;\n  mul.wide.u32 %a2, %i2, 4;\n"
           "  add.u64 %a2, %rd0, %a2; red.global.add.u32 [%a2], %i5;\n") if shared else ""
    width = 16 if vector else 1
    return kernel(2, 1, INDEX + "  mov.u32 %i7, dynamic;\n" + clear
                  + "  mov.u32 %i4, %nctaid.x; mul.lo.u32 %i4, %i4, %i1;\n"
                  f"  mul.wide.u32 %a0, %i4, {width}; mul.wide.u32 %a1, %i3, {width};\n"
                  "  add.u64 %a1, %rd1, %a1; mov.u32 %i8, 0;\n"
                  f"LOOP:\n  .pragma \"nounroll\";\n{count}  add.u64 %a1, %a1, %a0;\n"
                  "  add.u32 %i8, %i8, 1; setp.lt.u32 %p0, %i8, %r0; @%p0 bra LOOP;\n" + end)


def histogram(kind, size, chip, figures, folder):
    """Milliseconds for so many random bytes, by what a round of a full chip takes."""
    ctas = figures["Cores"] * (figures["WarpsPerCore"] * 32 // THREADS)
    each = ctas * THREADS * (16 if kind == "shared-vector" else 1)
    first, more = (2, 4) if kind == "global" else (4, 8)
    text = histogram_text(kind)
    make = lambda rounds: Launch(text, ctas, [THREADS], [1024, each * rounds], [rounds], 1024,
                                 random={1})
    cycles = difference(make, chip, folder, first, first + more)
    return cycles / more * size / each / figures["ClockMHz"] / 1e3


# Sums: elements of a thread, and of one load. Kernels 2 and 3 differ in how the source
# names the exchanges of the last warp.
SUMS = {1: (1, 1), 2: (6, 1), 3: (6, 1), 4: (8, 4), 5: (16, 4)}


def sum_text(each, width):
    """A CTA of 512 threads adds its elements, halves them in shared memory down to a
    warp, and adds the sum to one word. The loop goes on over places behind the end, as
    the published one does, once for each element of a thread."""
    loads, values = "", []
    for first in range(0, each, width):
        names = [f"%i{20 + first + n}" for n in range(width)]
        values += names
        kind, value = ("v4.b32", "{" + ", ".join(names) + "}") if width == 4 else ("b32", names[0])
        loads += f"  ld.global.{kind} {value}, [%a1+{4 * first}];\n"
    tree = "".join(f"  setp.ge.u32 %p1, %i2, {active}; @%p1 bra AT{active};\n"
                   f"  ld.shared.u32 %i10, [%i7+{4 * active}]; ld.shared.u32 %i11, [%i7];\n"
                   f"  add.u32 %i11, %i11, %i10; st.shared.u32 [%i7], %i11;\n"
                   f"AT{active}:\n  bar.sync 0;\n" for active in (256, 128, 64, 32))
    warp = "".join(f"  shfl.sync.down.b32 %i9, %i8, {distance}, 31, -1; add.u32 %i8, %i8, %i9;\n"
                   for distance in (16, 8, 4, 2, 1))
    return kernel(2, 1, INDEX + "  mov.u32 %i4, %nctaid.x; mul.lo.u32 %i4, %i4, %i1;\n"
                  "  mov.u32 %i5, 0; mov.u32 %i6, %i3; mov.u32 %i7, dynamic;\n"
                  "LOOP:\n  .pragma \"nounroll\";\n"
                  f"  mul.lo.u32 %i8, %i6, {each}; setp.ge.u32 %p0, %i8, %r0; @%p0 bra NEXT;\n"
                  "  mul.wide.u32 %a0, %i8, 4; add.u64 %a1, %rd1, %a0;\n" + loads
                  + "".join(f"  add.u32 %i5, %i5, {value};\n" for value in values)
                  + "NEXT:\n  add.u32 %i6, %i6, %i4; setp.lt.u32 %p2, %i6, %r0; @%p2 bra LOOP;\n"
                  "  mad.lo.u32 %i7, %i2, 4, %i7; st.shared.u32 [%i7], %i5; bar.sync 0;\n" + tree
                  + "  setp.ge.u32 %p3, %i2, 32; @%p3 bra DONE;\n  ld.shared.u32 %i8, [%i7];\n"
                  + warp + "  setp.ne.u32 %p4, %i2, 0; @%p4 bra DONE;\n"
                  "  red.global.add.u32 [%rd0], %i8;\n", THREADS)


def one_pass_sum(number, chip, figures, folder):
    """GB/s of the CTAs after the first ones."""
    each, width = SUMS[number]
    text, size = sum_text(each, width), THREADS * each * 4
    first = -(-figures["L2Bytes"] // size)
    make = lambda ctas: Launch(text, ctas, [THREADS], [8, ctas * size], [ctas * THREADS * each],
                               2048)
    cycles = difference(make, chip, folder, first, 2 * first)
    return first * size / cycles * figures["ClockMHz"] / 1e3


def measure(program, size, chip, figures, folder):
    """As programs.measure."""
    name, _, kind = program.partition("-")
    if name == "histogram":
        return histogram(kind, size, chip, figures, folder)
    if program.startswith("reduce-one-pass-"):
        return one_pass_sum(int(program[-1]), chip, figures, folder)
    return None
