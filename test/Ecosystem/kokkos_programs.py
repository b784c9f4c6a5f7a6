"""Kokkos' unit tests of its core on CUDA: so many of the sources that its CMake writes
(--programs), spread over the alphabet, each as a program of its own, and of each so many
cases (--cases). Kokkos 4.6 is older than CUDA 13: clang builds it, with the headers of
CUDA 12 from the environment's packages and the fatbinary of the toolkit in PATH."""
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig

import cuda_projects
import unit_programs

VERSION = "12.9.86"
TARGETS = ("CoreUnitTest_Cuda1", "CoreUnitTest_Cuda2", "CoreUnitTest_Cuda3")


def make_toolkit(folder):
    """A folder like a toolkit's of links to what is in the environment's packages."""
    packages = pathlib.Path(sysconfig.get_path("purelib")) / "nvidia"
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("cuda_runtime", "cuda_cccl", "cuda_nvcc"):
        for source in sorted(path for path in (packages / part).rglob("*") if path.is_file()):
            target = folder / source.relative_to(packages / part)
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                target.symlink_to(source)
    (folder / "lib64").symlink_to("lib")
    (folder / "bin" / "fatbinary").symlink_to(cuda_projects.toolkit() / "bin" / "fatbinary")
    (folder / "version.json").write_text(f'{{"cuda": {{"version": "{VERSION}"}}}}', encoding="utf-8")
    return folder


class Builder:
    """Builds Kokkos, and its tests one by one."""

    def __init__(self, config):
        self.sources = config.getoption("--checkout")
        self.work = config.getoption("--work")
        self.build = self.work / "build"
        self.toolkit = self.work / "toolkit"
        self.clang = next(filter(None, map(shutil.which, ("clang++-22", "clang++"))), "clang++")

    def run(self, *command):
        made = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
        assert made.returncode == 0, f"{command[0]} fails: {(made.stdout + made.stderr)[-2000:]}"

    def configure(self):
        if (self.build / "build.ninja").exists():
            return
        make_toolkit(self.toolkit)
        flags = f"--cuda-path={self.toolkit} --cuda-include-ptx=sm_90 -Xcuda-ptxas -O0 -Wno-unknown-cuda-version -w"
        binaries = pathlib.Path(sys.executable).parent
        self.run(binaries / "cmake", "-S", self.sources, "-B", self.build, "-G", "Ninja",
                 f"-DCMAKE_MAKE_PROGRAM={binaries / 'ninja'}", f"-DCMAKE_CXX_COMPILER={self.clang}",
                 "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}", f"-DCUDAToolkit_ROOT={self.toolkit}",
                 "-DKokkos_ENABLE_CUDA=ON", "-DKokkos_ARCH_HOPPER90=ON", "-DKokkos_ENABLE_TESTS=ON",
                 "-DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON")

    def ninja(self, *targets):
        self.run(pathlib.Path(sys.executable).parent / "ninja", "-C", self.build, "-j",
                 max(1, (os.cpu_count() or 2) // 2), *targets)

    def tests(self):
        """The objects of the tests by their names."""
        self.configure()
        found = {}
        for line in (self.build / "build.ninja").read_text(encoding="utf-8").splitlines():
            target = line.partition(":")[0].removeprefix("build ")
            if line.startswith("build ") and target.endswith(".cpp.o"):
                folder = pathlib.PurePath(target)
                if any(f"{name}.dir" in target for name in TARGETS) and folder.parent.name == "cuda":
                    found[folder.name.removesuffix(".cpp.o").removeprefix("Test")] = target
        return dict(sorted(found.items()))

    def program(self, name, target):
        main = next(path for path in map(str, pathlib.PurePath(target).parents) if path.endswith(".dir"))
        main = f"{main}/UnitTestMainInit.cpp.o"
        self.ninja("kokkoscore", "kokkos_gtest", main, target)
        archives = [next(self.build.rglob(f"lib{library}.a")) for library in ("kokkos_gtest", "kokkoscore")]
        binary = self.work / name
        self.run(self.clang, self.build / main, self.build / target, *archives, "-o", binary,
                 f"-L{self.toolkit / 'lib64'}", "-lcudart_static", "-lcuda", "-ldl", "-lrt", "-pthread")
        return binary


def programs_of(config):
    """Programs with their names and frameworks, as unit_programs wants them."""
    builder = Builder(config)
    tests = builder.tests()
    for name in unit_programs.spread(list(tests), config.getoption("--programs")):
        yield name, functools.partial(builder.program, name, tests[name]), "googletest"


def pytest_generate_tests(metafunc):
    unit_programs.parametrize(metafunc, programs_of(metafunc.config))


def test_case(framework, binary, case, seconds):
    unit_programs.check(framework, binary, case, seconds)
