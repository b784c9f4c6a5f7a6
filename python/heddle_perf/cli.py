"""The command line: heddle-perf."""
import argparse
import os
import statistics
import subprocess
import sys
from typing import Optional

from . import report
from .attribute import attribute
from .compare import Change, Verdict, compare
from .measure import Tools, measure
from .store import Run, Store, StoreError
from .suites import SuiteError, read_suite

EPILOG = """
example:
  heddle-perf run kernels.toml --label main        # measure, and keep it
  heddle-perf baseline main                        # what to compare with
  heddle-perf run kernels.toml --label my-change
  heddle-perf compare                              # the last run with the baseline
  heddle-perf compare --format html -o change.html

The exit status of compare is 1 if anything is slower or fails, and 2 if the command
cannot be carried out. docs/regressions.md is the guide.
"""


def _progress(total: int):
    """On a terminal only."""
    if not sys.stderr.isatty():
        return lambda done, key: None

    def show(done: int, key: str) -> None:
        end = "\n" if done == total else "\r"
        print("%d of %d: %-50.50s" % (done, total, key), end=end, file=sys.stderr, flush=True)

    return show


def _label(given: Optional[str]) -> str:
    """The commit of the working tree, unless there is a label."""
    if given:
        return given
    found = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return found.stdout.strip() or "unnamed"


def run(options: argparse.Namespace) -> int:
    suite = read_suite(options.suite)
    tools = Tools(options.tools)
    points = list(suite.points())
    version = tools.version()
    results = measure(tools, points, options.jobs, _progress(len(points)))
    store = Store(options.store)
    with store.adding(suite.name, _label(options.label), version) as number:
        for result in results:
            store.add(number, result)
    failed = [r for r in results if r.failure]
    for result in failed:
        print("fails: %s: %s" % (result.key, result.failure), file=sys.stderr)
    print("run %d: %d points, %d failed" % (number, len(results), len(failed)))
    return 1 if failed else 0


def baseline(options: argparse.Namespace) -> int:
    store = Store(options.store)
    if options.run:
        found = store.find(options.run)
        store.set_baseline(options.name, found)
        print("%s: run %d, %s" % (options.name, found.id, found.label))
        return 0
    for name, number in store.baselines():
        print("%s: run %d" % (name, number))
    return 0


def _explained(store: Store, before: Run, after: Run, threshold: float) -> list[Change]:
    old, new = store.results(before), store.results(after)
    changes = compare(old, new, threshold)
    for change in changes:
        if change.unit == "cycles" and change.verdict in (Verdict.SLOWER, Verdict.FASTER):
            change.cause = attribute(store, old[change.key], new[change.key]).sentence()
    return changes


def compare_runs(options: argparse.Namespace) -> int:
    store = Store(options.store)
    before, after = store.find(options.before), store.find(options.after)
    changes = _explained(store, before, after, options.threshold / 100)
    made = report.FORMATS[options.format](changes, before, after)
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            file.write(made)
    else:
        sys.stdout.write(made)
    return 1 if any(c.verdict.is_regression for c in changes) else 0


def history(options: argparse.Namespace) -> int:
    """The runs; with a point its figure in each run that has it."""
    store = Store(options.store)
    for row in store.runs():
        if not options.point:
            print("%4d  %-12s %-24s %s" % (row.id, row.suite, row.label, row.tools))
            continue
        result = store.results(row).get(options.point)
        if result:
            figure = statistics.median(result.samples) if result.samples else result.cycles
            print("%4d  %-24s %s" % (row.id, row.label, result.failure or f"{figure:,}"))
    return 0


def _number(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("'%s' is no number from 1 on" % text)
    return int(text)


def _percent(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError("'%s' is no percentage below 100" % text)
    return value


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="heddle-perf",
        description="Finds and explains regressions of kernels.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--store", default="heddle-perf.db", help="the file with all runs (%(default)s)")
    commands = top.add_subparsers(dest="command", required=True)

    command = commands.add_parser("run", help="measure a suite and keep the figures")
    command.add_argument("suite", help="a TOML file; heddle_perf.suites describes it")
    command.add_argument("--label", help="the run's name (git describe)")
    command.add_argument(
        "--tools",
        default=os.environ.get("HEDDLE_PERF_TOOLS"),
        help="the folder with ptx-prof and ptx-compile (that of heddle-perf)",
    )
    command.add_argument("--jobs", type=_number, default=os.cpu_count(), help="threads (%(default)s)")
    command.set_defaults(carry_out=run)

    command = commands.add_parser("baseline", help="name a run, or list the names")
    command.add_argument("run", nargs="?", help="a run's number or label, last or previous")
    command.add_argument("--name", default="baseline", help="(%(default)s)")
    command.set_defaults(carry_out=baseline)

    command = commands.add_parser("compare", help="tell what changed from one run to another, and why")
    command.add_argument("before", nargs="?", default="baseline", help="(%(default)s)")
    command.add_argument("after", nargs="?", default="last", help="(%(default)s)")
    command.add_argument(
        "--threshold", type=_percent, default=1.0, metavar="PERCENT", help="what is still the same (%(default)s)"
    )
    command.add_argument("--format", choices=report.FORMATS, default="text")
    command.add_argument("-o", "--output", help="a file in place of standard output")
    command.set_defaults(carry_out=compare_runs)

    command = commands.add_parser("history", help="list the runs, or a point's figures")
    command.add_argument("point", nargs="?", help="a point as compare prints it")
    command.set_defaults(carry_out=history)
    return top


def main(arguments: Optional[list[str]] = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return options.carry_out(options)
    except (SuiteError, StoreError, OSError) as problem:
        print("heddle-perf: error: %s" % problem, file=sys.stderr)
        return 2
