"""Programs whose kernels are measured: each kernel as the program launches it first."""
import dataclasses
import glob
import os
import shutil
from typing import Iterator

from .suites import Case, Suite, SuiteError
from .tools import Tools


def _captured(tools: Tools, case: Case, folder: str) -> Iterator[Case]:
    """Runs the program. Its launches become manifests in the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    done = tools.run("ptx-env", "--capture=" + folder, *case.capture, cwd=case.folder)
    manifests = sorted(glob.glob(os.path.join(folder, "*.json")))
    if done.returncode or not manifests:
        lines = done.stderr.strip().splitlines() or ["no kernel was launched"]
        raise SuiteError("%s: exit status %d: %s" % (case.name, done.returncode, lines[-1]))
    for manifest in manifests:
        # The number in front is the launch's, which changes with other launches.
        kernel = os.path.basename(manifest)[: -len(".json")].split("-", 1)[-1]
        yield Case("%s/%s" % (case.name, kernel), manifest, folder=folder)


def expand(suite: Suite, tools: Tools, folder: str) -> Suite:
    """The suite with manifests in the place of programs to capture. They stay in a folder of
    each program."""
    cases: list[Case] = []
    for case in suite.cases:
        if case.capture:
            cases += _captured(tools, case, os.path.join(os.path.abspath(folder), case.name))
        else:
            cases.append(case)
    return dataclasses.replace(suite, cases=tuple(cases))
