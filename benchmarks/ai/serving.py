#!/usr/bin/env python3
"""Offline and server figures as MLPerf defines them, of modelled latencies.

    PATH=build/bin:$PATH benchmarks/ai/serving.py bert-large --chips hd100,h200-like [--loadgen]

Offline is the best rate of any batch. Server: queries of one sample come at random (Poisson); whoever
waits when the chip is free goes together, up to a batch; the figure is the highest rate at which 99 of
100 queries are answered in time. With --loadgen MLPerf's own generator (mlcommons-loadgen in the Python
registry) makes the queries and counts, over a stand-in for the chip that waits as long as the model
says; it runs in real time, and is as exact as the machine's clock under load."""
import argparse
import bisect
import dataclasses
import random
import sys

import run
from evaluate import Evaluator
from models import Chip, read_chips, read_workloads

# Seconds in which 99 % are answered: MLPerf inference policies, datacenter, server.
LIMITS = {"bert-large": 0.130, "resnet-50": 0.015}
PERCENTILE = 0.99
QUERIES = 20000


@dataclasses.dataclass(frozen=True)
class Latencies:
    """Seconds of a batch; between measured batches a straight line."""

    batches: tuple[int, ...]
    seconds: tuple[float, ...]

    def of(self, batch: int) -> float:
        at = min(max(bisect.bisect_left(self.batches, batch), 1), len(self.batches) - 1)
        (low, high), (first, second) = self.batches[at - 1 : at + 1], self.seconds[at - 1 : at + 1]
        return first + (second - first) * (batch - low) / (high - low)

    @property
    def offline(self) -> float:
        return max(batch / seconds for batch, seconds in zip(self.batches, self.seconds, strict=True))


def latencies(evaluator: Evaluator, model: str, chip: Chip) -> Latencies | None:
    works = [work for work in read_workloads() if work.model.name == model]
    evaluator.prepare((work, chip) for work in works)
    pairs = [(work.batch, evaluator.answer(work, chip).composed) for work in works]
    known = sorted((batch, made.seconds) for batch, made in pairs if made)
    return Latencies(*zip(*known)) if len(known) > 1 else None


def slowest(found: Latencies, rate: float, seed: int = 1) -> float:
    """The 99th percentile of the time to the answer at a rate."""
    chance = random.Random(seed)
    arrivals, now = [], 0.0
    for _ in range(QUERIES):
        now += chance.expovariate(rate)
        arrivals.append(now)
    waits, free, at = [], 0.0, 0
    while at < QUERIES:
        start = max(free, arrivals[at])
        end = min(bisect.bisect_right(arrivals, start, at), at + found.batches[-1])
        free = start + found.of(end - at)
        waits += [free - arrivals[number] for number in range(at, end)]
        at = end
    return sorted(waits)[int(PERCENTILE * QUERIES)]


def server(found: Latencies, limit: float) -> float:
    """The highest rate within the limit, to a hundredth."""
    low, high = 0.0, found.offline
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        if slowest(found, middle) <= limit:
            low = middle
        else:
            high = middle
    return low


def with_loadgen(model: str, found: Latencies, rate: float) -> str:
    """What MLPerf's generator says of a server at a rate; needs mlcommons-loadgen."""
    import loadgen_sut

    return loadgen_sut.measure(model, found, rate, LIMITS[model])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=sorted(LIMITS))
    run.arguments(parser)
    parser.add_argument("--chips", default="hd100")
    parser.add_argument("--loadgen", action="store_true")
    options = parser.parse_args()
    evaluator = run.evaluator_of(options)
    print("| model | chip | offline, samples/s | server, samples/s |\n|---|---|---|---|")
    for name in options.chips.split(","):
        found = latencies(evaluator, options.model, read_chips()[name])
        if found is None:
            print("| %s | %s | no figure | |" % (options.model, name))
            continue
        rate = server(found, LIMITS[options.model])
        print("| %s | %s | %.0f | %.0f |" % (options.model, name, found.offline, rate), flush=True)
        if options.loadgen:
            print(with_loadgen(options.model, found, rate), file=sys.stderr)


if __name__ == "__main__":
    main()
