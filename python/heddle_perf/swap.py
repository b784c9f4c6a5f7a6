"""Finds the stage that a change comes from, by going the way of the later run with forms
of the earlier one in its places.

The tools of the later run take, one after the other, the launch, the PTX, the options
and each form of the earlier run, and go on from there. With the first of them all is
as in the later run, with the last all is as in the earlier one. The stage to blame is
the one whose form makes most of the difference.
"""
import dataclasses
import difflib
import json
import re
from typing import Callable, Iterator, Optional

from . import forms
from .forms import Chain, FormError, Step
from .lines import LineChange, PTXLines, changed_lines
from .measure import Bench, launches_of
from .suites import TUNING, Point
from .tools import Tools

LEAST_SHARE = 0.1  # of the whole change, for another stage to be named


class SwapError(Exception):
    """Why stages cannot be told apart."""


@dataclasses.dataclass
class State:
    """What was launched and how long it took, with some forms of the earlier run."""

    stage: str  # whose form is the last that is the earlier run's; empty: none is
    evidence: str
    cycles: int
    report: Optional[str] = None  # of ptx-prof
    step: Optional[Step] = None
    manifest: str = ""
    code: str = ""  # the object


@dataclasses.dataclass
class Share:
    """The part of a stage in the change: with its form as it was, and as it is."""

    was: State
    is_now: State

    @property
    def stage(self) -> str:
        return self.was.stage

    @property
    def evidence(self) -> str:
        return self.was.evidence

    @property
    def step(self) -> Optional[Step]:
        return self.was.step

    @property
    def before(self) -> int:
        return self.was.cycles

    @property
    def after(self) -> int:
        return self.is_now.cycles

    @property
    def cycles(self) -> int:
        return self.after - self.before


@dataclasses.dataclass
class Swapped:
    """Shares, the largest first, of a change."""

    before: int
    after: int
    shares: list[Share]
    passes: str = ""  # about the pass, if a stage has several
    reports: Optional[tuple[str, str]] = None  # of the runs, where the model is to blame
    again: Optional["Again"] = None  # how the stage is gone through once more

    @property
    def main(self) -> Share:
        return self.shares[0]

    def part(self, share: Share) -> float:
        return share.cycles / (self.after - self.before)

    def _places(self, places: PTXLines) -> PTXLines:
        """Behind the producer the PTX is the earlier one on both sides."""
        return places if self.main.stage in ("producer", "chip data", "runtime") else PTXLines()

    def _both(self) -> tuple[Optional[str], Optional[str]]:
        return self.reports or (self.main.was.report, self.main.is_now.report)

    def lines(self, places: PTXLines) -> list[LineChange]:
        """Those that the main stage changed most."""
        before, after = self._both()
        if not before or not after:
            return []
        return changed_lines(self._places(places).moved(json.loads(before)), json.loads(after))

    def sentence(self, places: PTXLines) -> str:
        main = self.main
        parts = ["%s: %s" % (main.stage, main.evidence)]
        if self.passes:
            parts.append(self.passes)
        if main.stage != "runtime":
            parts.append(
                "with what it was, %s -> %s cycles (%.0f %% of the change)"
                % (f"{main.after:,}", f"{main.before:,}", 100 * self.part(main))
            )
        before, after = self._both()
        if before and after:
            parts += self._places(places).words(json.loads(before), json.loads(after))
        for share in self.shares[1:]:
            part = self.part(share)
            if part >= LEAST_SHARE:
                parts.append("%.0f %% come from %s" % (100 * part, share.stage))
            elif part <= -LEAST_SHARE:
                parts.append("%s takes back %.0f %%" % (share.stage, -100 * part))
        return "; ".join(parts)


# ===- Passes -----------------------------------------------------------------===


@dataclasses.dataclass
class PassChange:
    """The first pass that made something else of the same."""

    name: str
    text: str
    earlier: list[str] = dataclasses.field(default_factory=list)  # passes in front of it

    def stage(self) -> str:
        """The stage of the code generator that the pass is of."""
        if known := _stage_of_pass(self.name):
            return known
        is_late = any(_stage_of_pass(name) == "register allocation" for name in self.earlier)
        return "late machine passes" if is_late else "machine passes"


def _stage_of_pass(name: str) -> Optional[str]:
    short = re.search(r"\(([a-z0-9-]+)\)$", name)
    return forms.STAGE_OF_PASS.get(short[1]) if short else None


def first_pass(before: list[str], after: list[str]) -> Optional[PassChange]:
    """By the passes that changed anything: name, over what, what they made. None if all are
    the same."""
    old, new = ([tuple(line.split("\t")) for line in side] for side in (before, after))
    at = next((i for i, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    was, is_now = (side[at] if at < len(side) else None for side in (old, new))
    earlier = [p[0] for p in old[:at]]
    if was and is_now and was[:2] == is_now[:2]:
        text = "the first pass to make something else is %s over %s" % was[:2]
        return PassChange(was[0], text, earlier)
    # A pass that changes nothing is in neither list.
    if was and was[:2] not in [p[:2] for p in new[at:]]:
        text = "%s over %s, the first pass that differs, changes nothing any more"
        return PassChange(was[0], text % was[:2], earlier)
    if is_now and is_now[:2] not in [p[:2] for p in old[at:]]:
        text = "%s over %s, the first pass that differs, changed nothing before"
        return PassChange(is_now[0], text % is_now[:2], earlier)
    if not was or not is_now:
        return None
    text = "the first pass to change anything else was %s over %s, and is %s over %s"
    return PassChange(was[0], text % (*was[:2], *is_now[:2]), earlier)


# ===- What was compiled -------------------------------------------------------===


def _options(artefacts: dict[str, str], point: Point, folder_of: Callable[[str], str]) -> list[str]:
    """Of a run: the tuning document is the one that there was."""
    words = json.loads(artefacts["options"]) if "options" in artefacts else list(point.options)
    document = artefacts.get("tuning")
    return [
        TUNING + folder_of(document) if document and w.startswith(TUNING) and "{" not in w else w
        for w in words
    ]


def _changed_text(before: str, after: str) -> str:
    """The lines of the text after that are not in the one before."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    spans = [op[3:] for op in matcher.get_opcodes() if op[0] != "equal"]
    words = ["%d-%d" % (a + 1, b) if b > a + 1 else str(a + 1) for a, b in spans[:4]]
    return "the PTX differs at line %s" % ", ".join(words) + (", ..." if len(spans) > 4 else "")


@dataclasses.dataclass
class Again:
    """A stage of the later compiler: what it is given, and what it made in the earlier run."""

    given: str
    made: str
    plan: Optional[str]
    command: str


class _Way:
    """From the later run to the earlier one, form by form."""

    def __init__(
        self,
        tools: Tools,
        point: Point,
        module: str,
        before: dict[str, str],
        after: dict[str, str],
        bench: Bench,
    ):
        self.tools, self.point, self.module = tools, point, module
        self.before, self.after, self.bench = before, after, bench
        self.chains: dict[tuple[str, ...], Chain] = {}
        self.passes: dict[str, Optional[PassChange]] = {}  # by form

    def close(self) -> None:
        for chain in self.chains.values():
            chain.close()

    def chain(self, artefacts: dict[str, str]) -> Chain:
        """The later compiler with the options of a run."""
        # A document has to be a file's text or JSON in the option.
        options = tuple(_options(artefacts, self.point, lambda text: " ".join(text.split())))
        if options not in self.chains:
            self.chains[options] = Chain(self.tools, self.point.chip, options, self.module)
        return self.chains[options]

    def state(self, stage: str, evidence: str, manifest: str, code: str, step=None) -> State:
        report = self.bench.report(manifest, forms.decode(code))
        if report is None:
            raise SwapError("with the %s of before the launch fails" % stage)
        cycles = sum(launch.cycles for launch in launches_of(report))
        return State(stage, evidence, cycles, report, step, manifest, code)

    def inputs(self) -> Iterator[State]:
        """The launch, the PTX, the options."""
        new, old = self.after, self.before
        code = self.chain(new).object(forms.PTX, new["ptx"])
        yield self.state("", "", new["manifest"], code)
        if old["manifest"] != new["manifest"]:
            yield self.state("launch", "the manifest differs", old["manifest"], code)
        if old["ptx"] != new["ptx"]:
            code = self.chain(new).object(forms.PTX, old["ptx"])
            yield self.state("producer", _changed_text(old["ptx"], new["ptx"]), old["manifest"], code)
        yield from self.settings()

    def settings(self) -> Iterator[State]:
        new, old = self.after, self.before
        words = [json.loads(run.get("options", "[]")) for run in (old, new)]
        if words[0] != words[1]:
            evidence = "the compiler had %s, and has %s" % tuple(" ".join(w) for w in words)
            chain = self.chain({**new, "options": old["options"]})
            yield self.state("options", evidence, old["manifest"], chain.object(forms.PTX, old["ptx"]))
        if old.get("tuning") != new.get("tuning"):
            code = self.chain(old).object(forms.PTX, old["ptx"])
            yield self.state("tuning document", "it differs", old["manifest"], code)

    def stages(self) -> Iterator[State]:
        """Each form that the later compiler does not make of the one before it."""
        old, chain = self.before, self.chain(self.before)
        source, text = forms.PTX, old["ptx"]
        plan: Optional[str] = None
        for step in self.steps():
            given = old[step.form]
            try:
                made = chain.make(source, text, step, plan)
                plan = given if step is forms.PLAN else plan
                here = (source, text) if step is forms.PLAN else (step, given)
                if made is None:
                    raise FormError("%s is not made" % step.form)
                is_same = made.text == given
                if step in forms.MACHINE and not is_same:
                    chain.check(step, made.text, plan, chain.object(source, text, plan))
                code = given if is_same or step is forms.OBJECT else chain.object(*here, plan)
            except FormError:
                if step not in forms.MACHINE:
                    raise
                continue  # The later compiler cannot be cut there.
            if not is_same:
                self.note_pass(step, made.passes)
                evidence = "of the same input it makes something else"
                yield self.state(self.stage_of(step), evidence, old["manifest"], code, step)
            source, text = here

    def again(self, wanted: Step) -> Again:
        """How to go through a stage, with the forms of the earlier run."""
        source, plan = forms.PTX, None
        for step in self.steps():
            if step.form == wanted.form:
                break
            if step is forms.PLAN:
                plan = self.before[step.form]
            else:
                source = step
        command = self.chain(self.before).command(source, wanted, plan is not None)
        return Again(self.before[source.form], self.before[wanted.form], plan, command)

    def note_pass(self, step: Step, made: list[str]) -> None:
        """The first pass of a step that differs."""
        known = json.loads(self.before.get(forms.PASSES, "{}")).get(step.form, [])
        self.passes[step.form] = first_pass(known, made)

    def steps(self) -> Iterator[Step]:
        return (step for step in forms.STEPS if step.form in self.before)

    def stage_of(self, step: Step) -> str:
        """A step has several stages where forms between them are missing."""
        at = forms.STEPS.index(step)
        first = self.passes.get(step.form)
        if not first or forms.STEPS[at - 1].form in self.before:
            return step.stage
        return first.stage()

    def model(self, last: State) -> Iterator[State]:
        """The chip's figures, and what is left."""
        figures = [json.loads(run["report"])["chip_figures"] for run in (self.before, self.after)]
        old, new = (f.get("time", {}) for f in figures)
        differing = [name for name in old if name in new and old[name] != new[name]]
        if differing:
            words = ", ".join("%s was %d and is %d" % (n, old[n], new[n]) for n in differing)
            changes = ",".join("%s=%d" % (n, old[n]) for n in differing)
            code = forms.decode(self.before["object"])
            report = self.bench.report(self.before["manifest"], code, changes)
            if report is not None:
                asked = json.loads(report)["what_if"][0]["cycles"]
                yield State("chip data", words, sum(asked))
        timings = [f.get("timings", {}) for f in figures]
        if timings[0] != timings[1]:
            names = [n for n in timings[0] if timings[0][n] != timings[1].get(n)]
            words = ", ".join("%s was %s and is %s" % (n, timings[0][n], timings[1].get(n)) for n in names)
            yield State("chip data", "latency and interval of " + words, self.last_cycles())
            return
        yield State("runtime", "launch, code and chip data are the same", self.last_cycles())

    def last_cycles(self) -> int:
        return sum(launch.cycles for launch in launches_of(self.before["report"]))


def _check(way: _Way, states: list[State]) -> None:
    measured = sum(launch.cycles for launch in launches_of(way.after["report"]))
    if states[0].cycles != measured:
        raise SwapError("these tools are not those of the later run")


def swap(
    tools: Tools, point: Point, module: str, before: dict[str, str], after: dict[str, str]
) -> Swapped:
    """Of two runs of a point, by their artefacts. `tools` are those of the later run."""
    if "object" not in before or not tools.has("ptx-opt"):
        raise SwapError("there are no forms of the earlier run, or no ptx-opt")
    with Bench(tools, point) as bench:
        way = _Way(tools, point, module, before, after, bench)
        try:
            states = list(way.inputs())
            _check(way, states)
            states += way.stages()
            states += way.model(states[-1])
            shares = [Share(b, a) for a, b in zip(states, states[1:])]
            change = states[0].cycles - states[-1].cycles
            shares.sort(key=lambda s: -s.cycles * (1 if change > 0 else -1))
            found = Swapped(states[-1].cycles, states[0].cycles, shares)
            if step := found.main.step:
                first = way.passes.get(step.form)
                found.passes = first.text if first else ""
                found.again = way.again(step)
            elif found.main.stage in ("chip data", "runtime"):
                found.reports = before["report"], after["report"]
            return found
        except FormError as problem:
            raise SwapError("a form of the earlier run cannot be read: %s" % problem) from None
        finally:
            way.close()
