"""Lists the calls of the C library in a timeline that took longer than 5 ms, by thread.

usage: os_calls.py FILE [TRACE_READER_FOLDER]
"""
import collections
import json
import sqlite3
import sys

LONG = 5_000_000


def read(path, folder):
    if path.endswith(".sqlite"):
        yield from sqlite3.connect(path).execute(
            "SELECT globalTid & 0xFFFFFF, s.value, end - start FROM OSRT_API JOIN StringIds s ON s.id = nameId "
            "ORDER BY start")
    elif path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            events = [e for e in json.load(file)["traceEvents"] if e.get("cat") == "os"]
        for event in sorted(events, key=lambda e: e["ts"]):
            yield event["tid"], event["name"], 1000 * event["dur"]
    else:
        sys.path.insert(0, folder)
        import perfetto
        for track in perfetto.read(path).values():
            if track["name"].endswith(": C library"):
                for begin, end, name, _ in track["slices"]:
                    yield track["name"], name, end - begin


threads = collections.defaultdict(list)
for thread, name, time in read(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None):
    if time > LONG:
        threads[thread].append(name)
for calls in sorted(threads.values()):
    print(*calls)
