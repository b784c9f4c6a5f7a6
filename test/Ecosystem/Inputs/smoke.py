"""Runs each smoke test whose package a Python has.

usage: smoke.py PYTHON PTX-ENV FOLDER

The part of a file's name in front of the last _ is the package. Prints a line a
file and exits with 1 if one is wrong.
"""
import pathlib
import subprocess
import sys

python, launcher, folder = sys.argv[1:]
failed = False
for script in sorted(pathlib.Path(folder).glob("*.py")):
    package = script.stem.rpartition("_")[0]
    search = f"import importlib.util as u; raise SystemExit(not u.find_spec({package!r}))"
    if subprocess.run([python, "-c", search], check=False).returncode:
        print(f"{script.name}: no package {package}")
        continue
    passes = subprocess.run([launcher, python, str(script)], check=False).returncode == 0
    notices = subprocess.run([launcher, "--skip-launches", python, str(script)], check=False).returncode != 0
    failed |= not (passes and notices)
    print(f"{script.name}: " + ("right" if passes and notices else f"wrong: passes {passes}, notices {notices}"))
sys.exit(failed)
