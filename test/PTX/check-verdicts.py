#!/usr/bin/env python3
# Checks the verdicts of ptx-check against those of ptxas that are recorded in
# Inputs/row-verdicts.tsv, and that nearly all rows have one.
#
#   check-verdicts.py PTX-CHECK

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ptx_cases  # noqa: E402


def main():
    ptx_check = sys.argv[1]
    cases = []
    with open(os.path.join(ptx_cases.HERE, "Inputs", "row-verdicts.tsv")) as f:
        for line in f:
            if line.startswith("#"):
                continue
            version, target, low_version, low_target, good, bad = (
                line.rstrip("\n").split("\t"))
            cases.append((True, version, target, good))
            cases.append((False, version, target, bad))
            if low_version != "-":
                cases.append((False, low_version, target, good))
            if low_target != "-":
                cases.append((False, version, low_target, good))
    verdicts = ptx_cases.check_ours(
        ptx_check, [ptx_cases.expand(*c[1:]) for c in cases])
    wrong = 0
    for (accepted, *what), (ok, message) in zip(cases, verdicts):
        if ok != accepted:
            wrong += 1
            print("should be", "accepted:" if accepted else "rejected:", *what,
                  message)
    recorded = {c[3] for c in cases if c[0]}
    rows = ptx_cases.list_rows(ptx_check, "base")
    missing = [r for r in rows if r[5] not in recorded]
    print(f"{len(cases)} verdicts, {wrong} wrong; {len(rows)} rows, "
          f"{len(missing)} without a verdict")
    if len(missing) * 20 > len(rows):
        print("run test/PTX/record-verdicts.py where ptxas is installed")
    return 1 if wrong or len(missing) * 20 > len(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
