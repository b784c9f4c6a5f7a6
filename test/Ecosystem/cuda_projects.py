"""A plugin of pytest for projects whose programs nvcc builds: where their sources
and what is built of them are, and how they are built and run."""
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig

import pytest

# What the emulator's device is to programs by default.
ARCHITECTURE = "-gencode=arch=compute_90,code=compute_90"


def pytest_addoption(parser):
    parser.addoption("--checkout", type=pathlib.Path, required=True, help="the project's sources")
    parser.addoption("--work", type=pathlib.Path, required=True, help="where programs are built and kept")
    parser.addoption("--cases", type=int, default=0, help="of many cases of one thing so many (default: all)")
    parser.addoption("--programs", type=int, default=0, help="of many programs so many (default: all)")
    parser.addoption("--seconds", type=int, help="how long a case of a program may run")
    parser.addoption("--library", action="append", default=[], metavar="NAME=FOLDER",
                     help="the sources of a library that the project needs")


@pytest.fixture(scope="session")
def checkout(request):
    return request.config.getoption("--checkout")


@pytest.fixture(scope="session")
def work(request):
    folder = request.config.getoption("--work")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def seconds(request):
    return request.config.getoption("--seconds")


def library(config, name):
    """The sources of a library that the project needs."""
    return next(given.partition("=")[2] for given in config.getoption("--library") if given.startswith(f"{name}="))


def toolkit():
    """The folder of a CUDA toolkit: that of the environment's packages, or of the nvcc in PATH."""
    nvcc = next(pathlib.Path(sysconfig.get_path("purelib")).glob("nvidia/*/bin/nvcc"), None) or shutil.which("nvcc")
    if not nvcc:
        pytest.fail("no nvcc, in the environment's packages or in PATH")
    return pathlib.Path(nvcc).resolve().parent.parent


def libraries_of(home):
    """The folders of a toolkit's libraries."""
    return [folder for folder in (home / "lib64", home / "lib") if folder.is_dir()]


def compile_cuda(sources, binary, *flags, libraries=(), level="-O3"):
    """Builds a program of CUDA sources of one folder, with PTX only, where they have changed.
    The level is that of the host's code."""
    recipe = binary.with_name(f"{binary.name}.recipe")
    wanted = "\n".join([level, *flags, *(source.read_text(encoding="utf-8") for source in sources)])
    if binary.exists() and recipe.exists() and recipe.read_text(encoding="utf-8") == wanted:
        return binary
    home = toolkit()
    folders = libraries_of(home)
    # By names alone, which assertions print.
    command = [home / "bin" / "nvcc", level, "-w", "-std=c++17", ARCHITECTURE, *flags, *(s.name for s in sources),
               *(f"-L{folder}" for folder in folders), *(f"-Xlinker=-rpath,{folder}" for folder in folders)]
    for name in libraries:
        # Packages of the registry have no names without a version.
        found = sorted(path for folder in folders for path in folder.glob(f"lib{name}.so*"))
        command.append(f"-l:{found[0].name}" if found else f"-l{name}")
    unfinished = binary.with_name(f"{binary.name}.unfinished{binary.suffix}")
    made = subprocess.run([*command, "-o", unfinished], cwd=sources[0].parent, capture_output=True, text=True,
                          check=False)
    assert made.returncode == 0, f"{binary.name} cannot be built: {made.stderr[-2000:]}"
    os.replace(unfinished, binary)
    recipe.write_text(wanted, encoding="utf-8")
    return binary


def finish(command, folder, seconds=None):
    """A program that has ended, and what it has written."""
    try:
        return subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False, timeout=seconds)
    except subprocess.TimeoutExpired:
        return pytest.fail(f"no end within {seconds} s", pytrace=False)


def run(command, folder, accept=(0,)):
    """What a program writes, which ends with one of these statuses."""
    ran = finish(command, folder)
    assert ran.returncode in accept, f"exit status {ran.returncode}: {complaint_of(ran.stdout)}"
    return ran.stdout


def without_colours(text):
    """What a program writes to a terminal, as plain text."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def complaint_of(text):
    """The line that says most about why a program failed."""
    for pattern in ("^heddle: ", "Assertion|ASSERT|Mismatch|MISMATCH", "rror", "."):
        for line in text.splitlines():
            if re.search(pattern, line):
                return line
    return "it says nothing"


def with_constants(text, constants):
    """A source in which those of these integer constants that it defines have other values."""
    for name, value in constants.items():
        text = re.sub(rf"(\b(?:int|int64_t|size_t) {name} = )[^;,]+(?=[;,])", rf"\g<1>{value}", text)
    return text
