#!/usr/bin/env python3
"""Writes the LLVM IR that a template stands for.

usage: expand.py TEMPLATE NAME=NUMBER...

The lines between `;; repeat NAME` and `;; end` are written NUMBER times. In them
{n} is the number of the repetition, from 0, and {m} the number of repetitions
that follow. {NAME} is the number everywhere. A number may be added, subtracted or
multiplied by: {n+1}, {NAME-1}, {n*4}.
"""
import operator
import re
import sys

PLACE = re.compile(r"\{([A-Za-z]+)(?:([+*-])(\d+))?\}")
APPLY = {
    None: lambda number, _: number,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}


def expand(line, numbers):
    def value(match):
        name, sign, operand = match.groups()
        if name not in numbers:
            return match.group()
        return str(APPLY[sign](numbers[name], int(operand or 0)))

    return PLACE.sub(value, line)


def expand_all(lines, numbers):
    lines = iter(lines)
    for line in lines:
        if not line.startswith(";; repeat "):
            yield expand(line, numbers)
            continue
        body = []
        while (inner := next(lines)).rstrip() != ";; end":
            body.append(inner)
        count = int(expand("{%s}" % line.split()[2], numbers))
        for n in range(count):
            for inner in body:
                yield expand(inner, {**numbers, "n": n, "m": count - 1 - n})


def main():
    path, *given = sys.argv[1:]
    pairs = (text.split("=") for text in given)
    numbers = {name: int(number) for name, number in pairs}
    with open(path) as file:
        sys.stdout.writelines(expand_all(file, numbers))


main()
