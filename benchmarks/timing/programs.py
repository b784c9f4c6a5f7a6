"""Programs that measure what others published: for each class a launch in PTX whose
time is taken at two lengths, so that what comes before and after does not count."""

import json
import pathlib
import subprocess

HEAD = """.version 8.5
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
"""


class Launch:
    """One grid of a kernel. Buffers come before scalars among the parameters."""

    def __init__(self, text, grid, block, buffers, scalars, shared=0, in_order=False,
                 random=()):
        self.text, self.grid, self.block = text, grid, block
        self.buffers, self.scalars, self.shared = buffers, scalars, shared
        # Buffers of random bytes, by number; the others are zero.
        self.random = random
        # Instructions stay in the order of the text, where that is what is measured.
        self.options = ["-X", "--mllvm=-enable-misched=false"] if in_order else []

    def argument(self, number, size):
        if number not in self.random:
            return {"buffer": f"b{number}", "type": "u64", "count": -(-size // 8), "init": "zero"}
        return {"buffer": f"b{number}", "type": "u8", "count": size,
                "init": {"random": {"seed": 1, "low": 0, "high": 255}}}

    def cycles(self, chip, folder):
        folder = pathlib.Path(folder)
        (folder / "kernel.ptx").write_text(self.text)
        arguments = [self.argument(n, size) for n, size in enumerate(self.buffers)]
        arguments += [{"type": "u32", "value": value} for value in self.scalars]
        (folder / "kernel.json").write_text(json.dumps({
            "module": "kernel.ptx", "entry": "kernel", "grid": [self.grid], "block": self.block,
            "shared_bytes": self.shared, "args": arguments}))
        report = subprocess.run(["ptx-run", str(folder / "kernel.json"), "--chip", chip,
                                 "--timing", "--json", *self.options],
                                check=True, capture_output=True, text=True)
        return json.loads(report.stdout)["launches"][0]["profile"]["cycles"]


def kernel(buffers, scalars, body, threads=None):
    """A kernel with its parameters in %rd0..., %r0...; its other registers are %a (u64),
    %i (u32), %f, %d, %p. It fits CTAs of so many threads, if the number is given."""
    names = [f".param .u64 b{n}" for n in range(buffers)]
    names += [f".param .u32 s{n}" for n in range(scalars)]
    loads = "".join(f"  ld.param.u64 %rd{n}, [b{n}];\n" for n in range(buffers))
    loads += "".join(f"  ld.param.u32 %r{n}, [s{n}];\n" for n in range(scalars))
    most = f" .maxntid {threads}" if threads else ""
    return (HEAD + f".visible .entry kernel({', '.join(names)}){most} {{\n"
            "  .reg .b64 %rd<8>, %a<16>; .reg .b32 %r<8>, %i<64>; .reg .f32 %f<256>;\n"
            f"  .reg .f64 %d<128>; .reg .pred %p<8>;\n{loads}{body}DONE:\n  ret;\n}}\n")


def difference(make, chip, folder, short, long):
    """Cycles that the longer one of two launches takes more."""
    return make(long).cycles(chip, folder) - make(short).cycles(chip, folder)


# Streams: read arrays, the stencil's neighbours, the sum as instructions.
STREAMS = {"init": (0, (), ""), "read": (1, (0,), ""), "scale": (1, (0,), "mul"),
           "triad": (2, (0,), "triad"), "3pt": (1, (-1, 0, 1), "sum"),
           "5pt": (1, (-2, -1, 0, 1, 2), "sum")}


def stream_element(kind):
    """An element for each thread, with the checks that the published program has."""
    reads, neighbours, form = STREAMS[kind]
    halo = max(neighbours, default=0)
    text = f"""  sub.u32 %i4, %i3, {halo}; sub.u32 %i5, %r0, {2 * halo};
  setp.ge.u32 %p1, %i4, %i5; @%p1 bra DONE;
  mul.wide.u32 %a0, %i3, 8; add.u64 %a1, %rd0, %a0; add.u64 %a2, %rd1, %a0; add.u64 %a3, %rd2, %a0;
  setp.ne.u32 %p2, %r1, 0; mov.u32 %i6, dynamic; mad.lo.u32 %i6, %i2, 8, %i6;
  @!%p2 bra FIRST;
  ld.global.nc.f64 %d90, [%a2]; st.shared.f64 [%i6], %d90;
FIRST:
"""
    for number in range(reads):
        for place, offset in enumerate(neighbours):
            text += f"  ld.global.nc.f64 %d{8 * number + place}, [%a{2 + number}+{8 * offset}];\n"
    if kind == "read":
        return text + """  setp.eq.f64 %p3, %d0, 0d405EC00000000000; or.pred %p3, %p3, %p2;
  @!%p3 bra DONE;
  ld.shared.f64 %d90, [%i6]; add.f64 %d0, %d0, %d90; st.global.f64 [%a1], %d0;
"""
    text += {"": "  mov.f64 %d20, 0d3FCD70A3D70A3D71;\n",
             "mul": "  mul.f64 %d20, %d0, 0d3FF3333333333333;\n",
             "triad": "  fma.rn.f64 %d20, %d0, 0d3FF3333333333333, %d8;\n",
             "sum": "  mul.f64 %d20, %d0, 0d3FE0000000000000;\n" + "".join(
                 f"  fma.rn.f64 %d20, %d{n}, 0dBFF0000000000000, %d20;\n"
                 for n in range(1, len(neighbours)))}[form]
    return text + """  st.global.f64 [%a1], %d20;
  @!%p2 bra DONE;
  ld.shared.f64 %d90, [%i6]; st.global.f64 [%a1], %d90;
"""


def stream_text(kind):
    """The first %r2 CTAs bring L2 into the state that it has in a long run: they do
    %r3 rounds of 16 bytes of each array. The others do an element in a thread."""
    reads = STREAMS[kind][0]
    fill = "".join(f"  ld.global.v2.f64 {{%d{2 * n}, %d{2 * n + 1}}}, [%a{6 + n}]; "
                   f"add.u64 %a{6 + n}, %a{6 + n}, %a4;\n  add.f64 %d60, %d60, %d{2 * n};\n"
                   for n in range(reads))
    if kind != "read":
        fill += "  st.global.v2.f64 [%a5], {%d61, %d62}; add.u64 %a5, %a5, %a4;\n"
    return kernel(6, 4, f"""  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;
  mad.lo.u32 %i3, %i0, %i1, %i2;
  setp.lt.u32 %p0, %i0, %r2; @%p0 bra FILL;
  mul.lo.u32 %i4, %r2, %i1; sub.u32 %i3, %i3, %i4;
{stream_element(kind)}  bra DONE;
FILL:
  mul.wide.u32 %a0, %i3, 16; mul.lo.u32 %i4, %r2, %i1; mul.wide.u32 %a4, %i4, 16;
  add.u64 %a5, %rd3, %a0; add.u64 %a6, %rd4, %a0; add.u64 %a7, %rd5, %a0;
  mov.f64 %d60, 0d0000000000000000; mov.f64 %d61, %d60; mov.f64 %d62, %d60; mov.u32 %i5, 0;
LOOP:
  setp.ge.u32 %p4, %i5, %r3; @%p4 bra FILLED;
{fill}  add.u32 %i5, %i5, 1; bra LOOP;
FILLED:
  setp.neu.f64 %p5, %d60, 0d3FF0000000000000; @%p5 bra DONE;
  st.global.f64 [%a5], %d60;
""")


def stream(kind, size, chip, figures, folder):
    """GB/s of two CTAs of a size on each core, as gpu-stream counts them."""
    text, reads = stream_text(kind), STREAMS[kind][0]
    arrays = reads + (kind != "read")
    wave = 2 * figures["Cores"]
    rounds = -(-int(figures["L2Bytes"] * 1.2) // (arrays * wave * size * 16))
    waves = max(8, 4096 // size)
    # What is only read leaves L2 without taking any bandwidth.
    if kind == "read":
        rounds = 0

    def make(count):
        elements, fill = wave * size * count * 8, wave * size * rounds * 16
        return Launch(text, wave * (count + 1), [size], [elements] * 3 + [fill] * 3,
                      [wave * size * count, 0, wave, rounds],
                      figures["SharedBytesPerCore"] // 2 // 1024 * 1024)
    cycles = difference(make, chip, folder, 4, 4 + waves)
    return arrays * 8 * wave * size * waves / cycles * figures["ClockMHz"] / 1e3


# Loads that a thread of gpu-cache has under way before the first sum.
CACHE_AHEAD = 20


def cache_passes(size):
    """Passes over a set of so many KiB, as many as are unrolled: a load and its sum for
    each of its parts. Sums follow CACHE_AHEAD loads behind."""
    unroll, rest = min(size, 32), size % 32 if size > 32 else 0
    factor = "  mul.f32 %f0, %f0, 0f3FA66666;\n"
    start = "  add.u64 %a0, %a0, %a2; mov.u64 %a1, %a0;\n"

    def unrolled(parts, at_once, around):
        loads, sums = [], []
        for n in range(parts * at_once):
            first, last = n % parts == 0, n % parts == parts - 1
            loads.append((start if first and around else "")
                         + f"  ld.global.f32 %f{1 + n}, [%a1+{1024 * (n % parts)}];\n")
            sums.append(f"  add.f32 %f0, %f0, %f{1 + n};\n" + (factor if last and around else ""))
        text = "".join(loads[:CACHE_AHEAD])
        for n in range(len(sums)):
            text += sums[n] + "".join(loads[n + CACHE_AHEAD:n + CACHE_AHEAD + 1])
        return text
    at_once = max(1, 32 // size)
    if size <= 32:
        return at_once, unrolled(size, at_once, True)
    return 1, (start + f"""  mov.u32 %i1, 0;
LOOP:
  .pragma "nounroll";
{unrolled(unroll, 1, False)}  add.u64 %a1, %a1, {1024 * unroll}; add.u32 %i1, %i1, {unroll};
  setp.lt.u32 %p0, %i1, {size - rest}; @%p0 bra LOOP;
""" + unrolled(rest, 1, False) + factor)


def cache(size, chip, figures, folder):
    """GB/s of a CTA of 256 threads on each core that reads one set over and over: a
    float of each thread in each 1024 bytes."""
    at_once, once = cache_passes(size)
    text = kernel(2, 2, f"""  mov.u32 %i2, %tid.x; mul.wide.u32 %a0, %i2, 4; add.u64 %a0, %rd1, %a0;
  cvt.u64.u32 %a2, %r1; mov.f32 %f0, 0f00000000; mov.u32 %i0, 0;
PASS:
  .pragma "nounroll";
{once}  add.u32 %i0, %i0, {at_once}; setp.lt.u32 %p1, %i0, %r0; @%p1 bra PASS;
  setp.neu.f32 %p2, %f0, 0f449A2000; @%p2 bra DONE;
  st.global.f32 [%rd0], %f0;
""")
    passes = at_once * max(2, 256 // size // at_once)
    make = lambda count: Launch(text, figures["Cores"], [256], [8, size * 1024], [count, 0],
                                in_order=True)
    cycles = difference(make, chip, folder, 2 * at_once, 2 * at_once + passes)
    return size * 1024 * passes * figures["Cores"] / cycles * figures["ClockMHz"] / 1e3


def l2_cache(size, chip, figures, folder):
    """GB/s of CTAs of 1024 threads, each of which reads one of several parts of 512 KiB.
    In a long run each CTA is at another place of its part; those of the first wave begin
    at such places."""
    parts, pairs, together = size // 512, 32, 8

    def reads(first, guarded):
        text, guard = "", "@%p1 " if guarded else ""
        for n in range(together):
            if guarded:
                text += f"  setp.le.u32 %p1, %i4, {first + n};\n"
            text += (f"  {guard}ld.global.nc.f64 %d{2 * n + 1}, [%a0]; "
                     f"{guard}ld.global.nc.f64 %d{2 * n + 2}, [%a0+8192]; "
                     "add.u64 %a0, %a0, %a1;\n")
        return text + "".join(f"  fma.rn.f64 %d0, %d{2 * n + 1}, %d{2 * n + 2}, %d0;\n"
                              for n in range(together))
    some, whole = ("".join(reads(first, guarded) for first in range(0, pairs, together))
                   for guarded in (True, False))
    zeros = "".join(f"mov.f64 %d{n + 1}, %d0; " for n in range(2 * together))
    text = kernel(2, 2, f"""  mov.u32 %i1, %ctaid.x; mov.u32 %i2, %tid.x; rem.u32 %i0, %i1, %r0;
  mad.lo.u32 %i3, %i0, 2048, %i2; mul.wide.u32 %a0, %i3, 8; add.u64 %a0, %rd1, %a0;
  mul.wide.u32 %a1, %r0, 16384; mov.f64 %d0, 0d0000000000000000;
  setp.ge.u32 %p1, %i1, %r1; @%p1 bra WHOLE;
  {zeros}
  mul.lo.u32 %i4, %i1, {pairs}; div.u32 %i4, %i4, %r1;
{some}  bra READ;
WHOLE:
{whole}READ:
  setp.neu.f64 %p0, %d0, 0d40371EB851EB851F; @%p0 bra DONE;
  st.global.f64 [%rd0], %d0;
""")
    at_once = figures["WarpsPerCore"] // 32 * figures["Cores"]
    first, waves = 2 + -(-parts // at_once), 2
    make = lambda count: Launch(text, at_once * count, [1024], [8, size * 1024],
                                [parts, at_once])
    cycles = difference(make, chip, folder, first, first + waves)
    return at_once * waves * (512 << 10) / cycles * figures["ClockMHz"] / 1e3


def latency(size, chip, figures, folder):
    """Cycles of a load in a chain through a set, an address in each 64 bytes. The chain
    leaves out no address before it comes back. It was written in its order, and then
    read in it, as by the rounds before."""
    text = kernel(1, 3, """  mov.u32 %i2, %tid.x; mov.u32 %i0, 0;
  mul.lo.u32 %i6, %i2, %r1; rem.u32 %i6, %i6, %r0; mov.u32 %i3, %i6;
  shl.b32 %i5, %r1, 6; rem.u32 %i5, %i5, %r0; mov.u32 %i0, %i2;
BUILD:
  setp.ge.u32 %p0, %i0, %r0; @%p0 bra BUILT;
  mul.wide.u32 %a0, %i3, 64; add.u64 %a0, %rd0, %a0;
  add.u32 %i4, %i3, %r1; setp.ge.u32 %p1, %i4, %r0; @%p1 sub.u32 %i4, %i4, %r0;
  mul.wide.u32 %a1, %i4, 64; add.u64 %a1, %rd0, %a1; st.global.u64 [%a0], %a1;
  add.u32 %i3, %i3, %i5; setp.ge.u32 %p1, %i3, %r0; @%p1 sub.u32 %i3, %i3, %r0;
  add.u32 %i0, %i0, 64; bra BUILD;
BUILT:
  bar.sync 0; mov.u32 %i3, %i6; mov.u32 %i0, %i2;
READ:
  setp.ge.u32 %p0, %i0, %r0; @%p0 bra WARM;
  mul.wide.u32 %a0, %i3, 64; add.u64 %a0, %rd0, %a0; ld.global.u64 %a1, [%a0];
  setp.eq.u64 %p4, %a1, 0; @%p4 bra DONE;
  add.u32 %i3, %i3, %i5; setp.ge.u32 %p1, %i3, %r0; @%p1 sub.u32 %i3, %i3, %r0;
  add.u32 %i0, %i0, 64; bra READ;
WARM:
  bar.sync 0; mov.u64 %a2, %rd0; mov.u32 %i0, 0;
CHASE:
  .pragma "nounroll";
""" + "  ld.global.u64 %a2, [%a2];\n" * 32 + """  add.u32 %i0, %i0, 32;
  setp.lt.u32 %p2, %i0, %r2; @%p2 bra CHASE;
  setp.ne.u64 %p3, %a2, 1; @%p3 bra DONE;
  st.global.u64 [%rd0], %a2;
""")
    places = size * 1024 // 64
    step = next(s for s in range(int(places * 0.382) | 1, 2 * places + 3, 2)
                if coprime(s, places)) % places
    steps = 4096
    make = lambda count: Launch(text, 1, [64], [places * 64], [places, step, count])
    return difference(make, chip, folder, 8192, 8192 + steps) / steps


def coprime(a, b):
    while b:
        a, b = b, a % b
    return a == 1


def strides(kind, shape, size, chip, figures, folder):
    """Cycles of a load of a warp from L1, 1024 threads on a core; stride: threads lie
    that many elements apart; block: rows of that many threads, 4098 elements apart."""
    short, width = {"float": ("f32", 4), "double": ("f64", 8)}[kind]
    r = "%" + short[0] if kind == "float" else "%d"
    place = (f"  rem.u32 %i1, %i2, 64; mul.lo.u32 %i1, %i1, {size};\n" if shape == "stride" else
             f"  rem.u32 %i1, %i2, {size}; div.u32 %i3, %i2, {size}; rem.u32 %i3, %i3, 32;\n"
             "  add.u32 %i3, %i3, 1; mad.lo.u32 %i1, %i3, 4098, %i1;\n")
    loads = "".join(f"  ld.global.{short} {r}{1 + n}, [%a1+{width * at}];\n"
                    for n, at in enumerate((0, 4, 8, 12, 20, 16, 24, 28)))
    sums = "".join(f"  fma.rn.{short} {r}0, {r}{1 + n}, {r}{2 + n}, {r}0;\n" for n in (0, 2, 4, 6))
    zero, never = (("0f00000000", "0f47F04000") if kind == "float" else
                   ("0d0000000000000000", "0d40FE080000000000"))
    text = kernel(2, 2, f"""  mov.u32 %i2, %tid.x;
{place}  mul.wide.u32 %a1, %i1, {width}; add.u64 %a1, %rd0, %a1; cvt.u64.u32 %a2, %r1;
  mov.{short} {r}0, {zero}; mov.u32 %i0, 0;
LOOP:
  .pragma "nounroll";
  add.u64 %a1, %a1, %a2;
{loads}{sums}  add.u32 %i0, %i0, 1; setp.lt.u32 %p0, %i0, %r0; @%p0 bra LOOP;
  setp.neu.{short} %p1, {r}0, {never}; @%p1 bra DONE;
  st.global.{short} [%rd1], {r}0;
""")
    span = (33 * 4098 + 2048) * width
    make = lambda count: Launch(text, 1, [1024], [span, 8], [count, 0])
    return difference(make, chip, folder, 16, 48) / (32 * 8 * 32)


def roofline(size, chip, figures, folder):
    """GB/s of two arrays, with so many multiply-adds for each pair of their elements."""
    chain = "".join("  fma.rn.f64 %d4, %d4, %d0, %d5; fma.rn.f64 %d6, %d6, %d1, %d7;\n"
                    for _ in range(size))
    text = kernel(3, 1, """  mov.u32 %i0, %ctaid.x; mov.u32 %i2, %tid.x; mul.lo.u32 %i3, %r0, 256;
  mad.lo.u32 %i3, %i0, %i3, %i2; mul.wide.u32 %a0, %i3, 8; add.u64 %a1, %rd0, %a0;
  add.u64 %a2, %rd1, %a0; mov.f64 %d8, 0d0000000000000000; mov.u32 %i1, 0;
LOOP:
  .pragma "nounroll";
  ld.global.nc.f64 %d0, [%a1]; ld.global.nc.f64 %d2, [%a2];
  ld.global.nc.f64 %d1, [%a1+2048]; ld.global.nc.f64 %d3, [%a2+2048];
  sub.f64 %d4, %d0, %d2; sub.f64 %d6, %d1, %d3; neg.f64 %d5, %d2; neg.f64 %d7, %d3;
""" + chain + """  add.f64 %d4, %d4, %d6; add.f64 %d8, %d8, %d4;
  add.u64 %a1, %a1, 4096; add.u64 %a2, %a2, 4096;
  add.u32 %i1, %i1, 2; setp.lt.u32 %p0, %i1, %r0; @%p0 bra LOOP;
  setp.ne.u32 %p1, %i2, 0; @%p1 bra DONE;
  mul.wide.u32 %a3, %i0, 8; add.u64 %a3, %rd2, %a3; st.global.f64 [%a3], %d8;
""")
    ctas = figures["Cores"] * (figures["WarpsPerCore"] // 8)
    first, rounds = 8, max(4, min(24, 160 // (size + 4) // 2 * 2))
    make = lambda count: Launch(text, ctas, [256], [ctas * 256 * count * 8] * 2 + [ctas * 8],
                                [count])
    cycles = difference(make, chip, folder, first, first + rounds)
    return ctas * 256 * rounds * 16 / cycles * figures["ClockMHz"] / 1e3


# BabelStream's kernels, of which each thread does elements that are the threads of a
# grid apart: arrays that are read, the sum as an instruction.
BABELSTREAM = {"copy": (1, ""), "mul": (1, "  mul.f64 %d0, %d0, 0d3FD999999999999A;\n"),
               "add": (2, "  add.f64 %d0, %d0, %d1;\n"),
               "triad": (2, "  fma.rn.f64 %d0, %d1, 0d3FD999999999999A, %d0;\n"),
               "dot": (2, "  fma.rn.f64 %d20, %d0, %d1, %d20;\n")}


def babelstream_text(kind):
    """A round is four elements of a thread, each of which waits for the store before
    it, since arrays may overlap; the dot product's loads do not."""
    reads, form = BABELSTREAM[kind]
    step = "  add.u64 %a3, %a3, %a0; add.u64 %a4, %a4, %a0; add.u64 %a5, %a5, %a0;\n"

    def element(number):
        names = [f"%d{2 * number + n}" for n in range(2)] if kind == "dot" else ["%d0", "%d1"]
        loads = "".join(f"  ld.global.f64 {names[n]}, [%a{4 + n}];\n" for n in range(reads))
        work = form.replace("%d1,", names[1] + ",").replace("%d0,", names[0] + ",")
        return loads, work if kind == "dot" else form + "  st.global.f64 [%a3], %d0;\n"
    elements = [element(number) for number in range(4)]
    body = ("".join(loads + step for loads, _ in elements) + "".join(work for _, work in elements)
            if kind == "dot" else "".join(loads + work + step for loads, work in elements))
    end = ""
    if kind == "dot":
        end = ("  mov.u32 %i8, dynamic; mad.lo.u32 %i8, %i2, 8, %i8; st.shared.f64 [%i8], %d20;\n"
               "  mov.u32 %i9, 512;\nHALVE:\n  .pragma \"nounroll\";\n  bar.sync 0;\n"
               "  setp.ge.u32 %p1, %i2, %i9; @%p1 bra HALVED;\n"
               "  mad.lo.u32 %i10, %i9, 8, %i8; ld.shared.f64 %d21, [%i10];\n"
               "  ld.shared.f64 %d22, [%i8]; add.f64 %d22, %d22, %d21; st.shared.f64 [%i8], %d22;\n"
               "HALVED:\n  shr.u32 %i9, %i9, 1; setp.ne.u32 %p2, %i9, 0; @%p2 bra HALVE;\n"
               "  setp.ne.u32 %p3, %i2, 0; @%p3 bra DONE;\n"
               "  mul.wide.u32 %a6, %i0, 8; add.u64 %a6, %rd0, %a6; st.global.f64 [%a6], %d22;\n")
    return kernel(3, 1, f"""  mov.u32 %i0, %ctaid.x; mov.u32 %i1, %ntid.x; mov.u32 %i2, %tid.x;
  mad.lo.u32 %i3, %i0, %i1, %i2; mov.u32 %i4, %nctaid.x; mul.lo.u32 %i4, %i4, %i1;
  mul.wide.u32 %a0, %i4, 8; mul.wide.u32 %a1, %i3, 8;
  add.u64 %a3, %rd0, %a1; add.u64 %a4, %rd1, %a1; add.u64 %a5, %rd2, %a1;
  mov.u32 %i5, 0; mov.f64 %d20, 0d0000000000000000;
LOOP:
  .pragma "nounroll";
{body}  add.u32 %i5, %i5, 1; setp.lt.u32 %p0, %i5, %r0; @%p0 bra LOOP;
{end}""")


def babelstream(kind, chip, figures, folder):
    """GB/s of rounds of which all arrays together are larger than L2, by eight CTAs of
    1024 threads for each core, four of the dot product. Arrays of 10 GB, as the fork
    that Azure's guide builds has them, take long enough for launches not to count."""
    reads, _ = BABELSTREAM[kind]
    ctas = (4 if kind == "dot" else 8) * figures["Cores"]
    arrays = reads + (kind != "dot")
    moved = ctas * 1024 * 4 * 8 * arrays
    first = -(-2 * figures["L2Bytes"] // moved)
    make = lambda rounds: Launch(babelstream_text(kind), ctas, [1024],
                                 [ctas * 1024 * 4 * 8 * rounds] * 3, [rounds], 8192)
    cycles = difference(make, chip, folder, first, 3 * first)
    return 2 * first * moved / cycles * figures["ClockMHz"] / 1e3


def measure(program, size, chip, figures, folder):
    """What the model has for a row of the published measurements; None if there is no
    program for it."""
    name, *rest = program.split("-")
    if name == "stream":
        return stream(rest[0], size, chip, figures, folder)
    if name == "babelstream" and rest[0] in BABELSTREAM:
        return babelstream(rest[0], chip, figures, folder)
    if name == "strides":
        return strides(*rest, size, chip, figures, folder)
    one = {"cache": cache, "l2-cache": l2_cache, "latency": latency, "roofline": roofline}
    return one[program](size, chip, figures, folder) if program in one else None
