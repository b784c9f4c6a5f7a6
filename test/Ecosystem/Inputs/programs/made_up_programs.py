"""Programs of each framework that are made up: scripts, named as the framework, that list
cases and run them. One program cannot be built, and one cannot be asked."""
import functools
import pathlib
import sys

import unit_programs

SCRIPT = pathlib.Path(__file__).resolve().parent / "program.py"


def build(folder, framework):
    binary = folder / framework
    binary.write_text(f"#!{sys.executable}\n" + SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    binary.chmod(0o755)
    return binary


def fail():
    raise AssertionError("no such header")


def pytest_generate_tests(metafunc):
    folder = metafunc.config.getoption("--work")
    folder.mkdir(parents=True, exist_ok=True)
    programs = [(name, functools.partial(build, folder, name), name) for name in unit_programs.FRAMEWORKS]
    programs += [("unbuilt", fail, "catch2"), ("mute", functools.partial(build, folder, "mute"), "catch2")]
    unit_programs.parametrize(metafunc, programs)


def test_case(framework, binary, case, seconds):
    unit_programs.check(framework, binary, case, seconds)
