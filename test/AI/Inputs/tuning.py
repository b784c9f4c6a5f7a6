"""Checks data/tuning and what reads it.

usage: tuning.py BENCHMARK BIN FOLDER"""
import pathlib
import subprocess
import sys

sys.path.insert(0, sys.argv[1])

# pylint: disable=wrong-import-position
import tuned  # noqa: E402
from measure import Bench, Run, Store  # noqa: E402
from models import read_chips  # noqa: E402
from operators import Operator, launches  # noqa: E402
from perf import Tools  # noqa: E402
from profiles import other_input  # noqa: E402
from smaller import grids  # noqa: E402

BENCHMARK, BIN, FOLDER = (pathlib.Path(word) for word in sys.argv[1:])


def kernels() -> dict:
    """Files of the tree by the names of their kernels."""
    return {path.stem.replace("-", "_"): path for path in sorted((BENCHMARK / "kernels" / "ptx").glob("*/*.ptx"))}


def compiles(chip: str, path: pathlib.Path, document: pathlib.Path) -> None:
    words = ["--chip", chip, "--tuning=%s" % document, str(path), "-o", str(FOLDER / "kernel.hdo")]
    subprocess.run([str(BIN / "ptx-compile"), *words], check=True)


def check_documents() -> None:
    known = kernels()
    for document in sorted(tuned.FOLDER.glob("*.json")):
        decisions = tuned.read(document)
        for name in decisions:
            assert name in known, name
            compiles(document.stem, known[name], document)
        copy = FOLDER / "copy.json"
        copy.write_text(tuned.document_of(decisions), encoding="utf-8")
        assert tuned.read(copy) == decisions
        print("%s: %d kernels" % (document.stem, len(decisions)))


def check_bench() -> None:
    """A launch has a key of its own with decisions for its kernel, and the one that it had without any."""
    op, chip = Operator("gemv", {"n": 4096, "k": 14336}), read_chips()["hd100"]
    plain = Bench(Store(":memory:"), Tools(str(BIN)))
    launch = plain.launches_on(op, chip)[0]
    folder = FOLDER / "decisions"
    folder.mkdir()
    what, manifest = Run(launch, chip, 16, 16), {"launches": []}
    for kernel, same in (("another", True), (launch.kernel, False)):
        (folder / "hd100.json").write_text(tuned.document_of({kernel: {"unroll@0": 2}}), encoding="utf-8")
        bench = Bench(Store(":memory:"), Tools(str(BIN)), tuned=tuned.Tuned(folder))
        assert (bench.key(what, manifest) == plain.key(what, manifest)) == same, kernel
        assert bool(bench.decisions(launch, chip)) != same, kernel


def check_inputs() -> None:
    norm = Operator("rmsnorm", {"rows": 264, "columns": 4096}, {"residual": "fused"})
    for op in (Operator("gemv", {"n": 4096, "k": 14336}), norm):
        other = other_input(op)
        assert other is not None and other.shape != op.shape
        assert [name for name, _ in grids(other)] == [name for name, _ in grids(op)]
        assert len(launches(other)) == len(launches(op))


check_documents()
check_bench()
check_inputs()
print("tuned as asked")
