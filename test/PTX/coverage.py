#!/usr/bin/env python3
# Writes docs/ptx-coverage.md: for each opcode of the instruction table and each
# combination of its types whether it parses, whether it gets to LLVM IR, and
# which test runs it. `ninja update-ptx-coverage` calls it; coverage.test checks
# that the page is what it writes.
#
#   coverage.py --ptx-check PTX-CHECK --ptx-opt PTX-OPT --forms HEDDLE-FORMS
#               --source DIR [-o FILE]
#   coverage.py --ptx-check PTX-CHECK --ptx-opt PTX-OPT --variants

import argparse
import collections
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import ptx_cases  # noqa: E402

HEAD = """# Coverage of PTX

Written by `ninja update-ptx-coverage` from the instruction table; do not edit. An
opcode stands with each combination of types that its rows allow. *Parses* means
that `ptx-check` accepts an instruction of that form, *lowers* that `ptx-opt
--convert-ptx-to-llvm` turns it into LLVM IR, in its plain form without optional
modifiers (test/PTX/variants.test has them), and *runs* names a test that executes it. What does not lower gives the
error "not supported yet" at its place. Types of a form that are the same in all
three stand in one line. The special registers `%perctamemoryoffset` and
`%perctamemorysize` give the same error: no text known to us says what the offset
counts from.

"""


def lowered(ptx_opt, cases):
    """Which of some one-instruction kernels get to LLVM IR."""
    groups = collections.defaultdict(list)
    for i, case in enumerate(cases):
        groups[case[:2]].append(i)
    good = set()
    for members in groups.values():
        left = list(members)
        while left:
            text, owners = one_module(cases, left)
            run = subprocess.run([ptx_opt, "--ptx-input", "--convert-ptx-to-llvm",
                                  "-", "-o", os.devnull],
                                 input=text, capture_output=True, text=True)
            if run.returncode == 0:
                good.update(left)
                break
            bad = set()
            for line in re.findall(r":(\d+):\d+: error", run.stderr):
                owner = owners.get(int(line))
                if owner is not None:
                    bad.add(owner)
            if not bad:
                # An error without a place: each by itself.
                if len(left) == 1:
                    break
                for i in left:
                    one, _ = one_module(cases, [i])
                    if subprocess.run([ptx_opt, "--ptx-input",
                                       "--convert-ptx-to-llvm", "-", "-o",
                                       os.devnull], input=one,
                                      capture_output=True,
                                      text=True).returncode == 0:
                        good.add(i)
                break
            left = [i for i in left if i not in bad]
    return good


def one_module(cases, indices):
    """A module with a kernel for each case; the case that each line is of."""
    lines, owners = [], {}
    for n, i in enumerate(indices):
        text = ptx_cases.expand(*cases[i]).splitlines()
        start = next(k for k, l in enumerate(text) if ".entry" in l)
        if n == 0:
            lines += text[:start]
        for line in text[start:]:
            lines.append(line.replace("kernel(", f"kernel{n}("))
            owners[len(lines)] = i
    return "\n".join(lines) + "\n", owners


def find_runs(source, forms):
    """Mnemonics in tests that execute, with the first test that has each. The
    program \p forms lists those of the semantic test of scalar instructions."""
    runs = {}
    if forms:
        listing = subprocess.run([forms, "--list"], check=True,
                                 capture_output=True, text=True).stdout
        for line in listing.splitlines():
            family, mnemonic, _ = line.split("\t", 2)
            runs.setdefault(mnemonic, f"test/Forms, {family}")
    for top in ("test/kernels", "test/matrix-kernels", "test/Run",
                "test/Semantics", "test/Conversion", "test/Emulator"):
        for folder, _, names in sorted(os.walk(os.path.join(source, top))):
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not name.endswith((".ptx", ".py", ".test", ".mnemonics")):
                    continue
                with open(path, errors="replace") as f:
                    text = f.read()
                if top in ("test/Conversion", "test/Emulator") and (
                        "ptx-run" not in text and "manifest" not in text):
                    continue
                where = os.path.relpath(path, source)
                for word in re.findall(r"\b[a-z][a-z0-9]*(?:\.[A-Za-z0-9_:]+)+", text):
                    runs.setdefault(word, where)
                for word in re.findall(r"\b(brkpt|exit|pmevent|ret|trap)(?: \d+)?;", text):
                    runs.setdefault(word, where)
    return runs


def opcode_of(word, opcodes):
    """The opcode of a mnemonic: the longest one whose parts are all in it, so that
    what runs `cp.async.bulk.tensor` does not count for `cp.async.bulk`."""
    head, *parts = word.split(".")
    fitting = [o for o in opcodes.get(head, ())
               if set(o.split(".")[1:]) <= set(parts)]
    return max(fitting, key=lambda o: o.count("."), default=None)


def runs_form(runs, known_types, opcodes, opcode, types):
    """The test that has a mnemonic with that opcode and exactly these types."""
    head = opcode.split(".")[0]
    for word, where in runs.items():
        if not word.startswith(head) or opcode_of(word, opcodes) != opcode:
            continue
        if [p for p in word.split(".")[1:] if p in known_types] == types:
            return where
    return None


def check_page(path, by_status):
    """Fails where the page has other forms than the table, or says that one
    parses or lowers which does not. That more lowers than it says, or runs in
    other tests, is only told: the page is then to be written anew."""
    page = {}
    with open(path) as f:
        for line in f:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if len(cells) == 5 and cells[0].startswith("`"):
                for types in cells[1].split():
                    page[cells[0].strip("`"), types.strip("`-")] = (cells[2] == "yes",
                                                        cells[3] == "yes")
    now = {(key[0], t): key[1:3] for key, list_ in by_status.items()
           for t in list_}
    wrong = 0
    for form in sorted(set(page) | set(now)):
        if form not in page or form not in now:
            print("not in the", "page:" if form in now else "table:", *form)
            wrong += 1
        elif (page[form][0] and not now[form][0]) or (
                page[form][1] and not now[form][1]):
            print("no longer true of", *form)
            wrong += 1
        elif page[form] != now[form]:
            print("note: more holds of", *form)
    if wrong:
        print("run `ninja update-ptx-coverage`")
    return 1 if wrong else 0


# Families of which not every modifier is lowered yet.
PARTIAL = ("clusterlaunchcontrol", "cp", "fence.mbarrier_init", "ldmatrix",
           "mbarrier", "mma", "movmatrix", "multimem.cp", "multimem.st.async",
           "red.async", "st.async", "stmatrix", "tcgen05", "tensormap", "wgmma",
           "wmma")


def check_variants(args):
    """Fails where an instruction gets to LLVM IR, but not with some modifier or
    optional operand, outside of the partial families. Rows that do not get there
    at all are those of which the page says so."""
    base = ptx_cases.list_rows(args.ptx_check, "base")
    good = lowered(args.ptx_opt, [r[3:] for r in base])
    whole = {r[0] for i, r in enumerate(base) if i in good}
    rows = [r for r in ptx_cases.list_rows(args.ptx_check, "all")
            if r[0] in whole and
            not any(r[1] == p or r[1].startswith(p + ".") for p in PARTIAL)]
    cases = [r[3:] for r in rows]
    verdicts = ptx_cases.check_ours(args.ptx_check,
                                    [ptx_cases.expand(*c) for c in cases])
    cases = [c for c, (ok, _) in zip(cases, verdicts) if ok]
    good = lowered(args.ptx_opt, cases)
    bad = [c for i, c in enumerate(cases) if i not in good]
    for version, target, text in bad:
        print(f"does not lower: {text} ({version}, {target})")
    print(f"{len(good)} of {len(cases)} variants lower")
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ptx-check", default="build/bin/ptx-check")
    parser.add_argument("--ptx-opt", default="build/bin/ptx-opt")
    parser.add_argument("--source", default=".")
    parser.add_argument("--forms", help="the program heddle-forms")
    parser.add_argument("-o", default="-")
    parser.add_argument("--check", help="compare with this page instead")
    parser.add_argument("--variants", action="store_true",
                        help="check all modifiers instead of writing a page")
    args = parser.parse_args()
    if args.variants:
        return check_variants(args)
    rows = ptx_cases.list_rows(args.ptx_check, "types")
    cases = [r[3:] for r in rows]
    parsed = [ok for ok, _ in ptx_cases.check_ours(
        args.ptx_check, [ptx_cases.expand(*c) for c in cases])]
    good = lowered(args.ptx_opt, [c for c, ok in zip(cases, parsed) if ok])
    indices = [i for i, ok in enumerate(parsed) if ok]
    lowers = {indices[i] for i in good}
    runs = find_runs(args.source, args.forms)
    known_types = {t for r in rows for t in r[2].split(".") if t}
    opcodes = collections.defaultdict(set)
    for r in rows:
        opcodes[r[1].split(".")[0]].add(r[1])

    # A form counts as lowered when one of its rows is.
    forms = collections.OrderedDict()
    for i, r in enumerate(rows):
        form = forms.setdefault((r[1], r[2]), [True, False])
        form[0] &= parsed[i]
        form[1] |= i in lowers
    by_status = collections.OrderedDict()
    for (opcode, types), (parses, lower) in sorted(forms.items()):
        test = runs_form(runs, known_types, opcodes, opcode,
                         [t for t in types.split(".") if t]) if lower else None
        key = (opcode, parses, lower, test)
        by_status.setdefault(key, []).append(types)
    counts = [len(forms), sum(p for p, _ in forms.values()),
              sum(l for _, l in forms.values()),
              sum(len(v) for k, v in by_status.items() if k[3])]
    text = HEAD
    text += (f"{len({k[0] for k in forms})} opcodes in {len({r[0] for r in rows})} "
             f"rows, {counts[0]} forms by type: {counts[1]} parse, {counts[2]} "
             f"lower, {counts[3]} run in a test.\n\n")
    text += "| opcode | types | parses | lowers | runs in |\n|---|---|---|---|---|\n"
    for (opcode, parses, lower, test), types in by_status.items():
        names = " ".join(f"`{t}`" if t else "-" for t in types)
        text += (f"| `{opcode}` | {names} | {'yes' if parses else 'no'} | "
                 f"{'yes' if lower else 'no'} | {test or ''} |\n")
    if args.check:
        return check_page(args.check, by_status)
    if args.o == "-":
        sys.stdout.write(text)
    else:
        with open(args.o, "w") as f:
            f.write(text)


if __name__ == "__main__":
    sys.exit(main())
