#!/usr/bin/env python3
"""Writes a program's manual page and its completion for bash.

usage: make-manual.py PROGRAM VERSION MANUAL-FOLDER COMPLETION-FOLDER

Both are made from what the program prints for --help, which it makes from the
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

OPTION = re.compile(r"^ {1,6}(-\S.*)$")
COMMAND = re.compile(r"^  ([a-z][a-z-]*)( \S+)*  +\S")
HEADING = re.compile(r"^\S.*:$")
SUBVALUE = re.compile(r"^ +=(\S+) +- +(.*)$")
USAGE = re.compile(r"^usage: ", re.I)
# What a value is called, and what completes it.
FILES = ("FILE", "PACK", "filename")
FOLDERS = ("DIRECTORY", "DIR", "FOLDER")


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


COMPLETION = """\
# Completion of @PROGRAM@ for bash.
@FUNCTION@() {
  local current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]}
  # Bash takes --option=value for three words.
  if [ "$current" = "=" ]; then
    current=
  elif [ "$option" = "=" ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $option in
@CASES@  esac
  COMPREPLY=()
  if [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "@OPTIONS@" -- "$current")
    [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
@COMMANDS@  fi
}
complete -o default -F @FUNCTION@ @PROGRAM@
"""


def completion(help):
    cases, spellings = "", []
    for option in help.options():
        names = list(option.names())
        takes = any(takes for _, takes, _ in names)
        for name, has_value, _ in names:
            by_equals = has_value and f"{name}=" in option.term
            spellings.append(name + ("=" if by_equals else ""))
        value = option.value()
        if option.choices():
            action = f'-W "{" ".join(option.choices())}"'
        elif any(word in value for word in FILES):
            action = "-f"
        elif any(word in value for word in FOLDERS):
            action = "-d"
        else:
            action = '-W ""'
        if takes:
            pattern = "|".join(name for name, _, _ in names)
            cases += f'  {pattern})\n    mapfile -t COMPREPLY < <(compgen {action} -- "$current")\n    return\n    ;;\n'
    words = help.subcommands()
    commands = ""
    if words:
        commands = (
            "  elif [ $COMP_CWORD -eq 1 ]; then\n"
            f'    mapfile -t COMPREPLY < <(compgen -W "{" ".join(words)}" -- "$current")\n'
        )
    function = "_" + help.program.replace("-", "_")
    return (
        COMPLETION.replace("@CASES@", cases)
        .replace("@FUNCTION@", function)
        .replace("@PROGRAM@", help.program)
        .replace("@OPTIONS@", " ".join(spellings))
        .replace("@COMMANDS@", commands)
    )


def write(folder, name, text):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def main():
    path, version, manuals, completions = sys.argv[1:]
    text = subprocess.run([path, "--help"], check=True, capture_output=True, text=True).stdout
    help = Help(os.path.basename(path), text)
    write(manuals, help.program + ".1", manual(help, version))
    write(completions, help.program, completion(help))


main()
