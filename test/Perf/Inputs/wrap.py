"""Makes a folder of tools that call those of a build with options changed: planted
regressions of a stage.

usage: wrap.py BUILD-BIN FOLDER TOOL... -- FROM=TO... | +OPTION...

FROM=TO replaces an option, +OPTION adds one for the compiler.
"""
import os
import sys

SCRIPT = """#!{python}
import os, sys
arguments = sys.argv[1:]
for change in {changes!r}:
    if change[0] == "+":
        word = ["-X", change[1:]] if {name!r} == "ptx-prof" else [change[1:]]
        at = 0 if {name!r} == "ptx-compile" else 1
        arguments[at:at] = word
    else:
        old, new = change.split("=", 1)
        arguments = [new if a == old else a for a in arguments]
os.execv({path!r}, [{path!r}] + arguments)
"""

bins, folder, *rest = sys.argv[1:]
split = rest.index("--")
os.makedirs(folder, exist_ok=True)
for name in ("ptx-prof", "ptx-compile", "ptx-opt"):
    changes = rest[split + 1 :] if name in rest[:split] else []
    place = os.path.join(folder, name)
    with open(place, "w", encoding="utf-8") as file:
        file.write(
            SCRIPT.format(
                python=sys.executable, changes=changes, name=name, path=os.path.join(bins, name)
            )
        )
    os.chmod(place, 0o755)
