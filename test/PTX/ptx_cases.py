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

    def check(self, text):
        """(accepted, first message). What fails only when code is generated
        counts as accepted: such errors name no line."""
        target = re.search(r"^\s*\.target\s+(sm_\d+[af]?)", text, re.M)
        arch = target.group(1) if target else "sm_90"
        if int(re.match(r"sm_(\d+)", arch).group(1)) < 75:
            arch = "sm_75"
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(text)
            f.flush()
            run = subprocess.run(
                [self.program, "-O0", "-arch", arch, f.name, "-o", os.devnull],
                capture_output=True,
                text=True,
                timeout=120,
            )
        if run.returncode == 0 or "32-Bit compilation" in run.stderr:
            return True, ""
        errors = re.findall(
            r"line (\d+); (?:error|fatal)\s*: (.*)", run.stdout + run.stderr
        )
        if not errors and "rror" in run.stderr and "line" not in run.stderr:
            unknown = re.search(r"fatal\s*: (.*(?:arget|ersion).*)", run.stderr)
            if unknown:
                return False, unknown.group(1)
            return True, ""
        return False, errors[0][1] if errors else run.stderr.strip()[:200]

    def check_all(self, texts, jobs):
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(self.check, texts))
