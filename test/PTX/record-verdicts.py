#!/usr/bin/env python3
# Writes Inputs/row-verdicts.tsv: for each row of the instruction table that ptxas
# knows an instruction that ptxas accepts and one that it rejects, and the last
# .version and .target that are too low. ptxas has to be installed for this, not
# for check-verdicts.py, which reads the file.

import argparse
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ptx_cases  # noqa: E402

VERSIONS = ptx_cases.VERSIONS
SMS = [30, 32, 35, 50, 52, 53, 60, 61, 70, 72, 75, 80, 86, 89, 90, 100, 103, 107,
       110, 120, 121]


def rejects(text):
    """Instructions that should be wrong, in the order in which they are tried."""
    mnemonic, _, rest = text.rstrip(";").partition(" ")
    operands = ptx_cases.split_operands(rest)
    for i, operand in enumerate(operands):
        for wrong in ("%p1" if not operand.startswith("%p") else "%rd1",
                      "%fd1", "[%fd1]"):
            if operand != wrong:
                changed = operands[:i] + [wrong] + operands[i + 1 :]
                yield mnemonic + " " + ", ".join(changed) + ";"
    yield mnemonic + " " + ", ".join(operands + ["%r1"]) + ";"
    yield mnemonic + " " + ", ".join(operands[:-1]) + ";"


def below(version, target):
    """The next lower .version, and the next lower .target, or None."""
    earlier = [v for v in VERSIONS if float(v) < float(version)]
    match = re.match(r"sm_(\d+)([af]?)$", target)
    sm, suffix = int(match.group(1)), match.group(2)
    lower = [s for s in SMS if s < sm]
    lower_target = f"sm_{sm}" if suffix else (f"sm_{lower[-1]}" if lower else None)
    return (earlier[-1] if earlier else None), lower_target


def grouped(cases):
    """The cases by version and target, some at a time."""
    groups = {}
    for version, target, text in cases:
        groups.setdefault((version, target), []).append(text)
    for (version, target), texts in sorted(groups.items()):
        for i in range(0, len(texts), 25):
            yield version, target, texts[i : i + 25]


def find_accepted(oracle, cases):
    good = []
    for version, target, texts in grouped(cases):
        verdicts = oracle.check_kernels(version, target, texts)
        good += [(version, target, t) for t in texts if verdicts[t][0]]
    return good


def find_rejected(oracle, cases):
    bad = set()
    for version, target, texts in grouped(cases):
        for t in oracle.rejected_among(version, target, texts)[0]:
            bad.add((version, target, t))
    return bad


def find_wrong(oracle, cases):
    """For each case an instruction like it that is rejected."""
    wrong = {}
    candidates = {c: list(rejects(c[2])) for c in cases}
    for round_ in range(8):
        left = [c for c in cases
                if c not in wrong and round_ < len(candidates[c])]
        tries = {}
        for c in left:
            tries[(c[0], c[1], candidates[c][round_])] = c
        for found in find_rejected(oracle, sorted(tries)):
            wrong[tries[found]] = found[2]
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptx-check", default="build/bin/ptx-check")
    parser.add_argument("--ptxas", default="ptxas")
    args = parser.parse_args()
    oracle = ptx_cases.Ptxas(args.ptxas)
    rows = [r for r in ptx_cases.list_rows(args.ptx_check, "base")
            if oracle.knows(r[3], r[4])]

    cases = sorted({r[3:] for r in rows})
    good = find_accepted(oracle, cases)
    wrong = find_wrong(oracle, good)
    low_version, low_target = {}, {}
    for case in good:
        low_version[case], low_target[case] = below(*case[:2])
    bad_version = find_rejected(
        oracle, [(low_version[c], c[1], c[2]) for c in good if low_version[c]])
    bad_target = find_rejected(
        oracle, [(c[0], low_target[c], c[2]) for c in good if low_target[c]])
    lines = []
    for case in good:
        version, target, text = case
        if case not in wrong:
            print("nothing wrong found:", *case)
            continue
        v, t = low_version[case], low_target[case]
        lines.append("\t".join([
            version, target,
            v if (v, target, text) in bad_version else "-",
            t if (version, t, text) in bad_target else "-",
            text, wrong[case]]))
    path = os.path.join(ptx_cases.HERE, "Inputs", "row-verdicts.tsv")
    with open(path, "w") as f:
        f.write(f"# Verdicts of ptxas {oracle.version}, by record-verdicts.py: "
                "version, target, a version and a\n# target that are too low, an "
                "instruction that is accepted, one that is rejected.\n")
        f.writelines(line + "\n" for line in lines)
    for case in cases:
        if case not in good:
            print("rejected:", *case)
    print(f"{len(lines)} rows recorded")


if __name__ == "__main__":
    main()
