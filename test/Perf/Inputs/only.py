"""Prints a module of PTX with one of its kernels alone. usage: only.py FOLDER-OF-ENTRIES.PY MODULE KERNEL"""
import pathlib
import sys

sys.path.insert(0, sys.argv[1])

import entries  # noqa: E402

sys.stdout.write(entries.only(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"), sys.argv[3]))
