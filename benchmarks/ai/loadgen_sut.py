"""MLPerf's load generator over a stand-in for a chip: batches that wait as long as the model says."""
import array
import pathlib
import queue
import tempfile
import threading
import time

import mlperf_loadgen as loadgen

SECONDS = 10
SAMPLES = 1024


class Chip:
    """Answers queries in batches, one batch at a time."""

    def __init__(self, latencies):
        self.latencies = latencies
        self.waiting: queue.SimpleQueue = queue.SimpleQueue()
        threading.Thread(target=self.work, daemon=True).start()

    def issue(self, samples) -> None:
        for sample in samples:
            self.waiting.put(sample.id)

    def batch(self) -> list[int]:
        found = [self.waiting.get()]
        while len(found) < self.latencies.batches[-1]:
            try:
                found.append(self.waiting.get_nowait())
            except queue.Empty:
                break
        return found

    def work(self) -> None:
        answer = array.array("B", [0])
        place, length = answer.buffer_info()
        while True:
            found = self.batch()
            time.sleep(self.latencies.of(len(found)))
            loadgen.QuerySamplesComplete([loadgen.QuerySampleResponse(one, place, length) for one in found])


def settings_of(rate: float, limit: float) -> loadgen.TestSettings:
    settings = loadgen.TestSettings()
    settings.scenario = loadgen.TestScenario.Server
    settings.mode = loadgen.TestMode.PerformanceOnly
    settings.server_target_qps = rate
    settings.server_target_latency_ns = int(limit * 1e9)
    settings.server_target_latency_percentile = 0.99
    settings.min_duration_ms = SECONDS * 1000
    settings.min_query_count = 100
    return settings


def measure(model: str, latencies, rate: float, limit: float) -> str:
    """The lines of its summary that say the rate, the percentile and whether it is valid."""
    chip = Chip(latencies)
    system = loadgen.ConstructSUT(chip.issue, lambda: None)
    samples = loadgen.ConstructQSL(SAMPLES, SAMPLES, lambda _: None, lambda _: None)
    with tempfile.TemporaryDirectory() as folder:
        output = loadgen.LogOutputSettings()
        output.outdir = folder
        log = loadgen.LogSettings()
        log.log_output = output
        loadgen.StartTestWithLogSettings(system, samples, settings_of(rate, limit), log)
        summary = (pathlib.Path(folder) / "mlperf_log_summary.txt").read_text(encoding="utf-8")
    wanted = ("Completed samples per second", "Result is", "99.00 percentile latency")
    lines = [line.strip() for line in summary.splitlines() if line.strip().startswith(wanted)]
    return "loadgen: %s at %.0f samples/s: %s" % (model, rate, "; ".join(lines))
