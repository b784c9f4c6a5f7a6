"""Launches of tcgen05-exclusive.ptx. Usage: tcgen05-exclusive.py FOLDER"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def write(name, launch, **more):
    module = os.path.join(HERE, "tcgen05-exclusive.ptx")
    with open(os.path.join(sys.argv[1], name + ".json"), "w") as f:
        json.dump(dict({"module": module, "block": [32]}, **launch, **more), f)


def output(values):
    return {"args": [{"buffer": "out", "type": "u32", "count": len(values), "init": "zero"}]}, [{"buffer": "out", "bits": [hex(v) for v in values]}]


args, expect = output([w for i in range(128) for w in (0, 3 * i + 1, 3 * i + 2, 3 * i + 3)])
write("all", {"entry": "all", "block": [128], "expect": expect}, **args)
args, expect = output(list(range(64)))
write("pair", {"entry": "pair", "grid": [2], "cluster": [2], "expect": expect}, **args)
for columns in (0, 48, 608):
    write("too-many-%d" % columns, {"entry": "too_many", "args": [{"type": "u32", "value": columns}]}, expect_error="illegal-instruction")
write("other-release", {"entry": "other_release"}, expect_error="illegal-instruction")
for first in (0, 1):
    write("second-%d" % first, {"entry": "second", "args": [{"type": "u32", "value": first}]}, expect_error="deadlock")
