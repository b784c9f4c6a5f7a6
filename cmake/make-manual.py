#!/usr/bin/env python3
"""Writes a program's manual page and its completion for bash, zsh and fish.

usage: make-manual.py PROGRAM VERSION FOLDER

FOLDER is what share/ is in an installed tree. All are made from what the program prints for --help, which it makes from the
table that its options are parsed by. A line that begins with blanks and a dash
is an option; what follows it, indented further, is its description. A line
without indentation that ends in a colon is a heading. Before the first option,
an indented word with a description behind it is a command.
"""
import dataclasses
import os
import re
import subprocess
import sys

import completions

OPTION = re.compile(r"^ {1,6}(-\S.*)$")
COMMAND = re.compile(r"^  ([a-z][a-z-]*)( \S+)*  +\S")
HEADING = re.compile(r"^\S.*:$")
SUBVALUE = re.compile(r"^ +=(\S+) +- +(.*)$")
USAGE = re.compile(r"^usage: ", re.I)


@dataclasses.dataclass
class Option:
    term: str  # as the help spells it, with its value
    text: list[str]
    values: list[str]

    def names(self):
        """Each spelling with whether a value follows after '=' or a blank, and
        what the value is called."""
        if self.term.startswith("-O0 ... -O"):
            for level in range(int(self.term[-1]) + 1):
                yield f"-O{level}", False, ""
            return
        for part in re.split(r", (?=-)|  +\(|\)", self.term):
            match = re.match(r"(--?[\w-]+)(=| (?=\S))?(.*)", part.strip())
            if match:
                yield match[1], bool(match[2]), match[3]

    def value(self):
        return next((value for _, takes, value in self.names() if takes), "")

    def choices(self):
        """What the value may be, where that is a list of words."""
        if self.values:
            return self.values
        value = self.value()
        words = value.strip("<>").split("|")
        listed = len(words) > 1 and not re.search(r"[A-Z\[\]]", value)
        return words if listed else []


class Help:
    """The parts of a help text, in their order: ("heading", text), ("option",
    Option), or ("text", lines)."""

    def __init__(self, program, text):
        self.program, self.parts, self.usage, self.commands = program, [], [], []
        self.summary = ""
        lines = text.splitlines()
        self.take_summary(lines)
        self.parse(lines)

    def take_summary(self, lines):
        """`PROGRAM: what it does`, `OVERVIEW: what it does`, or the first
        sentence behind the usage."""
        match = re.match(rf"({re.escape(self.program)}|OVERVIEW): (.*)", lines[0])
        if match:
            del lines[0]
            self.summary = match[2]
            return
        start = next((i for i, line in enumerate(lines) if not line.strip()), 0)
        paragraph = []
        for line in lines[start + 1 :]:
            if not line.strip():
                break
            paragraph.append(line.strip())
        self.summary = re.split(r"(?<=[.,:;])\s", " ".join(paragraph))[0].rstrip(".,:;")

    def parse(self, lines):
        option, seen, usage = None, False, False
        for line in lines:
            indent = len(line) - len(line.lstrip())
            usage_line = USAGE.match(line)
            if usage_line or (usage and line.strip()):
                self.usage.append(line[7:].strip() if indent or usage_line else line.strip())
                usage, option = True, None
                continue
            usage = False
            match, value = OPTION.match(line), SUBVALUE.match(line)
            if option and value and indent >= 4:
                option.values.append(value[1])
                option.text += [".br", f"{value[1]}: {value[2]}"]
            elif match and not (option and indent > 6):
                option, seen = self.start_option(match[1]), True
            elif option and indent >= 8:
                option.text.append(line.strip())
            elif line.strip():
                option = None
                self.other(line, seen)
            else:
                self.end_text()

    def start_option(self, text):
        # The description stands two blanks behind, or after a dash.
        pieces = re.split(r" {2,}(?!\()|\s- ", text, maxsplit=1)
        description = re.sub(r"^- ?", "", pieces[1]).strip() if len(pieces) > 1 else ""
        option = Option(pieces[0].strip(), [description] if description else [], [])
        self.parts.append(("option", option))
        return option

    def other(self, line, seen):
        command = COMMAND.match(line)
        if command and not seen:
            self.commands.append(command[1])
        if HEADING.match(line) and not (self.parts and self.parts[-1][0] == "text"):
            self.parts.append(("heading", line[:-1]))
        elif self.parts and self.parts[-1][0] == "text":
            self.parts[-1][1].append(line)
        else:
            self.parts.append(("text", [line]))

    def end_text(self):
        if self.parts and self.parts[-1][0] == "text":
            self.parts.append(("end", None))

    def subcommands(self):
        """Commands of a list, or words behind the program's name in the usage."""
        words = [re.match(rf"{re.escape(self.program)} ([a-z]+)\b", line) for line in self.usage]
        return self.commands + [word[1] for word in words if word]

    def is_option(self, index):
        """Whether an option, or a heading of some, stands there."""
        rest = [kind for kind, _ in self.parts[index:] if kind != "heading"]
        return bool(rest) and rest[0] == "option"

    def options(self):
        return [part for kind, part in self.parts if kind == "option"]


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") and text != ".br" else text


def roff_text(lines):
    if any(line.startswith(" ") for line in lines):
        return [".PP", ".nf", *(escape(line) for line in lines), ".fi"]
    return [".PP", *(escape(line) for line in lines)]


def manual(help, version):
    name = escape(help.program)
    out = [
        f'.TH {help.program.upper()} 1 "" "Heddle {version}" "User Commands"',
        ".SH NAME",
        f"{name} \\- {escape(help.summary)}",
        ".SH SYNOPSIS",
    ]
    for line in help.usage:
        out += [".nf", escape(line), ".fi"]
    section = "DESCRIPTION"
    if help.parts[0][0] == "text":
        out.append(f".SH {section}")
    for index, (kind, part) in enumerate(help.parts):
        if kind == "heading" and section == "DESCRIPTION" and help.is_option(index + 1):
            section = "OPTIONS"
            out.append(".SH OPTIONS")
            if part.upper() == section:
                continue
        if kind == "heading":
            out.append(f'.SS "{escape(part)}"')
        elif kind == "text":
            out += roff_text(part)
        elif kind == "option":
            if section == "DESCRIPTION":
                section = "OPTIONS"
                out.append(".SH OPTIONS")
            out += [".TP", f".B {escape(part.term)}", *(escape(line) for line in part.text)]
    return "\n".join(out) + "\n"


def write(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    path, version, share = sys.argv[1:]
    text = subprocess.run([path, "--help"], check=True, capture_output=True, text=True).stdout
    help = Help(os.path.basename(path), text)
    write(f"{share}/man/man1", f"{help.program}.1", manual(help, version))
    for (folder, name), shell in completions.SHELLS.items():
        write(f"{share}/{folder}", name.replace("PROGRAM", help.program), shell(help))


main()
