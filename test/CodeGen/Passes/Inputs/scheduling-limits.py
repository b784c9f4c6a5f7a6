"""Writes functions for scheduling-limits.test, as MIR.

usage: scheduling-limits.py > FILE
       scheduling-limits.py allocated > FILE

`allocated`: those only that have no virtual registers.
"""
import sys

SUM = "$r4 = IADD3_i $r4, 0, 5, 0, $rz, 0, $pt, 0, 2017"
VIRTUAL_SUM = "%1:gpr32 = IADD3_i %0, 0, 5, 0, $rz, 0, $pt, 0, 2017"
STORE = "STS_r $r5, 0, 0, $r5, 4, 0, $pt, 0, 2017"
SYNC = "WARPSYNC_i -1, 0, $pt, 0, 2017"
MARK = "SCHEDULING_LIMIT"

# Name, pressure level, instructions.
FUNCTIONS = [
    ("most", 0, [SUM] * 1024),
    ("too_long", 0, [SUM] * 1025),
    ("two_regions", 0, [SUM] * 1024 + [SYNC] + [SUM] * 1024),
    ("marked_before", 0, [SUM, MARK, SUM]),
    ("most_stores", 0, [STORE] * 256),
    ("too_many_stores", 0, [STORE] * 257),
    ("most_under_pressure", 3, ["%0:gpr32 = COPY $r4"] + [VIRTUAL_SUM] * 23),
    ("too_long_under_pressure", 3, ["%0:gpr32 = COPY $r4"] + [VIRTUAL_SUM] * 24),
]
if sys.argv[1:] == ["allocated"]:
    FUNCTIONS = [f for f in FUNCTIONS if VIRTUAL_SUM not in f[2]]


print("--- |")
for name, _, _ in FUNCTIONS:
    print("  define ptx_kernel void @%s() { ret void }" % name)
print("...")
for name, level, instructions in FUNCTIONS:
    print("---\nname: %s\ntracksRegLiveness: true\nmachineFunctionInfo:\n  pressureLevel: %d" % (name, level))
    print("body: |\n  bb.0:\n    liveins: $r4, $r5")
    for instruction in instructions:
        print("    " + instruction)
    print("    EXIT $pt, 0, 2017\n...")
