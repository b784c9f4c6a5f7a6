#!/usr/bin/env python3
"""Sends an instruction of every row of the PTX table through the dialect.

usage: round-trip-rows.py TOOLS-FOLDER VARIANTS PTX-TESTS-FOLDER

The instructions are those of `ptx-check --list-rows VARIANTS`, each in a kernel
of its own. Written again as PTX each must be taken by the checker, be the same
when it is written once more, and have the same mnemonic, but for the few that
mean the same in another form. Prints what is wrong and exits with 1.
"""
import re
import subprocess
import sys

MARK = "// -----"

# Where the text has another mnemonic: the row, and what stands for it.
REWRITTEN = [
    # A move is no operation: the value has another name. So has the value of a
    # .param variable that is only stored and loaded whole.
    (r"mov\.", r""),
    (r"(ld|st)\.param(::func)?\.b(8|128)", r""),
    # A carry that nobody reads is not written.
    (r"(add|sub|mad)c?\.(lo\.|hi\.)?cc\.", r"(add|sub|mad)c?\.(lo\.|hi\.)?[us]"),
    # What is meant without a word is not written, but for the order of a fence.
    (r"fence\.(cta|cluster|gpu|sys)", r"fence\.acq_rel\."),
    (r"barrier\.cluster\.(arrive\.release|wait\.acquire)", r"barrier\.cluster\."),
    (r"(ld|st)\.weak\b", r"(ld|st)\."),
    (r"(atom|red)\..*\b(relaxed|gpu)\b", r"(atom|red)\."),
    # Other names of the same.
    (r"membar\.", r"fence\.sc\."),
    (r".*\bshared::cta\b", r"\w+\..*\bshared\b"),
    (r".*\bparam::(entry|func)\b", r"\w+\..*\bparam\b"),
    (r"(bar|barrier)\.cta\.", r"(bar|barrier)\."),
    (r"barrier\..*\.aligned", r"bar\."),
    (r"pmevent\.mask", r"pmevent"),
    # The predicate of lop3 is an instruction of its own, if it is used.
    (r"lop3\.(and|or)\.b32", r"lop3\.b32"),
]


def is_rewritten(mnemonic, text):
    return any(
        re.match(old, mnemonic)
        and (not new or re.search(r"\t(@!?%p\d+ )?" + new, text))
        for old, new in REWRITTEN
    )


def translate(tool, texts):
    """Each text written again, and the errors. Warnings are as they may."""
    run = subprocess.run(
        [tool, "--ptx-to-ptx", "--split-input-file", "--output-split-marker=" + MARK, "-"],
        input=("\n" + MARK + "\n").join(texts),
        capture_output=True,
        text=True,
    )
    errors = [line for line in run.stderr.splitlines() if "error: " in line]
    return run.stdout.split(MARK + "\n"), errors


def main():
    tools, variants, tests = sys.argv[1:]
    sys.path.insert(0, tests)
    import ptx_cases

    rows = ptx_cases.list_rows(tools + "/ptx-check", variants)
    texts = [ptx_cases.expand(v, t, text) for _, _, _, v, t, text in rows]
    verdicts = ptx_cases.check_ours(tools + "/ptx-check", texts)
    kept = [n for n, (accepted, _) in enumerate(verdicts) if accepted]
    once, errors = translate(tools + "/ptx-translate", [texts[n] for n in kept])
    twice, more = translate(tools + "/ptx-translate", once)
    failures = len(errors) + len(more)
    print("\n".join(errors + more))
    if len(once) != len(kept) or len(twice) != len(kept):
        sys.exit("%d texts became %d and %d" % (len(kept), len(once), len(twice)))
    for n, first, second in zip(kept, once, twice):
        instruction = rows[n][-1]
        mnemonic = instruction.split(";")[0].split()[0]
        written = r"\t(@!?%p\d+ )?" + re.escape(mnemonic) + r"[ ;]"
        if first != second:
            failures += 1
            print("not a fixed point: " + instruction)
        elif not re.search(written, first) and not is_rewritten(mnemonic, first):
            failures += 1
            print("lost: " + instruction)
    print("%d instructions, %d failures" % (len(kept), failures))
    sys.exit(1 if failures or not kept else 0)


if __name__ == "__main__":
    main()
