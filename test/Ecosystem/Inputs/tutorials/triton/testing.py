"""Stands for Triton's ways to time functions, which take too long here."""


def do_bench(*_, **__):
    raise RuntimeError("timed for long")


do_bench_cudagraph = do_bench


class Benchmark:
    """What a benchmark varies."""

    def __init__(self, x_vals):
        self.x_vals = x_vals


class Mark:
    """A function with its benchmarks."""

    def __init__(self, function, benchmarks):
        self.function, self.benchmarks = function, benchmarks

    def run(self):
        for benchmark in self.benchmarks if isinstance(self.benchmarks, list) else [self.benchmarks]:
            for value in benchmark.x_vals:
                print("row", value, self.function(value))
