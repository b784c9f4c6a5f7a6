"""The command line: heddle-perf."""
import argparse
import math
import os
import statistics
import subprocess
import sys
import time
from typing import Optional

from . import report
from .attribute import explain
from .bisect import BisectError, bisect_commits, bisect_passes
from .capture import expand
from .compare import Change, Verdict, compare
from .generate import KINDS, ShapeError, generate, shapes_of
from .helptext import full_help
from .history import Record, RecordError, Walk, chosen_commits, spread
from .coverage import as_json as coverage_json
from .coverage import coverage_of
from .coverage import text as coverage_text
from .commits import Build, CommitError, kept_build
from .fleet import FleetError, Worker, measure_on_queue, measure_on_ray
from .measure import Fleet, measure, on_threads
from .redis import RedisError
from .steps import StepsError
from .steps import markdown as steps_markdown
from .steps import text as steps_text
from .steps import update_page
from .store import Run, Store, StoreError
from .suites import Point, SuiteError, read_suite
from .tools import Tools

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
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
        )
    except FileNotFoundError:  # no git
        return "unnamed"
    return found.stdout.strip() or "unnamed"


def _fleet(options: argparse.Namespace) -> Fleet:
    for address, way in ((options.queue, measure_on_queue), (options.ray, measure_on_ray)):
        if address:
            return lambda tools, points, done: way(tools, points, address, done)
    return on_threads(options.jobs)


def worker(options: argparse.Namespace) -> int:
    count = Worker(Tools(options.tools), options.queue, options.lease).run(options.idle)
    print("%d kernels measured" % count)
    return 0


def run(options: argparse.Namespace) -> int:
    tools = Tools(options.tools)
    suite = expand(read_suite(options.suite), tools, options.store + ".captured")
    points = list(suite.points())
    version = tools.version()
    results = measure(tools, points, _fleet(options), _progress(len(points)))
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


def _explained(
    store: Store,
    before: Run,
    after: Run,
    threshold: float,
    tools: Tools,
    reproducers: Optional[str] = None,
) -> list[Change]:
    old, new = store.results(before), store.results(after)
    changes = compare(old, new, threshold)
    for change in changes:
        if change.unit == "cycles" and change.verdict in (Verdict.SLOWER, Verdict.FASTER):
            change.cause = explain(store, old[change.key], new[change.key], tools, reproducers)
    return changes


def compare_runs(options: argparse.Namespace) -> int:
    store = Store(options.store)
    before, after = store.find(options.before), store.find(options.after)
    tools, threshold = Tools(options.tools), options.threshold / 100
    changes = _explained(store, before, after, threshold, tools, options.reproducer)
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


def nightly(options: argparse.Namespace) -> int:
    """A run, compared with the last one of the same suite before it."""
    store = Store(options.store)
    before = store.runs(read_suite(options.suite).name)
    status = run(options)
    if not before:
        return status
    after = store.runs(before[-1].suite)[-1]
    changes = _explained(store, before[-1], after, options.threshold / 100, Tools(options.tools))
    sys.stdout.write(report.FORMATS["text"](changes, before[-1], after))
    for form, path in (("html", options.html), ("junit", options.junit)):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.write(report.FORMATS[form](changes, before[-1], after))
    return 1 if any(c.verdict.is_regression for c in changes) else status


def show_coverage(options: argparse.Namespace) -> int:
    store = Store(options.store)
    results = store.results(store.find(options.run)).values()
    reports = (store.report(r) for r in results if "report" in r.artefacts)
    found = coverage_of(reports)
    sys.stdout.write(coverage_json(found) if options.json else coverage_text(found, options.names))
    return 0


def generate_kernels(options: argparse.Namespace) -> int:
    shapes = {kind: shapes_of(kind, getattr(options, kind)) for kind in KINDS}
    names = generate(options.folder, shapes)
    print("%s: %d kernels" % (os.path.join(options.folder, "suite.toml"), len(names)))
    return 0


def _point(suite: str, key: str) -> Point:
    points = list(read_suite(suite).points())
    for point in points:
        if point.key == key and not point.case.command:
            return point
    known = ", ".join("'%s'" % p.key for p in points[:4])
    raise SuiteError("%s: there is no kernel's point '%s'; there is %s" % (suite, key, known))


def find_pass(options: argparse.Namespace) -> int:
    point = _point(options.suite, options.point)
    print(bisect_passes(Tools(options.before), Tools(options.tools), point).sentence())
    return 0


def find_commit(options: argparse.Namespace) -> int:
    point = _point(options.suite, options.point)
    build = Build(options.repository, options.build, options.bin)
    found = bisect_commits(
        build, options.good, options.bad, point, lambda line: print(line, file=sys.stderr, flush=True)
    )
    print(found.sentence())
    return 0


def measure_commits(options: argparse.Namespace) -> int:
    build = Build(options.repository, options.build, options.bin)
    commits = chosen_commits(options.repository, options.commits, options.paths)[:: options.every]
    if options.kept:
        build, commits = kept_build(options.repository, options.kept, commits)
    record = Record(options.record)
    wanted = spread(commits, record.entries, options.spread) if options.spread else commits
    walk = Walk(
        build,
        read_suite(options.suite),
        options.paths,
        record,
        Store(options.store),
        options.folder,
        lambda line: print(line, flush=True),
        options.threshold / 100,
        options.again,
        options.retime,
    )
    until = time.time() + 60 * options.minutes if options.minutes else math.inf
    count = walk.run(wanted, until)
    if options.retime:
        walk.retime()
    have = sum(1 for c in commits if c in walk.record.entries)
    print("%d commits measured; %d of %d are in %s" % (count, have, len(commits), options.record))
    return 0


def show_steps(options: argparse.Namespace) -> int:
    record, threshold = Record(options.record), options.threshold / 100
    if options.update:
        update_page(options.update, steps_markdown(record, threshold))
    else:
        form = steps_markdown if options.format == "markdown" else steps_text
        sys.stdout.write(form(record, threshold))
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


def _add_tools(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--tools",
        default=os.environ.get("HEDDLE_PERF_TOOLS"),
        metavar="FOLDER",
        help="Where ptx-prof and ptx-compile are. Default: where heddle-perf is",
    )


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument("suite", help="a TOML file, see docs/regressions.md")
    command.add_argument("--label", metavar="NAME", help="The run's name. Default: what git describe says")
    _add_tools(command)
    command.add_argument(
        "--jobs",
        type=_number,
        default=os.cpu_count(),
        metavar="N",
        help="Kernels that are measured at a time. Default: one for each core",
    )
    command.add_argument(
        "--queue", metavar="URL", help="Have workers of redis://HOST[:PORT] measure the kernels"
    )
    command.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="Have a Ray cluster measure the kernels, whose nodes have the tools at the same "
        "place; 'local' is this machine",
    )


def _add_threshold(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--threshold",
        type=_percent,
        default=1.0,
        metavar="PERCENT",
        help="A change that still counts as none. Default: %(default)s",
    )


def _add_suites(commands) -> None:
    command = commands.add_parser("coverage", help="tell what a run's kernels exercise")
    command.add_argument("run", nargs="?", default="last", help="a run or a name. Default: %(default)s")
    command.add_argument("--names", action="store_true", help="Name the opcodes that are missing")
    command.add_argument("--json", action="store_true", help="Print everything as JSON")
    command.set_defaults(carry_out=show_coverage)

    command = commands.add_parser("generate", help="write kernels of given shapes, and their suite")
    command.add_argument("folder", help="where they go")
    for kind, (count, shapes, _) in KINDS.items():
        command.add_argument(
            "--" + kind,
            default=shapes,
            metavar="x".join(["N"] * count) + ",...",
            help="Shapes. Default: %(default)s",
        )
    command.set_defaults(carry_out=generate_kernels)


def _add_build(command: argparse.ArgumentParser, may_be_kept: bool = False) -> None:
    which = command.add_mutually_exclusive_group(required=True) if may_be_kept else command
    words = {} if may_be_kept else {"required": True}
    which.add_argument("--build", metavar="COMMAND", help="What builds a commit, in the shell", **words)
    if may_be_kept:
        which.add_argument(
            "--kept",
            metavar="FOLDER",
            help="Build nothing: measure commits whose tools another walk has left in FOLDER",
        )
    command.add_argument(
        "--bin",
        default="build/bin",
        metavar="FOLDER",
        help="Where the tools are then. Default: %(default)s",
    )
    command.add_argument(
        "--repository",
        default=".",
        metavar="FOLDER",
        help="What has the commits. Default: the current folder",
    )


def _add_bisections(commands) -> None:
    command = commands.add_parser(
        "bisect-passes", help="find the pass at which two builds begin to make other code"
    )
    command.add_argument("suite", help="a TOML file")
    command.add_argument("point", help="as compare prints it")
    command.add_argument(
        "--before", required=True, metavar="FOLDER", help="Where the tools of the other build are"
    )
    _add_tools(command)
    command.set_defaults(carry_out=find_pass)

    command = commands.add_parser(
        "bisect-commits", help="find the commit that changed a point, by building those between"
    )
    command.add_argument("suite", help="a TOML file; its kernels stay as they are")
    command.add_argument("point", help="as compare prints it")
    command.add_argument("good", help="a commit with the cycles of before")
    command.add_argument("bad", help="a later commit, with other cycles")
    _add_build(command)
    command.set_defaults(carry_out=find_commit)


def _add_commits(commands) -> None:
    command = commands.add_parser(
        "measure-commits", help="measure a suite at many commits, from the last to the first"
    )
    command.add_argument("suite", help="a TOML file; its kernels stay as they are")
    command.add_argument("commits", help="as git names them: HEAD, or v1..main")
    command.add_argument(
        "--record", required=True, metavar="FILE", help="What gets a line for each commit"
    )
    command.add_argument(
        "--folder",
        required=True,
        help="For the work tree with its build, which stay, so that the next walk goes on",
    )
    command.add_argument(
        "--paths", nargs="+", default=[], metavar="PATH", help="Only commits that change one of these"
    )
    command.add_argument(
        "--every", type=_number, default=1, metavar="N", help="Each Nth of them. Default: %(default)s"
    )
    command.add_argument(
        "--spread",
        type=_number,
        metavar="N",
        help="Only N, the oldest first, then each time the middle of what is not measured. Default: all",
    )
    command.add_argument(
        "--minutes", type=_number, metavar="N", help="Begin no commit after so many. Default: go on"
    )
    command.add_argument(
        "--again", action="store_true", help="Try again what could not be built or measured"
    )
    command.add_argument(
        "--retime",
        action="store_true",
        help="Time the code of all commits by the model of the newest whose tools are kept, too",
    )
    _add_threshold(command)
    _add_build(command, may_be_kept=True)
    command.set_defaults(carry_out=measure_commits)

    command = commands.add_parser("steps", help="tell what a record's commits made slower or faster")
    command.add_argument("record", help="what measure-commits has written")
    _add_threshold(command)
    command.add_argument(
        "--format", choices=("text", "markdown"), default="text", help="Default: %(default)s"
    )
    command.add_argument(
        "--update", metavar="FILE", help="Put the tables between the two marks of a page instead"
    )
    command.set_defaults(carry_out=show_steps)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="heddle-perf",
        description="finds and explains regressions of kernels",
        add_help=False,
    )
    # Whatever the command, all of them stand on one page.
    top.format_help = lambda: full_help(top, EPILOG)
    top.add_argument("-h", "--help", action="help", help="Show this text")
    top.add_argument(
        "--store",
        default="heddle-perf.db",
        metavar="FILE",
        help="The database with all runs. Default: %(default)s",
    )
    commands = top.add_subparsers(dest="command", required=True)

    command = commands.add_parser("run", help="measure a suite and keep the figures")
    _add_run(command)
    command.set_defaults(carry_out=run)

    command = commands.add_parser("nightly", help="run a suite, and compare with its last run")
    _add_run(command)
    _add_threshold(command)
    command.add_argument("--html", metavar="FILE", help="Write a page about the changes")
    command.add_argument("--junit", metavar="FILE", help="Write the changes for a CI")
    command.set_defaults(carry_out=nightly)

    command = commands.add_parser("worker", help="measure what others put into a queue")
    command.add_argument("--queue", required=True, metavar="URL", help="redis://HOST[:PORT]")
    _add_tools(command)
    command.add_argument(
        "--lease",
        type=_number,
        default=60,
        metavar="SECONDS",
        help="How long a worker may give no sign of life. Default: %(default)s",
    )
    command.add_argument(
        "--idle",
        type=int,
        default=0,
        metavar="SECONDS",
        help="End after so many without work; 0: never. Default: %(default)s",
    )
    command.set_defaults(carry_out=worker)

    command = commands.add_parser("baseline", help="name a run, or list the names")
    command.add_argument("run", nargs="?", help="a run's number or label, last or previous")
    command.add_argument("--name", default="baseline", help="The name. Default: %(default)s")
    command.set_defaults(carry_out=baseline)

    command = commands.add_parser("compare", help="tell what changed from one run to another, and why")
    command.add_argument("before", nargs="?", default="baseline", help="a run or a name. Default: %(default)s")
    command.add_argument("after", nargs="?", default="last", help="a run or a name. Default: %(default)s")
    _add_threshold(command)
    command.add_argument(
        "--format", choices=report.FORMATS, default="text", help="Of the report. Default: %(default)s"
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help="Where the report goes. Default: standard output"
    )
    _add_tools(command)
    command.add_argument(
        "--reproducer", metavar="FOLDER", help="Write what shows each change again, and a script"
    )
    command.set_defaults(carry_out=compare_runs)

    command = commands.add_parser("history", help="list the runs, or a point's figures")
    command.add_argument("point", nargs="?", help="a point as compare prints it")
    command.set_defaults(carry_out=history)
    _add_suites(commands)
    _add_bisections(commands)
    _add_commits(commands)
    return top


FAILURES = (
    BisectError,
    CommitError,
    FleetError,
    RecordError,
    RedisError,
    ShapeError,
    StepsError,
    SuiteError,
    StoreError,
    OSError,
)


def main(arguments: Optional[list[str]] = None) -> int:
    options = parser().parse_args(arguments)
    try:
        return options.carry_out(options)
    except FAILURES as problem:
        print("heddle-perf: error: %s" % problem, file=sys.stderr)
        return 2
