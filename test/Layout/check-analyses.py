#!/usr/bin/env python3
"""Checks that passes over IR find every analysis of LLVM that they may ask for.

usage: check-analyses.py NM LIBRARY SOURCE

Passes ask for an analysis by the address of its Key. One that is linked into
LIBRARY and that SOURCE, lib/Support/PassRunner.cpp, does not register would end
the process. Prints each such analysis and exits with 1 if there is any.
"""
import re
import subprocess
import sys

KEY = re.compile(r"\b_ZN4llvm\d+([A-Za-z0-9]+)3KeyE$")
REGISTERED = re.compile(r"\badd<(\w+)>\(")
# Of machine code, which legacy passes work on.
MACHINE = re.compile(r"Machine|^Live(Intervals|Variables)|^SlotIndexes")
# Passes ask first whether there is one; and LLVM's archives have no code of it.
OPTIONAL = {"PluginInlineAdvisorAnalysis", "PluginInlineOrderAnalysis", "LoopNestAnalysis"}
# Registered under other names: by the target, and with the pipeline.
ELSEWHERE = {"HeddleAA", "AAManager", "PassInstrumentationAnalysis", "TargetIRAnalysis"}


def main():
    nm, library, source = sys.argv[1:]
    listed = subprocess.run([nm, library], capture_output=True, text=True, check=True).stdout
    linked = {match.group(1) for line in listed.splitlines() if (match := KEY.search(line))}
    with open(source, encoding="utf-8") as file:
        text = file.read()
    registered = set(REGISTERED.findall(text))
    asked = {name for name in linked - OPTIONAL - ELSEWHERE if not MACHINE.search(name)}
    missing = sorted(asked - registered)
    for name in missing:
        print("%s is linked and not registered in %s" % (name, source))
    print("%d analyses checked" % len(asked))
    sys.exit(1 if missing or not asked else 0)


if __name__ == "__main__":
    main()
