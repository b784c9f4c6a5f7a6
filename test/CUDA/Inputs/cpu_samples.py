"""Where a timeline's samples of the CPU were taken.

usage: cpu_samples.py FILE TRACE_READER_FOLDER

Prints for each thread, the busiest first, which part of its samples has spinInner called by spinOuter in the expected
caller, and whether there are about as many samples as its time on a core wants: on a busy machine a sample stands for
several periods.
"""
import collections
import json
import sqlite3
import sys

RATE = 50


def read_perfetto(path, folder):
    sys.path.insert(0, folder)
    import perfetto
    for sample in perfetto.read_samples(path):
        yield sample["thread"], [frame["function"] for frame in reversed(sample["frames"])]


def read_events(path):
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    nodes = collections.defaultdict(dict)
    started = set()
    for event in events:
        if event["ph"] != "P":
            continue
        thread, data = event["id"], event["args"]["data"]
        if event["name"] == "Profile":
            started.add(thread)
            continue
        assert event["name"] == "ProfileChunk" and thread in started
        assert len(data["timeDeltas"]) == len(data["cpuProfile"]["samples"])
        for node in data["cpuProfile"]["nodes"]:
            nodes[thread][node["id"]] = node
        for sample in data["cpuProfile"]["samples"]:
            stack = []
            while sample:
                node = nodes[thread][sample]
                stack.append(node["callFrame"]["functionName"])
                sample = node.get("parent", 0)
            yield thread, stack


def read_database(path):
    db = sqlite3.connect(path)
    for number, thread in db.execute("SELECT id, globalTid FROM COMPOSITE_EVENTS").fetchall():
        yield thread, [name for name, in db.execute(
            "SELECT value FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = c.symbol WHERE c.id = ? "
            "ORDER BY stackDepth", (number,))]


file, reader = sys.argv[1:]
samples = read_database(file) if file.endswith(".sqlite") else \
    read_events(file) if file.endswith(".json") else read_perfetto(file, reader)
stacks = collections.defaultdict(list)
for thread, stack in samples:
    stacks[thread].append(stack)
for (thread, found), (caller, seconds) in zip(sorted(stacks.items(), key=lambda t: -len(t[1])),
                                              (("main", 0.6), ("onThread", 0.3))):
    right = sum("spinInner" in s and s[s.index("spinInner"):][:3] == ["spinInner", "spinOuter", caller] for s in found)
    print(caller, "right" if right >= 0.6 * len(found) else "WRONG: %d of %d, such as %s" % (right, len(found), found[0]),
          "enough" if RATE * seconds / 4 <= len(found) <= RATE * seconds * 2 else len(found))
print(len(stacks), "threads")
