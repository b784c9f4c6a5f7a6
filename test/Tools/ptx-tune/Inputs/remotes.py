#!/usr/bin/env python3
"""What one machine found by tuning, another one compiles with, through remotes.

usage: remotes.py SERVERS-FOLDER MANIFEST PTX-FILE WORK-FOLDER
"""
import json
import os
import shutil
import subprocess
import sys

SERVERS, MANIFEST, PTX, WORK = sys.argv[1:]
sys.path.insert(0, SERVERS)
import servers  # noqa: E402

checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        print("failed: " + what)


def machine(name, remote):
    """The environment of a machine with a cache directory of its own."""
    return dict(os.environ, HEDDLE_CACHE_MODE="on", HEDDLE_CACHE_DIR=os.path.join(WORK, name),
                HEDDLE_CACHE_REMOTES=remote, HEDDLE_CACHE_REMOTE_TIMEOUT="10000",
                HEDDLE_CACHE_REMOTE_LINGER="10000")


def run(environment, *command):
    return subprocess.run(command, env=environment, check=True, capture_output=True,
                          text=True).stdout


def compile(environment, name, *options):
    output = os.path.join(WORK, name + ".hdo")
    run(environment, "ptx-compile", *options, PTX, "-o", output)
    with open(output, "rb") as file:
        return file.read()


def shares(remote, what, document):
    """Tunes on one machine; a second one, which knows only the remote, compiles."""
    first, second = machine(what + "1", remote), machine(what + "2", remote)
    tuned = os.path.join(WORK, what + ".json")
    run(first, "ptx-tune", MANIFEST, "--evaluations", "24", "--seed", "5", "--moves", "0",
        "--output", tuned)
    with open(tuned) as file:
        check(json.load(file)["kernels"], what + ": tuning found nothing, this test shows nothing")
    nobody = dict(os.environ, HEDDLE_CACHE_MODE="off")
    wanted = compile(nobody, what + "-wanted", "--tuning=" + tuned)
    plain = compile(nobody, what + "-plain")
    check(wanted != plain, what + ": tuned code is no other")
    check(compile(second, what + "-second", "--use-tuning") == wanted,
          what + ": the second machine does not use the record")
    check("tuning-record" in run(second, "ptx-cache", "list"), what + ": the record is not kept")
    check(compile(second, what + "-without") == plain, what + ": the record is used unasked")
    document.append(wanted)


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(WORK)
    found = []
    with servers.redis() as port:
        shares("redis://127.0.0.1:%d" % port, "redis", found)
    with servers.nginx(os.path.join(WORK, "nginx")) as port:
        shares("http://127.0.0.1:%d/tuning" % port, "http", found)
    check(found[0] == found[1], "both remotes give the same")
    print(checks, "checks")


main()
