"""Pairs of kernels that differ in one thing: a rule's advice is proved for the
first and not for the second. Run as `advice.py PTX-PROF FOLDER`; it writes the
kernels there, profiles them and checks what the rules say."""

import json
import pathlib
import subprocess
import sys

HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"
CHIP = "hd10"
CORES, WARPS_PER_CORE = 16, 48
THREADS = 256
CTAS_PER_WAVE = CORES * WARPS_PER_CORE * 32 // THREADS

# In each kernel: %r1 is the number of the thread in the grid, %r2 in the CTA,
# %r8 the CTA's, and %rd1 a buffer.
PROLOGUE = """
.visible .entry kernel(.param .u64 buffer) {
  .reg .pred %p<4>;
  .reg .b32 %r<128>;
  .reg .b64 %rd<16>;
  .reg .f32 %f<96>;
  .reg .f64 %fd<16>;
  ld.param.u64 %rd1, [buffer];
  mov.u32 %r2, %tid.x;
  mov.u32 %r8, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mad.lo.u32 %r1, %r8, %r3, %r2;
"""


def kernel(body, declarations=""):
    return HEAD + declarations + PROLOGUE + body + "  ret;\n}\n"


def loop(body, count=32):
    return f"""
  mov.u32 %r10, 0;
LOOP:
  .pragma "nounroll";
{body}
  add.u32 %r10, %r10, 1;
  setp.lt.u32 %p1, %r10, {count};
  @%p1 bra LOOP;
"""


def store(value):
    return f"""
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.b32 [%rd3], {value};
"""


def copy(stride):
    """Loads words that are `stride` words apart, and adds them up."""
    return kernel(
        f"  mov.u32 %r20, 0;\n  mul.lo.u32 %r5, %r2, {stride};\n"
        "  mad.lo.u32 %r5, %r8, 16, %r5;\n"
        + loop("""
  and.b32 %r6, %r5, 1048575;
  mul.wide.u32 %rd4, %r6, 4;
  add.u64 %rd5, %rd1, %rd4;
  ld.global.u32 %r7, [%rd5];
  add.u32 %r20, %r20, %r7;
  add.u32 %r5, %r5, 32768;""")
        + store("%r20"))


def shared(stride):
    """Reads shared memory of which each lane's word is `stride` words on."""
    return kernel(
        "  mov.u32 %r20, 0;\n  mov.u32 %r4, words;\n"
        "  and.b32 %r5, %r2, 31;\n"
        f"  mad.lo.u32 %r4, %r5, {4 * stride}, %r4;\n"
        + loop("\n".join(f"""
  ld.volatile.shared.u32 %r{30 + n}, [%r4+{4 * n}];
  add.u32 %r20, %r20, %r{30 + n};""" for n in range(8)))
        + store("%r20"), ".shared .align 4 .b8 words[4400];\n")


def chase(shared_bytes):
    """Each warp follows a chain of addresses; a CTA takes shared memory."""
    return kernel(
        "  mul.wide.u32 %rd4, %r1, 4;\n  add.u64 %rd5, %rd1, %rd4;\n"
        + (f"  mov.u32 %r4, words;\n  st.shared.u32 [%r4], %r1;\n"
           if shared_bytes else "")
        + loop("""
  ld.volatile.global.u32 %r6, [%rd5];
  and.b32 %r6, %r6, 0;
  cvt.u64.u32 %rd6, %r6;
  add.u64 %rd5, %rd5, %rd6;""", 16)
        + store("%r6"),
        f".shared .align 4 .b8 words[{shared_bytes}];\n" if shared_bytes else "")


def multiply(kind="f32", count=64):
    """Independent multiply-adds in single or double precision."""
    register, one = ("%f", "0f3F800000") if kind == "f32" else \
                    ("%fd", "0d3FF0000000000000")
    chains = 8
    return kernel(
        "".join(f"  mov.{kind} {register}{n}, {one};\n" for n in range(chains))
        + loop("\n".join(f"  fma.rn.{kind} {register}{n}, {register}{n}, {register}{n}, {one};"
                         for n in range(chains)), count)
        + "".join(f"  add.{kind} {register}0, {register}0, {register}{n};\n"
                  for n in range(1, chains))
        + ("" if kind == "f32" else "  cvt.rn.f32.f64 %f0, %fd0;\n")
        + store("%f0"))


def branches(bit):
    """Threads take one of two ways by a bit of their number."""
    way = lambda op, by="%f0": "\n".join(f"  {op}.f32 %f{1 + n % 4}, %f{1 + n % 4}, {by};"
                               for n in range(64))
    return kernel(f"""
  mov.f32 %f0, 0f3F800000;
  mov.f32 %f5, 0f3FC00000;
  mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0; mov.f32 %f4, %f0;
  and.b32 %r5, %r2, {1 << bit};
  setp.ne.u32 %p2, %r5, 0;
""" + loop(f"""
  @%p2 bra ELSE;
{way("add.rn")}
  bra.uni END;
ELSE:
{way("mul.rn", "%f5")}
END:""", 8) + """
  add.f32 %f1, %f1, %f2; add.f32 %f3, %f3, %f4; add.f32 %f1, %f1, %f3;
""" + store("%f1"))


def live(values):
    """Loads values and stores them in the opposite order."""
    return kernel(
        "  mul.wide.u32 %rd4, %r1, 4;\n  add.u64 %rd5, %rd1, %rd4;\n"
        + loop("\n".join(
            f"  ld.volatile.global.u32 %r{20 + n}, [%rd5+{128 * n}];"
            for n in range(values)) + "\n" + "\n".join(
            f"  st.volatile.global.u32 [%rd5+{128 * n}], %r{20 + n};"
            for n in reversed(range(values))), 4))


def banks(distance):
    """Multiply-adds of three values each, which lie `distance` registers apart
    where registers are given out in the order in which values begin. Those that
    follow each other have their first values in the same bank of two."""
    order = [*range(0, distance, 2), *range(1, distance, 2)]
    return kernel(
        "".join(f"  add.u32 %r20, %r1, {n};\n  cvt.rn.f32.u32 %f{n}, %r20;\n"
                for n in range(3 * distance))
        + loop("\n".join(
            f"  fma.rn.f32 %f{n}, %f{n + distance}, %f{n + 2 * distance}, %f{n};"
            for n in order), 16)
        + "".join(f"  add.f32 %f0, %f0, %f{n};\n" for n in range(1, 3 * distance))
        + store("%f0"))


def stream(words, times):
    """The grid loads `words` words together, `times` times over, four in flight for each
    thread. CTAs times threads is a power of two."""
    load = """
  and.b32 %r6, %r5, {mask};
  mul.wide.u32 %rd4, %r6, 4;
  add.u64 %rd5, %rd1, %rd4;
  ld.global.u32 %r{to}, [%rd5];
  add.u32 %r5, %r5, %r21;"""
    add = "  add.u32 %r20, %r20, %r{to};"
    return kernel(
        "  mov.u32 %r20, 0;\n  mov.u32 %r21, %nctaid.x;\n  mul.lo.u32 %r21, %r21, %r3;\n"
        "  mov.u32 %r5, %r1;\n"
        + loop("\n".join(text.format(mask=words - 1, to=30 + n) for text in (load, add) for n in range(4)),
               words // (4 * 64 * THREADS) * times)
        + store("%r20"))


def revisit(words, steps):
    """Each CTA loads its own `words` words again and again, `steps` times as many as it
    has threads."""
    return kernel(
        f"  mov.u32 %r20, 0;\n  mul.lo.u32 %r9, %r8, {words};\n  mov.u32 %r5, %r2;\n"
        + loop(f"""
  and.b32 %r6, %r5, {words - 1};
  add.u32 %r6, %r6, %r9;
  mul.wide.u32 %rd4, %r6, 4;
  add.u64 %rd5, %rd1, %rd4;
  ld.global.u32 %r7, [%rd5];
  add.u32 %r20, %r20, %r7;
  add.u32 %r5, %r5, {THREADS};""", steps)
        + store("%r20"))


def past_l1():
    """Loads that L2 has, and L1 must not."""
    return kernel(
        "  mov.u32 %r20, 0;\n  mul.wide.u32 %rd4, %r2, 16;\n  add.u64 %rd5, %rd1, %rd4;\n"
        + loop("\n".join(
            f"  ld.global.cg.v4.u32 {{%r30, %r31, %r32, %r33}}, [%rd5+{4096 * n}];\n"
            "  add.u32 %r30, %r30, %r31;\n  add.u32 %r32, %r32, %r33;\n"
            "  add.u32 %r20, %r20, %r30;\n  add.u32 %r20, %r20, %r32;"
            for n in range(4)), 16)
        + store("%r20"))


def count(words):
    """A warp counts in so many words."""
    return kernel(
        f"  and.b32 %r5, %r2, {words - 1};\n  mul.wide.u32 %rd4, %r5, 4;\n"
        "  add.u64 %rd5, %rd1, %rd4;\n"
        + loop("  red.global.add.u32 [%rd5], %r10;"))


def fences(scope):
    return kernel("  mul.wide.u32 %rd2, %r1, 4;\n  add.u64 %rd3, %rd1, %rd2;\n"
                  + loop(f"  st.volatile.global.u32 [%rd3], %r10;\n  membar.{scope};"))


def coefficients(space):
    """All threads read the same words of a table, each at a place that the last one tells."""
    name = "%rd1" if space == "global" else "table"
    return kernel(
        f"  mov.u64 %rd5, {name};\n  mov.u32 %r20, 0;\n"
        + loop(f"""  add.u32 %r5, %r10, %r20;
  and.b32 %r5, %r5, 63;
  mul.wide.u32 %rd6, %r5, 4;
  add.u64 %rd6, %rd5, %rd6;
  ld.{space}.u32 %r7, [%rd6];
  add.u32 %r20, %r20, %r7;""") + store("%r20"),
        "" if space == "global" else ".const .align 4 .b32 table[64];\n")


def tiles(copy, arithmetic=96, more=""):
    """Each warp brings words to shared memory, computes, and then reads a neighbour's word."""
    bring = {
        "registers": "  ld.global.u32 %r7, [%rd5];\n  st.shared.u32 [%r4], %r7;\n" + more,
        "asynchronous": "  cp.async.ca.shared.global [%r4], [%rd5], 4;\n  cp.async.commit_group;",
    }[copy]
    wait = "" if copy == "registers" else "  cp.async.wait_group 0;"
    return kernel(
        "  mov.u32 %r20, 0;\n  mov.u32 %r4, words;\n  shl.b32 %r5, %r2, 2;\n  xor.b32 %r6, %r5, 128;\n"
        "  add.u32 %r9, %r4, %r6;\n  add.u32 %r4, %r4, %r5;\n  mov.f32 %f1, 0f3F800000;\n"
        "  mul.wide.u32 %rd4, %r1, 4;\n  add.u64 %rd5, %rd1, %rd4;\n"
        + loop(f"""{bring}
  mov.u32 %r11, 0;
WORK:
  .pragma "nounroll";
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p2, %r11, {arithmetic};
  @%p2 bra WORK;
{wait}
  bar.sync 0;
  ld.shared.u32 %r12, [%r9];
  add.u32 %r20, %r20, %r12;
  bar.sync 0;
  add.u64 %rd5, %rd5, 65536;""", 16)
        + "  cvt.rzi.u32.f32 %r12, %f1;\n  add.u32 %r20, %r20, %r12;\n" + store("%r20"),
        ".shared .align 4 .b8 words[1024];\n")


def turns(barrier, neighbour=0):
    """Each warp has much to do every eighth time, and puts a word where it, or the warp beside
    it, finds the word again behind a barrier."""
    return kernel(
        "  mov.u32 %r20, 0;\n  mov.u32 %r4, words;\n  shl.b32 %r5, %r2, 2;\n"
        f"  xor.b32 %r6, %r5, {neighbour};\n"
        "  add.u32 %r9, %r4, %r6;\n  add.u32 %r4, %r4, %r5;\n  mov.f32 %f1, 0f3F800000;\n"
        "  shr.u32 %r13, %r2, 5;\n"
        + loop(f"""
  add.u32 %r14, %r13, %r10;
  and.b32 %r14, %r14, 7;
  setp.eq.u32 %p3, %r14, 0;
  selp.u32 %r15, 128, 4, %p3;
  mov.u32 %r11, 0;
WORK:
  .pragma "nounroll";
  fma.rn.f32 %f1, %f1, %f1, %f1;
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p2, %r11, %r15;
  @%p2 bra WORK;
  st.shared.u32 [%r4], %r11;
  {barrier}
  ld.shared.u32 %r12, [%r9];
  add.u32 %r20, %r20, %r12;
  add.u32 %r4, %r4, 1024;
  add.u32 %r9, %r9, 1024;""")
        + "  cvt.rzi.u32.f32 %r12, %f1;\n  add.u32 %r20, %r20, %r12;\n" + store("%r20"),
        ".shared .align 4 .b8 words[32768];\n")


def alone():
    """A short CTA that has a core for itself."""
    return kernel("  mov.u32 %r4, words;\n  st.shared.u32 [%r4], %r1;\n" + store("%r1"),
                  ".shared .align 4 .b8 words[160000];\n")


def each(instruction, registers=8, times=16):
    """The same instruction on several registers, which do not depend on each other."""
    def lines(text):
        return "\n".join(text.format(f=f"%f{n}", r=f"%r{20 + n}") for n in range(registers))

    return kernel(
        lines("  add.u32 {r}, %r1, 3;\n  cvt.rn.f32.u32 {f}, {r};") + loop(lines(instruction), times)
        + "".join(f"  add.f32 %f0, %f0, %f{n};\n  add.u32 %r20, %r20, %r{20 + n};\n"
                  for n in range(1, registers))
        + "  cvt.rzi.u32.f32 %r1, %f0;\n  add.u32 %r20, %r20, %r1;\n  mov.u32 %r1, %r2;\n"
        + store("%r20"))


MATRIX = """
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
    {{{f}, %f60, %f61, %f62}}, {{%r1, %r2, %r1, %r2}}, {{%r1, %r2}}, {{{f}, %f60, %f61, %f62}};"""

# Rule: (kernel, CTAs, options) on which it fires, and on which it does not.
PAIRS = {
    "uncoalesced": ((copy(8), 96, []), (copy(1), 96, [])),
    "bank-conflicts": ((shared(32), 16, []), (shared(33), 16, [])),
    "occupancy": ((chase(65536), 96, []), (chase(0), 192, [])),
    "tail": ((multiply(), CTAS_PER_WAVE + 1, []), (multiply(), 2 * CTAS_PER_WAVE, [])),
    "divergence": ((branches(0), 96, []), (branches(7), 96, [])),
    "latency": ((chase(0), 1, []), (multiply(), CTAS_PER_WAVE, [])),
    "local-memory": ((live(40), 16, ["-X", "-maxrregcount=24"]), (live(40), 16, [])),
    "double-precision": ((multiply("f64", 8), 16, []), (multiply("f32", 8), 16, [])),
    "register-banks": ((banks(16), CTAS_PER_WAVE, []), (multiply(), CTAS_PER_WAVE, [])),
    "dram-bandwidth": ((stream(1 << 20, 1), 64, []), (stream(1 << 16, 16), 64, [])),
    "l2-bandwidth": ((past_l1(), 96, []), (multiply(), 96, [])),
    "l2-capacity": ((stream(1 << 21, 2), 64, []), (stream(1 << 18, 2), 64, [])),
    "l1-capacity": ((revisit(1 << 17, 1024), 16, []), (revisit(1 << 14, 1024), 16, [])),
    "atomic-contention": ((count(2), 96, []), (count(256), 96, [])),
    "uniform-loads": ((coefficients("global"), 16, []), (coefficients("const"), 16, [])),
    "staged-copies": ((tiles("registers"), 16, []),
                      (tiles("registers", more="  add.u32 %r20, %r20, %r7;"), 16, [])),
    "idle-barriers": ((turns("bar.sync 0;"), 16, []), (turns("bar.sync 0;", 128), 16, [])),
    "fences": ((fences("gl"), 16, []), (fences("cta"), 16, [])),
    "instruction-fetch": ((kernel(store("%r1")), 1, []), (multiply(count=128), CTAS_PER_WAVE, [])),
    "cta-launch": ((alone(), 320, []),
                   (multiply(), 2 * CTAS_PER_WAVE, [])),
    "special-functions": ((each("  ex2.approx.f32 {f}, {f};"), 96, []),
                          (each("  xor.b32 {r}, {r}, %r10;"), 96, [])),
    "conversions": ((each("  cvt.rn.f32.u32 {f}, {r};\n  cvt.rzi.u32.f32 {r}, {f};"), 96, []),
                    (multiply(), 96, [])),
    "integer-pipe": ((each("  xor.b32 {r}, {r}, %r10;\n  shf.l.wrap.b32 {r}, {r}, {r}, %r10;"), 96, []),
                     (multiply(), 96, [])),
    "multiply-adds": ((multiply(), 96, []),
                      (each("  ex2.approx.f32 {f}, {f};"), 96, [])),
    "matrix-pipe": ((each(MATRIX, 4), 96, []), (multiply(), 96, [])),
}


# Those whose second kernel is the first one without the limiter: the model of
# the first without it takes as long as the second, to a tenth.
SAME_WORK = ("uncoalesced", "bank-conflicts", "divergence")


def profile(prof, folder, name, program, ctas, options):
    (folder / f"{name}.ptx").write_text(program)
    manifest = folder / f"{name}.json"
    manifest.write_text(json.dumps({
        "module": f"{name}.ptx", "entry": "kernel",
        "grid": [ctas], "block": [THREADS],
        "args": [{"buffer": "buffer", "type": "u32", "count": 1 << 21, "init": "zero"}]}))
    output = subprocess.run([prof, "run", str(manifest), "--chip", CHIP, "--json", *options],
                            check=True, capture_output=True, text=True).stdout
    (launch,) = json.loads(output)["launches"]
    return launch


def main():
    prof, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for rule, (fires, silent) in PAIRS.items():
        for kind, case in (("fires", fires), ("silent", silent)):
            launch = profile(prof, folder, f"{rule}-{kind}", *case)
            proved = {a["limiter"]: a for a in launch["advice"] if a["proved"]}
            won = {name: a["cycles_won"] / a["cycles"] for name, a in proved.items()}
            print(f"{rule} {kind}: {launch['profile']['cycles']} cycles, "
                  + ", ".join(f"{name} {part:.1%}" for name, part in won.items()))
            if kind == "silent":
                assert rule not in proved, (rule, proved)
                if rule in SAME_WORK:
                    ratio = launch["profile"]["cycles"] / without
                    assert 0.9 < ratio < 1.1, (rule, ratio)
                continue
            assert rule in proved, (rule, launch["advice"])
            advice = proved[rule]
            without = advice["cycles_without"]
            assert advice["cycles_won"] == advice["cycles"] - advice["cycles_without"] > 0
            assert advice["cycles"] == launch["profile"]["cycles"]
            for culprit in advice["culprits"]:
                assert culprit["file"] == f"{rule}-fires.ptx" and culprit["line"] > 0
                assert 0 < culprit["share"] <= 1.0001


if __name__ == "__main__":
    main()
