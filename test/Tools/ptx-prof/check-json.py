"""Checks that the parts of ptx-prof's JSON agree with each other."""

import json
import sys

with open(sys.argv[1]) as file:
    report = json.load(file)
(launch,) = report["launches"]
profile, metrics = launch["profile"], launch["metrics"]
instructions = profile["instructions"]


def states(thing):
    return sum(thing["states"].values())


assert launch["kernel"] == "saxpy" and report["chip"] == "hd100"
assert profile["warp_cycles"] == states(profile) == sum(map(states, instructions))
assert profile["warp_cycles"] == sum(line["warp_cycles"] for line in launch["lines"])
assert metrics["gpc__cycles_elapsed.max"] == {"value": profile["cycles"], "unit": "cycle"}
assert metrics["smsp__inst_executed.sum"]["value"] == sum(i["issued"] for i in instructions)
assert all(i["text"].split()[0].lstrip("@!P0123456") == "" or i["mnemonic"] in i["text"]
           for i in instructions)
assert launch["roofline"]["operations"] == 2000


def metric(thing, name):
    return thing["metrics"].get(name, 0)


# Lines and instructions add up to the launch.
for name, total in (("inst_executed", profile["warp_instructions"]),
                    ("thread_inst_executed", profile["active_thread_instructions"]),
                    ("thread_inst_executed_true", profile["thread_instructions"]),
                    ("memory_l2_theoretical_sectors_global", 375)):
    assert sum(metric(i, name) for i in instructions) == total, name
    assert sum(metric(line, name) for line in launch["lines"]) == total, name

# Every instruction is of one kind.
mix = sum(m["value"] for name, m in metrics.items() if "thread_inst_executed_op_" in name)
assert mix == profile["thread_instructions"]

# The rule fires: four warps on a core cannot hide the memory's latency.
assert [a["limiter"] for a in launch["advice"] if a["proved"]] == ["latency", "instruction-fetch"]
