"""Runs one of Triton's tutorials, with each of its benchmarks cut to the first row.

usage: run_tutorial.py TUTORIAL

What a tutorial times runs once, so that autotuners try each configuration once. What
it checks is left as it is, but for the sizes in SMALLER.
"""
import pathlib
import runpy
import sys
import time

import matplotlib
import triton.testing

# Numbers of a tutorial's source, and what stands for them: some 200 configurations of
# products of 8,192 x 8,192, and 160,000 more such products to be timed, take a GPU
# minutes and the emulator weeks.
SMALLER = {
    "08-grouped-gemm": {"N = 8192": "N = 512", "K = 8192": "K = 512"},
    "09-persistent-matmul": {"reps=10000, warmup_reps=10000": "reps=1, warmup_reps=0",
                             "M = 8192": "M = 512", "N = 8192": "N = 512", "validate(8192, 8192,": "validate(512, 512,"},
    "10-block-scaled-matmul": {"M = 8192": "M = 512", "N = 8192": "N = 512", "bench_block_scaled(K, reps=10000":
                               "bench_block_scaled(K, reps=1", "(8192, 8192, 8192, block_scale_type=args.format)":
                               "(512, 512, 512, block_scale_type=args.format)"},
}


def time_once(function, *_, quantiles=None, **__):
    """In place of do_bench: the milliseconds of one call."""
    start = time.perf_counter()
    function()
    milliseconds = (time.perf_counter() - start) * 1e3
    return [milliseconds] * len(quantiles) if quantiles else milliseconds


def cut(run):
    """A way to run benchmarks that gives each of them one row, and runs the first."""
    def run_first(mark, **options):
        several = isinstance(mark.benchmarks, list)
        for benchmark in mark.benchmarks if several else [mark.benchmarks]:
            benchmark.x_vals = benchmark.x_vals[:1]
        if several:
            mark.benchmarks = mark.benchmarks[:1]
        return run(mark, **options)
    return run_first


def with_smaller_sizes(text, sizes):
    """A source with other numbers, each of which has to be there."""
    for old, new in sizes.items():
        if old not in text:
            raise ValueError(f"the tutorial has no '{old}'")
        text = text.replace(old, new)
    return text


def prepare(tutorial, folder):
    """The tutorial, or a copy with smaller sizes in the folder: Triton reads its functions from a file."""
    sizes = SMALLER.get(tutorial.stem)
    if not sizes:
        return tutorial
    copy = folder / tutorial.name
    copy.write_text(with_smaller_sizes(tutorial.read_text(encoding="utf-8"), sizes), encoding="utf-8")
    return copy


def main():
    matplotlib.use("Agg")
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = time_once
    triton.testing.Mark.run = cut(triton.testing.Mark.run)
    sys.argv = sys.argv[1:]
    runpy.run_path(str(prepare(pathlib.Path(sys.argv[0]), pathlib.Path.cwd())), run_name="__main__")


if __name__ == "__main__":
    main()
