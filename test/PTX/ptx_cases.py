# What the tools of this folder share: one-instruction kernels, and verdicts on
# PTX by ptx-check and by ptxas.
#
# A kernel is a tuple (version, target, instruction), as `ptx-check --list-rows`
# makes them, put into Inputs/prelude.ptx.

import concurrent.futures
import os
import re
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))


# The prelude itself needs these.
LEAST_VERSION = "3.1"
LEAST_TARGET = "sm_30"


def raise_to_least(version, target):
    """The version and target, or those that the prelude needs."""
    if float(version) < float(LEAST_VERSION):
        version = LEAST_VERSION
    if int(re.match(r"sm_(\d+)", target).group(1)) < 30:
        target = LEAST_TARGET
    return version, target


# Versions that the prelude can have.
VERSIONS = (
    "3.1 3.2 4.0 4.1 4.2 4.3 5.0 6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 "
    "7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0 9.1 9.2 9.3 9.4 9.5"
).split()


def split_operands(text):
    """The operands of an instruction, at the commas outside of brackets."""
    parts, depth, part = [], 0, ""
    for c in text:
        depth += (c in "[{(") - (c in "]})")
        if c == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += c
    if part.strip():
        parts.append(part.strip())
    return parts


def expand(version, target, instruction):
    """The text of the kernel with that instruction."""
    with open(os.path.join(HERE, "Inputs", "prelude.ptx")) as f:
        text = f.read()
    major, minor = (int(n) for n in version.split("."))
    sm = int(re.match(r"sm_(\d+)", target).group(1))
    has_targets = (major, minor) >= (6, 0) and sm >= 30
    wide = "%q" in instruction
    return (
        text.replace("@VERSION@", version)
        .replace("@TARGET@", target)
        .replace("@WIDE@", ".reg .b128 %q<5>;" if wide else "")
        .replace(
            "@TARGETS@",
            "targets: .branchtargets L;"
            if has_targets and "targets" in instruction
            else "",
        )
        .replace("@INSTRUCTION@", instruction)
    )


def list_rows(ptx_check, variants):
    """Tuples (row, opcode, types, version, target, instruction)."""
    out = subprocess.run(
        [ptx_check, "--list-rows", variants],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = []
    for line in out.splitlines():
        row, opcode, types, version, target, text = line.split("\t")
        version, target = raise_to_least(version, target)
        rows.append((int(row), opcode, types, version, target, text))
    return rows


def check_ours(ptx_check, texts):
    """For each text (accepted, message)."""
    joined = "".join(f"//# {i}\n{text}\n" for i, text in enumerate(texts))
    out = subprocess.run(
        [ptx_check, "--split", "-"],
        input=joined,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.splitlines()
    if len(out) != len(texts):
        raise RuntimeError("ptx-check gave too few verdicts")
    verdicts = []
    for line in out:
        fields = line.split("\t")
        verdicts.append((fields[1] == "ok", " ".join(fields[2:])))
    return verdicts


class Ptxas:
    """Verdicts by ptxas, which has to be installed."""

    def __init__(self, program="ptxas"):
        self.program = program
        out = subprocess.run(
            [program, "--version"], check=True, capture_output=True, text=True
        ).stdout
        self.version = re.search(r"V(\d+\.\d+\.\d+)", out).group(1)
        versions = self.ask("--list-version").split()
        self.newest = max(versions, key=float)
        # The GPUs that it compiles for; it knows those before the first, too.
        self.targets = set(re.findall(r"'(sm_\d+[af]?)'", self.ask("--help")))

    def ask(self, option):
        """What ptxas prints of itself."""
        return subprocess.run(
            [self.program, option], check=True, capture_output=True, text=True
        ).stdout

    def knows(self, version, target):
        """Whether it knows both, and so has a verdict."""
        return float(version) <= float(self.newest) and (
            target in self.targets or int(re.match(r"sm_(\d+)", target).group(1)) < 75)

    def run(self, text):
        """(exit status, output); a status of None when it takes too long."""
        target = re.search(r"^\s*\.target\s+(sm_\d+[af]?)", text, re.M)
        arch = target.group(1) if target else "sm_90"
        if int(re.match(r"sm_(\d+)", arch).group(1)) < 75:
            arch = "sm_75"
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(text)
            f.flush()
            try:
                run = subprocess.run(
                    [self.program, "-O0", "-arch", arch, f.name, "-o", os.devnull],
                    capture_output=True,
                    text=True,
                    timeout=60,
                )
            except subprocess.TimeoutExpired:
                return None, ""
        return run.returncode, run.stdout + run.stderr

    def check(self, text):
        """(accepted, first message). What fails only when code is generated
        counts as accepted: such errors name no line. (None, "") when ptxas
        does not end, or crashes."""
        status, output = self.run(text)
        if status is None or status < 0:
            return None, ""
        if status == 0 or "32-Bit compilation" in output:
            return True, ""
        # An address of 32 bits asks for an ABI that newer GPUs do not have.
        old_abi = re.search(r"fatal\s*: *(32-Bit ABI.*)", output)
        if old_abi:
            return False, old_abi.group(1)
        # What else it has to say may name lines, too.
        output = re.sub(r"^ptxas (?:info|warning).*\n?", "", output, flags=re.M)
        errors = re.findall(r"line (\d+); (?:error|fatal)\s*: (.*)", output)
        if errors:
            return False, errors[0][1]
        if "line" not in output:
            unknown = re.search(r"fatal\s*: (.*(?:arget|ersion).*)", output)
            return not unknown, unknown.group(1) if unknown else ""
        return False, output.strip()[:200]

    def rejected_among(self, version, target, instructions):
        """The instructions that ptxas reports in one kernel with all of them, and
        whether it takes that kernel."""
        text = expand(version, target, "\n".join(instructions))
        first = text[: text.index("\nL:\n") + 4].count("\n") + 1
        status, output = self.run(text)
        lines = {int(n) - first for n in
                 re.findall(r"line (\d+); (?:error|fatal)", output)}
        return ({t for i, t in enumerate(instructions) if i in lines}, status == 0)

    def check_kernels(self, version, target, instructions):
        """Verdicts on one-instruction kernels, many in one run: what is reported
        is taken out until ptxas accepts the rest."""
        verdicts = {}
        left = list(dict.fromkeys(instructions))
        while left:
            text = expand(version, target, "\n".join(left))
            first = text[: text.index("\nL:\n") + 4].count("\n") + 1
            status, output = self.run(text)
            if status == 0:
                verdicts.update((t, (True, "")) for t in left)
                break
            found = {}
            for n, message in re.findall(
                    r"line (\d+); (?:error|fatal)\s*: (.*)", output):
                if 0 <= int(n) - first < len(left):
                    found.setdefault(left[int(n) - first], (False, message))
            if not found:
                # No line, or one of the prelude: each by itself.
                verdicts.update((t, self.check(expand(version, target, t)))
                                for t in left)
                break
            # What cannot be parsed is reported at a line near it.
            for t, (_, message) in list(found.items()):
                if "Parsing error" in message:
                    found[t] = self.check(expand(version, target, t))
            verdicts.update(found)
            left = [t for t in left if t not in found]
        return verdicts

    def map(self, function, items, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(function, items))

    def check_all(self, texts, jobs):
        return self.map(self.check, texts, jobs)
