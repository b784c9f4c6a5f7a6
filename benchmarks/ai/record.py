"""Results in a store of heddle-perf, by which runs are compared (docs/regressions.md)."""
from evaluate import Answer
from perf import Tools, store

SUITE = "ai"


def result_of(answer: Answer) -> store.Result:
    """A point for a workload on a chip: the cycles of each part of a step."""
    key = "%s %s" % (answer.work.name, answer.chip.name)
    if answer.composed is None:
        return store.Result(key, "cycles", failure=answer.problem)
    made, hertz = answer.composed, answer.chip.hertz
    parts = [store.Launch(row.label, round(row.seconds * hertz)) for row in made.rows]
    around = {"launches": made.launching, "links": made.linking, "copies": made.copying}
    parts += [store.Launch(name, round(seconds * hertz)) for name, seconds in around.items()]
    return store.Result(key, "cycles", launches=parts)


def add(path: str, label: str, answers: list[Answer], tools: Tools) -> None:
    """Adds a run; what there is no way to compose is left out, as it is no failure."""
    kept = store.Store(path)
    with kept.adding(SUITE, label, tools.version()) as run:
        for answer in answers:
            if answer.composed is not None:
                kept.add(run, result_of(answer))
    kept.close()
