"""Does what the five minutes of docs/profiling.md say, command by command, for each of its three programs.

usage: guide.py SOURCE BUILD FOLDER

The commands run in FOLDER, which gets what they name of the tree: examples/cuda and build/bin. The advice has to be
what the page says of each program, give or take three points of what there is to win.
"""
import json
import os
import re
import shutil
import subprocess
import sys


def check(page, name, limiter, part):
    """The advice that comes first on a page, of the program itself or of its launch."""
    with open(page, encoding="utf-8") as file:
        launch = json.loads(re.search('class="launch">(.*?)</script>', file.read())[1])
    first = launch["advice"][0]
    won = 100 * first["cycles_won"] / first["cycles"]
    assert first["proved"] and first["limiter"] == limiter, (page, first)
    assert abs(won - part) < 3, (page, won, part)
    culprit = first["culprits"][0]
    assert os.path.basename(culprit["file"]) == name + ".cu" and culprit["line"] > 0, culprit


def main():
    source, build, folder = sys.argv[1:]
    with open(os.path.join(source, "docs/profiling.md"), encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("## Five minutes"):text.index("## The report")]
    commands = re.findall(r"^    \$ (.*)$", text, re.MULTILINE)
    assert len(commands) == 6, commands
    os.makedirs(os.path.join(folder, "examples"))
    shutil.copytree(os.path.join(source, "examples/cuda"), os.path.join(folder, "examples/cuda"))
    os.symlink(build, os.path.join(folder, "build"))
    said = {"particles": ("uncoalesced", re.search(r"the\s+advice said ([\d.]+) %", text)[1])}
    for name, limiter, part in re.findall(r"- `(\w+)\.cu`: the advice is `([\w-]+)`, with ([\d.]+) % to win", text):
        said[name] = limiter, part
    assert set(said) == {"particles", "transpose", "collatz"}, said
    for name, (limiter, part) in said.items():
        script = "\n".join(commands).replace("particles", name)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and "PASS" in done.stdout, (script, done.stdout, done.stderr)
        for file in (name, "launch"):
            check(os.path.join(folder, "examples/cuda", file + ".html"), name, limiter, float(part))
    print("three programs, three lines")


if __name__ == "__main__":
    main()
