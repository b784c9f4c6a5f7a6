"""Compares the trace that Perfetto reads with the one of trace events, and with the report.

usage: trace.py PERFETTO EVENTS REPORT
"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import perfetto  # noqa: E402


def main():
    tracks = perfetto.read(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    with open(sys.argv[3], encoding="utf-8") as file:
        report = json.load(file)
    (launches,) = (t for t in tracks.values() if t["name"] == "launches")
    assert [s[2] for s in launches["slices"]] == [l["demangled"] for l in report["launches"]]
    for (begin, end, _, arguments), launch in zip(launches["slices"], report["launches"]):
        assert abs(end - begin - launch["roofline"]["seconds"] * 1e9) <= 2
        assert arguments["symbol"] == launch["kernel"]
        assert arguments["grid"] == " x ".join(map(str, launch["grid"])), arguments
    # Each warp, on its core, at its time.
    warps = {(tracks[t["parent"]]["process"], name, begin, end) for t in tracks.values()
             for begin, end, name, _ in t["slices"] if t["name"].startswith("place ")}
    others = {("core %d" % e["pid"], e["name"], round(1e3 * e["ts"]), round(1e3 * (e["ts"] + e["dur"]))) for e in events}
    assert len(warps) == len(events) == len(others)
    near = [sorted((core, name, begin // 4, end // 4) for core, name, begin, end in side) for side in (warps, others)]
    assert sum(a[:2] == b[:2] for a, b in zip(*near)) == len(warps)
    for ours, theirs in zip(sorted(warps), sorted(others)):
        assert ours[:2] == theirs[:2] and abs(ours[2] - theirs[2]) <= 2 and abs(ours[3] - theirs[3]) <= 2
    # The counter follows the warps, and ends with none.
    (counter,) = (t for t in tracks.values() if t["counter"])
    values = [v["value"] for v in counter["values"]]
    assert counter["unit"] == "warps" and min(values) == 0 == values[-1] and max(values) <= len(warps)
    area = sum(v["value"] * (n["time"] - v["time"]) for v, n in zip(counter["values"], counter["values"][1:]))
    residence = sum(end - begin for _, _, begin, end in warps)
    assert abs(area / residence - 1) < 0.02, (area, residence)
    print("%d launches, %d warps" % (len(launches["slices"]), len(warps)))


if __name__ == "__main__":
    main()
