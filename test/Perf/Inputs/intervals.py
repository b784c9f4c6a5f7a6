"""Checks the statistics of heddle_perf with samples whose truth is known: of 200 pairs
drawn from one distribution few may count as a regression, and a growth of 5 % in noise
of 2 % must be found."""
import random

from heddle_perf.compare import Verdict, compare_points, ratio_interval
from heddle_perf.measure import resolution
from heddle_perf.store import StoredResult

generator = random.Random(7)


def draw(mean, count=20):
    return [generator.gauss(mean, 0.02) for _ in range(count)]


def verdict(before, after):
    results = [StoredResult("x", "seconds", samples=s) for s in (before, after)]
    return compare_points(*results, 0.01).verdict


same = [verdict(draw(1), draw(1)) for _ in range(200)]
grown = [verdict(draw(1), draw(1.05)) for _ in range(200)]
inside = sum(low <= 1.05 <= high for low, high in (ratio_interval(draw(1), draw(1.05)) for _ in range(200)))
wrong = sum(v.is_regression for v in same)
found = sum(v is Verdict.SLOWER for v in grown)
fine = resolution(draw(1, 100)) < resolution([1, 1.1, 0.9, 1.2, 0.8])
print("as expected" if wrong <= 6 and found >= 190 and inside >= 180 and fine else (wrong, found, inside, fine))
