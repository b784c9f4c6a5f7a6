#!/usr/bin/env python3
"""Writes the kernels of AI workloads as launch manifests and a suite of them, for heddle-perf.

    benchmarks/ai/suite.py FOLDER
    heddle-perf nightly FOLDER/ai.toml          # measures, compares, and explains changes

data/kernels.toml says which. Their PTX is that of the tree, so that nothing else is needed."""
import argparse
import dataclasses
import json
import pathlib
import tomllib

from measure import cut_grid
from models import DATA
from operators import Operator, launches
from operators.manifest import manifest_of, save

CHIPS = ("hd100", "hd10")


def write(folder: pathlib.Path) -> list[pathlib.Path]:
    """The manifests; each has a launch and a module."""
    folder.mkdir(parents=True, exist_ok=True)
    with open(DATA / "kernels.toml", "rb") as file:
        rows = tomllib.load(file)["kernel"]
    paths = []
    for row in rows:
        op = Operator(row["kind"], row["shape"], row.get("types", {}))
        for number, launch in enumerate(launches(op)):
            part = dataclasses.replace(launch, grid=cut_grid(launch.grid, row["ctas"]))
            name = op.name + ("-%d" % (number + 1) if number else "")
            paths.append(save(manifest_of([part], folder, name), folder, name))
    cases = "".join("\n[[case]]\nmanifest = %s\n" % json.dumps(path.name) for path in paths)
    head = "name = \"ai-kernels\"\nchips = %s\noptions = [[\"-O3\"]]\n" % json.dumps(CHIPS)
    (folder / "ai.toml").write_text(head + cases, encoding="utf-8")
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    paths = write(parser.parse_args().folder)
    print("%s: %d kernels" % (paths[0].parent / "ai.toml", len(paths)))


if __name__ == "__main__":
    main()
