"""The functions of `triton.testing` that time others."""
import time

# The first run compiles. Times of the chip are the same each time; those of the emulator
# are not, so that short runs are repeated.
MOST_RUNS = 5


def run_times(function, milliseconds, grad_to_none, device):
    """Milliseconds of each of one run or more, while the host has that time.

    `device` is the interface that Triton's driver has: events and `synchronize`."""
    function()
    device.synchronize()
    times = []
    end = time.monotonic() + milliseconds / 1000
    while not times or (len(times) < MOST_RUNS and time.monotonic() < end):
        for tensor in grad_to_none or ():
            tensor.grad = None
        start, stop = (device.Event(enable_timing=True) for _ in range(2))
        start.record()
        function()
        stop.record()
        device.synchronize()
        times.append(start.elapsed_time(stop))
    return times


def serve(module):
    """Gives `triton.testing` its functions. What they take and return is as it was; where
    the module has none of these names, or what they need is elsewhere, it stays."""
    if not all(hasattr(module, name) for name in ("runtime", "_summarize_statistics")):
        return

    def summary(function, milliseconds, grad_to_none, quantiles, return_mode):
        assert return_mode in ["min", "max", "mean", "median", "all"]
        device = module.runtime.driver.active.get_device_interface()
        times = run_times(function, milliseconds, grad_to_none, device)
        return module._summarize_statistics(times, quantiles, return_mode)

    def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
        """The time of `fn` in milliseconds, in at most five runs behind one that is not timed."""
        return summary(fn, rep, grad_to_none, quantiles, return_mode)

    def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
        """The same without a graph."""
        return summary(fn, rep, grad_to_none, quantiles, return_mode)

    for ours in (do_bench, do_bench_cudagraph):
        if hasattr(module, ours.__name__):
            setattr(module, ours.__name__, ours)
