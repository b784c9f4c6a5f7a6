#!/usr/bin/env python3
"""Calls functions of NVIDIA's math libraries under ptx-env and says which are right.

    PYTHON test/CUDA/libraries.py --work=DIR [--only=REGEX] [--write]

PYTHON is an interpreter with NumPy, SciPy and the packages nvidia-cublas,
nvidia-cusparse, nvidia-cusolver, nvidia-cudnn-cu13, nvidia-cufft, nvidia-curand and
nvidia-nccl-cu13. Each case of library_calls runs in a process of its own, and compares
what the device computes with NumPy and SciPy. Verdicts:

  right     the results are those of the reference
  no kernel the library chose machine code or Tile IR, or says that it has no kernel
  fails     a function returned an error, or the process ended
  late      it took longer than --timeout seconds of the processor, or a launch took more
            instructions than the emulator allows
  WRONG     a result differs

Results are kept in the work folder; --write puts them into docs/libraries.md.
"""
import argparse
import collections
import json
import os
import re
import resource
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE_BEGIN = "<!-- Written by test/CUDA/libraries.py. -->\n"
MODULES = (
    "blas1", "blas2", "blas3", "blas_ex", "blaslt", "sparse", "solver", "solver_sparse", "dnn", "dnn_graph",
    "dnn_training", "fft", "rand", "nccl",
)
VERDICTS = ("right", "no kernel", "fails", "late", "WRONG")
NO_KERNEL = re.compile(r"heddle: .*(holds no PTX|machine code of|CUDA Tile IR)")
# What a library returns for a call that it has no kernel for.
NOT_SUPPORTED = re.compile(r"cublas\w+ returns 15$|cusparse\w+ returns 10$|"
                           r"cudnn\w+ returns 3\d\d\d$")
# What the emulator says of a launch that has no end in sight.
TOO_LONG = re.compile(r"timeout in kernel '\w+' .*thread instructions")
CLOCK_SECONDS_FOR_EACH = 10


def load_cases():
    """The cases of all modules, in their order."""
    import importlib

    sys.path.insert(0, HERE)
    for module in MODULES:
        importlib.import_module("library_calls." + module)
    from library_calls.cases import CASES

    return CASES


def run_here(name):
    """What a process of its own does: one case, and its verdict as a line."""
    cases = {case.name: case for case in load_cases()}
    import sysconfig

    from library_calls import device

    try:
        cases[name].run(device.Device(sysconfig.get_paths()["purelib"]))
        outcome = ("right", "")
    except device.Wrong as wrong:
        outcome = ("WRONG", str(wrong))
    except (device.Failure, AttributeError) as failure:
        outcome = ("fails", str(failure))
    print("VERDICT " + json.dumps(outcome), flush=True)
    os._exit(0)  # Libraries' destructors are not what is tested.


def last_words(lines):
    """What our libraries said last, without the names of files."""
    said = [line for line in lines if line.startswith("heddle: ")]
    return re.sub(r"\S*/", "", said[-1][len("heddle: ") :]) if said else ""


def judge(status, output, errors):
    """(verdict, remark) of a process that has ended."""
    lines = errors.splitlines()
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "late", last_words(lines)
    found = re.search(r"^VERDICT (.*)$", output, re.MULTILINE)
    if not found:
        why = last_words(lines) or (lines[-1] if lines else "")
        return "fails", "status %d: %s" % (status, why)
    verdict, remark = json.loads(found.group(1))
    if verdict in ("right", "WRONG"):
        return verdict, remark
    if any(NO_KERNEL.match(line) for line in lines) or NOT_SUPPORTED.search(remark):
        return "no kernel", remark
    if TOO_LONG.search(errors):
        return "late", remark
    said = [line[len("heddle: ") :] for line in lines
            if line.startswith("heddle: ") and "compiled" not in line
            and not re.search("functions of", line)]
    return "fails", "; ".join([remark, *said[:1]])


def run(case, options):
    """(verdict, remark, seconds of the processor) of one case."""
    environment = dict(os.environ, HEDDLE_LOG="1", OPENBLAS_NUM_THREADS="1")
    command = [os.path.join(options.binaries, "ptx-env"), *options.option, sys.executable,
               os.path.abspath(__file__), "--case=" + case.name]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = options.timeout
    try:
        ran = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", env=environment, timeout=limit * CLOCK_SECONDS_FOR_EACH,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)),
        )
        verdict, remark = judge(ran.returncode, ran.stdout, ran.stderr)
        errors = ran.stderr
    except subprocess.TimeoutExpired as expired:
        errors = (expired.stderr or b"").decode(errors="replace")
        verdict, remark = "late", last_words(errors.splitlines())
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = os.path.join(options.work, case.name.replace("/", "_").replace(" ", "_") + ".log")
    with open(log, "w", encoding="utf-8") as file:
        file.write(errors)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return verdict, remark[:200], seconds


def read_results(options):
    try:
        with open(os.path.join(options.work, "results.json"), encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def keep(results, options):
    with open(os.path.join(options.work, "results.json"), "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)


def cell_of(variants):
    """The variants of a function by verdict, with the remarks of what is not right."""
    groups = collections.OrderedDict()
    for variant, (verdict, remark) in variants:
        why = "" if verdict in ("right", "no kernel") else remark
        groups.setdefault((VERDICTS.index(verdict), why), []).append(variant)
    parts = []
    for (verdict, why), names in sorted(groups.items()):
        listed = " ".join("`%s`" % n for n in names if n != "-")
        parts.append(": ".join(filter(None, [VERDICTS[verdict], listed]))
                     + (" (%s)" % why.replace("|", "\\|") if why else ""))
    return "; ".join(parts)


def write_page(cases, results, path):
    with open(path, encoding="utf-8") as file:
        head, marker, _ = file.read().partition(TABLE_BEGIN)
    if not marker:
        sys.exit("%s has no line %r" % (path, TABLE_BEGIN))
    known = [case for case in cases if case.name in results]
    counts = collections.defaultdict(collections.Counter)
    rows = collections.OrderedDict()
    for case in known:
        verdict = results[case.name][:2]
        counts[case.library][verdict[0]] += 1
        rows.setdefault((case.library, case.function), []).append((case.variant, verdict))
    text = [head, marker, "\n| library | calls | %s |\n" % " | ".join(VERDICTS),
            "|---|---|%s\n" % ("---|" * len(VERDICTS))]
    for library, count in counts.items():
        numbers = [str(count[v]) for v in VERDICTS]
        text.append("| %s | %d | %s |\n" % (library, sum(count.values()), " | ".join(numbers)))
    for library in counts:
        text.append("\n## %s\n\n| function | types, or ways to call it |\n|---|---|\n" % library)
        for (of, function), variants in rows.items():
            if of == library:
                text.append("| `%s` | %s |\n" % (function, cell_of(variants)))
    with open(path, "w", encoding="utf-8") as file:
        file.write("".join(text))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", default=".")
    parser.add_argument("--binaries", default=os.path.join(ROOT, "build", "bin"))
    parser.add_argument("--option", action="append", default=[], help="of ptx-env")
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--missing", action="store_true", help="what has no result yet")
    parser.add_argument("--again", default="", help="a regular expression of verdicts")
    parser.add_argument("--timeout", type=int, default=60, help="processor seconds a case")
    parser.add_argument("--write", action="store_true", help="docs/libraries.md")
    parser.add_argument("--case", help="run this one here, as a process of its own does")
    options = parser.parse_args()
    if options.case:
        run_here(options.case)
    os.makedirs(options.work, exist_ok=True)
    cases = load_cases()
    results = read_results(options)
    for case in cases:
        before = results.get(case.name, ["", "", 0])
        if (not re.search(options.only, case.name) or (options.missing and before[0])
                or not re.search(options.again, before[0])):
            continue
        results[case.name] = run(case, options)
        verdict, remark, seconds = results[case.name]
        print("%-44s %-9s %5.1f s  %s" % (case.name, verdict, seconds, remark), flush=True)
        keep(results, options)
    if options.write:
        write_page(cases, results, os.path.join(ROOT, "docs", "libraries.md"))


if __name__ == "__main__":
    main()
