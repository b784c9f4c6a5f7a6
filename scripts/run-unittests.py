#!/usr/bin/env python3
"""Runs every GoogleTest program of a folder and keeps its results.

usage: run-unittests.py PROGRAMS-FOLDER RESULTS-FOLDER

Each program writes RESULTS-FOLDER/NAME.json; one that dies before it can write
it leaves a file that counts as one failure. The exit status is 1 if anything
failed, or if there was nothing to run.
"""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys

SECONDS_ALLOWED = 600


def run(program, result):
    command = [program, "--gtest_brief=1", "--gtest_output=json:" + result]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS_ALLOWED,
        )
        status, output = done.returncode, done.stdout
    except subprocess.TimeoutExpired:
        status, output = 1, "stopped after %d seconds" % SECONDS_ALLOWED
    except OSError as error:
        status, output = 1, str(error)
    if not os.path.exists(result):
        # The program died: all that is known of it is that it failed.
        with open(result, "w", encoding="utf-8") as file:
            json.dump({"tests": 1, "failures": 1, "disabled": 0, "died": True}, file)
        status = status or 1
    return status, output


def main():
    programs_folder, results_folder = sys.argv[1:]
    programs = []
    for name in sorted(os.listdir(programs_folder)):
        path = os.path.join(programs_folder, name)
        # Libraries that programs load from beside themselves are no programs.
        is_program = os.path.isfile(path) and not name.endswith(".so")
        if is_program and os.access(path, os.X_OK):
            programs.append((name, path))
    if not programs:
        sys.exit("no unit test programs in " + programs_folder)

    shutil.rmtree(results_folder, ignore_errors=True)
    os.makedirs(results_folder)
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        futures = {
            name: pool.submit(run, path, os.path.join(results_folder, name + ".json"))
            for name, path in programs
        }
        for name, future in futures.items():
            status, output = future.result()
            failed += status != 0
            print("%s: %s" % ("PASS" if status == 0 else "FAIL", name))
            if status:
                print(output)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
