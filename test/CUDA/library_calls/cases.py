"""The list that modules with calls of a library add theirs to."""
import dataclasses
import typing


@dataclasses.dataclass
class Case:
    """One function of a library, or one way to call it, with one type."""

    library: str
    function: str
    variant: str  # a type's letter, or what else tells calls apart
    run: typing.Callable  # with a Device

    @property
    def name(self):
        return "%s/%s/%s" % (self.library, self.function, self.variant)


CASES = []


def calls(library, function, variants):
    """Makes a case of each variant, a word of which is one; it is passed on."""

    def add(run):
        for variant in variants.split():
            CASES.append(
                Case(library, function, variant, lambda d, run=run, v=variant: run(d, v))
            )
        return run

    return add
