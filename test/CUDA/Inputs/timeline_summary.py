"""What a timeline of ptx-env says, in the same words for each format.

usage: timeline_summary.py FILE TRACE_READER_FOLDER

Calls and work by name with their time in ns, which call enqueued which work, ranges and marks of NVTX, numbers.
"""
import collections
import json
import sqlite3
import sys


class Summary:
    def __init__(self):
        self.calls, self.work, self.notes, self.numbers = {}, [], [], []

    def print(self):
        sums = collections.defaultdict(lambda: [0, 0])
        threads = sorted({thread for *_, thread in self.calls.values()})
        for name, time, result, thread in self.calls.values():
            key = name + (" (result %s)" % result if result else "")
            key += ", thread %d" % threads.index(thread) if thread != threads[0] else ""
            sums[key][0] += 1
            sums[key][1] += time
        for name, (count, time) in sorted(sums.items()):
            print("call", name, "x", count, "ns", time)
        streams = sorted({stream for *_, stream in self.work})
        sums = collections.defaultdict(lambda: [0, 0])
        for name, time, correlation, size, stream in self.work:
            key = "%s by %s, stream %d, %s" % (name, self.calls[correlation][0], streams.index(stream), size)
            sums[key][0] += 1
            sums[key][1] += time
        for name, (count, time) in sorted(sums.items()):
            print("work", name, "x", count, "ns", time)
        for note in sorted(self.notes):
            print("note", *note)
        for name, unit, value in sorted(set(self.numbers)):
            print("number", name, unit, float(value))


def size_of(details):
    """Of work: bytes, or grid and block."""
    if "bytes" in details:
        return "bytes " + details["bytes"]
    return "%s of %s" % (details["grid"], details["block"])


def read_perfetto(path, folder):
    sys.path.insert(0, folder)
    import perfetto
    summary = Summary()
    tracks = perfetto.read(path)
    for track in tracks.values():
        group = tracks[track["parent"]]["name"] if track["parent"] else ""
        for begin, end, name, details in track["slices"]:
            if track["name"].endswith(": calls"):
                summary.calls[int(details["correlation"])] = (name, end - begin, details.get("result", ""),
                                                              int(track["name"].split()[1].rstrip(":")))
            elif group.startswith("device"):
                summary.work.append((name, end - begin, int(details["correlation"]), size_of(details),
                                     int(track["name"].split()[1])))
            elif group == "host":
                of = track["name"].split(": ")
                summary.notes.append((name, of[0] if of[1] == "ranges" else of[1], end - begin,
                                      *sorted(details.items())))
        for mark in track["marks"]:
            summary.notes.append((mark["name"], track["name"].split(": ")[1], "mark"))
        for value in track["values"]:
            summary.numbers.append((track["name"], track["unit"], value["value"]))
    return summary


def read_events(path):
    summary = Summary()
    open_ranges = {}
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        ns = round(event.get("dur", 0) * 1e3)
        kind, details = event.get("cat", ""), event.get("args", {})
        domain = kind.split(",")[-1]
        if event["ph"] == "X" and kind == "call":
            summary.calls[int(details["correlation"])] = (event["name"], ns, details.get("result", ""), event["tid"])
        elif event["ph"] == "X" and kind in ("kernel", "memory"):
            summary.work.append((event["name"], ns, int(details["correlation"]), size_of(details), event["tid"]))
        elif event["ph"] == "X" and kind.startswith("NVTX"):
            summary.notes.append((event["name"], domain, ns, *sorted(details.items())))
        elif event["ph"] == "b":
            open_ranges[event["id"]] = event
        elif event["ph"] == "e":
            begin = open_ranges.pop(event["id"])
            summary.notes.append((event["name"], domain, round((event["ts"] - begin["ts"]) * 1e3),
                                  *sorted(details.items())))
        elif event["ph"] == "i":
            summary.notes.append((event["name"], domain, "mark"))
        elif event["ph"] == "C":
            name, unit = event["name"].rstrip(")").split(" (")
            summary.numbers.append((name, unit, details["value"]))
    assert not open_ranges
    return summary


def read_database(path):
    summary = Summary()
    db = sqlite3.connect(path)
    assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    for correlation, name, time, result, thread in db.execute(
            "SELECT correlationId, value, end - start, returnValue, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME "
            "JOIN StringIds ON id = nameId"):
        summary.calls[correlation] = (name, time, str(result or ""), thread)
    for name, time, correlation, stream, *extents in db.execute(
            "SELECT value, end - start, correlationId, streamId, gridX, gridY, gridZ, blockX, blockY, blockZ "
            "FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName"):
        details = {"grid": "%d, %d, %d" % (*extents[:3],), "block": "%d, %d, %d" % (*extents[3:],)}
        summary.work.append((name, time, correlation, size_of(details), stream))
    words = {"Host-to-Device": "copy to device", "Device-to-Host": "copy to host", "Device-to-Device": "copy"}
    for label, time, correlation, size, stream in db.execute(
            "SELECT label, end - start, correlationId, bytes, streamId FROM CUPTI_ACTIVITY_KIND_MEMCPY "
            "JOIN ENUM_CUDA_MEMCPY_OPER ON id = copyKind"):
        summary.work.append((words[label], time, correlation, "bytes %d" % size, stream))
    for time, correlation, size, stream in db.execute(
            "SELECT end - start, correlationId, bytes, streamId FROM CUPTI_ACTIVITY_KIND_MEMSET"):
        summary.work.append(("fill", time, correlation, "bytes %d" % size, stream))
    domains = {0: "NVTX", **dict(db.execute("SELECT domainId, text FROM NVTX_EVENTS WHERE eventType = 75"))}
    categories = {(d, c): t for d, c, t in db.execute(
        "SELECT domainId, category, text FROM NVTX_EVENTS WHERE eventType = 33")}
    for start, end, kind, category, color, text, domain, payload in db.execute(
            "SELECT start, end, eventType, category, color, text, domainId, doubleValue FROM NVTX_EVENTS "
            "WHERE eventType IN (34, 59, 60)"):
        details = {}
        if category:
            details["category"] = categories[domain, category]
        if color:
            details["color"] = "#%08x" % color
        if payload is not None:
            details["payload"] = "%.6f" % payload
        summary.notes.append((text, domains[domain], "mark" if kind == 34 else end - start, *sorted(details.items())))
    for number in db.execute("SELECT name, unit, value FROM HEDDLE_COUNTERS"):
        summary.numbers.append(number)
    return summary


file, reader = sys.argv[1:]
if file.endswith(".sqlite"):
    read_database(file).print()
elif file.endswith(".json"):
    read_events(file).print()
else:
    read_perfetto(file, reader).print()
