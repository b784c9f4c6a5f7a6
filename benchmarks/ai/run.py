#!/usr/bin/env python3
"""AI workloads on chips: tokens, images or samples a second, and what holds them back.

    PATH=build/bin:$PATH benchmarks/ai/run.py [--chips hd100,hd10] [--only TEXT] [--html FILE]
        [--json FILE] [--record STORE --label NAME]

Operators are timed by the timing model and kept in --store, so that a run again is cheap. The
figures, their errors and what is left out: docs/ai-workloads.md."""
import argparse
import json
import os
import pathlib
import sys
import time

import advise
import memory
import page
import record
import table
import whatif
from evaluate import Answer, Evaluator
from perf import Tools
from measure import Bench, Store
from tuned import Tuned
from models import Chip, Workload, read_chips, read_workloads

HERE = pathlib.Path(__file__).resolve().parent


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What every command here takes."""
    parser.add_argument("--store", default=str(pathlib.Path.home() / ".cache" / "heddle-ai.db"),
                        help="an SQLite file that keeps times of launches (%(default)s)")
    parser.add_argument("--tools", help="the folder of the programs; those of PATH if not given")
    parser.add_argument("--python", help="a Python with Triton, for kernels that the tree lacks")
    parser.add_argument("--known", action="store_true", help="take what the store has, and time nothing")
    parser.add_argument("--tuned", action="store_true", help="with the decisions of data/tuning (tune.py)")
    parser.add_argument("--jobs", type=int, default=2, help="launches at a time (%(default)s)")


def evaluator_of(options: argparse.Namespace) -> Evaluator:
    pathlib.Path(options.store).parent.mkdir(parents=True, exist_ok=True)
    tools = Tools(options.tools)
    tuned = Tuned() if options.tuned else None
    bench = Bench(Store(options.store), tools, options.python, "", options.known, tuned)
    return Evaluator(bench, tools, options.jobs, tell)


def chosen(options: argparse.Namespace) -> list[tuple[Workload, Chip]]:
    """Workloads on chips whose memory holds them."""
    chips = read_chips()
    usual = [name for name, chip in chips.items() if not chip.published_only]
    names = options.chips.split(",") if options.chips else usual
    for name in names:
        if name not in chips:
            sys.exit("run: no chip %s; there are %s" % (name, ", ".join(chips)))
    works = [work for work in read_workloads() if all(word in work.name.split() for word in options.only.split())]
    return [(work, chips[name]) for work in works for name in names if memory.holds(work, chips[name])]


def as_json(answers: list[Answer]) -> list[dict]:
    rows = []
    for answer in answers:
        row = {"workload": answer.work.name, "chip": answer.chip.name}
        made = answer.composed
        if made is None:
            rows.append({**row, "problem": answer.problem})
            continue
        figures = {"rate": made.rate, "error": made.rate_error, "unit": made.unit, "seconds": made.seconds}
        shares = {"kernels": made.kernels, "launches": made.launching, "links": made.linking, "copies": made.copying}
        rows.append({**row, **figures, "parts": shares})
    return rows


def parser_of() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments(parser)
    parser.add_argument("--chips", default="", help="names of data/chips.toml with commas; all if not given")
    parser.add_argument("--only", default="", help="workloads in whose names all these words are")
    parser.add_argument("--what-if", default="", metavar="WORDS",
                        help="twice as wide in each resource, for workloads with all these words")
    parser.add_argument("--advice", action="store_true", help="what the advisor says of ten kernels")
    parser.add_argument("--html", help="write one page with everything")
    parser.add_argument("--published", metavar="JSON", help="what compare.py --json wrote, for the page")
    parser.add_argument("--json", help="write the figures")
    parser.add_argument("--record", metavar="STORE", help="add the figures to a store of heddle-perf")
    parser.add_argument("--label", default="", help="of the recorded run")
    return parser


def published_rows(path: str | None) -> list[dict]:
    """Rows of the page from those of compare.py."""
    if not path:
        return []
    found = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    keys = ("half", "device", "software", "what", "value", "unit")
    return [{**{key: row[key] for key in keys}, "composed": row["composed"], "off": row["off"]} for row in found]


def asked(words: str, answers: list[Answer]) -> list[tuple[Workload, Chip]]:
    found = [answer for answer in answers if answer.composed]
    return [(a.work, a.chip) for a in found if all(word in a.work.name.split() for word in words.split())]


def main() -> None:
    options = parser_of().parse_args()
    began = time.time()
    evaluator = evaluator_of(options)
    wanted = chosen(options)
    evaluator.prepare(wanted)
    answers = [evaluator.answer(*pair) for pair in wanted]
    print(table.rates(answers))
    gains = whatif.ask(evaluator, asked(options.what_if, answers)) if options.what_if else []
    if gains:
        print(table.gains(gains))
    advice = advise.advise(evaluator, answers, tell) if options.advice else []
    if advice:
        print(table.advice(advice))
    if options.html:
        page.write(options.html, answers, gains, advice, published_rows(options.published))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(as_json(answers), indent=1) + "\n", encoding="utf-8")
    if options.record:
        record.add(options.record, options.label, answers, evaluator.tools)
    bench, spent = evaluator.bench, os.times()
    took = (bench.ran, bench.found, time.time() - began, spent.children_user + spent.children_system)
    tell("%d launches run, %d found, in %.0f s, %.0f s of processor time" % took)


if __name__ == "__main__":
    main()
