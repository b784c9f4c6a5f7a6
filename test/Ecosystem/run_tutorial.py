"""Runs one of Triton's tutorials, with each of its benchmarks cut to the first row.

usage: run_tutorial.py TUTORIAL

What a tutorial times runs once, so that autotuners try each configuration once; what
it checks is left as it is.
"""
import runpy
import sys
import time

import matplotlib
import triton.testing


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


def main():
    matplotlib.use("Agg")
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = time_once
    triton.testing.Mark.run = cut(triton.testing.Mark.run)
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
