import inspect


def validate(*sizes):
    assert sizes == (512, 512, 64)


def bench(reps=10000, warmup_reps=10000):
    M = 8192
    N = 8192
    return M, N, reps, warmup_reps


validate(8192, 8192, 64)
assert bench() == (512, 512, 1, 0)
assert "M = 512" in inspect.getsource(bench)
