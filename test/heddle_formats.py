# The test formats that lit.cfg.py and Run/lit.local.cfg use.
import filecmp
import os
import shutil
import subprocess

import lit.formats
import lit.Test


def run_step(command, test, seconds_allowed):
    """Runs a program of a test; what lit wants to know of it."""
    line = " ".join(command) + "\n"
    try:
        run = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=test.config.environment,
            timeout=seconds_allowed,
        )
    except subprocess.TimeoutExpired:
        return lit.Test.TIMEOUT, line + "stopped after %d seconds" % seconds_allowed
    except OSError as error:
        return lit.Test.FAIL, line + str(error)
    if run.returncode == 0:
        return lit.Test.PASS, ""
    note = "exit status %d\n%s%s" % (run.returncode, run.stdout, run.stderr)
    return lit.Test.FAIL, line + note


class ShellTests(lit.formats.ShTest):
    """Shell tests in every file that has a RUN line.

    Files of the same suffix without one are inputs of other tests.
    """

    def __init__(self):
        super().__init__(execute_external=False)

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        tests = super().getTestsInDirectory(
            suite, path_in_suite, lit_config, local_config
        )
        for test in tests:
            with open(test.getSourcePath(), "rb") as file:
                if b"RUN:" in file.read():
                    yield test


class KernelRuns(lit.formats.TestFormat):
    """One test for each kernel, host compiler, PTX target, level and chip.

    A kernel is a folder K with a manifest K/K.json and the PTX that each host
    compiler made of K.cu; ptx-run compiles that PTX, launches it on the
    emulator with strict hazards and compares the results with the manifest.
    In place of level and chip stands `interpret` where it interprets the PTX.
    """

    compilers = ("nvcc", "clang")
    targets = ("sm_90", "sm_120")
    levels = ("-O0", "-O3")
    chips = ("hd100", "hd10")
    seconds_allowed = 120

    def __init__(self, kernels_dir, program):
        self.kernels_dir = kernels_dir
        self.program = program

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if len(path_in_suite) != 1 or not os.path.isdir(self.kernels_dir):
            return
        for kernel in sorted(os.listdir(self.kernels_dir)):
            source = os.path.join(self.kernels_dir, kernel, kernel + ".cu")
            if not os.path.isfile(source):
                continue
            for name in self.combinations():
                path = path_in_suite + (kernel, name)
                yield lit.Test.Test(suite, path, local_config)

    def combinations(self):
        for compiler in self.compilers:
            for target in self.targets:
                yield ".".join((compiler, target, "interpret"))
                for level in self.levels:
                    for chip in self.chips:
                        yield ".".join((compiler, target, level[1:], chip))

    def execute(self, test, lit_config):
        kernel, name = test.path_in_suite[-2:]
        compiler, target, *way = name.split(".")
        folder = os.path.join(self.kernels_dir, kernel)
        command = [
            self.program,
            os.path.join(folder, kernel + ".json"),
            "--module",
            os.path.join(folder, "%s.%s.%s.ptx" % (kernel, compiler, target)),
        ]
        if way == ["interpret"]:
            command += ["--interpret"]
        else:
            level, chip = way
            command += ["-" + level, "--chip", chip]
        return run_step(command, test, self.seconds_allowed)


class KernelChecks(KernelRuns):
    """One test for each kernel and host compiler: with all checks of the
    emulator its run is clean."""

    def combinations(self):
        return self.compilers

    def execute(self, test, lit_config):
        kernel, compiler = test.path_in_suite[-2:]
        folder = os.path.join(self.kernels_dir, kernel)
        command = [
            self.program,
            os.path.join(folder, kernel + ".json"),
            "--module",
            os.path.join(folder, "%s.%s.sm_90.ptx" % (kernel, compiler)),
            "--check=mem,init,race,sync,warp",
        ]
        return run_step(command, test, self.seconds_allowed)


class KernelRoundTrips(lit.formats.TestFormat):
    """Two tests for each kernel, host compiler and PTX target.

    Both write the PTX again by way of the dialect. `run` does so twice, which
    must give the same text, and runs it as KernelRuns does; `ptxas` gives it to
    ptxas, and is unsupported where that is not installed.
    """

    compilers = KernelRuns.compilers
    targets = KernelRuns.targets
    seconds_allowed = 120

    def __init__(self, kernels_dir, tools_dir, output_dir):
        self.kernels_dir = kernels_dir
        self.tools_dir = tools_dir
        self.output_dir = output_dir

    def getTestsInDirectory(self, suite, path_in_suite, lit_config, local_config):
        if len(path_in_suite) != 1 or not os.path.isdir(self.kernels_dir):
            return
        for kernel in sorted(os.listdir(self.kernels_dir)):
            source = os.path.join(self.kernels_dir, kernel, kernel + ".cu")
            if not os.path.isfile(source):
                continue
            for compiler in self.compilers:
                for target in self.targets:
                    for what in ("run", "ptxas"):
                        name = ".".join((compiler, target, what))
                        path = path_in_suite + (kernel, name)
                        yield lit.Test.Test(suite, path, local_config)

    def execute(self, test, lit_config):
        kernel, name = test.path_in_suite[-2:]
        compiler, target, what = name.split(".")
        folder = os.path.join(self.kernels_dir, kernel)
        source = os.path.join(folder, "%s.%s.%s.ptx" % (kernel, compiler, target))
        os.makedirs(os.path.join(self.output_dir, kernel), exist_ok=True)
        once = os.path.join(self.output_dir, kernel, name + ".1.ptx")
        twice = os.path.join(self.output_dir, kernel, name + ".2.ptx")
        translate = [os.path.join(self.tools_dir, "ptx-translate"), "--ptx-to-ptx"]
        steps = [translate + [source, "-o", once]]
        if what == "ptxas":
            ptxas = shutil.which("ptxas", path=test.config.environment["PATH"])
            if not ptxas:
                return (
                    lit.Test.UNSUPPORTED,
                    "Test requires the following unavailable features: ptxas",
                )
            steps.append([ptxas, "-arch=" + target, once, "-o", os.devnull])
        else:
            manifest = os.path.join(folder, kernel + ".json")
            steps.append(translate + [once, "-o", twice])
            steps.append(
                [os.path.join(self.tools_dir, "ptx-run"), manifest, "--module", once]
            )
        for step in steps:
            code, note = run_step(step, test, self.seconds_allowed)
            if code is not lit.Test.PASS:
                return code, note
        if what == "run" and not filecmp.cmp(once, twice, shallow=False):
            return lit.Test.FAIL, "%s and %s differ" % (once, twice)
        return lit.Test.PASS, ""
