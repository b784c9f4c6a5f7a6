"""Commits of a repository, and their builds in a work tree beside the user's own."""
import contextlib
import dataclasses
import os
import shlex
import shutil
import subprocess
import tempfile
from typing import Collection, Iterator, Optional, Sequence

from .tools import COMPILER, Tools

MOST_SECONDS = 600  # of a program: at some commit a compiler may not end
MOST_KEPT = 20  # commits whose tools stay, of this project 75 MB each


class CommitError(Exception):
    """What git says."""


def git(repository: str, *words: str) -> str:
    done = subprocess.run(
        ["git", "-C", repository, *words], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise CommitError("git %s: %s" % (words[0], done.stderr.strip()))
    return done.stdout.strip()


@contextlib.contextmanager
def work_tree(repository: str, commit: str) -> Iterator[str]:
    """A folder with the files of a commit, for a while."""
    with tempfile.TemporaryDirectory(prefix="heddle-perf-") as folder:
        tree = os.path.join(folder, "tree")
        git(repository, "worktree", "add", "--detach", tree, commit)
        try:
            yield tree
        finally:
            git(repository, "worktree", "remove", "--force", tree)


def lasting_work_tree(repository: str, folder: str) -> str:
    """A work tree that stays, so that a later search builds little; made if it is not there."""
    if not os.path.exists(os.path.join(folder, ".git")):
        git(repository, "worktree", "prune")
        git(repository, "worktree", "add", "--detach", os.path.abspath(folder), "HEAD")
    return folder


def _why(output: bytes) -> str:
    """The line of a build's output that says most: the first that has an error."""
    lines = [line.strip() for line in output.decode(errors="replace").splitlines() if line.strip()]
    errors = [line for line in lines if "error:" in line.lower() or "CMake Error" in line]
    return (errors or lines[-1:] or ["no message"])[0][:200]


@dataclasses.dataclass(frozen=True)
class Build:
    """How a commit becomes tools."""

    repository: str
    command: str  # of the shell, in the folder of the commit
    bin: str  # where it leaves the tools, from there

    def make(self, tree: str, commit: str) -> str:
        """Builds a commit in a work tree. Why that failed; empty if it did not."""
        git(tree, "checkout", "--quiet", "--force", "--detach", commit)
        built = subprocess.run(
            self.command,
            shell=True,
            cwd=tree,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return "does not build: " + _why(built.stdout) if built.returncode else ""

    def tools(self, tree: str) -> Tools:
        return Tools(os.path.join(tree, self.bin), MOST_SECONDS)


def kept_build(
    repository: str, folder: str, commits: Sequence[str]
) -> tuple[Build, list[str]]:
    """Of the commits those whose tools are in a folder of KeptTools, and what takes them there."""
    place = shlex.quote(os.path.abspath(folder))
    command = 'ln -sfn %s/"$(git rev-parse HEAD)" kept-tools' % place
    there = set(os.listdir(folder))
    return Build(repository, command, "kept-tools/bin"), [c for c in commits if c in there]


class KeptTools:
    """Copies of the tools of commits, which a build overwrites with those of the next."""

    PROGRAMS = ("ptx-compile", "ptx-prof")

    def __init__(self, folder: str):
        self.folder = os.path.abspath(folder)

    def _place(self, commit: str) -> str:
        return os.path.join(self.folder, commit)

    def of(self, commit: str) -> Optional[Tools]:
        place = os.path.join(self._place(commit), "bin")
        return Tools(place, MOST_SECONDS) if os.path.isdir(place) else None

    def keep(self, tools: Tools, commit: str) -> None:
        """They are there as a whole or not at all."""
        new = self._place("new")
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(self._place(commit), ignore_errors=True)
        files = [("bin", tools.path(name)) for name in self.PROGRAMS]
        files.append(("lib", os.path.join(os.path.dirname(tools.path("")), "..", "lib", COMPILER)))
        for place, path in files:
            if os.path.exists(path):
                os.makedirs(os.path.join(new, place), exist_ok=True)
                shutil.copy2(path, os.path.join(new, place))
        os.rename(new, self._place(commit))

    def drop(self, wanted: Collection[str]) -> None:
        """All that are of none of these commits, and of these all but the MOST_KEPT that were
        kept last."""
        kept = sorted(os.scandir(self.folder), key=lambda e: -e.stat().st_ctime_ns)
        stay = [e.name for e in kept if e.name in wanted][:MOST_KEPT]
        for place in kept:
            if place.name not in stay:
                shutil.rmtree(place.path)
