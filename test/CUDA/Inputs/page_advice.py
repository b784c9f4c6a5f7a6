"""Compares the advice on a kernel's first launch in a page of ptx-env with that of ptx-prof on the same launch.

usage: page_advice.py PAGE REPORT
"""
import json
import re
import sys


def told(advice):
    return [(a["limiter"], a["cycles"], a["cycles_without"], a["proved"]) for a in advice]


def agree(found, wanted):
    """Where memory and code lie decides which slices of L2 they use: cycles may differ by three hundredths."""
    return [f[0::3] for f in found] == [w[0::3] for w in wanted] and all(
        abs(f[n] - w[n]) <= 0.03 * w[n] for f, w in zip(found, wanted) for n in (1, 2))


page, report = sys.argv[1:]
with open(page, encoding="utf-8") as file:
    launches = [json.loads(text) for text in re.findall(r'<script[^>]*class="launch"[^>]*>(.*?)</script>', file.read(), re.S)]
with open(report, encoding="utf-8") as file:
    wanted = told(json.load(file)["launches"][0]["advice"])
for launch in launches:
    # Members that are zero are left out.
    for advice in launch.get("advice", ()):
        advice.setdefault("cycles_without", 0)
        advice.setdefault("proved", False)
found = told(launches[0]["advice"])
print("advice:", "the same" if agree(found, wanted) else "WRONG: %s, not %s" % (found, wanted))
print("proved:", *(name for name, _, _, proved in found if proved))
print("others:", *sorted({a.get("untried", "tried") for launch in launches[1:] for a in launch.get("advice", ())}), sep="\n")
