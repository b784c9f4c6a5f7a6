#!/usr/bin/env python3
# Checks the rows that need a .version or a .target that ptxas 13.0 does not know
# against what they say themselves.
#
#   check-newer-rows.py PTX-CHECK

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ptx_cases  # noqa: E402


def main():
    ptx_check = sys.argv[1]
    rows = [r[3:] for r in ptx_cases.list_rows(ptx_check, "base")
            if not ptx_cases.is_comparable(r[3], r[4])]
    cases = []
    for version, target, text in rows:
        cases.append((True, version, target, text))
        if float(version) > 9.0:
            cases.append((False, f"{float(version) - 0.1:.1f}", target, text))
        body = text.rstrip(";")
        more = body + (", " if " " in body else " ") + "%r1, %r1, %r1;"
        cases.append((False, version, target, more))
    verdicts = ptx_cases.check_ours(
        ptx_check, [ptx_cases.expand(*c[1:]) for c in cases])
    wrong = [(c, message) for c, (ok, message) in zip(cases, verdicts)
             if ok != c[0]]
    for (accepted, *what), message in wrong:
        print("should be", "accepted:" if accepted else "rejected:", *what, message)
    print(f"{len(rows)} rows, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
