#!/usr/bin/env python3
"""How good our code is, kernel by kernel, beside that of ptxas where it is installed.

Usage: benchmarks/code-quality.py [--chip hd100] [-O 3] [--json FILE] [--cycles]
                                  [--baseline FILE] [--ptxas PATH] [FILE.ptx...]

Without files: all PTX of test/kernels and benchmarks/inputs/kernels for sm_90 (--all:
for every target). For each kernel the instructions, bytes, registers (and
uniform registers), bytes of spills and warps a core could hold by registers and
shared memory (chip figures of docs/isa/chips.md); of SASS the same, where an
instruction has 16 bytes and the padding behind the last branch to itself is left
out. To a kernel counts all code that it calls, also what other kernels call, too.
Ratios are ours over SASS; the last lines are geometric
means, and how many kernels have fewer warps than with SASS, or more. With --cycles those that the timing model counts, over all launches, for
the kernels that have a launch manifest beside their PTX, or one in
benchmarks/timing/launches.py, whose grid is halved until its CTAs are no more
than MOST_CTAS. With --baseline, a JSON of an earlier run, what has changed since.

ptx-compile, ptx-objdump and ptx-run are looked for in PATH, and ptxas where --ptxas does
not name one.
"""
import argparse
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

import oracle

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SASS_BYTES = 16
SASS_OPCODE = 0xFFF
SASS_NOP = 0x918
SASS_BRA = 0x947
SHT_RELA = 4
STT_SECTION = 3
INDIRECT_CALL = re.compile(r"\bcall(?:\.uni)?\s*(?:\([^)]*\)\s*,)?\s*%\w+")
DEFAULT_THREADS = 256
WARP = 32
MOST_CTAS = 132
CHANGE = 0.01  # of a figure, from which a kernel is shown

sys.path.insert(0, os.path.join(SOURCE, "benchmarks", "timing"))
import launches  # noqa: E402


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


# --- The chip ---------------------------------------------------------------


def chip_figures(chip):
    """The rows of the manual's table of chips, for one of them."""
    figures = {}
    with open(os.path.join(SOURCE, "docs", "isa", "chips.md")) as file:
        rows = [[cell.strip() for cell in line.split("|")[1:-1]]
                for line in file if line.startswith("|")]
    column = rows[0].index(chip)
    for row in rows:
        if len(row) > column and row[column].isdigit():
            figures.setdefault(row[0], int(row[column]))
    return figures


def round_up(value, step):
    return -(-value // step) * step


def occupancy(figures, registers, shared, threads):
    """Warps of a core that CTAs of a kernel fill."""
    warps = -(-threads // WARP)
    limits = [figures["WarpsPerCore"] // warps, figures["CTAsPerCore"]]
    if registers:
        per_warp = round_up(registers, figures["RegisterGranule"]) * WARP
        limits.append(figures["RegistersPerCore"] // (per_warp * warps))
    if shared:
        limits.append(figures["SharedBytesPerCore"]
                      // round_up(shared, figures["SharedGranule"]))
    return min(limits) * warps


def threads_of(text, kernel):
    """Threads of a CTA as the PTX bounds them, else the usual number."""
    entry = re.search(r"\.entry\s+" + re.escape(kernel) + r"\b(.*?)\{", text, re.DOTALL)
    bound = entry and re.search(r"\.(?:reqntid|maxntid)\s+([\d, ]+)", entry.group(1))
    if not bound:
        return DEFAULT_THREADS
    return math.prod(int(n) for n in bound.group(1).split(","))


# --- Our code ---------------------------------------------------------------


def our_code(path, text, built, arguments):
    """Rows by kernel, or the compiler's message; writes the code to built."""
    done = run("ptx-compile", "-w", "-O" + arguments.level, "--chip=" + arguments.chip,
               path, "-o", built)
    if done.returncode:
        return None, done.stderr.strip().splitlines()[0]
    report = json.loads(run("ptx-objdump", "--json", built).stdout)
    rows = {}
    for kernel in report["kernels"]:
        rows[kernel["name"]] = {
            "instructions": kernel["instructions"], "bytes": kernel["bytes"],
            "registers": kernel["registers"],
            "uniform_registers": kernel["uniform_registers"],
            "spill_bytes": kernel["spill_store_bytes"] + kernel["spill_load_bytes"],
            "shared_bytes": kernel["shared_bytes"]}
    functions = {f["name"]: f for f in report["functions"]}
    add_functions(rows, functions, Sections(built).calls(), text)
    return rows, None


def calls_pointers(text):
    """The kernels of PTX that call through a pointer, or may by a function."""
    parts = re.split(r"^(?=.*\.(?:entry|func)\b)", text, flags=re.MULTILINE)
    calling = [part for part in parts if INDIRECT_CALL.search(part)]
    entries = [re.search(r"\.entry\s+([\w$]+)", part) for part in calling]
    if None in entries:
        return set(re.findall(r"\.entry\s+([\w$]+)", text))
    return {entry.group(1) for entry in entries}


def add_functions(rows, functions, calls, text):
    """Adds to each kernel what it calls, and what that calls. Who calls through a
    pointer may call what no code names."""
    named = set().union(*calls.values())
    calling = calls_pointers(text)
    for kernel, row in rows.items():
        pointed = [name for name in functions if name not in named
                   and kernel in calling]
        reached, work = set(pointed), [kernel, *pointed]
        while work:
            for name in calls.get(work.pop(), ()):
                if name in functions and name not in reached:
                    reached.add(name)
                    work.append(name)
        for name in reached:
            for key in ("instructions", "bytes"):
                row[key] = row.get(key, 0) + functions[name][key]


class Sections:
    """The sections of an ELF64 file."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        table, = struct.unpack_from("<Q", self.data, 0x28)
        count, names = struct.unpack_from("<HH", self.data, 0x3C)
        self.headers = [struct.unpack_from("<IIQQQQIIQQ", self.data, table + 64 * i)
                        for i in range(count)]
        self.names = [self.string(self.headers[names], header[0])
                      for header in self.headers]

    def string(self, header, offset):
        start = header[4] + offset
        return self.data[start:self.data.index(b"\0", start)].decode()

    def code(self):
        """Names behind .text. and contents of those sections."""
        for name, header in zip(self.names, self.headers):
            if name.startswith(".text."):
                yield name[len(".text."):], self.data[header[4]:header[4] + header[5]]

    def calls(self):
        """What the code of each name refers to."""
        found = {}
        for name, header in zip(self.names, self.headers):
            if header[1] != SHT_RELA or not name.startswith(".rela.text."):
                continue
            symbols = self.headers[header[6]]
            for _, info, _ in struct.iter_unpack(
                    "<QQq", self.data[header[4]:header[4] + header[5]]):
                found.setdefault(name[len(".rela.text."):], set()).add(
                    self.symbol(symbols, info >> 32))
        return found

    def symbol(self, table, index):
        """The name of a symbol, or what its section holds the code of."""
        name, kind, _, section = struct.unpack_from("<IBBH", self.data,
                                                    table[4] + 24 * index)
        if kind & 0xF == STT_SECTION:
            return self.names[section].removeprefix(".text.")
        return self.string(self.headers[table[6]], name)


# --- SASS -------------------------------------------------------------------


def sass_instructions(text):
    opcodes = [word & SASS_OPCODE for word, in struct.iter_unpack("<H14x", text)]
    while opcodes and opcodes[-1] == SASS_NOP:
        opcodes.pop()
    if opcodes and opcodes[-1] == SASS_BRA:
        opcodes.pop()
    return len(opcodes)


def sass_resources(log):
    """Registers, spills and shared memory by kernel, from what ptxas -v says."""
    rows, kernel = {}, None
    for line in log.splitlines():
        if match := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = rows.setdefault(match.group(1), {"spill_bytes": 0})
        elif (match := re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", line)) \
                and kernel is not None:  # its own, and those of what it calls
            kernel["spill_bytes"] += int(match.group(1)) + int(match.group(2))
        elif (match := re.search(r"Used (\d+) registers", line)) and kernel is not None:
            kernel["registers"] = int(match.group(1))
            shared = re.search(r"(\d+) bytes smem", line)
            kernel["shared_bytes"] = int(shared.group(1)) if shared else 0
    return rows


def sass_code(path, text, work, arguments):
    target = re.search(r"^\.target\s+(\w+)", text, re.MULTILINE).group(1)
    cubin = os.path.join(work, "x.cubin")
    done = run(arguments.ptxas, "-v", "-O" + arguments.level, "-arch=" + target, path, "-o", cubin)
    if done.returncode:
        return None
    rows = sass_resources(done.stderr)
    functions, sections = {}, Sections(cubin)
    for name, code in sections.code():
        counts = rows.get(name) if name in rows else functions.setdefault(name, {})
        counts["instructions"] = sass_instructions(code)
        counts["bytes"] = counts["instructions"] * SASS_BYTES
    add_functions(rows, functions, sections.calls(), text)
    return rows


# --- Cycles -----------------------------------------------------------------


def launch_manifest(path, name, work):
    """The manifest of one launch of launches.py, for the module in path."""
    group, grid, block, args, *more = launches.LAUNCHES[name]
    grid = list(grid)
    while math.prod(grid) > MOST_CTAS:
        longest = grid.index(max(grid))
        grid[longest] = -(-grid[longest] // 2)
    manifest = os.path.join(work, name + ".json")
    with open(manifest, "w") as file:
        json.dump({"module": os.path.abspath(path), "entry": name, "grid": grid,
                   "block": block, "args": args, **(more[0] if more else {})}, file)
    return manifest


def manifests_of(path, work):
    folder, name = os.path.split(os.path.abspath(path))
    beside = os.path.join(folder, name.split(".")[0] + ".json")
    if os.path.exists(beside):
        return [beside]
    if os.path.dirname(folder) != str(launches.KERNELS):
        return []
    return [launch_manifest(path, launch, work) for launch, (group, *_) in
            launches.LAUNCHES.items() if group == os.path.basename(folder)]


def cycles_of(path, built, work, arguments):
    """Cycles by kernel of the code in built, for a kernel that has a manifest."""
    cycles = {}
    for manifest in manifests_of(path, work):
        done = run("ptx-run", manifest, "--module", built, "--timing", "--json", "--chip",
                   arguments.chip)
        if done.returncode:
            continue
        for launch in json.loads(done.stdout).get("launches", []):
            cycles[launch["entry"]] = (cycles.get(launch["entry"], 0)
                                       + launch["profile"]["cycles"])
    return cycles


# --- The table --------------------------------------------------------------

RATIOS = ("instructions", "bytes", "registers")


def measure(path, work, arguments, figures):
    with open(path) as file:
        text = file.read()
    built = os.path.join(work, "x.hdo")
    ours, error = our_code(path, text, built, arguments)
    if error:
        return [{"file": path, "error": error}]
    sass = sass_code(path, text, work, arguments) if arguments.ptxas else None
    cycles = cycles_of(path, built, work, arguments) if arguments.cycles else {}
    rows = []
    for name, row in ours.items():
        theirs = (sass or {}).get(name)
        threads = threads_of(text, name)
        for code in (row, theirs):
            if code and "registers" in code:
                code["warps"] = occupancy(figures, code["registers"],
                                          code["shared_bytes"], threads)
        row = {"file": path, "kernel": name, "ours": row}
        if name in cycles:
            row["ours"]["cycles"] = cycles[name]
        if theirs:
            row["sass"] = theirs
            row["ratios"] = {key: row["ours"][key] / theirs[key] for key in RATIOS
                             if row["ours"].get(key) and theirs.get(key)}
        rows.append(row)
    return rows


def geometric_mean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def has_fewer_warps(row, one, other):
    return row[one].get("warps", 0) < row[other].get("warps", 0)


def summary(rows):
    ratios = [row["ratios"] for row in rows if "ratios" in row]
    compared = [row for row in rows if "sass" in row]
    return {
        "kernels": sum("ours" in row for row in rows),
        "geometric_means": {key: geometric_mean(r[key] for r in ratios if key in r)
                            for key in RATIOS},
        "warps": geometric_mean(row["ours"]["warps"] / row["sass"]["warps"] for row in compared
                                if row["ours"].get("warps") and row["sass"].get("warps")),
        "fewer_warps": [row["kernel"] for row in compared if has_fewer_warps(row, "ours", "sass")],
        "more_warps": [row["kernel"] for row in compared if has_fewer_warps(row, "sass", "ours")],
        "largest_instruction_ratio": max((r["instructions"] for r in ratios
                                          if "instructions" in r), default=None),
        "spills_where_sass_has_none": [
            row["kernel"] for row in compared
            if row["ours"].get("spill_bytes") and not row["sass"].get("spill_bytes")],
        "errors": [row["file"] for row in rows if "error" in row]}


def print_table(rows, result):
    columns = ("instructions", "bytes", "registers", "spill_bytes", "warps")
    print(f"{'instructions':>20} {'bytes':>20} {'registers':>17} {'spill bytes':>13} "
          f"{'warps':>7} {'cycles':>8}  kernel, file")
    for row in rows:
        if "error" in row:
            print(f"not compiled: {row['error']}")
            continue
        cells = []
        for key, width in zip(columns, (6, 6, 4, 6, 3)):
            ours, sass = row["ours"].get(key, ""), row.get("sass", {}).get(key, "")
            cell = f"{ours:>{width}} {sass:>{width}}"
            if key in RATIOS:
                ratio = row.get("ratios", {}).get(key)
                cell += f" {ratio:6.2f}" if ratio else " " * 7
            cells.append(cell)
        print(" ".join(cells), f"{row['ours'].get('cycles', ''):>8}",
              f" {row['kernel']}, {os.path.relpath(row['file'])}")
    print(f"{result['kernels']} kernels")
    for key, mean in result["geometric_means"].items():
        if mean:
            print(f"geometric mean of the ratios of {key}: {mean:.3f}")
    if result["warps"]:
        print(f"geometric mean of the ratios of warps: {result['warps']:.3f}; fewer than with SASS "
              f"in {len(result['fewer_warps'])} kernels, more in {len(result['more_warps'])}")
    if result["largest_instruction_ratio"]:
        print(f"largest ratio of instructions: {result['largest_instruction_ratio']:.2f}")
        spilling = ", ".join(result["spills_where_sass_has_none"]) or "none"
        print(f"kernels that spill where SASS does not: {spilling}")


# --- Since an earlier run ---------------------------------------------------

COMPARED = ("instructions", "bytes", "registers", "cycles")


def identity(row):
    """What a row is about, wherever the tree lies."""
    return os.path.basename(row["file"]), row.get("kernel")


def compare(rows, path):
    """Prints how the figures of our code have changed since the run in path."""
    with open(path) as file:
        earlier = {identity(row): row["ours"] for row in json.load(file)["rows"]
                   if "ours" in row}
    pairs = [(identity(row), earlier[identity(row)], row["ours"]) for row in rows
             if "ours" in row and identity(row) in earlier]
    for key in COMPARED:
        ratios = {name: now[key] / before[key] for name, before, now in pairs
                  if before.get(key) and now.get(key)}
        if not ratios:
            continue
        print(f"{key}: {geometric_mean(ratios.values()):.4f} of before "
              f"(geometric mean of {len(ratios)})")
        for (file, kernel), ratio in sorted(ratios.items(), key=lambda item: item[1]):
            if abs(ratio - 1) > CHANGE:
                print(f"  {ratio:6.3f}  {kernel}, {file}")
    for (file, kernel), before, now in pairs:
        if before.get("spill_bytes", 0) != now.get("spill_bytes", 0):
            print(f"spill bytes: {before.get('spill_bytes')} before, now "
                  f"{now.get('spill_bytes')}  {kernel}, {file}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--chip", default="hd100")
    parser.add_argument("-O", dest="level", default="3")
    parser.add_argument("--cycles", action="store_true")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--baseline", metavar="FILE")
    oracle.add_option(parser)
    arguments = parser.parse_args()
    arguments.ptxas, version = oracle.find(arguments.ptxas)
    suffix = "*.ptx" if arguments.all else "*.sm_90.ptx"
    files = arguments.files or sorted(
        glob.glob(os.path.join(SOURCE, "test", "kernels", "*", suffix))
        + glob.glob(os.path.join(SOURCE, "benchmarks", "inputs", "kernels", "*", suffix)))
    figures = chip_figures(arguments.chip)
    rows = []
    with tempfile.TemporaryDirectory() as work:
        for path in files:
            rows += measure(path, work, arguments, figures)
    result = summary(rows)
    print_table(rows, result)
    if version:
        print(f"SASS is that of ptxas {version}")
    if arguments.baseline:
        compare(rows, arguments.baseline)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"rows": rows, "ptxas": version, **result}, file, indent=1)
            file.write("\n")
    return 1 if result["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
