"""Chains of dependent PTX instructions, compiled and run in time: what a link
takes is the latency that docs/isa/chips.md states for its class, within a cycle.
Run as `latencies.py PTX-PROF CHIPS.MD FOLDER`."""

import json
import pathlib
import re
import subprocess
import sys

ITERATIONS = 64
SHORT, LONG = 16, 48

# Name: (classes whose latencies add up, text of a link). Links alternate
# between %a and %b so that no optimisation shortens a chain of additions.
LINKS = {
    "addition": (["ALU"], "add.u32 %r{a}, %r{a}, %r{b};"),
    "multiply-add": (["FMA"], "fma.rn.f32 %f{a}, %f{b}, %f{b}, %f{a};"),
    "dot product": (["WIDE"], "dp4a.u32.u32 %r{a}, %r{b}, %r9, %r{a};"),
    "64-bit addition": (["ALU64"], "add.u64 %rd{a}, %rd{a}, %rd{b};"),
    "half multiply-add": (["HALF"], "fma.rn.f16x2 %r{a}, %r{b}, %r{b}, %r{a};"),
    "double multiply-add": (["F64"], "fma.rn.f64 %fd{a}, %fd{b}, %fd{b}, %fd{a};"),
    "comparison": (["PRED", "ALU"],
                   "setp.lt.u32 %p1, %r{b}, %r9; selp.b32 %r{a}, %r{b}, %r{a}, %p1;"),
    "shuffle": (["SHFL"], "shfl.sync.bfly.b32 %r{a}, %r{b}, 1, 31, -1;"),
    "reduction": (["WARP"], "redux.sync.add.u32 %r{a}, %r{b}, -1;"),
    "reciprocal root": (["MUFU"], "rsqrt.approx.ftz.f32 %f{a}, %f{b};"),
    "conversion": (["CONV"], "cvt.rn.f32.u32 %f{a}, %r{a}; mov.b32 %r{b}, %f{a};"),
    "shared load": (["LDS"], "ld.volatile.shared.u32 %r{a}, [%r{b}];"),
    "shared atomic": (["ATOM"], "atom.shared.add.u32 %r{a}, [%r12], %r{b};"),
    "barrier": (["BAR"], "bar.sync 0;"),
}


def figures(path, chip):
    """Latency and interval of each class on a chip."""
    lines = pathlib.Path(path).read_text().splitlines()
    head = next(l for l in lines if l.startswith("| class | pipe"))
    column = [c.strip() for c in head.split("|")].index(f"{chip} latency")
    result = {}
    for line in lines[lines.index(head) + 2:]:
        cells = [c.strip() for c in line.split("|")]
        if len(cells) <= column:
            break
        result[cells[1]] = int(cells[column]), int(cells[column + 1])
    return result


def program(link, count):
    body = "\n".join("  " + link.format(a=1 + n % 2, b=2 - n % 2) for n in range(count))
    return f""".version 8.5
.target sm_90
.address_size 64
.shared .align 16 .b8 words[256];
.visible .entry chain(.param .u64 out) {{
  .reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %rd<16>; .reg .f32 %f<8>; .reg .f64 %fd<8>;
  ld.param.u64 %rd10, [out];
  mov.u32 %r9, %ctaid.x; mov.u32 %r10, words;
  ld.global.u32 %r1, [%rd10]; ld.global.u32 %r2, [%rd10+4];
  mov.b32 %f1, %r1; mov.b32 %f2, %r2;
  cvt.u64.u32 %rd1, %r1; cvt.u64.u32 %rd2, %r2;
  mov.b64 %fd1, %rd1; mov.b64 %fd2, %rd2;
  st.shared.u32 [%r10], %r1;
  mov.u32 %r12, %tid.x; mad.lo.u32 %r12, %r12, 4, %r10;
  mov.u32 %r11, 0;
LOOP:
{body}
  add.u32 %r11, %r11, 1;
  setp.lt.u32 %p2, %r11, {ITERATIONS};
  @%p2 bra LOOP;
  st.global.u32 [%rd10], %r1; st.global.u32 [%rd10+4], %r2;
  st.global.f32 [%rd10+8], %f1; st.global.f32 [%rd10+12], %f2;
  st.global.u64 [%rd10+16], %rd1; st.global.u64 [%rd10+24], %rd2;
  st.global.f64 [%rd10+32], %fd1; st.global.f64 [%rd10+40], %fd2;
  ret;
}}
"""


def cycles(prof, folder, chip, name, link, count):
    stem = f"{name.replace(' ', '-')}-{count}"
    (folder / f"{stem}.ptx").write_text(program(link, count))
    manifest = folder / f"{stem}.json"
    # Zeros: an address, and what stays one under shuffles and additions.
    manifest.write_text(json.dumps({
        "module": f"{stem}.ptx", "entry": "chain", "grid": [1], "block": [32],
        "args": [{"buffer": "out", "type": "u32", "count": 16, "init": "zero"}]}))
    output = subprocess.run(
        [prof, "run", str(manifest), "--chip", chip, "--json", "--no-advice"],
        check=True, capture_output=True, text=True).stdout
    return json.loads(output)["launches"][0]["profile"]["cycles"]


def main():
    prof, chips, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    wrong = []
    for chip in ("hd100", "hd10", "h200-like"):
        known = figures(chips, chip)
        for name, (classes, link) in LINKS.items():
            found = (cycles(prof, folder, chip, name, link, LONG)
                     - cycles(prof, folder, chip, name, link, SHORT)) / (LONG - SHORT) / ITERATIONS
            # A pipe that is busy for longer than its latency is what counts.
            expected = sum(max(known[c]) for c in classes)
            print(f"{chip} {name}: {found:.2f} cycles, {'+'.join(classes)} {expected}")
            if abs(found - expected) > 1:
                wrong.append((chip, name, found, expected))
    assert not wrong, wrong


main()
