import triton.testing

benchmarks = [triton.testing.Benchmark([4, 5]), triton.testing.Benchmark([6])]
triton.testing.Mark(lambda value: triton.testing.do_bench(lambda: value, quantiles=[0.5, 0.2, 0.8]), benchmarks).run()
