"""Reports of a comparison: for a terminal, a pull request, a browser, a CI."""
import html
from xml.sax import saxutils

from .compare import Change, Verdict
from .store import Run

ORDER = list(Verdict)


def _figure(change: Change, value: float) -> str:
    return f"{value:,.0f}" if change.unit == "cycles" else f"{value:.4f} s"


def _percent(change: Change) -> str:
    if not change.before:
        return ""
    middle = "%+.1f %%" % ((change.ratio - 1) * 100)
    if change.low == change.high:
        return middle
    return "%s (%+.1f to %+.1f)" % (middle, (change.low - 1) * 100, (change.high - 1) * 100)


def _row(change: Change) -> list[str]:
    measured = change.before and change.after
    return [
        change.key,
        change.verdict.value,
        _figure(change, change.before) if measured else "",
        _figure(change, change.after) if measured else "",
        _percent(change),
        change.message or change.cause,
    ]


HEAD = ["point", "verdict", "before", "after", "change", "why"]


def _notable(changes: list[Change]) -> list[Change]:
    """Regressions first, the largest at the top; what is the same is left out."""
    shown = [c for c in changes if c.verdict is not Verdict.SAME]
    return sorted(shown, key=lambda c: (not c.verdict.is_regression, -c.ratio, c.key))


def summary(changes: list[Change], before: Run, after: Run) -> str:
    counts = [(sum(c.verdict is v for c in changes), v.value) for v in ORDER]
    said = ", ".join("%d %s" % row for row in counts if row[0])
    return "%s against %s: %s" % (after.label, before.label, said or "nothing to compare")


def text(changes: list[Change], before: Run, after: Run) -> str:
    lines = [summary(changes, before, after)]
    for change in _notable(changes):
        key, verdict, old, new, percent, why = _row(change)
        figures = "  %s -> %s  %s" % (old, new, percent) if old else ""
        lines.append("%-10s %s%s" % (verdict, key, figures))
        if why:
            lines.append("           " + why)
    return "\n".join(lines) + "\n"


def markdown(changes: list[Change], before: Run, after: Run) -> str:
    lines = ["**%s**" % summary(changes, before, after)]
    rows = [_row(c) for c in _notable(changes)]
    if rows:
        lines += ["", "| %s |" % " | ".join(HEAD), "|" + "---|" * len(HEAD)]
        lines += ["| %s |" % " | ".join(c.replace("|", "\\|") for c in row) for row in rows]
    return "\n".join(lines) + "\n"


STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem;
       color-scheme: light dark }
table { border-collapse: collapse; width: 100% } td, th { padding: .3rem .6rem; text-align: left }
tr { border-bottom: 1px solid #8885 } td:nth-child(n+3):nth-child(-n+5) { text-align: right }
.slower, .fails { color: #c33 } .faster { color: #283 } .bar { background: #c33a; height: .6rem }
.bar.less { background: #283a }
"""


def _bar(change: Change) -> str:
    width = min(abs(change.ratio - 1), 1) * 8
    kind = "bar" if change.ratio > 1 else "bar less"
    return '<div class="%s" style="width: %.2frem"></div>' % (kind, width) if change.before else ""


def page(changes: list[Change], before: Run, after: Run) -> str:
    """One page without scripts."""
    rows = []
    for change in _notable(changes):
        cells = [html.escape(cell) for cell in _row(change)]
        cells[4] += _bar(change)
        rows.append(
            '<tr class="%s">%s</tr>'
            % (change.verdict.value.split()[0], "".join("<td>%s</td>" % c for c in cells))
        )
    title = html.escape(summary(changes, before, after))
    head = "".join("<th>%s</th>" % h for h in HEAD)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>%s</title><style>%s</style>'
        "<h1>%s</h1><table><thead><tr>%s</tr></thead><tbody>%s</tbody></table></html>\n"
        % (title, STYLE, title, head, "\n".join(rows))
    )


def junit(changes: list[Change], before: Run, after: Run) -> str:
    """A test for each point; regressions fail."""
    cases = []
    for change in changes:
        name = "<testcase classname=%s name=%s" % (
            saxutils.quoteattr(after.suite),
            saxutils.quoteattr(change.key),
        )
        if change.verdict.is_regression:
            _, verdict, old, new, percent, why = _row(change)
            message = "%s %s -> %s %s" % (verdict, old, new, percent)
            body = "<failure message=%s>%s</failure>" % (
                saxutils.quoteattr(message.strip()),
                saxutils.escape(why),
            )
            cases.append("%s>%s</testcase>" % (name, body))
        else:
            cases.append(name + "/>")
    failures = sum(c.verdict.is_regression for c in changes)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name=%s tests="%d" failures="%d">\n%s\n'
        "</testsuite>\n" % (saxutils.quoteattr(after.suite), len(changes), failures, "\n".join(cases))
    )


FORMATS = {"text": text, "markdown": markdown, "html": page, "junit": junit}
