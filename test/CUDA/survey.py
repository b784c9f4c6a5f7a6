#!/usr/bin/env python3
"""Runs public CUDA programs with our CUDA libraries and reports which pass.

programs.txt lists them: where they stand in their suite, at which size they
run and what they print when their own check is content. The sources are not
part of this repository; get the suites first and say where they are:

    test/CUDA/survey.py --suites=DIR --work=DIR [--only=REGEX] [--runtime=KINDS] [--write]

DIR holds cuda-samples/, HeCBench/, gpu-rodinia/, polybenchGpu/ and cutlass/. nvcc
builds each program once, with PTX only; where programs.txt says set:NAME=VALUE, a constant of the
program that states a size has that value in what is built, and edit:OLD=>NEW
puts another size in the place of one that has no name. A program passes if it
exits with 0 and prints what it should, or, with check:NAME, if a check of
rodinia.py is content; it counts only if it does not do so when launches do
nothing (HEDDLE_SKIP_LAUNCHES), or, with skip:NAME, for a program whose own check
runs on the device, those of kernels with NAME in their names. A run has so many seconds of the processor, not
of the clock, so that results do not depend on what else the machine does.
Results are kept in the work folder; --write puts those of all programs that
were run so far into docs/compatibility.md, whose other rows stay. With --runtime=static,
programs have NVIDIA's runtime in them, as nvcc makes them by default, and run under ptx-env;
with --runtime=stripped they are copies of these without symbols, and --runtime=static,stripped
runs both. One that passes with the shared runtime is not run with launches that do nothing
again. These have a table of their own, with
a column for each version of the nvcc that was in PATH. With --toolkit=DIR, which has
headers, libdevice, ptxas, fatbinary and static runtime of a version of CUDA of which there is no nvcc,
clang (--clang) builds them. The suite heddle is this project's examples.
"""
import argparse
import dataclasses
import functools
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys

import rodinia

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE_BEGIN = "<!-- Written by test/CUDA/survey.py. -->\n"
RUNTIMES_BEGIN = "<!-- Written by test/CUDA/survey.py --runtime. -->\n"
RUNTIMES_END = "<!-- End of that. -->\n"
RUNTIMES = ("static", "stripped")
DOCUMENT = os.path.join(ROOT, "docs", "compatibility.md")
OWN_SUITE = "heddle"
SUITE_FLAGS = {
    OWN_SUITE: [],
    "cuda-samples": ["-I{suite}/Common", "--extended-lambda"],
    "HeCBench": ["-I{suite}/src/include"],
    "gpu-rodinia": [],
    "polybenchGpu": ["-I{suite}/CUDA/GEMM"],  # for ../../common
    "cutlass": [
        "-I{suite}/include",
        "-I{suite}/tools/util/include",
        "-I{suite}/examples/common",
        "--expt-relaxed-constexpr",
        "-lcuda",
    ],
}
# Written for a CUDA that had these names, which stand for nothing here but what is
# printed of the device. CUDA 12 still has them.
NAMES_BEFORE_13 = {
    "gpu-rodinia": [
        "-DcudaThreadSynchronize=cudaDeviceSynchronize",
        "-DcudaThreadExit=cudaDeviceReset",
        "-DclockRate=asyncEngineCount",
        "-DcomputeMode=asyncEngineCount",
        "-DdeviceOverlap=asyncEngineCount",
    ],
    "polybenchGpu": ["-DcudaThreadSynchronize=cudaDeviceSynchronize"],
}
# Written for CUDA 13, and built by one before it.
NAMES_SINCE_13 = {
    "cuda-samples": ["-include", os.path.join(HERE, "Inputs", "names-since-13.h")],
}
NVCC_FLAGS = [
    "-O2",
    "-std=c++17",
    "-w",
]
DEFAULT_ARCHITECTURE = "90"


# fatbin:NAME.cu or ptx:NAME.cu is a module that the program loads from
# NAME64.fatbin or NAME64.ptx; set:NAME=VALUE and edit:OLD=>NEW replace a
# constant and a piece of text; input:NAME and check:NAME are functions of
# rodinia.py; note:TEXT says why the program fails where that is its own fault;
# arch:NUMBER is what PTX is made for, and the GPU that the program sees.
MODULES = {"fatbin:": "-fatbin", "ptx:": "-ptx"}
SET, EDIT, INPUT, CHECK, NOTE = "set:", "edit:", "input:", "check:", "note:"
SKIP, ARCHITECTURE = "skip:", "arch:"
MARKS = (*MODULES, SET, EDIT, INPUT, CHECK, NOTE, SKIP, ARCHITECTURE)
# A program may wait instead of computing.
CLOCK_SECONDS_FOR_EACH = 20


@dataclasses.dataclass
class Program:
    """One row of programs.txt."""

    suite: str
    folder: str
    arguments: list
    passes: str
    flags: list  # of nvcc; and sources, and what MARKS stand for

    @property
    def name(self):
        if self.suite == OWN_SUITE:  # each is one source
            return os.path.splitext(self.flags[0])[0]
        name = os.path.basename(self.folder)
        # Rodinia has a folder for each language.
        return os.path.basename(os.path.dirname(self.folder)) if name == "cuda" else name

    @property
    def code_flag(self):
        """The option that says what PTX is made for."""
        number = (self.marked(ARCHITECTURE) or [DEFAULT_ARCHITECTURE])[0]
        return "-gencode=arch=compute_%s,code=compute_%s" % (number, number)

    def marked(self, mark):
        """What follows a mark among the flags."""
        return [f[len(mark) :] for f in self.flags if f.startswith(mark)]


def read_programs(path):
    """The rows of the table; a line that is not one ends the program."""
    programs = []
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("#") or not line.strip():
            continue
        fields = [field.strip() for field in line.rstrip("\n").split("|")]
        if len(fields) != 5 or fields[0] not in SUITE_FLAGS:
            sys.exit("%s:%d: not a row of the table" % (path, number))
        suite, folder, arguments, passes, flags = fields
        programs.append(
            Program(suite, folder, shlex.split(arguments), passes, shlex.split(flags))
        )
    return programs


def replace_constant(text, constant, value):
    """Gives a constant of a source another value."""
    word = re.escape(constant)
    text = re.sub(r"(#define[ \t]+%s[ \t]+)[^\n]*" % word, r"\g<1>" + value, text)
    return re.sub(
        r"(\b(?:int|unsigned|uint|size_t)\s+%s\s*=)[^;,]*(?=[;,])" % word,
        r"\g<1> " + value,
        text,
    )


def adapt(folder, settings, edits):
    """Replaces constants and pieces of text in all sources of a folder."""
    found = set()
    for path, _, names in os.walk(folder):
        for name in names:
            if not name.endswith((".cu", ".cuh", ".cpp", ".c", ".h")):
                continue
            file_name = os.path.join(path, name)
            with open(file_name, encoding="utf-8", errors="surrogateescape") as file:
                text = file.read()
            for constant, value in settings:
                text = replace_constant(text, constant, value)
            for old, new in edits:
                if old in text:
                    found.add(old)
                    text = text.replace(old, new)
            with open(file_name, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
    for old, _ in edits:
        if old not in found:
            sys.exit("%s has no text %r" % (folder, old))


def folder_of(program, options):
    if program.suite == OWN_SUITE:
        return os.path.join(ROOT, program.folder)
    return os.path.join(options.suites, program.suite, program.folder)


def prepare(program, options):
    """The folder that the program is built in, with what it loads."""
    folder = folder_of(program, options)
    settings = [setting.split("=", 1) for setting in program.marked(SET)]
    edits = [edit.split("=>", 1) for edit in program.marked(EDIT)]
    if settings or edits:
        copy = os.path.join(options.work, "sources", program.suite, program.folder)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        adapt(copy, settings, edits)
        folder = copy
    for mark, flag in MODULES.items():
        for module in program.marked(mark):
            target = os.path.basename(module).replace(".cu", "64." + flag[1:])
            command = ["nvcc", flag, program.code_flag]
            if options.toolkit:  # The driver takes text in place of a fat binary.
                command = [*clang_command(program, options), "--cuda-device-only", "-S"]
            subprocess.run([*command, module, "-o", target], cwd=folder, check=True)
    return folder


def clang_command(program, options):
    """clang with what all that it compiles needs."""
    number = (program.marked(ARCHITECTURE) or [DEFAULT_ARCHITECTURE])[0]
    return [options.clang, "--cuda-path=" + options.toolkit, "--cuda-gpu-arch=sm_" + number,
            "--cuda-include-ptx=sm_" + number, "-Wno-unknown-cuda-version", "-Wno-c++11-narrowing",
            # What gcc lets pass: overflow, functions that end without a value.
            "-fwrapv", "-fno-strict-return",
            # Before what another toolkit has in the system's folders.
            "-isystem", os.path.join(options.toolkit, "include"), *NVCC_FLAGS]


def clang_flags(flags):
    """nvcc's options in clang's spelling; those that clang does not need are left out."""
    result, following = [], iter(flags)
    for flag in following:
        if flag == "-Xcompiler":
            result += next(following).split(",")
        elif not flag.startswith(("--extended-lambda", "--expt-", "-Ofc", "-gencode", "-rdc")):
            result.append(flag)
    return result


def compile_command(program, options, flags, sources, binary):
    """What makes a program of its sources."""
    if options.toolkit:
        sources = [word for source in sources for word in ("-x", "cuda", source)]
        libraries = os.path.join(options.toolkit, "lib64")
        return [*clang_command(program, options), *clang_flags(flags), *sources, "-x", "none",
                "-L" + libraries, "-lcudart_static", "-ldl", "-lrt", "-pthread", "-o", binary]
    runtime = ["-cudart", "shared" if options.runtime == "shared" else "static"]
    return ["nvcc", *runtime, *NVCC_FLAGS, program.code_flag, *flags, *sources, "-o", binary]


def build(program, options):
    """The program's path, or None with the compiler's complaint."""
    if options.runtime != "stripped":
        return link(program, options)
    binary, complaint = link(program, argparse.Namespace(**{**vars(options), "runtime": "static"}))
    if not binary:
        return None, complaint
    subprocess.run(["strip", binary, "-o", path_of(program, options)], check=True)
    return path_of(program, options), ""


def path_of(program, options):
    """Where a program is built."""
    path = os.path.join(options.work, program.suite + "-" + program.name)
    return path if options.runtime == "shared" else path + "-" + column_of(options)


def link(program, options):
    """The path of a program with its symbols, or None with the compiler's complaint."""
    suite = os.path.join(options.suites, program.suite)
    binary = path_of(program, options)
    # What it was built from may have other constants by now.
    recipe = shlex.join(program.flags)
    try:
        with open(binary + ".flags", encoding="utf-8") as file:
            if os.path.exists(binary) and file.read() == recipe:
                return binary, ""
    except FileNotFoundError:
        pass
    folder = prepare(program, options)
    plain = [f for f in program.flags if not f.startswith(MARKS)]
    modules = [m for mark in MODULES for m in program.marked(mark)]
    sources = [f for f in plain if not f.startswith("-")] or sorted(
        name
        for name in os.listdir(folder)
        if name.endswith((".cu", ".cpp", ".c")) and name not in modules
    )
    flags = [flag.format(suite=suite) for flag in SUITE_FLAGS[program.suite]]
    is_13 = float(toolkit_version(options)) >= 13
    flags += (NAMES_BEFORE_13 if is_13 else NAMES_SINCE_13).get(program.suite, [])
    flags += [flag for flag in plain if flag.startswith("-") and (is_13 or not flag.startswith("-Ofc"))]
    command = compile_command(program, options, flags, sources, binary)
    made = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, errors="replace"
    )
    if made.returncode:
        return None, made.stdout + made.stderr
    with open(binary + ".flags", "w", encoding="utf-8") as file:
        file.write(recipe)
    return binary, ""


def first_complaint(output):
    """What our libraries say first, or None."""
    lines = [line for line in output.splitlines() if line.startswith("heddle:")]
    return lines[0] if lines else None


def is_content(program, output, folder):
    """Whether the program's check, or ours of its result, is content."""
    for check in program.marked(CHECK):
        if not rodinia.CHECKS[check](output, folder):
            return False
    content = re.search(program.passes, output, re.MULTILINE)
    return content and not re.search(r"\bFAIL", output)


def run(program, binary, options, skip):
    """(whether it passed, what went wrong, seconds)."""
    environment = dict(os.environ)
    if options.runtime == "shared":
        environment["LD_LIBRARY_PATH"] = options.libraries
    if architecture := program.marked(ARCHITECTURE):
        number = architecture[0].rstrip("af")
        environment["HEDDLE_COMPUTE_CAPABILITY"] = number[:-1] + "." + number[-1]
    if skip:
        environment["HEDDLE_SKIP_LAUNCHES"] = (program.marked(SKIP) or ["1"])[0]
    folder = folder_of(program, options)
    for name in program.marked(INPUT):
        rodinia.INPUTS[name](folder)
    limit = options.timeout
    wrapper = []
    if options.runtime != "shared":
        wrapper = [os.path.join(os.path.dirname(options.libraries), "bin", "ptx-env")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    stopped = False, "stopped after %d s" % limit, limit
    try:
        ran = subprocess.run(
            [*wrapper, binary, *program.arguments],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            timeout=limit * CLOCK_SECONDS_FOR_EACH,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1)),
        )
    except subprocess.TimeoutExpired:
        return stopped
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if not skip:
        with open(path_of(program, options) + ".log", "w", encoding="utf-8") as file:
            file.write(ran.stdout)
    if ran.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return stopped
    if ran.returncode:
        why = first_complaint(ran.stdout) or "exit status %d" % ran.returncode
        return False, why, seconds
    if not is_content(program, ran.stdout, folder):
        return False, first_complaint(ran.stdout) or "its check fails", seconds
    return True, "", seconds


def complaint_of(text):
    """The line that says most about why a program cannot be built."""
    lines = text.splitlines()
    for word in ("undefined reference", "multiple definition", "cannot find", "error", "fatal"):
        for line in lines:
            if word in line:
                return line[line.find(word) :] if word != "error" else line
    return "?"


def judge(program, options):
    """(verdict, remark, seconds) of one program."""
    binary, complaint = build(program, options)
    if not binary:
        return "not built", complaint_of(complaint), 0
    passed, why, seconds = run(program, binary, options, skip=False)
    if not passed:
        return "fails", (program.marked(NOTE) or [why])[0], seconds
    if options.runtime != "shared":
        # Whether a program checks something does not depend on its runtime.
        verdict, _ = read_results(options, "shared").get((program.suite, program.name), ("", ""))
        if verdict in ("passes", "checks nothing"):
            return verdict, "", seconds
    if run(program, binary, options, skip=True)[0]:
        return "checks nothing", "", seconds
    return "passes", "", seconds


def toolkit_version(options):
    """The release of the toolkit, such as 13.0: that of the nvcc in PATH, if no other is named."""
    if options.toolkit:
        with open(os.path.join(options.toolkit, "include", "cuda.h"), encoding="utf-8") as file:
            number = int(re.search(r"#define CUDA_VERSION (\d+)", file.read()).group(1))
        return "%d.%d" % (number // 1000, number % 1000 // 10)
    return nvcc_release()


@functools.lru_cache
def nvcc_release():
    """The release of the nvcc in PATH."""
    said = subprocess.run(["nvcc", "--version"], capture_output=True, text=True, check=True)
    return re.search(r"release ([0-9.]+)", said.stdout).group(1)


def results_file(options, column):
    name = "results.tsv" if column == "shared" else "results-%s.tsv" % column
    return os.path.join(options.work, name)


def column_of(options):
    """What the results of these options are kept under."""
    if options.runtime == "shared":
        return "shared"
    return "%s-%s%s" % (options.runtime, "clang" if options.toolkit else "", toolkit_version(options))


def known_columns(options):
    """The columns of programs with NVIDIA's runtime in them that there are results of."""
    found = [re.fullmatch(r"results-(\w+-(?:clang)?[0-9.]+)\.tsv", name)
             for name in os.listdir(options.work)]
    columns = {m.group(1) for m in found if m} | set(read_document(DOCUMENT)) - {"shared"}
    return sorted(columns, key=lambda column: column.split("-")[::-1])


def head_of(column):
    """What a column is called in the document."""
    runtime, version = column.split("-")
    nvcc = version if version.startswith("clang") else "nvcc " + version
    return "%s, %s" % (runtime, nvcc.replace("clang", "clang with CUDA "))


def column_named(head):
    """The column of which head_of() is the name."""
    return head.replace("clang with CUDA ", "clang").replace("nvcc ", "").replace(", ", "-")


@functools.lru_cache
def read_document(path):
    """What the document's tables say of each program, by column."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    results = {}
    for begin, end in ((RUNTIMES_BEGIN, RUNTIMES_END), (TABLE_BEGIN, None)):
        table = text.partition(begin)[2]
        table = table.partition(end)[0] if end else table
        rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                for line in table.splitlines() if line.startswith("|")]
        heads = [column_named(head) for head in rows[0]] if rows else []
        for row in rows[2:]:
            for head, cell in zip(heads[2:], row[2:]):
                if head != "arguments" and cell != "not run":
                    verdict, _, remark = cell.partition(": ")
                    column = results.setdefault("shared" if head == "result" else head, {})
                    column[row[0], row[1]] = verdict, remark
    return results


def read_results(options, column):
    """What is known of each program, by suite and name: (verdict, remark)."""
    return {**read_document(DOCUMENT).get(column, {}), **read_own_results(options, column)}


def read_own_results(options, column):
    """What the work folder knows of each program."""
    try:
        with open(results_file(options, column), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        return {}
    return {(suite, name): (verdict, remark) for suite, name, verdict, remark in rows}


def keep_result(program, verdict, remark, options):
    """Notes a result beside those of earlier runs."""
    column = column_of(options)
    results = read_own_results(options, column)
    results[program.suite, program.name] = (verdict, remark.replace("\t", " "))
    with open(results_file(options, column), "w", encoding="utf-8") as file:
        for key, value in results.items():
            file.write("\t".join(key + value) + "\n")


def write_table(programs, options, path):
    """Replaces the table of a document."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    head, marker, _ = text.partition(TABLE_BEGIN)
    if not marker:
        sys.exit("%s has no line %r" % (path, TABLE_BEGIN))
    results = read_results(options, "shared")
    known = [p for p in programs if (p.suite, p.name) in results]
    passing = sum(results[p.suite, p.name][0] == "passes" for p in known)
    rows = ["\n%d of %d pass.\n\n" % (passing, len(known))]
    rows.append("| suite | program | arguments | result |\n|---|---|---|---|\n")
    for p in known:
        verdict, remark = results[p.suite, p.name]
        edits = [edit.replace("=>", " => ") for edit in p.marked(EDIT)]
        words = [*p.marked(SET), *edits, *([shlex.join(p.arguments)] if p.arguments else [])]
        arguments = ", ".join("`%s`" % word.replace("|", "\\|") for word in words)
        # Kernels' names and addresses say nothing to the reader of a table.
        remark = ": " + remark[:110].replace("|", "\\|") if remark else ""
        rows.append(
            "| %s | %s | %s | %s%s |\n" % (p.suite, p.name, arguments, verdict, remark)
        )
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + marker + "".join(rows))


def write_runtimes(programs, options, path):
    """Replaces the table of programs that have NVIDIA's runtime in them."""
    with open(path, encoding="utf-8") as file:
        head, marker, rest = file.read().partition(RUNTIMES_BEGIN)
    _, end, tail = rest.partition(RUNTIMES_END)
    if not marker or not end:
        sys.exit("%s has no line %r" % (path, RUNTIMES_BEGIN))
    columns = known_columns(options)
    results = {column: read_results(options, column) for column in columns}
    heads = [head_of(column) for column in columns]
    rows = ["\n| suite | program | %s |\n|---|---|%s\n"
            % (" | ".join(heads), "---|" * len(heads))]
    for p in programs:
        key = p.suite, p.name
        if any(key in r for r in results.values()):
            cells = [": ".join(filter(None, results[r].get(key, ("not run", ""))))[:110]
                     for r in columns]
            rows.append("| %s | %s | %s |\n" % (*key, " | ".join(cells)))
    with open(path, "w", encoding="utf-8") as file:
        file.write(head + marker + "".join(rows) + "\n" + end + tail)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suites", required=True, help="where the suites are")
    parser.add_argument("--work", required=True, help="where programs are built")
    parser.add_argument("--libraries", default=os.path.join(ROOT, "build", "lib"))
    parser.add_argument("--programs", default=os.path.join(HERE, "programs.txt"))
    parser.add_argument("--only", default="", help="a regular expression of names")
    parser.add_argument("--missing", action="store_true", help="what has no result yet")
    parser.add_argument("--timeout", type=int, default=120, help="processor seconds a run")
    parser.add_argument("--runtime", default="shared", help="shared, or static, stripped or both")
    parser.add_argument("--toolkit", help="build with clang and this CUDA toolkit")
    parser.add_argument("--clang", default="clang++", help="for --toolkit")
    parser.add_argument("--write", action="store_true", help="docs/compatibility.md")
    options = parser.parse_args()
    options.suites = os.path.abspath(options.suites)
    options.work = os.path.abspath(options.work)
    if options.toolkit:
        options.toolkit = os.path.abspath(options.toolkit)
    runtimes = options.runtime.split(",")
    if not set(runtimes) <= {"shared", *RUNTIMES} or "shared" in runtimes[1:]:
        parser.error("--runtime wants shared, static, stripped, or static,stripped")
    if options.toolkit and "shared" in runtimes:
        parser.error("--toolkit wants --runtime=static or stripped")
    os.makedirs(options.work, exist_ok=True)
    programs = read_programs(options.programs)
    verdicts = survey(programs, options, runtimes)
    print("%d of %d pass" % (verdicts.count("passes"), len(verdicts)))
    if options.write:
        write = write_table if runtimes == ["shared"] else write_runtimes
        write(programs, options, DOCUMENT)


def survey(programs, options, runtimes):
    """Judges the programs that are asked for, and gives the verdicts."""
    verdicts = []
    for program in programs:
        if not re.search(options.only, program.name):
            continue
        unbuilt = None
        for options.runtime in runtimes:
            key = program.suite, program.name
            if options.missing and key in read_results(options, column_of(options)):
                continue
            verdict, remark, seconds = unbuilt or judge(program, options)
            if verdict == "not built":  # Nor would it be for the next one.
                unbuilt = verdict, remark, seconds
            keep_result(program, verdict, remark, options)
            verdicts.append(verdict)
            print(
                "%-14s %-30s %-9s %6.1f s  %s %s"
                % (*key, options.runtime, seconds, verdict, remark),
                flush=True,
            )
    return verdicts


if __name__ == "__main__":
    main()
