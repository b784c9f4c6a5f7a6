#!/usr/bin/env python3
# Compares the verdicts of ptx-check with those of ptxas, which has to be
# installed: over instructions made of the table, over the PTX files of a folder,
# and over random changes of both, which a seed determines.
#
#   compare-with-ptxas.py --ptx-check build/bin/ptx-check --rows all
#   compare-with-ptxas.py --ptx-check build/bin/ptx-check --mutations 20000
#   compare-with-ptxas.py ... --folder test/kernels --mutations 2000
#
# Prints the disagreements by opcode, and with --json writes all of them.
# docs/ptx-agreement.md explains those that remain.

import argparse
import collections
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ptx_cases  # noqa: E402

TYPES = (
    "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 bf16 bf16x2 "
    "tf32 f32 f32x2 f64 pred u16x2 s16x2 e4m3 e5m2 e4m3x2 e2m1x2"
).split()
TARGETS = (
    "sm_30 sm_32 sm_35 sm_50 sm_52 sm_53 sm_60 sm_61 sm_70 sm_72 sm_75 sm_80 "
    "sm_86 sm_89 sm_90 sm_90a sm_100 sm_100a sm_100f sm_103 sm_103a sm_107 "
    "sm_107a sm_107f sm_110 sm_110a sm_110f sm_120 sm_120a sm_120f sm_121a"
).split()
OPERANDS = (
    "%p1 %c1 %h1 %r1 %r2 %rd1 %f1 %fd1 0 1 -1 5 17 255 0f3F800000 "
    "0d3FF0000000000000 1.5 _ %tid.x %laneid %clock64 WARP_SZ !%p1 {%r1,%r2} "
    "{%f1,%f2,%f3,%f4} {%h1,%h2} [%rd1] [%rd1+4] [%r1] [global_bytes] "
    "[shared_bytes+4] [parameter] [local_bytes] global_bytes shared_bytes "
    "function L %undeclared"
).split()


class Mutator:
    """Changes instructions at random."""

    def __init__(self, rng, modifiers, oracle):
        self.rng = rng
        self.newest = oracle.newest
        self.versions = [v for v in ptx_cases.VERSIONS if oracle.knows(v, "sm_75")]
        self.targets = [t for t in TARGETS if oracle.knows("3.1", t)]
        # Modifiers by the head of the mnemonic, and all of them.
        self.modifiers = modifiers
        self.all_modifiers = sorted(set().union(*modifiers.values()))

    def instruction(self, text):
        """One instruction, changed in one or two places."""
        guard, body = re.match(r"(@!?\S+\s+)?(.*)", text, re.S).groups()
        mnemonic, _, rest = body.rstrip(" ;").partition(" ")
        parts = mnemonic.split(".")
        operands = ptx_cases.split_operands(rest)
        for _ in range(1 if self.rng.random() < 0.8 else 2):
            if operands and self.rng.random() < 0.5:
                self.change_operands(operands)
            else:
                self.change_parts(parts)
        return (guard or "") + ".".join(parts) + " " + ", ".join(operands) + ";"

    def change_parts(self, parts):
        rng = self.rng
        kind = rng.choice(["type", "type", "drop", "add", "swap", "change"])
        typed = [i for i in range(1, len(parts)) if parts[i] in TYPES]
        if kind == "type" and typed:
            parts[rng.choice(typed)] = rng.choice(TYPES)
        elif kind == "drop" and len(parts) > 1:
            del parts[rng.randrange(1, len(parts))]
        elif kind == "swap" and len(parts) > 2:
            i, j = rng.sample(range(1, len(parts)), 2)
            parts[i], parts[j] = parts[j], parts[i]
        else:
            known = self.modifiers.get(parts[0], self.all_modifiers)
            pool = known if known and rng.random() < 0.85 else self.all_modifiers
            new = rng.choice(sorted(pool))
            if kind == "change" and len(parts) > 1:
                parts[rng.randrange(1, len(parts))] = new
            else:
                parts.insert(rng.randint(1, len(parts)), new)

    def change_operands(self, operands):
        rng = self.rng
        kind = rng.choice(["replace", "replace", "inner", "inner", "drop", "add", "swap"])
        i = rng.randrange(len(operands))
        if kind == "inner":
            registers = list(re.finditer(r"%[a-z]+\d+|\b\d+\b", operands[i]))
            if registers:
                m = rng.choice(registers)
                operands[i] = (
                    operands[i][: m.start()]
                    + rng.choice(OPERANDS)
                    + operands[i][m.end() :]
                )
        elif kind == "drop":
            del operands[i]
        elif kind == "add":
            operands.insert(rng.randint(0, len(operands)), rng.choice(OPERANDS))
        elif kind == "swap" and len(operands) > 1:
            j = rng.randrange(len(operands))
            operands[i], operands[j] = operands[j], operands[i]
        else:
            operands[i] = rng.choice(OPERANDS)

    def kernel(self, version, target, text):
        """A one-instruction kernel, changed."""
        kind = self.rng.random()
        if kind < 0.1:
            version = self.rng.choice(self.versions)
        elif kind < 0.2:
            target = self.rng.choice(self.targets)
        elif kind < 0.3:
            # Room for what a changed instruction would need.
            version, target = self.newest, self.rng.choice(self.targets)
            text = self.instruction(text)
        else:
            text = self.instruction(text)
        return version, target, text

    def file(self, lines):
        """A file, changed in one line."""
        rng = self.rng
        lines = list(lines)
        code = [i for i, l in enumerate(lines) if re.match(r"\s*(@|[a-z])", l)
                and l.rstrip().endswith(";")]
        declarations = [i for i, l in enumerate(lines)
                        if re.match(r"\s*\.(reg|shared|local|global|param)", l)]
        kind = rng.random()
        if kind < 0.7 and code:
            i = rng.choice(code)
            lines[i] = self.instruction(lines[i].strip())
        elif kind < 0.85 and declarations:
            i = rng.choice(declarations)
            if rng.random() < 0.5:
                lines[i] = ""
            else:
                lines[i] = re.sub(r"\.[bsuf](8|16|32|64)\b",
                                  "." + rng.choice(TYPES), lines[i], count=1)
        elif kind < 0.93:
            lines = [re.sub(r"^\.version .*", ".version " + rng.choice(self.versions), l)
                     for l in lines]
        else:
            lines = [re.sub(r"^(\.target )\S+", r"\1" + rng.choice(self.targets), l)
                     for l in lines]
        return lines


def collect_modifiers(rows):
    modifiers = collections.defaultdict(set)
    for row in rows:
        parts = row[5].split(None, 1)[0].rstrip(";").split(".")
        modifiers[parts[0]].update(parts[1:])
    return modifiers


def make_cases(args, rows, oracle):
    """Tuples (opcode, description, text, one-instruction kernel or None)."""
    rng = random.Random(args.seed)
    mutator = Mutator(rng, collect_modifiers(rows), oracle)
    cases = []
    files = []
    if args.folder:
        for top, _, names in sorted(os.walk(args.folder)):
            files += [os.path.join(top, n) for n in sorted(names)
                      if n.endswith(".ptx")]
    texts = [open(f).read() for f in files]
    if args.rows:
        for _, opcode, _, version, target, text in ptx_cases.list_rows(
                args.ptx_check, args.rows):
            cases.append((opcode, f"{version} {target} {text}",
                          ptx_cases.expand(version, target, text),
                          (version, target, text)))
    for f, text in zip(files, texts):
        cases.append(("file", f, text, None))
    seen = set()
    while len(seen) < args.mutations:
        if texts and rng.random() < args.file_share:
            i = rng.randrange(len(texts))
            old = texts[i].splitlines()
            new = mutator.file(old)
            changed = [b.strip() for a, b in zip(old, new) if a != b]
            if not changed:
                continue
            head = re.match(r"(?:@\S+\s+)?([\w.]+)?", changed[0]).group(1) or "?"
            case = (head.split(".")[0] or "directive",
                    f"{files[i]}: {changed[0]}", "\n".join(new) + "\n", None)
        else:
            row = rng.choice(rows)
            version, target, text = mutator.kernel(*row[3:])
            case = (row[1], f"{version} {target} {text}",
                    ptx_cases.expand(version, target, text),
                    (version, target, text))
        if case[2] not in seen:
            seen.add(case[2])
            cases.append(case)
    return cases


def judge(oracle, cases, jobs):
    """The verdicts of ptxas: kernels many at a time, files one by one."""
    groups = collections.defaultdict(list)
    for case in cases:
        if case[3]:
            groups[case[3][:2]].append(case[3][2])
    batches = [(key, texts[i : i + 30]) for key, texts in sorted(groups.items())
               for i in range(0, len(texts), 30)]
    found = {}
    for (key, _), verdicts in zip(batches, oracle.map(
            lambda b: oracle.check_kernels(*b[0], b[1]), batches, jobs)):
        found.update((key + (t,), v) for t, v in verdicts.items())
    files = [c[2] for c in cases if not c[3]]
    judged = iter(oracle.check_all(files, jobs))
    return [found[c[3]] if c[3] else next(judged) for c in cases]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptx-check", default="build/bin/ptx-check")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--rows", choices=["base", "types", "all"])
    parser.add_argument("--folder")
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--file-share", type=float, default=0.2,
                        help="share of the mutations that are of files")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--opcode", default="", help="only those that begin so")
    parser.add_argument("--show", type=int, default=3,
                        help="disagreements shown for each opcode")
    parser.add_argument("--json")
    args = parser.parse_args()

    oracle = ptx_cases.Ptxas(args.ptxas)
    rows = [r for r in ptx_cases.list_rows(args.ptx_check, "all")
            if oracle.knows(r[3], r[4]) and r[1].startswith(args.opcode)]
    cases = make_cases(args, rows, oracle)
    cases = [c for c in cases if c[0] == "file" or c[0].startswith(args.opcode)]
    # What ptxas does not know, it cannot judge.
    def known(text):
        version = re.search(r"^\.version\s+(\S+)", text, re.M)
        target = re.search(r"^\.target\s+(\w+)", text, re.M)
        return not version or not target or oracle.knows(
            version.group(1), target.group(1))
    cases = [c for c in cases if known(c[2])]
    texts = [c[2] for c in cases]
    ours = ptx_cases.check_ours(args.ptx_check, texts)
    theirs = judge(oracle, cases, args.jobs)

    found = collections.defaultdict(list)
    for (opcode, what, _, _), (ok, message), (their_ok, their_message) in zip(
            cases, ours, theirs):
        if their_ok is not None and ok != their_ok:
            found[opcode].append({
                "case": what,
                "ours": "accepted" if ok else message,
                "ptxas": "accepted" if their_ok else their_message,
            })
    count = sum(len(v) for v in found.values())
    for opcode, list_ in sorted(found.items(), key=lambda kv: -len(kv[1])):
        print(f"{opcode}: {len(list_)}")
        for d in list_[: args.show]:
            print(f"  {d['case']}\n    ours:  {d['ours']}\n    ptxas: {d['ptxas']}")
    wrong = sum(1 for (ok, _), (their_ok, _) in zip(ours, theirs)
                if their_ok and not ok)
    share = 100.0 * (1 - count / max(len(cases), 1))
    print(f"{len(cases)} cases, ptxas {oracle.version}: {share:.2f} % agree; "
          f"{count} differ, of which ptxas accepts {wrong}; "
          f"ptxas rejects {sum(ok is False for ok, _ in theirs)} of all and "
          f"does not end on {sum(ok is None for ok, _ in theirs)}")
    if args.json:
        with open(args.json, "w") as f:
            json.dump({"ptxas": oracle.version, "cases": len(cases),
                       "disagreements": found}, f, indent=1, sort_keys=True)


if __name__ == "__main__":
    main()
