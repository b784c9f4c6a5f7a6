"""How the test programs of CCCL are built, those of Thrust and those of CUB: the flags
are what its CMake gives them."""
import itertools
import pathlib
import re
import threading

import cuda_projects

# What Catch2's own CMake writes where nothing is chosen.
CATCH2_CONFIGURATION = """#define CATCH_CONFIG_DEFAULT_REPORTER "console"
#define CATCH_CONFIG_CONSOLE_WIDTH 80
"""
# CCCL's tests check its assertions.
DEFINITIONS = ("-DCCCL_ENABLE_ASSERTIONS", "-D_CCCL_NO_SYSTEM_HEADER")
PARAMETER = re.compile(r"//[ ]+%PARAM%[ ]+(\S+)[ ]+(\S+)[ ]+(\S+)")


class Builder:
    """Builds programs of a checkout of CCCL, with Catch2's sources beside it."""

    def __init__(self, config):
        self.cccl = config.getoption("--checkout")
        self.catch2 = pathlib.Path(cuda_projects.library(config, "Catch2"))
        self.work = config.getoption("--work")
        self.work.mkdir(parents=True, exist_ok=True)
        configuration = self.work / "catch2" / "catch_user_config.hpp"
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text(CATCH2_CONFIGURATION, encoding="utf-8")
        folders = [self.cccl / "thrust", self.cccl / "cub", self.cccl / "libcudacxx" / "include",
                   self.cccl / "c2h" / "include", self.catch2 / "src", self.work]
        self.one_at_a_time = threading.Lock()
        self.flags = [*(f"-I{folder}" for folder in folders), *DEFINITIONS]

    def compile(self, source, name, *flags):
        return cuda_projects.compile_cuda([source], self.work / name, *self.flags, *map(str, flags), level="-O0")

    def object(self, name, source, *flags):
        with self.one_at_a_time:  # Programs share objects.
            return self.compile(source, f"{name}.o", "-c", *flags)

    def catch2_object(self, *flags):
        name = "catch2.main" if not flags else "catch2"
        return self.object(name, self.catch2 / "extras" / "catch_amalgamated.cpp", *flags)

    def c2h_objects(self):
        """CCCL's helpers of tests that use Catch2, with a main of their own."""
        folder = self.cccl / "c2h"
        return [self.object(f"c2h.{source.stem}", source, "-DC2H_HAS_CURAND=0") for source in folder.glob("*.cu")]

    def program(self, name, source, *flags):
        return self.compile(source, name, *flags)


def variants_of(source):
    """The variants that a source is to be built in: the definitions of each."""
    axes = [[(f"{label}_{value}", f"-D{definition}={value}") for value in values.split(":")]
            for definition, label, values in PARAMETER.findall(source.read_text(encoding="utf-8"))]
    return list(itertools.product(*axes))
