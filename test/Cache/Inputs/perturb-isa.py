#!/usr/bin/env python3
"""Changes each file of the ISA's definitions and sees the digest change.

usage: perturb-isa.py ISA-NOTE-SCRIPT DEFINITIONS-FOLDER WORK-FOLDER
"""
import os
import shutil
import subprocess
import sys

SCRIPT, DEFINITIONS, WORK = sys.argv[1:]


def digest(folder):
    done = subprocess.run([sys.executable, SCRIPT, "-", folder], capture_output=True, text=True,
                          check=True)
    return done.stdout.strip()


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    shutil.copytree(DEFINITIONS, WORK)
    digests = {digest(WORK)}
    changes = 0
    for name in sorted(n for n in os.listdir(WORK) if n.endswith(".td")):
        path = os.path.join(WORK, name)
        with open(path, "rb") as file:
            contents = file.read()
        for changed in (contents[:-1], contents + b" ", contents.replace(b"1", b"2", 1)):
            with open(path, "wb") as file:
                file.write(changed)
            digests.add(digest(WORK))
            changes += changed != contents
        with open(path, "wb") as file:
            file.write(contents)
    print("%d changes, %d digests" % (changes, len(digests) - 1))
    print("digest %s" % digest(DEFINITIONS))
    sys.exit(0 if changes and changes == len(digests) - 1 else 1)


if __name__ == "__main__":
    main()
