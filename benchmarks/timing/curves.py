#!/usr/bin/env python3
"""The curves that a model of a GPU has to have: bandwidth by warps (Little's law),
performance by intensity (roofline), bandwidth by occupancy. Checks their shapes
and, with --pictures FOLDER, draws them.

    PATH=build/bin:$PATH benchmarks/timing/curves.py --chip hd10 --pictures docs/pictures"""

import argparse
import json
import math
import pathlib
import re
import subprocess
import tempfile

CHIPS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "isa" / "chips.md"

HEAD = """.version 8.5
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.visible .entry kernel(.param .u64 buffer, .param .u32 stride) {
  .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<64>;
  ld.param.u64 %rd1, [buffer]; ld.param.u32 %r5, [stride];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r1, %r1, %r2, %r3;
  mul.wide.u32 %rd2, %r1, 16; add.u64 %rd1, %rd1, %rd2;
  cvt.u64.u32 %rd3, %r5;
  mov.f32 %f4, 0f00000000; mov.f32 %f5, %f4; mov.f32 %f6, %f4; mov.f32 %f7, %f4;
  mov.u32 %r4, 0;
LOOP:
  .pragma "nounroll";
"""
TAIL = """
  add.u64 %rd1, %rd1, %rd3;
  add.u32 %r4, %r4, 1; setp.lt.u32 %p1, %r4, {rounds}; @%p1 bra LOOP;
  add.f32 %f4, %f4, %f5; add.f32 %f6, %f6, %f7; add.f32 %f4, %f4, %f6;
  setp.eq.f32 %p2, %f4, 0f3F800000; @!%p2 bra DONE;
  st.global.f32 [%rd1], %f4;
DONE:
  ret;
}
"""
LOAD = "  ld.global.cg.v4.f32 {%f0, %f1, %f2, %f3}, [%rd1];\n"


def program(rounds, multiply_adds):
    """Each round a thread loads 16 bytes and waits for them, then computes."""
    body = LOAD + "".join(f"  add.f32 %f{4 + n}, %f{4 + n}, %f{n};\n" for n in range(4))
    body += "".join(f"  fma.rn.f32 %f{4 + n % 4}, %f{4 + n % 4}, %f{n % 4}, %f{(n + 1) % 4};\n"
                    for n in range(multiply_adds))
    return HEAD + body + TAIL.replace("{rounds}", str(rounds))


def figures(chip):
    """What isa-defs/ states for a chip."""
    rows = [[c.strip() for c in line.split("|")[1:-1]]
            for line in CHIPS.read_text().splitlines() if line.startswith("|")]
    column = rows[0].index(chip)
    return {row[0]: int(row[column]) for row in rows if len(row) > column
            and re.fullmatch(r"\d+", row[column]) and re.fullmatch(r"\w+", row[0])}


def run(options, text, ctas, threads, rounds, shared=0):
    """Profile and roofline of a launch whose threads read rounds * 16 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "kernel.ptx").write_text(text)
        bytes_apart = ctas * threads * 16
        (folder / "kernel.json").write_text(json.dumps({
            "module": "kernel.ptx", "entry": "kernel", "grid": [ctas], "block": [threads],
            "shared_bytes": shared,
            "args": [{"buffer": "b", "type": "u32", "count": bytes_apart * rounds // 4 + 4,
                      "init": "zero"}, {"type": "u32", "value": bytes_apart}]}))
        report = subprocess.run(["ptx-prof", "run", str(folder / "kernel.json"), "--chip",
                                 options.chip, "--json", "--no-advice"],
                                check=True, capture_output=True, text=True).stdout
        (launch,) = json.loads(report)["launches"]
        return launch


def rate(launch):
    """Bytes of DRAM in a cycle."""
    return launch["roofline"]["dram_bytes"] / launch["profile"]["cycles"]


def littles_law(options, chip):
    """Warps of a core against bytes in a cycle: latency's share, then bandwidth."""
    rounds, points = 24, []
    for warps in (1, 2, 4, 8, 16, 32):
        points.append((warps, rate(run(options, program(rounds, 0), chip["Cores"], 32 * warps,
                                       rounds))))
    in_flight = lambda warps: warps * chip["Cores"] * 32 * 16 / chip["DRAMLatency"]
    assert 0.8 * in_flight(1) < points[0][1] < in_flight(1), points
    assert 0.85 * chip["DRAMBytesPerCycle"] < points[-1][1] <= chip["DRAMBytesPerCycle"], points
    bound = [(w, min(in_flight(w), chip["DRAMBytesPerCycle"])) for w, _ in points]
    assert all(y <= b * 1.001 for (_, y), (_, b) in zip(points, bound)), (points, bound)
    return points, bound


def roofline(options, chip):
    """Operations for each byte against operations in a cycle."""
    rounds, points, bound = 8, [], []
    for multiply_adds in (0, 4, 16, 64, 256, 1024):
        launch = run(options, program(rounds, multiply_adds), chip["Cores"] * 4, 256, rounds)
        figures, cycles = launch["roofline"], launch["profile"]["cycles"]
        per_cycle = figures["seconds"] / cycles
        intensity = figures["operations"] / figures["dram_bytes"]
        points.append((intensity, figures["operations"] / cycles))
        bound.append((intensity, min(figures["peak_operations"],
                                     intensity * figures["peak_bytes"]) * per_cycle))
    parts = [y / b for (_, y), (_, b) in zip(points, bound)]
    assert max(parts) <= 1.001 and parts[0] > 0.8 and parts[-1] > 0.8, parts
    return points, bound


def occupancy(options, chip):
    """CTAs that shared memory lets a core hold against bytes in a cycle."""
    rounds, points, threads = 16, [], 64
    for ctas in (1, 2, 3, 4, 6, 8):
        shared = min(chip["SharedBytesPerCore"] // ctas // 128 * 128, chip["SharedBytesPerCTA"])
        launch = run(options, program(rounds, 0), chip["Cores"] * 24, threads, rounds, shared)
        held = launch["metrics"]["sm__warps_active.avg.per_cycle_active"]["value"]
        assert held <= ctas * threads / 32, (ctas, held)
        points.append((ctas, rate(launch)))
    assert all(b[1] > 0.97 * a[1] for a, b in zip(points, points[1:])), points
    assert 1.8 < points[1][1] / points[0][1] <= 2.02, points
    return points, [(c, min(c * points[0][1], chip["DRAMBytesPerCycle"])) for c, _ in points]


def draw(path, title, x_name, y_name, points, bound):
    """A picture with logarithmic axes: the bound as a line, the points as dots."""
    width, height, margin = 480, 300, 50
    everything = points + bound
    low_x, high_x = min(p[0] for p in everything), max(p[0] for p in everything)
    low_y, high_y = min(p[1] for p in everything) / 1.3, max(p[1] for p in everything) * 1.3
    place = lambda v, low, high, size: margin + math.log(v / low) / math.log(high / low) * (
        size - 2 * margin)
    xy = lambda p: (place(p[0], low_x, high_x, width), height - place(p[1], low_y, high_y, height))
    line = " ".join("%.1f,%.1f" % xy(p) for p in bound)
    dots = "".join('<circle cx="%.1f" cy="%.1f" r="4" fill="#c44"/>' % xy(p) for p in points)
    labels = "".join('<text x="%.1f" y="%d" text-anchor="middle">%.3g</text>'
                     % (xy(p)[0], height - margin + 16, p[0]) for p in points)
    values = "".join('<text x="%.1f" y="%.1f">%.3g</text>' % (xy(p)[0] + 5, xy(p)[1] + 14, p[1])
                     for p in points)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'style="background:#fff" font-family="sans-serif" font-size="11">'
        f'<rect x="{margin}" y="{margin}" width="{width - 2 * margin}" '
        f'height="{height - 2 * margin}" fill="none" stroke="#aaa"/>'
        f'<text x="{margin}" y="30" font-size="14">{title}</text>'
        f'<text x="{width / 2}" y="{height - 12}" text-anchor="middle">{x_name}</text>'
        f'<text x="{margin}" y="45">{y_name}</text>'
        f'<polyline points="{line}" fill="none" stroke="#46c"/>{dots}{labels}{values}</svg>\n')


CURVES = {
    "littles-law": (littles_law, "Little's law", "warps of each core", "bytes of DRAM in a cycle"),
    "roofline": (roofline, "Roofline", "operations for each byte", "operations in a cycle"),
    "occupancy": (occupancy, "Occupancy", "CTAs on a core, by shared memory",
                  "bytes of DRAM in a cycle"),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--chip", default="hd10")
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    chip = figures(options.chip)
    for name, (measure, title, x_name, y_name) in CURVES.items():
        points, bound = measure(options, chip)
        print(name + ":", ", ".join(f"{x:.3g}: {y:.4g} of {b:.4g}"
                                    for (x, y), (_, b) in zip(points, bound)))
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
            draw(options.pictures / f"timing-{name}.svg", f"{title} on {options.chip}",
                 x_name, y_name, points, bound)


if __name__ == "__main__":
    main()
