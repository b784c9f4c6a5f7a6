"""The forms that a module has on its way through the compiler, and what makes each one.

ptx-opt compile begins and ends with any of them, so that a form of one build can go
the rest of the way in another.
"""
import base64
import dataclasses
import hashlib
import json
import os
import re
import tempfile
from typing import Optional, Sequence

from .tools import Tools


@dataclasses.dataclass(frozen=True)
class Step:
    """A stage, and the form that is there at its end."""

    stage: str
    form: str
    kind: str  # of the form, as ptx-opt compile --from takes it
    words: tuple[str, ...]  # that end with the form
    start: str = ""  # that begins with the form, of machine code

    @property
    def is_one_pass(self) -> bool:
        """Whether there are no passes to tell apart."""
        return not self.words or self.form in ("ptx-dialect", "llvm-dialect", "register-plan")


def _cut(stage: str, form: str, stop: str, at: str) -> Step:
    """A form of machine code, in front of a pass or behind it."""
    return Step(
        stage,
        form,
        "mir",
        ("--emit=asm", "--mllvm=-stop-%s=%s" % (stop, at)),
        "--mllvm=-start-%s=%s" % (stop, at),
    )


PTX = Step("producer", "ptx", "ptx", ())
PLAN = Step("register plan", "register-plan", "", ("--emit-plan",))
OPTIMISER = Step("optimiser", "llvm", "llvm", ("--emit=llvm",))
OBJECT = Step("hazards", "object", "", ("--emit=obj",))
LOWERED = (
    Step("frontend", "ptx-dialect", "ptx-dialect", ("--emit=ptx-dialect",)),
    Step("lowering", "llvm-dialect", "llvm-dialect", ("--emit=llvm-dialect",)),
    PLAN,
    OPTIMISER,
)
MACHINE = (
    _cut("selection", "selected", "after", "finalize-isel"),
    _cut("machine passes", "machine", "before", "machine-scheduler"),
    _cut("scheduling", "ordered", "after", "machine-scheduler"),
    _cut("register allocation", "allocated", "after", "virtregrewriter,2"),
    _cut("late machine passes", "late", "before", "postmisched"),
    _cut("scheduling", "reordered", "after", "postmisched"),
    _cut("block placement", "placed", "before", "heddle-hazards"),
)
STEPS = (*LOWERED, *MACHINE, OBJECT)
# Where several stages lie between two forms, that of the pass is meant.
STAGE_OF_PASS = {
    "heddle-isel": "selection",
    "machine-scheduler": "scheduling",
    "postmisched": "scheduling",
    "heddle-hazards": "hazards",
    **dict.fromkeys(
        (
            "register-coalescer",
            "rename-independent-subregs",
            "greedy",
            "regallocfast",
            "virtregrewriter",
            "stack-slot-coloring",
            "heddle-predicate-spills",
            "heddle-profiled-register-limit",
            "heddle-recompute-values",
            "heddle-shared-spills",
        ),
        "register allocation",
    ),
}
# The passes of each form, see Made.
PASSES = "passes"
LAST = "heddle-hazards"
LAST_PASS = "(%s)" % LAST  # which changes everything
TELL_CHANGES = "--mllvm=-print-changed=quiet"


class FormError(Exception):
    """Why a form cannot be made."""


def encode(code: bytes) -> str:
    """Of an object, for the store."""
    return base64.b64encode(code).decode()


def decode(text: str) -> bytes:
    return base64.b64decode(text)


_CHANGED = re.compile(r"^\*\*\* IR Dump After (?P<name>.*) on (?P<over>.*) \*\*\*$")


def pass_name(text: str) -> str:
    """Without what C++ adds to the name of a pass over IR."""
    text = re.sub(r"\(anonymous namespace\)::|(?:heddle::passes|llvm)::", "", text)
    return re.sub(r"Pass\b", "", text)


def _passes(log: str) -> list[str]:
    """A line for each pass that changed anything: its name, over what, a digest of what it
    made."""
    lines: list[str] = []
    made = hashlib.sha256()
    for line in log.splitlines():
        if m := _CHANGED.match(line):
            made = hashlib.sha256()
            lines.append("%s\t%s\t" % (pass_name(m["name"]), m["over"]))
        elif lines:
            made.update(line.encode() + b"\n")
        if lines:
            name, over, _ = lines[-1].split("\t")
            lines[-1] = "%s\t%s\t%s" % (name, over, made.hexdigest()[:16])
    return lines


@dataclasses.dataclass(frozen=True)
class Made:
    text: str
    passes: list[str]  # a line each, of those that changed anything


class Chain:
    """A build's compiler with the options of a point. Files live as long as the chain."""

    def __init__(self, tools: Tools, chip: str, options: Sequence[str], module: str):
        self._folder = tempfile.TemporaryDirectory(prefix="heddle-perf-")
        self.tools, self.chip, self.options = tools, chip, tuple(options)
        # Line tables name the file.
        self.module = os.path.basename(module)

    def close(self) -> None:
        self._folder.cleanup()

    def __enter__(self) -> "Chain":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, name: str, text: str) -> str:
        """The name: forms have the names of files as they are given."""
        with open(os.path.join(self._folder.name, name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return name

    def _run(self, source: Step, text: str, plan: Optional[str], words: Sequence[str]):
        line = ["compile", "--chip=" + self.chip, "-lineinfo", *self.options, *words]
        line.append("--from=" + source.kind)
        if source.start:
            line.append(source.start)
        if plan is not None:
            line.append("--register-plan=" + self._write("plan.json", plan))
        name = self.module if source is PTX else "form"
        given = self._write(name, text)
        done = self.tools.run("ptx-opt", *line, given, "-o", "output", cwd=self._folder.name)
        if done.returncode:
            raise FormError(done.stderr.strip())
        with open(os.path.join(self._folder.name, "output"), "rb") as file:
            return file.read(), done.stderr

    def command(self, source: Step, target: Step, has_plan: bool) -> str:
        """What people type to do the same."""
        words = ["ptx-opt", "compile", "--chip=" + self.chip, "-lineinfo", *self.options]
        words += ["--from=" + source.kind, *filter(None, [source.start])]
        words += ["--register-plan=plan.json"] if has_plan else []
        return " ".join([*words, *target.words])

    def make(
        self, source: Step, text: str, target: Step, plan: Optional[str] = None
    ) -> Optional[Made]:
        """The target's form of a source's; None if the options lead past it, as with a cut at a
        pass that does not run."""
        words = target.words if target.is_one_pass else (*target.words, TELL_CHANGES)
        made, log = self._run(source, text, plan, words)
        passes = [] if target.is_one_pass else _passes(log)
        if target.form == "object":
            return Made(encode(made), passes)
        if target.kind == "mir" and not made.startswith(b"---"):
            return None
        return Made(made.decode(errors="replace"), passes)

    def object(self, source: Step, text: str, plan: Optional[str] = None) -> str:
        made, _ = self._run(source, text, plan, OBJECT.words)
        return encode(made)

    def check(self, cut: Step, made: str, plan: Optional[str], whole: str) -> None:
        """That the way over a cut ends as the way without it, and that anything is done behind
        it: LLVM takes passes to cut at that do not run, and leaves out what follows."""
        words = (*OBJECT.words, TELL_CHANGES, "--mllvm=-filter-passes=" + LAST)
        rest, log = self._run(cut, made, plan, words)
        if encode(rest) != whole or not any(LAST_PASS in line for line in _passes(log)):
            raise FormError("it cannot be cut at %s" % cut.form)


def _machine_forms(chain: Chain, text: str, plan: str, whole: str) -> dict[str, Made]:
    """Of the code generator, each made from the one before, and the object. Those are there
    behind which the object is the same as without a cut: a file of machine code does not have
    all that an allocator of registers knows."""
    forms: dict[str, Made] = {}
    source = OPTIMISER
    for step in MACHINE:
        try:
            made = chain.make(source, text, step, plan)
            if not made:
                continue
            chain.check(step, made.text, plan, whole)
        except FormError:
            continue
        forms[step.form] = made
        source, text = step, made.text
    rest = chain.make(source, text, OBJECT, plan)
    assert rest is not None
    forms["object"] = rest
    return forms


def all_forms(chain: Chain, ptx: str) -> dict[str, str]:
    """The forms of a module of PTX, each made from the one before, and their passes as
    JSON."""
    forms: dict[str, Made] = {}
    source, text, plan = PTX, ptx, None
    for step in LOWERED:
        made = chain.make(source, text, step, plan)
        assert made is not None
        forms[step.form] = made
        if step is PLAN:
            plan = made.text
        else:
            source, text = step, made.text
    assert plan is not None
    forms.update(_machine_forms(chain, text, plan, chain.object(source, text, plan)))
    passes = {name: made.passes for name, made in forms.items() if made.passes}
    return {**{name: made.text for name, made in forms.items()}, PASSES: json.dumps(passes)}
