"""Whether a calibration gives back the figures of the chip that it ran on.

usage: calibrate.py CALIBRATION.JSON CHIPS.MD DEVICE BASE

What a base reaches of DRAM's bandwidth, and how long its CTAs keep their places,
are not measured: a calibration has what makes up for it."""

import json
import pathlib
import re
import sys

# Figures that have to come back exactly, or within a part or a difference.
EXACT = ("cores", "warps", "ctas", "registers", "l2-size")
PARTS = {"clock": 0.001, "l1": 0.05, "core-l2": 0.03, "l2": 0.05, "dram": 0.05, "l1-size": 0.03,
         "dram-latency": 0.02, "link": 0.005}
DIFFERENCES = {"l1-latency": 1, "l2-latency": 1, "cluster-latency": 1, "cta-launch": 5,
               "launch": 1, "dispatch": 50, "wake": 50, "gap": 30, "graph-gap": 30,
               "link-latency": 20, "mma-interval": 0.25}
FIELDS = {"cores": "Cores", "clock": "ClockMHz", "warps": "WarpsPerCore", "ctas": "CTAsPerCore",
          "registers": "RegistersPerCore", "shared-size": "SharedBytesPerCore",
          "l1-size": "L1Bytes", "l1": "L1BytesPerCycle", "l1-latency": "L1Latency",
          "core-l2": "CoreL2BytesPerCycle", "l2-size": "L2Bytes", "l2": "L2BytesPerCycle",
          "l2-latency": "L2Latency", "dram": "DRAMBytesPerCycle", "dram-latency": "DRAMLatency",
          "cluster-latency": "ClusterLatency", "cta-launch": "CTALaunchCycles",
          "launch": "LaunchCallNs", "dispatch": "DispatchNs", "gap": "DispatchGapNs",
          "graph-gap": "GraphGapNs", "wake": "WakeNs", "link": "LinkMBPerSecond",
          "link-latency": "LinkLatencyNs"}
CYCLES = 1  # That a class's latency may be off.
INTERVAL = 0.3


def columns(path, chip):
    """The figures of a chip, and latency and interval of its classes."""
    rows = [[c.strip() for c in line.split("|")[1:-1]]
            for line in pathlib.Path(path).read_text().splitlines() if line.startswith("|")]
    column = rows[0].index(chip)
    figures = {row[0]: int(row[column]) for row in rows
               if len(row) > column and re.fullmatch(r"\d+", row[column])}
    head = next(row for row in rows if row[0] == "class")
    column = head.index(f"{chip} latency")
    classes = {row[0]: (int(row[column]), int(row[column + 1])) for row in rows
               if len(row) == len(head) and re.fullmatch(r"\d+", row[column])}
    return figures, classes


def main():
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    device, classes = columns(sys.argv[2], sys.argv[3])
    base, _ = columns(sys.argv[2], sys.argv[4])
    wrong, seen = [], set()

    def check(name, found, expected, limit):
        print(f"{name}: {found:.2f} for {expected:.2f}")
        if abs(found - expected) > limit:
            wrong.append((name, found, expected))

    for figure in report["figures"]:
        name, found = figure["name"], figure["value"]
        seen.add(name)
        if name == "shared-size":
            continue
        expected = classes["MMA"][1] if name == "mma-interval" else device[FIELDS[name]]
        if name == "dram":
            expected *= device["DRAMPercent"] / base["DRAMPercent"]
        if name == "cta-launch":
            expected += device["CTARetireCycles"] - base["CTARetireCycles"]
        limit = (0 if name in EXACT else PARTS[name] * expected if name in PARTS
                 else DIFFERENCES[name])
        check(name, found, expected, limit)
    for row in report["classes"]:
        latency, interval = classes[row["class"]]
        # A pipe that is busy for longer than the latency is what a chain sees.
        if "interval" in row:
            latency = max(latency, interval)
        check(row["class"] + " latency", row["latency"], latency, CYCLES)
        if "interval" in row:
            check(row["class"] + " interval", row["interval"], interval, INTERVAL)
    missing = set(FIELDS) - seen
    assert not missing, missing
    assert len(report["classes"]) >= 15, report["classes"]
    assert not wrong, wrong
    print("as the chip")


main()
