"""Builds a project whose environment's Python and CMake are made up, and says what CMake is told.

usage: build.py SOURCE-FOLDER WORK-FOLDER
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "test" / "Ecosystem"))

import environments  # noqa: E402

work = pathlib.Path(sys.argv[2])
binaries = work / "environment" / "bin"
binaries.mkdir(parents=True)
for name, script in {"python": "echo /packages", "cmake": f'echo "$@" >> {work}/said'}.items():
    (binaries / name).write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    (binaries / name).chmod(0o755)
recipe = {"options": ["-DPLACE={packages}/lib", "-Dmade_DIR={ecosystem}/Inputs"], "targets": ["first", "second"]}
environment = environments.Environment(binaries / "python", work, work / "sources")
environments.build({"name": "made-up", "suite": {"cmake": recipe}}, environment, work / "programs", ["env"], print)
print((work / "said").read_text(encoding="utf-8"), end="")
