"""Arrays of Dr.Jit, which writes PTX itself: functions, a loop, a scattered sum, random numbers and derivatives."""
import sys

import drjit as dr
import numpy
from drjit.cuda import Float, PCG32, UInt
from drjit.cuda.ad import Float as Differentiated

COUNT, BINS = 1000, 10


@dr.syntax
def sums_of_cosines(ends):
    step, total = UInt(0), dr.zeros(Float, dr.width(ends))
    while step < ends:
        total += dr.cos(Float(step) * 0.1)
        step += 1
    return total


def main():
    x = dr.arange(Float, COUNT)
    places = numpy.arange(COUNT)
    counts = dr.zeros(Float, BINS)
    dr.scatter_add(counts, Float(1), dr.arange(UInt, COUNT) % BINS)
    random = numpy.array(PCG32(size=COUNT).next_float32())
    argument = Differentiated([1, 2, 3])
    dr.enable_grad(argument)
    dr.backward(dr.sum(dr.exp(argument) * argument))
    pairs = [
        (2 * dr.sin(x) + dr.sqrt(x), 2 * numpy.sin(places) + numpy.sqrt(places)),
        (sums_of_cosines(dr.arange(UInt, 64)), [numpy.cos(0.1 * numpy.arange(end)).sum() for end in range(64)]),
        (dr.prefix_sum(x), numpy.cumsum(places) - places),
        (counts, numpy.full(BINS, COUNT / BINS)),
        (dr.grad(argument), numpy.exp([1, 2, 3]) * [2, 3, 4]),
    ]
    is_right = (all(numpy.allclose(found, expected, rtol=1e-4, atol=1e-5) for found, expected in pairs)
                and abs(random.mean() - 0.5) < 0.05 and len(set(random)) > COUNT * 0.99)
    print("PASS" if is_right else "FAIL")
    return not is_right


if __name__ == "__main__":
    sys.exit(main())
