"""Programs of C++ test frameworks as tests of pytest: which cases a program has, and how
one of them is run. The plugin cuda_projects builds the programs."""
import concurrent.futures
import os
import re
import zlib

import cuda_projects
import pytest


def catch2_names(text):
    return [line.strip() for line in text.splitlines() if line.strip()]


def googletest_names(text):
    names, suite = [], ""
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.append(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def thrust_names(text):
    return [line for line in text.splitlines() if re.fullmatch(r"\w[\w:<>, ]*", line)]


# How each framework lists its cases and reads the list, runs one, and ends where it skips it.
FRAMEWORKS = {
    "catch2": {
        "list": ["--list-tests", "--verbosity", "quiet"], "names": catch2_names,
        "run": lambda name: [re.sub(r"([\\,\[\]*\"~])", r"\\\1", name)], "skipped": (4, "")},
    "googletest": {
        "list": ["--gtest_list_tests"], "names": googletest_names,
        "run": lambda name: [f"--gtest_filter={name}"], "skipped": (0, "[  SKIPPED ] 1 test")},
    "thrust": {
        "list": ["--list"], "names": thrust_names, "run": lambda name: ["--verbose", name], "skipped": (None, "")},
}


def spread(items, number):
    """So many of these items, as far from each other as can be."""
    if not number or number >= len(items):
        return list(items)
    return [items[place * len(items) // number] for place in range(number)]


def cases_of(name, build, framework, most):
    """The cases of a program, of many so many, as pytest has them. What cannot be built
    or asked is one case, which says why."""
    ways = FRAMEWORKS[framework]
    try:
        binary = build()
        found = ways["names"](cuda_projects.run([binary, *ways["list"]], binary.parent))
    except AssertionError as reason:
        return [pytest.param(framework, None, str(reason), id=f"{name}-build")]
    chosen = sorted(found, key=lambda case: zlib.crc32(case.encode()))[:most or None]
    return [pytest.param(framework, binary, case, id=f"{name}-{case}") for case in chosen]


def parametrize(metafunc, programs):
    """A test for each case of these programs, which are names with a function that builds
    the program and its framework. Compilers want much memory: half of the cores run one."""
    most = metafunc.config.getoption("--cases")
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        found = list(pool.map(lambda program: cases_of(*program, most), programs))
    metafunc.parametrize("framework,binary,case", [case for cases in found for case in cases])


def check(framework, binary, case, seconds):
    """Runs a case, which has to pass."""
    if binary is None:
        pytest.fail(case, pytrace=False)
    ways = FRAMEWORKS[framework]
    status, text = ways["skipped"]
    ran = cuda_projects.finish([binary, *ways["run"](case)], binary.parent, seconds)
    if ran.returncode == status and text in ran.stdout:
        pytest.skip("the program leaves it out")
    assert ran.returncode == 0, f"exit status {ran.returncode}: {cuda_projects.complaint_of(ran.stdout)}"
