#!/usr/bin/env python3
"""24 kernels on Heddle and on OpenCL's host device (pocl), in turns on the same cores.

usage: run.py [OPTION...] [KERNEL...]

Both run the same source (benchmarks/inputs/native), Heddle as the PTX that nvcc made
of it. What they leave in memory is compared, and with a reference in Python where the
problem has one. The first round warms both up; of the others the medians count.
Without OpenCL, Heddle runs alone. Exits with 1 if a result is wrong.
"""
import argparse
import array
import json
import math
import os
import statistics
import sys

import problems
import systems

BUILD = os.path.join(systems.HERE, "..", "..", "build")


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL", help="all, if none is named")
    parser.add_argument("--build", default=BUILD, help="the build folder")
    parser.add_argument("--execution", default="", metavar="WAY[,WAY...]",
                        help="Heddle's ways of execution, each as a system of its own "
                        "(HEDDLE_EXECUTION); without it, what Heddle chooses")
    parser.add_argument("--no-pocl", action="store_true", help="Heddle alone")
    parser.add_argument("--threads", type=int, default=0, help="cores and host threads "
                        "(default: all cores)")
    parser.add_argument("--rounds", type=int, default=5, help="measured runs of each")
    parser.add_argument("--tiny", action="store_true", help="small problems, whose results "
                        "Python computes, too")
    parser.add_argument("--json", metavar="FILE", help="writes the figures")
    arguments = parser.parse_args()
    for name in arguments.kernels:
        if name not in problems.MAKERS:
            parser.error("no kernel is called " + name)
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def start(arguments):
    """The systems, on the cores that all of them share."""
    cores = sorted(os.sched_getaffinity(0))
    threads = min(arguments.threads or len(cores), len(cores))
    os.sched_setaffinity(0, cores[:threads])
    library = os.path.join(arguments.build, "lib", "libcuda.so.1")
    made = [systems.heddle(library, threads, way) for way in arguments.execution.split(",")]
    if not arguments.no_pocl:
        try:
            made.append(systems.pocl(threads))
        except systems.Missing as missing:
            print("run.py: without pocl: %s" % missing, file=sys.stderr)
    return made


def difference(kind, tolerance, found, expected):
    """What is wrong with the elements that were found, or nothing."""
    values = array.array(kind, found)
    wanted = array.array(kind, expected) if isinstance(expected, bytes) else expected
    bound = tolerance * max(1.0, max(map(abs, wanted)))
    for index, (value, right) in enumerate(zip(values, wanted)):
        if not abs(value - right) <= bound:
            return "element %d is %r, not %r" % (index, value, right)
    return None


def check(problem, results):
    """What is wrong with what the systems left, in words."""
    wrong = []
    names = list(results)
    for output, (kind, tolerance) in problem.outputs.items():
        for name in names:
            found = results[name][output]
            if output in problem.expected:
                against, expected = "reference", problem.expected[output]
            else:
                against, expected = names[-1], results[names[-1]][output]
            if found is expected or found == expected:
                continue
            text = difference(kind, tolerance, found, expected)
            if text:
                wrong.append("%s: %s, against %s: %s" % (name, output, against, text))
    return wrong


def measure(kernel, made, arguments):
    """Medians of each system, in seconds, and what was wrong."""
    for system in made:
        system("load", kernel, arguments.tiny)
        system("run")
    times = {system.name: [] for system in made}
    for _ in range(arguments.rounds):
        for system in made:
            times[system.name].append(system("run"))
    wrong = check(problems.make(kernel, arguments.tiny),
                  {system.name: system("read") for system in made})
    medians = {name: {"wall": statistics.median(wall for wall, _ in runs),
                      "processor": statistics.median(processor for _, processor in runs)}
               for name, runs in times.items()}
    return {"kernel": kernel, "times": medians, "wrong": wrong}


def ratio(row, name, base, clock):
    return row["times"][name][clock] / max(row["times"][base][clock], 1e-9)


def print_row(row, names):
    cells = ["%10.2f" % (1000 * row["times"][name]["wall"]) for name in names]
    cells += ["%10.2f" % ratio(row, name, names[-1], "wall") for name in names[:-1]]
    cells += ["%10.2f" % ratio(row, name, names[-1], "processor") for name in names[:-1]]
    print("%-13s" % row["kernel"] + "".join(cells) + ("  WRONG" if row["wrong"] else "  right"),
          flush=True)
    for text in row["wrong"]:
        print("  " + text, flush=True)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def means(rows, names):
    """The geometric mean of each system's ratios to the last one, by each clock."""
    return {name: {clock: geometric_mean([ratio(row, name, names[-1], clock) for row in rows])
                   for clock in ("wall", "processor")} for name in names[:-1]}


def main():
    arguments = options()
    try:
        made = start(arguments)
        names = [system.name for system in made]
        titles = [name + " ms" for name in names]
        titles += [name + "/" + names[-1] for name in names[:-1]] + ["processor"] * (len(names) - 1)
        print("%-13s" % "kernel" + "".join(" %9s" % title[-9:] for title in titles))
        rows = []
        for kernel in arguments.kernels or problems.MAKERS:
            rows.append(measure(kernel, made, arguments))
            print_row(rows[-1], names)
    except (systems.Missing, RuntimeError) as error:
        sys.exit("run.py: %s" % error)
    for name, mean in means(rows, names).items():
        print("geometric mean %s/%s: %.2f, of processor time %.2f" %
              (name, names[-1], mean["wall"], mean["processor"]))
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({"systems": names, "kernels": rows, "means": means(rows, names)}, file,
                      indent=1)
    sys.exit(any(row["wrong"] for row in rows))


if __name__ == "__main__":
    main()
