#!/usr/bin/env python3
"""Searches within limits, which are made from what a search without them finds.

usage: limits.py SERVERS-FOLDER MANIFEST PTX PREFIX
"""
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time

SERVERS, MANIFEST, PTX, PREFIX = sys.argv[1:]
sys.path.insert(0, SERVERS)
import servers  # noqa: E402

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        print("failed: " + what)


def tune(*arguments, output=None, **options):
    """The process's end, and its report if it is JSON."""
    output = output or PREFIX + ".json"
    done = subprocess.run(
        ["ptx-tune", MANIFEST, "--evaluations", "30", "--moves", "6", "--seed", "2",
         "--no-transfer", "--json", "--output", output, *arguments],
        capture_output=True, text=True, timeout=300,
        env={**os.environ, "HEDDLE_CACHE_MODE": "on", "HEDDLE_CACHE_DIR": PREFIX + ".cache"},
        **options)
    report = json.loads(done.stdout) if done.stdout.startswith("{") else None
    return done, report and report["kernels"][0], report


def contents(path):
    with open(path) as file:
        return file.read()


def records():
    done = subprocess.run(["ptx-cache", "--dir=" + PREFIX + ".cache", "list"],
                          capture_output=True, text=True)
    return done.stdout.count("tuning-record")


def registers_of(document):
    """What the compiler itself says of the code of a document."""
    done = subprocess.run(["ptx-compile", PTX, "-v", "--tuning=" + document, "-o", os.devnull],
                          capture_output=True, text=True, check=True)
    return int(re.search(r"Used (\d+) registers", done.stdout + done.stderr)[1])


def essence(report):
    return {name: value for name, value in report.items() if name not in ("seconds", "from_journal")}


def exported():
    """The results of the record, in T4."""
    done = subprocess.run(
        ["ptx-tune", "export", "--module", PTX], capture_output=True, text=True, check=True,
        env={**os.environ, "HEDDLE_CACHE_MODE": "on", "HEDDLE_CACHE_DIR": PREFIX + ".cache"})
    return json.loads(done.stdout)["results"]


def check_registers(free):
    limit = min(free["untuned_code"]["registers"], free["tuned_code"]["registers"]) - 1
    arguments = ("--max-registers", str(limit))
    done, bound, report = tune(*arguments, "--journal", PREFIX + ".journal",
                               "--html", PREFIX + ".html", output=PREFIX + ".bound")
    check(done.returncode == 0, "a search ends well though the default is over the limit")
    check(report["limits"] == {"registers": str(limit)}, "the report has the limits")
    check(bound["tuned_code"]["registers"] <= limit, "the best keeps the limit")
    check(registers_of(PREFIX + ".bound") == bound["tuned_code"]["registers"],
          "as the compiler says, too")
    check(bound["costs"][0] is None and bound["untuned_cycles"] == free["untuned_cycles"],
          "the default is over it")
    check(0 < bound["over_limits"] == bound["over"]["registers"] <= bound["unusable"],
          "the reason is counted")
    check(bound["wrong"] == [], "nobody is blamed")
    check(contents(PREFIX + ".bound") != contents(PREFIX + ".free"), "limits change the result")
    check(records() == 2, "it is recorded")
    page = contents(PREFIX + ".html")
    check("within --max-registers %d: tuned" % limit in page and "#e90" in page, "the page tells")

    over = [result for result in exported() if result["invalidity"] == "constraints"]
    check(len(over) == bound["over_limits"], "T4 has them as constraints")
    check(all(row["value"] > limit for result in over for row in result["measurements"]
              if row["name"] == "registers"), "with their registers")

    # Results are those of a run that was stopped, and of workers.
    with open(PREFIX + ".journal") as file:
        lines = file.readlines()
    with open(PREFIX + ".cut", "w") as file:
        file.writelines(lines[:12])
    _, again, _ = tune(*arguments, "--journal", PREFIX + ".cut", output=PREFIX + ".again")
    check(again["from_journal"] == 11, "the journal is used")
    check(essence(again) == essence(bound), "a resumed search goes the same way")
    check(contents(PREFIX + ".again") == contents(PREFIX + ".bound"), "to the same end")
    for other, said in ((("--max-registers", "99"), "with --max-registers %d;" % limit),
                        ((), "with --max-registers %d;" % limit)):
        done, _, _ = tune(*other, "--journal", PREFIX + ".cut")
        check(done.returncode == 1 and said in done.stderr, "a journal of other limits: " + said)
    check_workers(arguments, bound)


def check_foreign_job(port, said):
    """A job of another ptx-tune, whose limits this one does not know."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        def ask(*words):
            request = b"*%d\r\n" % len(words)
            for word in words:
                request += b"$%d\r\n%s\r\n" % (len(word), word)
            connection.sendall(request)
            return connection.recv(1 << 20)

        known = re.search(rb"heddle:tune:\S+:bundle:", ask(b"KEYS", b"heddle:tune:*:bundle:*"))[0]
        foreign = b'{"form": 3, "limits": {"watts": "300"}, "chips": ["hd100"], "workloads": []}'
        ask(b"SET", known + b"foreign", foreign)
        ask(b"XADD", known.replace(b":bundle:", b":jobs"), b"*", b"bundle", b"foreign",
            b"kernel", b"sgemm", b"document", b'{"heddle_tuning":1,"kernels":{}}',
            b"limit", b"1e300")
        for _ in range(200):
            if "unknown limit 'watts'" in contents(said):
                break
            time.sleep(0.1)
        check("is left to others: unknown limit 'watts'" in contents(said),
              "a job with another limit is refused")
        check(b":0" in ask(b"EXISTS", known.replace(b":bundle:", b":results:") + b"foreign"),
              "and has no result")


def check_workers(arguments, bound):
    said = PREFIX + ".workers"
    with servers.redis() as port, contextlib.ExitStack() as workers:
        queue = ("--queue", "redis://127.0.0.1:%d" % port)
        messages = workers.enter_context(open(said, "w"))
        for _ in range(2):
            worker = subprocess.Popen(["ptx-tune", "worker", *queue], stderr=messages)
            workers.callback(worker.wait)
            workers.callback(worker.kill)
        done, fleet, _ = tune(*arguments, *queue, output=PREFIX + ".fleet")
        check(done.returncode == 0 and essence(fleet) == essence(bound),
              "workers keep the same limits")
        check(contents(PREFIX + ".fleet") == contents(PREFIX + ".bound"), "to the same document")
        check_foreign_job(port, said)


def check_code_bytes(free):
    limit = free["tuned_code"]["code_bytes"] - 1
    done, bound, _ = tune("--max-code-bytes", str(limit))
    check(done.returncode in (0, 1), "a search within bytes of code")
    if bound["tuned_code"]:
        check(bound["tuned_code"]["code_bytes"] <= limit, "keeps the limit")
    else:
        check(bound["untuned_code"]["code_bytes"] > limit, "finds nothing else than the default")


def check_nothing(arguments, kind, text):
    """A limit that nothing keeps."""
    subprocess.run(["rm", "-rf", PREFIX + ".cache"], check=True)
    done, none, _ = tune(*arguments, output=PREFIX + ".none")
    check(done.returncode == 1 and text in done.stderr, "that nothing keeps it is said: " + text)
    check(none["cost"] is None and none["over"] == {kind: 30} and none["decisions"] == {},
          "and reported")
    check(json.loads(contents(PREFIX + ".none"))["kernels"] == {}, "nothing is decided")
    check(records() == 0, "nor recorded")


def main():
    _, free, _ = tune("--no-store", output=PREFIX + ".free")
    check(free["over_limits"] == 0 and free["over"] == {}, "no limits, none over them")
    check_registers(free)
    check_code_bytes(free)
    check_nothing(("--max-compile-time", "0.001"), "compile_time",
                  "no configuration that was tried keeps --max-compile-time 0.001; nothing is recorded")
    check_nothing(("--max-code-bytes", "8"), "code_bytes", "keeps --max-code-bytes 8")
    print(checks, "checks")


main()
