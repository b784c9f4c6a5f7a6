#!/usr/bin/env python3
"""Checks that a compilation reads no environment variable that could change it.

usage: check-environment.py LOG

LOG has the names of the variables that a compilation read, one a line. Each must
be on the list below, with the reason why it is not in the cache's key.
"""
import re
import sys

JUSTIFIED = [
    (r"HEDDLE_CACHE_[A-Z_]+", "concerns the cache, not what is compiled"),
    (r"CUDA_CACHE_(DISABLE|PATH|MAXSIZE)", "concerns the cache, not what is compiled"),
    (r"HEDDLE_CHIP", "the default of --chip, which is in the key"),
    (r"HOME|XDG_CACHE_HOME|XDG_CONFIG_HOME", "where the cache and its settings are"),
    (r"HEDDLE_TRACE|HEDDLE_REPRODUCERS", "where records of compilations are written"),
    (r"TERM|COLORTERM", "colour of messages, which is kept beside them"),
    (r"TMPDIR|TMP|TEMP|TEMPDIR", "temporary files"),
    (r"PATH", "finding programs, of which none is run"),
    (r"LLVM_DISABLE_SYMBOLIZATION|LLVM_SYMBOLIZER_PATH|LLVM_ENABLE_SYMBOLIZER_MARKUP"
     r"|LLVM_DISABLE_CRASH_REPORT", "reports of crashes"),
    (r"LLVM_OVERRIDE_PRODUCER", "the producer's name in debug information of bitcode"),
    (r"LC_ALL|LC_MESSAGES|LC_CTYPE|LANG|LANGUAGE|NLSPATH|OUTPUT_CHARSET|CHARSET",
     "the C library's texts of system errors"),
    (r"MALLOC_[A-Z_]+|GLIBC_TUNABLES|LD_[A-Z_]+|GCONV_PATH|GETCONF_DIR",
     "the C library's own"),
    (r"OPENSSL_[A-Za-z0-9_]+", "which instructions compute digests, all with one result"),
    (r"ZSTD_[A-Z]+", "compression, whose result is undone"),
]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        names = sorted(set(file.read().split()))
    unknown = [name for name in names
               if not any(re.fullmatch(pattern, name) for pattern, _ in JUSTIFIED)]
    for name in unknown:
        print("%s is read, and neither in the key nor on the list" % name)
    print("%d variables, %d not justified" % (len(names), len(unknown)))
    sys.exit(1 if unknown or not names else 0)


if __name__ == "__main__":
    main()
