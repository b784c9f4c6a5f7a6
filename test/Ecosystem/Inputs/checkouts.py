"""Brings the sources of a made-up repository, at a tag, at a commit and of a folder.

usage: checkouts.py SOURCE-FOLDER WORK-FOLDER
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "test" / "Ecosystem"))

import environments  # noqa: E402

work = pathlib.Path(sys.argv[2])
repository = work / "repository"


def git(*arguments):
    identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    done = subprocess.run(["git", "-C", str(repository), *identity, *arguments], check=True, capture_output=True,
                          text=True)
    return done.stdout.strip()


def say(name, **checkout):
    project = {"name": name, "suite": {"checkout": {"repository": str(repository), **checkout}}}
    for _ in range(2):  # The second one finds it there.
        path = environments.checkout_of(project, None, work, {})
    print(f"{name}: {(path / 'text').read_text(encoding='utf-8')}")


(repository / "inner").mkdir(parents=True)
git("init", "--quiet")
(repository / "text").write_text("first", encoding="utf-8")
(repository / "inner" / "text").write_text("within", encoding="utf-8")
git("add", "-A")
git("commit", "--quiet", "-m", "first")
git("tag", "v1.0")
first = git("rev-parse", "HEAD")
(repository / "text").write_text("second", encoding="utf-8")
git("commit", "--quiet", "-a", "-m", "second")
git("tag", "v2.0")
say("tag", tag="v2.0")
say("commit", commit=first)
say("folder", tag="v1.0", folder="inn*")
given = environments.checkout_of({"name": "given", "suite": {"checkout": {}}}, None, work, {"given": work / "tag-v2.0"})
print(f"given: {(given / 'text').read_text(encoding='utf-8')}")
