#!/usr/bin/env python3
"""Puts the page of a profile together and writes it as elements of C arrays that a zero ends.

usage: embed.py FOLDER --charts=[FILE] page.html PART...

FOLDER/PageShell.inc is the page, with its styles at @STYLES@ and its scripts, in the order of the command line, at
@SCRIPTS@; FOLDER/PageCharts.inc is the library of charts, or nothing.
"""
import pathlib
import sys


def write(path, text):
    data = text.encode("utf-8") + b"\0"
    lines = [",".join(map(str, data[start:start + 20])) for start in range(0, len(data), 20)]
    path.write_text(",\n".join(lines) + "\n", encoding="ascii")


def script(path):
    text = path.read_text(encoding="utf-8")
    if "</script" in text or "<!--" in text:
        sys.exit("%s: ends the element that it is embedded in" % path)
    # Where a script's source would be has no meaning in a page.
    return "\n".join(line for line in text.splitlines() if not line.startswith("//# sourceMappingURL"))


def main():
    folder, charts = pathlib.Path(sys.argv[1]), sys.argv[2].removeprefix("--charts=")
    page, *parts = map(pathlib.Path, sys.argv[3:])
    text = page.read_text(encoding="utf-8")
    styles = [part.read_text(encoding="utf-8") for part in parts if part.suffix == ".css"]
    scripts = [script(part) for part in parts if part.suffix == ".js"]
    text = text.replace("@STYLES@", "\n".join(styles)).replace("@SCRIPTS@", "\n".join(scripts))
    write(folder / "PageShell.inc", text)
    write(folder / "PageCharts.inc", script(pathlib.Path(charts)) if charts else "")


if __name__ == "__main__":
    main()
