"""The text of --help: all commands with their options on one page, in the form of
Heddle's other programs, of which cmake/make-manual.py makes manual pages and
completions.
"""
import argparse
import textwrap

WIDTH = 80
COMMAND_COLUMN = 26


def _expanded(action: argparse.Action, parser: argparse.ArgumentParser) -> str:
    """The description, with its default value where it names one."""
    formatter = parser._get_formatter()
    return formatter._expand_help(action)


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if action.choices:
        return "=" + "|".join(action.choices)
    return "=" + (action.metavar or action.dest.upper())


def _wrapped(text: str, indent: int) -> list[str]:
    blanks = " " * indent
    return textwrap.wrap(text, WIDTH, initial_indent=blanks, subsequent_indent=blanks)


def _options(parser: argparse.ArgumentParser, leave_out: type = type(None)) -> list[str]:
    lines = []
    for action in parser._actions:
        if not action.option_strings or isinstance(action, leave_out):
            continue
        *short, last = sorted(action.option_strings, key=len)
        lines.append("  %s%s%s" % (last, _value(action), "".join("  (%s)" % s for s in short)))
        lines += _wrapped(_expanded(action, parser), 8)
    return lines


def _words(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [
        a
        for a in parser._actions
        if not a.option_strings and not isinstance(a, argparse._SubParsersAction)
    ]


def _synopsis(name: str, parser: argparse.ArgumentParser) -> str:
    optional = ("[%s]" if a.nargs == "?" else "%s" for a in _words(parser))
    return " ".join([name, *(o % a.dest.upper() for o, a in zip(optional, _words(parser)))])


def _commands(parser: argparse.ArgumentParser) -> dict[str, tuple[str, argparse.ArgumentParser]]:
    """Name, description and parser of each."""
    [action] = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    return {c.dest: (c.help or "", action.choices[c.dest]) for c in action._choices_actions}


def full_help(parser: argparse.ArgumentParser, epilog: str) -> str:
    """Of a program with commands."""
    commands = _commands(parser)
    lines = ["%s: %s" % (parser.prog, parser.description), ""]
    lines += ["usage: %s [options] COMMAND [its options]" % parser.prog, "", "Commands:"]
    for name, (text, _) in commands.items():
        described = _wrapped(text, COMMAND_COLUMN)
        lines += [("  %s" % name).ljust(COMMAND_COLUMN) + described[0].lstrip(), *described[1:]]
    lines += ["", "Of all commands:", *_options(parser)]
    for name, (_, command) in commands.items():
        lines += ["", _synopsis(name, command) + ":"]
        for word in _words(command):
            lines += _wrapped("%s: %s" % (word.dest.upper(), _expanded(word, command)), 2)
        lines += _options(command, leave_out=argparse._HelpAction)
    return "\n".join([*lines, epilog])
