#!/usr/bin/env python3
"""Checks that a function fits a screen: that it has at most 60 lines.

usage: check-functions.py SOURCE-FOLDER

The lines are those from the head of a function to its closing brace, blank lines
and comments among them. A lambda is part of the function around it. Prints one
line for each longer function and exits with 1 if there is any.
"""
import bisect
import os
import re
import sys

MOST = 60
TOPS = ("cache", "lib", "passes", "tools")

# What braces, parentheses and semicolons do not count in.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\''
    r"|^[ \t]*#(?:\\\n|[^\n])*", re.DOTALL | re.MULTILINE)
SCOPE = re.compile(r"(?:^|[^\w(<,])(?:namespace|class|struct|union|enum|extern)\b[^()]*$"
                   r"|^(?:template\s*<.*>\s*)?(?:class|struct|union)\b", re.DOTALL)
# What follows a brace inside of a function's head, but not a function.
NOT_BEHIND = re.compile(r"\s*[,{)]")
MARK = re.compile(r"[{};]|\b(?:public|private|protected)\s*:(?!:)")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group())


def behind_macros(text, start, end):
    """The first place from start on that is neither blank nor the use of a macro.

    A macro that defines a function has no semicolon behind it.
    """
    while True:
        start += len(text[start:end]) - len(text[start:end].lstrip())
        macro = re.compile(r"[A-Z][A-Z0-9_]+\(").match(text, start, end)
        if not macro:
            return start
        depth, place = 1, macro.end()
        while place < end and depth:
            depth += {"(": 1, ")": -1}.get(text[place], 0)
            place += 1
        if place >= end:
            return start
        start = place


def functions(text):
    """Yields (head, first line, last line) of each function, from the first on."""
    text = NO_CODE.sub(blank, text)
    lines = [m.start() for m in re.finditer("\n", text)]
    scopes = []     # of each open brace, whether functions may begin inside of it
    head, function = 0, None
    for mark in MARK.finditer(text):
        at, what = mark.start(), mark.group()
        in_scope = all(scopes)
        if what == "{":
            head = behind_macros(text, head, at)
            words = text[head:at].strip()
            is_scope = in_scope and bool(SCOPE.search(words))
            is_open = words.count("(") > words.count(")")
            if (in_scope and not is_scope and "(" in words and not is_open
                    and not words.endswith("=")):
                # A brace of a constructor's list of initializers is followed by more.
                function = (words, head, len(scopes))
            scopes.append(is_scope)
            if is_scope:
                head = mark.end()
        elif what == "}":
            if scopes:
                scopes.pop()
            if function and len(scopes) == function[2]:
                if not NOT_BEHIND.match(text, mark.end()):
                    first = bisect.bisect_left(lines, function[1])
                    last = bisect.bisect_left(lines, at)
                    yield function[0], first + 1, last + 1
                    head = mark.end()
                function = None
            elif all(scopes) and not NOT_BEHIND.match(text, mark.end()):
                head = mark.end()
        elif in_scope:
            head = mark.end()


def name_of(head):
    names = re.findall(r"([\w:~]+)\s*\(", re.sub(r"\btemplate\s*<[^{}]*?>\s*", "", head, count=1))
    return names[0] if names else head


def sources(root):
    for top in TOPS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def main():
    root = sys.argv[1]
    found, count = [], 0
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            text = file.read()
        for head, first, last in functions(text):
            count += 1
            if last - first + 1 > MOST:
                found.append("%s:%d: %s has %d lines, more than %d" %
                             (path, first, name_of(head), last - first + 1, MOST))
    if not count:
        sys.exit("no functions under " + root)
    print("\n".join(sorted(found)))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
