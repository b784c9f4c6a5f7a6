"""What AI workloads are put together from, by figures that are worked out here by hand.

usage: compose.py BENCHMARKS-AI TOOLS FOLDER"""
import dataclasses
import json
import math
import os
import pathlib
import sqlite3
import subprocess
import sys

sys.path.insert(0, sys.argv[1])
import compare
import compose
import explain
import families
import layers
import measure
import memory
import models
import page
import record
import smaller
import whatif
from evaluate import Answer, Evaluator
from perf import Tools, store

TOOLS, FOLDER = Tools(sys.argv[2]), pathlib.Path(sys.argv[3])
CHIPS, MODELS = models.read_chips(), models.read_models()


def close(found, expected, what):
    assert math.isclose(found, expected, rel_tol=1e-9), "%s: %s, not %s" % (what, found, expected)


def check_data():
    """Data files read as they should, and published sizes follow from models' dimensions."""
    assert all(row.source for row in [*CHIPS.values(), *MODELS.values()])
    assert CHIPS["h100-sxm-like"].cores == 132 and CHIPS["hd10"].cores == 16
    close(CHIPS["l40s-like"].matrix_rate, 4096 / 16 * 4 * 142 * 2520e6, "products of the L40S")
    close(CHIPS["h200-like"].dram_rate, 2424 * 0.81 * 1980e6, "DRAM of the H200")
    # The names of the models say how many parameters they have: 8.03, 70.6 and 46.7 billion.
    for name, billions in (("llama-3-8b", 8.03), ("llama-3-70b", 70.55), ("mixtral-8x7b", 46.7), ("llama-2-7b", 6.74)):
        assert abs(memory.parameters(MODELS[name]) / 1e9 - billions) < 0.01, name
    rows = compare.read_published()
    assert len(rows) >= 25 and all(row.source and row.value > 0 and row.chip in CHIPS for row in rows)
    assert {row.half for row in rows} == {"calibration", "unseen"}
    for series in {row.series for row in rows}:
        assert len({row.half for row in rows if row.series == series}) == 1
    assert all(row.model in MODELS for row in rows)


def check_layers():
    """The operators of a step move a model's weights once."""
    work = models.Workload(MODELS["llama-3-8b"], "decode", "f16", 1, 2048, 1)
    step = families.step_of(work)
    read = sum(2.0 * part.operator.shape["n"] * part.operator.shape["k"] * part.times
               * (2 if part.operator.types["epilogue"] == "silu_mul" else 1)
               for part in step.parts if part.operator.kind == "gemv")
    table = 2.0 * 128256 * 4096
    close(read, 2 * memory.parameters(work.model) - table, "weights that a token reads")
    parallel = families.step_of(models.Workload(MODELS["llama-3-8b"], "decode", "f16", 1, 2048, 8))
    (reduce,) = parallel.collectives
    assert (reduce.bytes, reduce.ranks, reduce.times) == (8192, 8, 64)
    attention = next(part.operator for part in parallel.parts if part.label == "attention")
    assert attention.shape["kv_heads"] == 1 and attention.shape["heads"] == 4
    many = families.step_of(models.Workload(MODELS["llama-3-8b"], "decode", "i4", 64, 2048, 1))
    down = next(part.operator for part in many.parts if part.label == "down")
    assert (down.kind, down.types["a"], down.types["b"]) == ("gemm", "f16", "i4")
    try:
        families.step_of(models.Workload(MODELS["mixtral-8x7b"], "decode", "i4", 1, 2048, 1))
    except layers.NotSupported:
        return
    raise AssertionError("experts with weights of four bits")


def check_in_flight():
    """A server that takes up prompts beside tokens goes through each prompt once, and through all tokens."""
    predictor = compare.Predictor(None)
    row = next(row for row in compare.read_published() if row.in_flight and row.input == 1000)
    batch = predictor.batch_of(row)
    (both, some), (tokens, others) = predictor.parts(row)
    close(some + others, row.output, "steps")
    close(some * both.prompts, batch, "prompts")
    step = families.step_of(both)
    products = {part.operator.shape["m"] for part in step.parts if part.operator.kind == "gemm"}
    assert products == {batch + both.prompts * 1000, batch + both.prompts}, products
    kinds = [part.operator.kind for part in step.parts if part.operator.kind.startswith("attention")]
    assert kinds == ["attention_decode", "attention_prefill"] and tokens.prompts == 0, kinds
    # Where there are more sequences than steps, several prompts are taken up at a time.
    short = next(row for row in compare.read_published() if row.in_flight and row.input == 128)
    ((both, steps),) = predictor.parts(short)
    assert (both.batch, both.prompts, steps) == (2048, 16, 128)


def check_slices():
    """A slice has its part of what the chip has; what channels of DRAM collect takes as long to write."""
    from operators import Launch

    launch = Launch(pathlib.Path("none"), "none", (64,), (256,), (1,), 0, ())
    alone = measure.Run(launch, CHIPS["h200-like"], 64, 16, shares=False).figures
    part = "0.121212x"
    assert alone == "cores=16,dram=%s,l2=%s,l2-size=%s,dram-writes=27" % (part, part, part), alone
    assert measure.Run(launch, CHIPS["hd100"], 64, 16, shares=False).figures.endswith(",l2-size=" + part)


def check_tiles():
    """What is timed in place of an operator has the operator's tiles on a chip with little shared memory, too."""
    from operators import Operator, launches

    op = Operator("gemm", {"m": 2048, "n": 4096, "k": 512}, {"a": "f8e4m3", "b": "f8e4m3"})
    small = smaller.with_shape(op, m=64, n=1024)
    bench = Curve()
    bench.like = lambda op: small
    bench.launches_on = lambda op, chip: launches(op)
    taken = []
    bench.run = lambda run: (taken.append(run.launch.kernel), Curve.run(bench, run))[1]
    (wanted,), (other,) = launches(op), launches(small)
    bench.time_whole(op, CHIPS["h200-like"])
    assert wanted.kernel != other.kernel and set(taken) == {wanted.kernel}, taken


def check_explain(answer):
    """The parts of a figure's time are all of it, with what an operator takes at the chip's rates."""
    from operators import Operator

    shares = explain.shares_of(answer, 3)
    close(sum(share.seconds for share in shares), 3 * answer.composed.seconds, "the time of all parts")
    up = next(share for share in shares if share.label == "gate and up")
    # 1,792 columns of weights with their gates, one row of half precision, and the row that comes out.
    moved = 2 * (2 * 1792 * 4096 + 4096 + 1792)
    close(up.least, 3 * 32 * moved / answer.chip.dram_rate, "the roof of a product")
    both = next(share for share in explain.joined(shares + shares) if share.label == "gate and up")
    close(both.seconds, 2 * up.seconds, "two parts of one kernel")
    close(up.bytes, 3 * 32 * moved, "bytes of all runs")
    assert up.hangs == "matrix units busy 50 %, fixed latencies 50 %", up.hangs
    text = explain.explain([(answer, 3)], 4 * answer.composed.seconds)
    assert "3 x llama-3-8b decode f16 b1 c2048 tp8 of " in text and "| decode | links |  | 3 |" in text, text
    # Four heads of queries read 2,048 tokens of 128 keys and values of half precision, beside a row in and one out.
    apart = 3 * 32 * (2 * 2 * 2048 * 128 + 2 * 2 * 4 * 128) / answer.chip.dram_rate
    assert "if each of 4 heads of queries read its keys and values apart: %s ms" % explain.number(1e3 * apart) in text, text
    conv = Operator("conv2d", {"h": 64, "w": 64, "c": 512, "k": 512, "r": 3, "s": 3, "pad": 1}, {"type": "tf32"})
    close(explain.least(conv, answer.chip)[0], 2 * 4096 * 9 * 512 * 512 / (answer.chip.matrix_rate / 2), "a TF32 product")
    assert ": %s ms a step more" % explain.number(1e3 * answer.composed.seconds / 3) in text, text


def timings_of(step, seconds):
    """Each operator takes so long, to a tenth."""
    counted = measure.Counted(1000, 1, 16, 1, 0.0, 0.0, 100, 0.5, 0.5, {"wait": 0.5})
    return {part.operator.name: measure.Timing(seconds, 0.1, 1, (("kernel", seconds),), (counted,))
            for part in step.parts}


def check_compose():
    """Kernels, gaps, links and copies add up; a graph has shorter gaps; wider links take less."""
    chip = CHIPS["h200-like"]
    work = models.Workload(MODELS["llama-3-8b"], "decode", "f16", 1, 2048, 8)
    step = families.step_of(work)
    timings = timings_of(step, 10e-6)
    count = sum(part.times for part in step.parts)
    graph = compose.compose(step, timings, chip, TOOLS)
    close(graph.kernels, count * 10e-6, "kernels")
    close(graph.launching, count * 500e-9 + (2200 + 1300 + 3200) * 1e-9, "launches of a graph")
    close(graph.copying, 2 * 700e-9 + 8 / 55600e6, "copies")
    reduce = TOOLS.run("ptx-time", "--collectives", str(models.MACHINES / "dgx-h100.json"), "--ranks", "1x8",
                       "--size", "8192", "--json")
    close(graph.linking, 64 * json.loads(reduce.stdout)["collectives"][0]["time_us"] / 1e6, "links")
    close(graph.seconds, graph.kernels + graph.launching + graph.linking + graph.copying, "a step")
    close(graph.rate, 1 / graph.seconds, "tokens a second")
    parts = (0.1 * graph.kernels, 0.3 * graph.launching, 0.11 * graph.linking)
    close(graph.error, math.sqrt(sum(part**2 for part in parts)), "the error")
    apart = compose.compose(step, timings, chip, TOOLS, graph=False)
    close(apart.launching, count * 900e-9 + 6700e-9, "launches one by one")
    short = compose.compose(step, timings_of(step, 1e-6), chip, TOOLS, graph=False)
    close(short.launching, count * 1.2e-6 + 6700e-9, "launches that the host is too slow for")
    wide = compose.compose(step, timings, chip, TOOLS, link=2, launch=2)
    assert wide.linking < graph.linking
    close(wide.launching, graph.launching / 2, "launches twice as fast")
    return Answer(work, chip, step, graph, timings)


def check_memory():
    """80 GB hold 8 billion weights of 16 bits and 426,784 tokens of 131,072 bytes."""
    fit = memory.fit(MODELS["llama-3-8b"], "f16", CHIPS["h100-pcie-like"], 8192)
    close(fit.cache, 8192 * 131072 / 1e9, "a sequence's cache")
    assert (fit.sequences, fit.tokens) == (52, 426784)
    assert not memory.fit(MODELS["llama-3-70b"], "f16", CHIPS["h100-pcie-like"], 128).fits
    assert memory.cache_bytes(MODELS["llama-3-8b"], 1) == 16 * 131072


class Curve(measure.Bench):
    """A bench whose launches take what a formula says: 1000 cycles and 10 for each CTA of a core."""

    def __init__(self, what_if=""):
        self.python, self.what_if, self.known, self._resident = None, what_if, False, {}

    def changed(self, what_if):
        return Curve(what_if)

    def find_resident(self, launch, chip, cores):
        return 4

    def run(self, run):
        each = 5 if "dram=2x" in run.figures else 10
        return measure.Counted(1000 + each * run.ctas / run.cores, run.ctas, run.cores, 4, 0, 0, 0, 0, 0, {})


def check_cuts():
    """Times that are straight lines in the grid come back, whatever part of it runs."""
    from operators import Launch, Operator

    op = Operator("rmsnorm", {"rows": 100000, "columns": 4096})
    launch = Launch(pathlib.Path("none"), "none", (100000,), (256,), (1,), 0, ())
    chip = CHIPS["hd100"]
    cycles, error, _ = Curve().time_launch(op, launch, launch, chip, 1e9, 100000)
    close(cycles, 1000 + 10 * 100000 / 132, "cycles of a cut grid")
    assert error > 0.1
    # A launch with fewer CTAs is taken where it has those that run, and no other.
    small = dataclasses.replace(launch, path=pathlib.Path("small"), grid=(128,))
    taken = []
    bench = Curve()
    bench.run = lambda run: (taken.append((run.launch.path.name, run.ctas)), Curve.run(bench, run))[1]
    assert bench.time_launch(op, launch, small, chip, 1e9, 100000)[0] == cycles
    assert taken == [("small", 64), ("small", 128)], taken
    taken.clear()
    tiny = dataclasses.replace(small, grid=(100,))
    assert bench.time_launch(op, launch, tiny, chip, 1e9, 100000)[0] == cycles
    assert taken == [("small", 64), ("none", 128)], taken
    # A core that ends late does not keep the fillings behind its last one.
    short = measure.Counted(100, 33, 33, 1, 0, 0, 0, 0.5, 0, {})
    late, even = (dataclasses.replace(short, cycles=cycles, matrix_busy=busy) for cycles, busy in ((240, 0.48), (200, 0.5)))
    close(measure.following(short, late), 100 * (2 * 0.5 / 0.48 - 1), "a filling with a late end")
    close(measure.following(short, even), 100, "a filling without one")
    idle = dataclasses.replace(short, matrix_busy=0.0)
    close(measure.following(idle, dataclasses.replace(idle, cycles=240)), 140, "a filling without matrix units")
    one = Operator("moe_gemm", {"tokens": 1, "n": 14336, "k": 4096, "experts": 8, "top_k": 2})
    assert measure.busy_part(one) == 0.25 and measure.busy_part(smaller.with_shape(one, tokens=64)) == 1
    assert measure.cut_grid((7, 5, 3), 14) == (7, 2, 1) and measure.cut_grid((4, 1), 9) == (4, 1)


def check_smaller():
    """What is timed in place of an operator takes its kernels, over as many CTAs as are timed."""
    from operators import Operator, plan

    wide = Operator("gemm", {"m": 8192, "n": 28672, "k": 4096})
    small = smaller.like(wide)
    assert (small.shape["m"], small.shape["n"], small.shape["k"]) == (1024, 3072, 4096), small.name
    # Few columns are shared by fewer tiles, so that as many stay.
    narrow = smaller.like(Operator("gemm", {"m": 65536, "n": 768, "k": 768}, {"a": "bf16", "b": "bf16", "out": "bf16"}))
    assert narrow.shape["n"] == 768 and narrow.shape["m"] < 65536, narrow.name
    (one, first), (two, second), depth = smaller.shorter(small)
    assert (one.shape["k"], two.shape["k"], first, second, depth) == (256, 512, 256, 512, 4096)
    assert smaller.shorter(two) is None
    pictures = Operator("conv2d", {"n": 1, "h": 1024, "w": 1024, "c": 512, "k": 128, "r": 3, "s": 3, "pad": 1})
    lower = smaller.like(pictures)
    assert lower.shape["h"] < 1024 and lower.shape["w"] == 1024, lower.name
    (one, _), (two, _), channels = smaller.shorter(pictures)
    assert (one.shape["c"], two.shape["c"], channels) == (64, 128, 512)
    cache = Operator("attention_decode", {"batch": 8, "heads": 32, "kv_heads": 8, "kv": 32768, "head_dim": 128})
    (one, first), (two, second), kept = smaller.shorter(cache)
    assert 2 * first == second < kept == 32768
    assert [step.grid for step in plan(one)] == [step.grid for step in plan(two)] == [step.grid for step in plan(cache)]
    for op in (wide, pictures, Operator("layernorm", {"rows": 49152, "columns": 1024})):
        other = smaller.like(op)
        assert other.name != op.name and [n for n, _ in smaller.grids(other)] == [n for n, _ in smaller.grids(op)]


def check_what_if():
    """A chip with twice of what CTAs wait for is faster, and no other resource helps kernels."""
    evaluator = Evaluator(Curve(), TOOLS, 1, print)
    chip = CHIPS["h200-like"]
    work = models.Workload(MODELS["llama-3-8b"], "decode", "f16", 1, 2048, 1)
    (found,) = whatif.ask(evaluator, [(work, chip)])
    before = evaluator.answer(work, chip).composed
    assert 1.01 < found.gains["DRAM"] < 2, found.gains
    assert found.gains["L2"] == found.gains["tensor"] == 1, found.gains
    close(found.gains["launch"], before.seconds / (before.seconds - before.launching / 2), "launches twice as fast")
    assert "link" not in found.gains


def check_real():
    """A small operator on hd10; the second time it is found."""
    from operators import Operator

    path = str(FOLDER / "times.db")
    op = Operator("rmsnorm", {"rows": 64, "columns": 4096}, {"residual": "fused"})
    first = measure.Bench(measure.Store(path), TOOLS)
    timing = first.time(op, CHIPS["hd10"])
    assert first.ran == 1 and 1e-6 < timing.seconds < 1e-3
    again = measure.Bench(measure.Store(path), TOOLS)
    assert again.time(op, CHIPS["hd10"]) == timing and (again.ran, again.found) == (0, 1)
    assert sqlite3.connect(path).execute("SELECT count(*) FROM launch").fetchone() == (1,)


def check_results(answer):
    """The page has its data; the store of heddle-perf has the point, and finds a change."""
    gains = [whatif.WhatIf(answer.work, answer.chip, {"DRAM": 1.5})]
    page.write(str(FOLDER / "page.html"), [answer], gains, [], [])
    text = (FOLDER / "page.html").read_text(encoding="utf-8")
    data = text.split('id="data">')[1].split("</script>")[0]
    row = json.loads(data)["rates"][0]
    close(row["rate"], answer.composed.rate, "the rate in the page")
    assert len(row["kernels"]) == 10 and "src=" not in text and "@DATA@" not in text
    path = str(FOLDER / "perf.db")
    slower = compose.compose(answer.step, timings_of(answer.step, 12e-6), answer.chip, TOOLS)
    record.add(path, "one", [answer], TOOLS)
    record.add(path, "two", [dataclasses.replace(answer, composed=slower)], TOOLS)
    words = ["-m", "heddle_perf", "--store", path, "compare", "one", "two", "--tools", sys.argv[2]]
    folder = pathlib.Path(store.__file__).resolve().parents[1]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 1 and "slower     %s %s" % (answer.work.name, answer.chip.name) in done.stdout, done
    assert "norm 1,287,000 -> 1,544,400 cycles" in done.stdout, done
    kept = store.Store(path)
    (point,) = kept.results(kept.find("one")).values()
    assert abs(point.cycles / answer.chip.hertz / answer.composed.seconds - 1) < 1e-3


check_data()
check_layers()
check_memory()
check_cuts()
check_smaller()
check_what_if()
check_real()
check_in_flight()
check_slices()
check_tiles()
ANSWER = check_compose()
check_explain(ANSWER)
check_results(ANSWER)
print("composed as by hand")
