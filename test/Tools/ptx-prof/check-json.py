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
