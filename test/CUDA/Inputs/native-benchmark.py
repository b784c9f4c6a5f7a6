"""What benchmarks/native/run.py says of results that differ."""
import array
import math

import problems
import run


def judge(found, reference=None):
    problem = problems.Problem("", {}, [], {"out": ("f", 1e-3)},
                               reference and {"out": reference})
    results = {name: {"out": array.array("f", values).tobytes()}
               for name, values in found.items()}
    return run.check(problem, results)


same = [1.0, 2.0, 3.0]
assert judge({"one": same, "other": same}) == []
assert judge({"one": [1.0, 2.001, 3.0], "other": same}) == []
assert judge({"one": [1.0, 2.0, 3.5], "other": same}) == [
    "one: out, against other: element 2 is 3.5, not 3.0"]
assert len(judge({"one": [1.0, math.nan, 3.0], "other": same})) == 1
assert len(judge({"one": same, "other": same}, [1.0, 2.0, 3.5])) == 2
