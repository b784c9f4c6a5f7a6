"""Makes a repository of five commits. Each has a script `build` that makes tools of an
existing build with other options: from the fourth commit on less is optimised, the third
cannot be built, and ptx-prof of the first knows no advice.

usage: commits.py FOLDER BUILD-BIN
"""
import os
import subprocess
import sys

folder, bins = sys.argv[1:]
wrap = os.path.join(os.path.dirname(os.path.abspath(__file__)), "wrap.py")
MADE = '"%s" "%s" "%s" tools ptx-prof ptx-compile -- %s\n'


def git(*words):
    who = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", folder, *who, *words], check=True, stdout=subprocess.DEVNULL)


os.makedirs(folder)
git("init", "--quiet")
for number, change in enumerate(["--no-advice=--older", "-O3=-O3", None, "-O3=-O1", "-O3=-O1"], 1):
    with open(os.path.join(folder, "build"), "w", encoding="utf-8") as file:
        file.write("# %d\n" % number)
        file.write(MADE % (sys.executable, wrap, bins, change) if change else "exit 1\n")
    git("add", "build")
    git("commit", "--quiet", "-m", "Commit %d" % number)
    git("tag", "c%d" % number)
