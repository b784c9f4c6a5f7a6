#!/usr/bin/env python3
"""Writes an assembly file with an ELF note that holds the digest of the ISA.

usage: isa-note.py OUTPUT DEFINITIONS-FOLDER

The digest is the SHA-256 of all .td files of the folder with their names, in
the order of the names. It is part of every key of the cache. Without OUTPUT,
that is "-", only the digest is printed.
"""
import hashlib
import os
import sys

NOTE = """\
        .section .note.heddle.isa, "aR", @note
        .p2align 2
        .long 7
        .long {size}
        .long 2
        .asciz "Heddle"
        .p2align 2
        .ascii "{digest}"
        .p2align 2
        .section .note.GNU-stack, "", @progbits
"""


def digest_of(folder):
    digest = hashlib.sha256()
    for name in sorted(os.listdir(folder)):
        if name.endswith(".td"):
            with open(os.path.join(folder, name), "rb") as file:
                contents = file.read()
            digest.update(b"%s %d\n" % (name.encode(), len(contents)))
            digest.update(contents)
    return digest.hexdigest()


def main():
    output, folder = sys.argv[1:]
    digest = digest_of(folder)
    if output == "-":
        print(digest)
        return
    with open(output, "w", encoding="utf-8") as file:
        file.write(NOTE.format(size=len(digest), digest=digest))


if __name__ == "__main__":
    main()
