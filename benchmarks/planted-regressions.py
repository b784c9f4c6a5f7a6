#!/usr/bin/env python3
"""Plants regressions of all kinds, and checks where heddle-perf says that they come from.

usage: planted-regressions.py TREE [--only NAME] [--markdown]

TREE is a folder for a work tree of this repository with a build of its own, in which the
plants of planted/plants.toml are in the sources, each behind the variable HEDDLE_PLANT of
the environment. It is made if it is not there, and can be deleted afterwards. A plant is
told apart by its stage, by the pass where plants.toml names one, and by the line of PTX:
the first that differs, or of the other stages the one whose warp cycles changed most.
"""
import argparse
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "python"))

from heddle_perf.attribute import attribute_by_swapping  # noqa: E402
from heddle_perf.measure import measure_kernels  # noqa: E402
from heddle_perf.store import Result, Store, StoredResult  # noqa: E402
from heddle_perf.suites import Case, Point  # noqa: E402
from heddle_perf.tools import Tools  # noqa: E402

TARGETS = ("ptx-compile", "ptx-prof", "ptx-opt")
CHIP = "hd100"
REGISTER = re.compile(r"%[a-z]+\d+")

# ===- The tree ---------------------------------------------------------------===


def _guard(name: str) -> str:
    return '(std::getenv("HEDDLE_PLANT") && std::string_view(std::getenv("HEDDLE_PLANT")) == "%s")' % name


def plant_sources(tree: str, plants: list[dict]) -> None:
    for plant in plants:
        if "source" not in plant:
            continue
        path = os.path.join(tree, plant["file"])
        with open(path, encoding="utf-8") as file:
            text = file.read()
        old, new = plant["source"]
        if text.count(old) != 1:
            sys.exit("%s: the text of '%s' is there %d times" % (path, plant["name"], text.count(old)))
        text = text.replace(old, new.replace("planted", _guard(plant["name"])))
        if "#include <cstdlib>" not in text:
            first = text.index("#include")
            text = text[:first] + "#include <cstdlib>\n#include <string_view>\n" + text[first:]
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def make_tree(tree: str, plants: list[dict]) -> str:
    """The folder with the programs."""
    if not os.path.exists(tree):
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--detach", tree], check=True)
        plant_sources(tree, plants)
    subprocess.run([os.path.join(tree, "scripts/build"), *TARGETS], check=True)
    return os.path.join(tree, "build", "bin")


def tools_with(bins: str, folder: str, plant: str, llvm: str) -> Tools:
    """The programs of the tree with a plant."""
    os.makedirs(folder)
    for name in TARGETS:
        # Those with commands have the command first.
        word = "" if name == "ptx-compile" else 'word=$1; shift; set -- "$word" %s "$@"\n'
        option = "-X --mllvm=%s" if name == "ptx-prof" else "--mllvm=%s"
        given = option % llvm if llvm else ""
        text = "#!/bin/sh\nexport HEDDLE_PLANT='%s' HEDDLE_CACHE_DIR='%s'\n" % (
            plant,
            os.path.join(folder, "cache"),
        )
        text += word % given if word else 'set -- %s "$@"\n' % given
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + 'exec "%s" "$@"\n' % os.path.join(bins, name))
        os.chmod(path, 0o755)
    return Tools(folder)


# ===- Plants -------------------------------------------------------------------===


@dataclasses.dataclass
class Outcome:
    plant: dict
    before: int
    after: int
    stage: str
    passes: str
    text: list[str]  # of the PTX
    number: int  # of the line
    place: str
    sentence: str

    @property
    def line(self) -> str:
        return self.text[self.number - 1] if 0 < self.number <= len(self.text) else ""

    def is_stage(self) -> bool:
        return self.stage == self.plant["stage"] and self.plant.get("pass", "") in self.passes

    def is_line(self) -> bool:
        """A cycle of waiting counts at the instruction that waits: that line is right which
        matches, which uses what such a line makes, or which is the next one."""
        wanted = re.compile(self.plant["line"])
        made = {r for text in self.text if wanted.search(text) for r in REGISTER.findall(text)[:1]}
        used = set(REGISTER.findall(self.line)[1:])
        before = self.text[self.number - 2] if self.number > 1 else ""
        return bool(wanted.search(self.line) or made & used or wanted.search(before))


def _replace(path: str, change: list[str]) -> None:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if change[0] not in text:
        sys.exit("%s has no '%s'" % (path, change[0]))
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(*change))


def _point(folder: str, plant: dict, options: list[str]) -> Point:
    kernel = plant["kernel"]
    return Point(Case(kernel, os.path.join(folder, kernel + ".json"), folder=folder), CHIP, tuple(options))


def _kept(store: Store, result: Result, label: str) -> StoredResult:
    if result.failure:
        sys.exit("%s: %s" % (label, result.failure))
    result.key = "point"
    with store.adding("planted", label, "") as number:
        store.add(number, result)
    return store.results(store.find(str(number)))["point"]


def run(plant: dict, bins: str, folder: str) -> Outcome:
    shutil.copytree(os.path.join(ROOT, "test", "kernels", plant["kernel"]), folder)
    options = ["-O3"]
    document = os.path.join(folder, "document")
    if "baseline_tuning" in plant:
        options.append("--tuning=document")
        with open(document, "w", encoding="utf-8") as file:
            file.write('{"heddle_tuning": 1, "kernels": {}}')
    with open(os.path.join(folder, plant["kernel"] + ".json"), encoding="utf-8") as file:
        module = re.search(r'"module": "([^"]+)"', file.read())[1]
    plain = tools_with(bins, os.path.join(folder, "plain"), "", "")
    store = Store(os.path.join(folder, "store.db"))
    before = _kept(store, measure_kernels(plain, _point(folder, plant, options)), "before")

    if "ptx" in plant:
        _replace(os.path.join(folder, module), plant["ptx"])
    if "manifest" in plant:
        _replace(os.path.join(folder, plant["kernel"] + ".json"), plant["manifest"])
    if "tuning" in plant:
        with open(document, "w", encoding="utf-8") as file:
            file.write(plant["tuning"])
    options = plant.get("options", options)
    name = plant["name"] if "source" in plant else ""
    tools = tools_with(bins, os.path.join(folder, "planted"), name, plant.get("llvm", ""))
    after = _kept(store, measure_kernels(tools, _point(folder, plant, options)), plant["name"])

    found, lines = attribute_by_swapping(store, before, after, tools)
    changes = found.lines(lines)
    place = (changes[0].file, changes[0].line) if changes else ("", 0)
    if differs := re.search(r"differs at line (\d+)", found.main.evidence):
        place = module, int(differs[1])
    return Outcome(
        plant,
        before.cycles,
        after.cycles,
        found.main.stage,
        found.passes,
        [line.strip() for line in store.blob(after.artefacts["ptx"]).splitlines()],
        place[1] if place[0].endswith(".ptx") else 0,
        "%s:%d" % place,
        found.sentence(lines),
    )


def table(outcomes: list[Outcome]) -> None:
    print("| plant | kernel | cycles | stage found | pass | line with most of it |")
    print("|---|---|---|---|---|---|")
    for o in outcomes:
        change = f"{o.before:,} -> {o.after:,}"
        found = re.search(r"\(([a-z0-9-]+)\) over|(\w+) over", o.passes)
        named = (found[1] or found[2]) if found else ""
        right = "" if o.is_stage() else " (wrong)"
        line = "`%s`" % o.line.replace("\t", " ") if o.line else o.place
        print(
            "| %s | %s | %s | %s%s | %s | %s%s |"
            % (
                o.plant["name"],
                o.plant["kernel"],
                change,
                o.stage,
                right,
                named,
                line,
                "" if o.is_line() else " (wrong)",
            )
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--only", help="the plant of that name")
    parser.add_argument("--markdown", action="store_true", help="print the table of docs/regressions.md")
    options = parser.parse_args()
    with open(os.path.join(HERE, "planted", "plants.toml"), "rb") as file:
        plants = tomllib.load(file)["plant"]
    bins = make_tree(os.path.abspath(options.tree), plants)
    outcomes = []
    for plant in plants:
        if options.only not in (None, plant["name"]):
            continue
        with tempfile.TemporaryDirectory(prefix="heddle-planted-") as folder:
            outcome = run(plant, bins, os.path.join(folder, plant["kernel"]))
        outcomes.append(outcome)
        if not options.markdown:
            right = "right" if outcome.is_stage() and outcome.is_line() else "WRONG"
            print("%s: %s: %s\n    %s" % (right, plant["name"], outcome.line, outcome.sentence), flush=True)
    if options.markdown:
        table(outcomes)
    right = sum(o.is_stage() and o.is_line() for o in outcomes)
    print("%d of %d are attributed to the right stage and line" % (right, len(outcomes)))
    return 0 if right >= 0.9 * len(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
