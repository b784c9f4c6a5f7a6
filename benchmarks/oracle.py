"""Which ptxas the benchmarks compare with. Used by code-quality.py and compile-time.py."""
import re
import shutil
import subprocess
import sys


def add_option(parser):
    parser.add_argument("--ptxas", metavar="PATH",
                        help="the ptxas to compare with, else that in PATH, if any")


def find(path):
    """The program and its version, or (None, None) where there is none and none is asked
    for."""
    program = shutil.which(path or "ptxas")
    if not program:
        if path:
            sys.exit(f"{path}: no such program")
        return None, None
    done = subprocess.run([program, "--version"], capture_output=True, text=True)
    match = re.search(r"\bV(\d[\d.]*)", done.stdout)
    if not match:
        sys.exit(f"{program}: --version does not name a version of ptxas")
    return program, match.group(1)
