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


def main():
    source, build, folder = sys.argv[1:]
    with open(os.path.join(source, "docs/profiling.md"), encoding="utf-8") as file:
        text = file.read()
    text = text[text.index("## Five minutes"):text.index("## The report")]
    commands = re.findall(r"^    \$ (.*)$", text, re.MULTILINE)
    assert len(commands) == 5, commands
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
        with open(os.path.join(folder, "examples/cuda", name + ".html"), encoding="utf-8") as page:
            launch = json.loads(re.search('class="launch">(.*?)</script>', page.read())[1])
        first = launch["advice"][0]
        won = 100 * first["cycles_won"] / first["cycles"]
        assert first["limiter"] == limiter and abs(won - float(part)) < 3, (name, first["limiter"], won, limiter, part)
        culprit = first["culprits"][0]
        assert os.path.basename(culprit["file"]) == name + ".cu" and culprit["line"] > 0, culprit
    print("three programs, three lines")


if __name__ == "__main__":
    main()
