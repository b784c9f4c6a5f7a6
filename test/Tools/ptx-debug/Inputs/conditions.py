"""Conditions of breakpoints, as a warp tests them at once, against what expressions
are in each thread.

At every stop at a place each expression is evaluated in all threads that stand
there. Then breakpoints at the place, each with such a condition for one lane, have
to count as many hits.

usage: conditions.py FOLDER
"""
import os
import sys

from heddle.debug import Session

LANES = (0, 5, 31)
# With and without the optimiser; a variable may be nowhere with it.
ANYWHERE = [
    "threadIdx.x == 5", "threadIdx.x > 3 && threadIdx.x <= 31", "blockIdx.x == 0", "blockDim.x - gridDim.x == 31",
    "laneid % 2 == 0", "laneid < -1", "(int)laneid < -1", "-laneid > 5", "~laneid == 0xfffffffa", "!laneid", "laneid >> 2",
    "1 << laneid == 32", "laneid ? laneid & 4 : 1", "laneid * 0.5 >= 2.5", "laneid / 2.0f == 2.5f", "-1.5 * laneid < -40",
    "(unsigned char)(laneid * 200) == 232", "(signed char)(laneid * 30) < 0", "(bool)(laneid & 6)", "(float)laneid == 31",
    "(long)laneid - 6 < 0", "laneid - 6 < 0", "laneid != 0 && 40 / laneid == 8", "laneid == 0 || 10 % laneid == 1",
    "laneid == 5 ? 3 : 0", "warpid == 0", "warpSize == 32", "$P0", "$R0 & 1", "$R4 < 100", "$RD2 > 5",
    "$pc == $pc", "(laneid | 8) ^ 13", "scale > 2 && scale < 3", "letter == 65", "flag",
]
VARIABLES = [
    "i == 5", "i - 6 < 0", "i > 3 && out[i] == 0", "p.id == 105", "p.position[1] == 6.5", "p.position[i % 3] > 3.25",
    "p.shape == 4", "p.next->id > 110", "p.next == &p", "(*p.next).position[2] < 20", "in[1] * i >= 4.5", "*in == 0.5",
    "table.rows[1][1] == 10", "table.rows[i % 3][0] == 2", "weights[1] + i > 7", "counter != 0", "w.number == 1.0f",
    "w.bits & 1 << 23", "p.low == 5", "base.id == 100", "in + 1 == in", "out != 0", "(long)in & 4",
]
PLACES = [
    ("variables.cu:68", ("-O0",), ANYWHERE + VARIABLES),
    ("variables.cu:70", ("-O0",), ANYWHERE + VARIABLES + ["total > 8", "total == i + 3"]),
    ("variables.cu:38", ("-O0",), ["sum == 2", "i + step < n", "twice == 4 && n > 5", "laneid == n", "i == laneid - 1"]),
    ("variables.cu:70", (), ANYWHERE + ["i > 8", "in[1] == 1.5", "$UR4 == 0 || $UR5"]),
    ("variables.cu:73", (), ANYWHERE),
]


def address_of(program, options, place):
    """The first instruction of a place, where lanes count whose guard does not hold, too."""
    with Session(program, options) as s:
        s.breakpoint(place)
        s.run()
        return "*%d" % s.value("$pc")


def expected_hits(program, options, place, expressions):
    hits = {}
    with Session(program, options) as s:
        s.command("catch launch")
        s.run()
        s.breakpoint(place)
        stop = s.resume()
        while stop:
            here = s.values("$pc")
            for e in expressions:
                values = s.values("(%s) ? 1 : 0" % e)
                for lane in LANES:
                    if here[lane] == here[stop.lane]:
                        hits[e, lane] = hits.get((e, lane), 0) + values[lane]
            stop = s.resume()
    return hits


def counted_hits(program, options, place, wanted):
    with Session(program, options) as s:
        s.command("catch launch")
        s.run()
        s.command("delete")
        numbers = {}
        for e, lane in wanted:
            numbers[s.breakpoint(place, "laneid == %d && (%s)" % (lane, e))] = e, lane
        for number in numbers:
            s.command("ignore %d 1000000" % number)
        assert s.resume() is None, s.output
        counts, number = dict.fromkeys(wanted, 0), None
        for line in s.command("info breakpoints").splitlines():
            words = line.split()
            if "breakpoint already hit" in line:
                counts[numbers[number]] = int(words[3])
            elif line[:1].isdigit():
                number = int(words[0])
        return counts


def main():
    program = os.path.join(sys.argv[1], "variables.json")
    total = 0
    for line, options, expressions in PLACES:
        place = address_of(program, options, line)
        wanted = expected_hits(program, options, place, expressions)
        assert wanted and sum(wanted.values()), line
        found = counted_hits(program, options, place, wanted)
        for key, hits in wanted.items():
            assert found[key] == hits, (line, options, key, hits, found[key])
        total += len(wanted)
    print("PASS", total)


main()
