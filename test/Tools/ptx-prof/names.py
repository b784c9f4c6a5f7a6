"""Metrics that have names of NVIDIA's are metrics of NVIDIA's: of the GPU, whose names
are in a library of CUDA's toolkit, or of the launch, which Nsight Compute adds.
Run as `names.py REPORT.json LIBRARY`."""

import json
import re
import sys

# Nsight Compute's own, from its documentation (Profiling Guide, Metrics Reference).
OF_LAUNCHES = {
    "launch__block_size", "launch__cluster_size", "launch__grid_size",
    "launch__occupancy_limit_blocks", "launch__occupancy_limit_registers",
    "launch__occupancy_limit_shared_mem", "launch__occupancy_limit_warps",
    "launch__registers_per_thread", "launch__shared_mem_per_block_dynamic",
    "launch__shared_mem_per_block_static", "launch__waves_per_multiprocessor",
    "sm__maximum_warps_per_active_cycle_pct",
}

with open(sys.argv[1]) as file:
    (launch,) = json.load(file)["launches"]
with open(sys.argv[2], "rb") as file:
    known = {n.decode() for n in re.findall(rb"\w+__\w+", file.read())}
checked = 0
for name in launch["metrics"]:
    base = name.split(".")[0]
    if base.startswith("heddle__") or base in OF_LAUNCHES:
        continue
    assert base in known, name
    checked += 1
print(checked, "names")
