#!/usr/bin/env python3
"""Puts a page together and writes it as elements of a C array that a zero ends.

usage: embed.py --shell=FILE --library=FILE --charts=[FILE] page.html PART...
       embed.py --whole=FILE --charts=[FILE] page.html PART...

The page has its styles at @STYLES@ and its scripts, in the order of the command line, at @SCRIPTS@. The shell is the
page without the library of charts; the library is its size as 4 bytes, the lowest first, and what zlib makes of it, or
nothing. The whole is the page with the library at @CHARTS@, as gzip makes it, for browsers that decompress it.
"""
import argparse
import gzip
import pathlib
import sys
import zlib


def write(path, data):
    data += b"\0"
    lines = [",".join(map(str, data[start:start + 20])) for start in range(0, len(data), 20)]
    pathlib.Path(path).write_text(",\n".join(lines) + "\n", encoding="ascii")


def script(path):
    text = path.read_text(encoding="utf-8")
    if "</script" in text or "<!--" in text:
        sys.exit("%s: ends the element that it is embedded in" % path)
    # Where a script's source would be has no meaning in a page.
    return "\n".join(line for line in text.splitlines() if not line.startswith("//# sourceMappingURL"))


def main():
    parser = argparse.ArgumentParser()
    for option in ("--shell", "--library", "--whole", "--charts"):
        parser.add_argument(option)
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("parts", type=pathlib.Path, nargs="+")
    wanted = parser.parse_args()
    text = wanted.page.read_text(encoding="utf-8")
    styles = [part.read_text(encoding="utf-8") for part in wanted.parts if part.suffix == ".css"]
    scripts = [script(part) for part in wanted.parts if part.suffix == ".js"]
    text = text.replace("@STYLES@", "\n".join(styles)).replace("@SCRIPTS@", "\n".join(scripts))
    charts = script(pathlib.Path(wanted.charts)) if wanted.charts else ""
    if wanted.shell:
        write(wanted.shell, text.encode())
    if wanted.library:
        write(wanted.library, len(charts.encode()).to_bytes(4, "little") + zlib.compress(charts.encode(), 9) if charts else b"")
    if wanted.whole:
        write(wanted.whole, gzip.compress(text.replace("@CHARTS@", charts).encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
