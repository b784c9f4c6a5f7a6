"""Profiles every kernel of a folder and checks that each report agrees with itself:
states, instructions and lines add up, parts are parts, the page needs nothing else.
Run as `consistency.py PTX-PROF KERNELS FOLDER`."""

import csv
import html.parser
import io
import json
import pathlib
import re
import subprocess
import sys

# What metrics of access rows count, by the name in the profile.
ROWS = {"global_loads": "global_op_ld", "global_stores": "global_op_st",
        "local_loads": "local_op_ld", "local_stores": "local_op_st"}


class Page(html.parser.HTMLParser):
    """Elements that are closed in order, and nothing that is loaded."""

    VOID = {"meta", "br", "hr", "input"}

    def __init__(self):
        super().__init__()
        self.open = []
        self.parts = []  # JSON

    def handle_starttag(self, tag, attributes):
        assert tag not in ("link", "iframe", "img", "object"), tag
        for name, value in attributes:
            assert name not in ("src", "srcset"), (tag, name)
            assert name != "href" or value.startswith("#"), value
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            assert not re.search(r"url\(|@import", data)
        elif self.open and self.open[-1] == "script" and data.lstrip().startswith("{"):
            self.parts.append(json.loads(data))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open and self.open.pop() == tag, tag


def run(prof, manifest, *options):
    return subprocess.run([prof, "run", str(manifest), "--chip", "hd10", "--no-advice", *options],
                          check=True, capture_output=True, text=True, timeout=300).stdout


def states(thing):
    return sum(thing["states"].values())


def check_launch(launch):
    profile, metrics = launch["profile"], launch["metrics"]
    value = lambda name: metrics[name]["value"]
    instructions, lines = profile["instructions"], launch["lines"]
    # The warp states of all cycles, by the launch, by instruction and by line.
    total = profile["warp_cycles"]
    assert total == states(profile) > 0
    assert total == sum(map(states, instructions)) == sum(map(states, lines))
    assert total == sum(line["warp_cycles"] for line in lines)
    for state in profile["states"]:
        assert profile["states"][state] == sum(i["states"].get(state, 0) for i in instructions)
    # As parts of the cycles of an issue they are all of them.
    breakdown = [m["value"] for name, m in metrics.items()
                 if "_issue_stalled_" in name and "per_issue_active" in name]
    issued = value("smsp__inst_executed.sum")
    assert abs(sum(breakdown) * issued / total - 1) < 1e-6, (sum(breakdown), total, issued)
    assert profile["states"]["selected"] == issued == sum(i["issued"] for i in instructions)
    # Metrics of lines and instructions are those of the launch.
    names = {name for thing in (*instructions, *lines) for name in thing["metrics"]}
    for name in names:
        by_line = sum(line["metrics"].get(name, 0) for line in lines)
        by_instruction = sum(i["metrics"].get(name, 0) for i in instructions)
        assert by_line == by_instruction, name
    mix = sum(m["value"] for name, m in metrics.items() if "thread_inst_executed_op_" in name)
    assert mix == profile["thread_instructions"] == value("smsp__thread_inst_executed_pred_on.sum")
    # Nothing is more than all.
    for name, m in metrics.items():
        assert m["value"] >= 0, name
        if m["unit"] == "%":
            assert m["value"] <= 100 + 1e-9, (name, m)
    assert value("gpc__cycles_elapsed.max") >= value("sm__cycles_active.avg")
    # Memory is as busy as its busiest part, of all cycles: L1's own figure is of those in which its core has warps.
    active = value("sm__cycles_active.avg") / value("gpc__cycles_elapsed.max")
    parts = [active * value("l1tex__throughput.avg.pct_of_peak_sustained_active"),
             value("lts__t_bytes.avg.pct_of_peak_sustained_elapsed"),
             value("dram__throughput.avg.pct_of_peak_sustained_elapsed")]
    assert abs(value("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed") - max(parts)) < 1e-6, parts
    # What happens over time is all that happens.
    memory, activity = profile["memory"], profile["activity"]
    assert sum(activity["dram_bytes"]) == memory["dram_read_bytes"] + memory["dram_write_bytes"]
    assert sum(activity["l2_sectors"]) == memory["l2_read_sectors"] + memory["l2_write_sectors"]
    assert sum(activity["matrix_cycles"]) == profile["pipes"]["matrix"]["busy"]
    count, width = len(activity["dram_bytes"]), activity["cycles_per_sample"]
    assert (count - 1) * width < profile["cycles"] <= count * width and count <= 64
    for ours, theirs in ROWS.items():
        sectors = value(f"l1tex__t_sectors_pipe_lsu_mem_{theirs}.sum")
        requests = value(f"l1tex__t_requests_pipe_lsu_mem_{theirs}.sum")
        assert sectors >= requests or sectors == 0, ours
        assert value(f"l1tex__t_bytes_pipe_lsu_mem_{theirs}.sum") == 32 * sectors


def check_parts(report, parts):
    """What the page has of a launch is what the report has, without what is zero."""
    launches = [part for part in parts if "kernel" in part]
    details = [part["instructions"] for part in parts if "instructions" in part]
    assert len(launches) == len(report["launches"]) and details
    for ours, theirs in zip(launches, report["launches"]):
        values = {name: m["value"] for name, m in theirs["metrics"].items() if m["value"]}
        assert ours["metrics"] == values
        assert ours["profile"]["states"] == {n: c for n, c in theirs["profile"]["states"].items() if c}
    first = [(i.get("pc", 0), sum(i["states"].values())) for i in details[0]]
    assert first == [(i["pc"], states(i)) for i in report["launches"][0]["profile"]["instructions"]]


def check_diff(prof, manifest, folder):
    """The changes of all lines and states are those of the launch."""
    reports = []
    for level in ("-O3", "-O0"):
        reports.append(folder / f"{manifest.stem}{level}.report")
        reports[-1].write_text(run(prof, manifest, level, "--json"))
    cycles = [json.loads(r.read_text())["launches"][0]["profile"]["warp_cycles"] for r in reports]
    text = subprocess.run([prof, "diff", "--rows", "1000000", *map(str, reports)],
                          check=True, capture_output=True, text=True).stdout
    (total,) = map(int, re.findall(r"^  warp cycles ([-+]?\d+)$", text, re.M))
    rows = [int(n) for n in re.findall(r"^ +([-+]\d+)  ", text, re.M)]
    assert total == cycles[1] - cycles[0] == sum(rows) != 0, (total, cycles, sum(rows))


def main():
    prof, kernels, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    folder.mkdir(parents=True, exist_ok=True)
    for manifest in sorted(kernels.glob("*/*.json")):
        page, trace = folder / f"{manifest.stem}.html", folder / f"{manifest.stem}.trace"
        report = json.loads(run(prof, manifest, "--json", "--html", str(page),
                                "--trace", str(trace)))
        assert report["launches"], manifest
        for launch in report["launches"]:
            check_launch(launch)
        text = page.read_text()
        parser = Page()
        parser.feed(text)
        assert not parser.open, parser.open
        check_parts(report, parser.parts)
        assert all(event["dur"] >= 0 for event in json.loads(trace.read_text())["traceEvents"]
                   if event.get("ph") == "X")
        rows = list(csv.DictReader(io.StringIO(run(prof, manifest, "--csv"))))
        assert len(rows) == sum(len(l["metrics"]) for l in report["launches"]), manifest
        if manifest.stem in ("saxpy", "sgemm", "softmax"):
            check_diff(prof, manifest, folder)
        print(f"{manifest.stem}: {len(report['launches'])} launches")


main()
