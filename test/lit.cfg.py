# The lit configuration of Heddle's tests. Run through `ninja check-lit`, or
# `lit build/test --filter NAME` for some of them.
import glob
import os
import platform
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
import heddle_formats  # noqa: E402

config.name = "Heddle"
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.heddle_build_dir, "test")
config.suffixes = [".test", ".ptx", ".ll", ".mir", ".mlir", ".s", ".json", ".td"]
config.excludes = ["kernels", "unit", "fuzz", "Inputs", "Stress"]
config.test_format = heddle_formats.ShellTests()

tools_dir = os.path.join(config.heddle_build_dir, "bin")
config.environment["PATH"] = os.pathsep.join(
    [tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Tests neither read nor fill a cache of the user's; those of the cache switch
# it on.
config.environment["HEDDLE_CACHE_MODE"] = "off"
# What tests do on devices is none of the machine's business. One that asks who
# uses a device has a folder of its own.
config.environment["HEDDLE_CLIENTS"] = os.path.join(config.test_exec_root, "clients")
# How launches are executed (docs/native.md): -Dexecution=translate.
if "execution" in lit_config.params:
    config.environment["HEDDLE_EXECUTION"] = lit_config.params["execution"]
config.environment["HOME"] = os.path.join(config.test_exec_root, "home")
os.makedirs(config.environment["HOME"], exist_ok=True)

# Programs of LLVM were built without the sanitizer, which has to be there when
# they load our plug-ins.
plugin_environment = ""
if "address" in config.sanitize:
    runtime = subprocess.run(
        [config.clang, "-print-file-name=libclang_rt.asan-x86_64.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    plugin_environment = 'env "LD_PRELOAD=%s" ASAN_OPTIONS=%s UBSAN_OPTIONS=%s ' % (
        runtime,
        config.asan_options,
        config.ubsan_options,
    )

config.substitutions += [
    ("%python", '"%s"' % config.python),
    ("%source", config.heddle_source_dir),
    ("%build", config.heddle_build_dir),
    ("%bin", tools_dir),
    ("%clang-format", os.path.join(config.llvm_tools_dir, "clang-format")),
    ("%llvm-tools", config.llvm_tools_dir),
    # LLVM's opt with the passes of passes/Passes.def.
    (
        "%opt-heddle",
        plugin_environment
        + '"%s" -load-pass-plugin "%s"'
        % (
            os.path.join(config.llvm_tools_dir, "opt"),
            os.path.join(config.heddle_build_dir, "lib", "HeddlePasses.so"),
        ),
    ),
    (r"\bllc(?= -load )", plugin_environment + "llc"),
    ("%fuzzers", os.path.join(config.test_exec_root, "fuzz")),
    ("%kernels", os.path.join(config.test_source_root, "kernels")),
]

config.available_features.add("host-" + platform.machine())
# What the processor has, where Linux says so.
try:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        if " avx2 " in file.read():
            config.available_features.add("host-avx2")
except OSError:
    pass
# A test that needs a program that is not part of the project says
# `REQUIRES: ptxas`, and so on.
for program in ("ptxas", "nvcc", "valgrind", "doxygen", "ccache", "git"):
    if shutil.which(program):
        config.available_features.add(program)
# A maker of random C programs, and the arithmetic that they use.
if shutil.which("csmith") and os.path.exists("/usr/include/csmith/safe_math.h"):
    config.available_features.add("csmith")
# The sources of other locales, of which a test compiles one.
if shutil.which("localedef") and os.path.exists("/usr/share/i18n/locales/de_DE"):
    config.available_features.add("localedef")
# An FFmpeg whose filters have PTX.
if shutil.which("ffmpeg") and "scale_cuda" in subprocess.run(
    ["ffmpeg", "-hide_banner", "-filters"], capture_output=True, text=True
).stdout:
    config.available_features.add("ffmpeg")
# GCC with a compiler for the devices of OpenMP and OpenACC, which GCC calls only where a program has a region for them.
if shutil.which("gcc") and "nvptx-none" in subprocess.run(
    ["gcc", "-v"], capture_output=True, text=True
).stderr and subprocess.run(
    "gcc -foffload=nvptx-none -foffload-options=-Wa,--no-verify -fopenmp -x c - -o /dev/null".split(),
    input="int main(void) {\n#pragma omp target\n  ;\n}\n", capture_output=True, text=True,
).returncode == 0:
    config.available_features.add("gcc-offload")
if all(map(shutil.which, ("cpack", "dpkg-deb", "dpkg-shlibdeps"))):
    config.available_features.add("debian-packages")
# The library of CUDA's toolkit that has the names of the GPU's metrics.
metrics_library = glob.glob(
    os.path.join(
        os.path.dirname(os.path.realpath(shutil.which("ptxas") or "/")),
        "../lib*/libnvperf_host.so",
    )
)
if metrics_library:
    config.available_features.add("nvperf")
    config.substitutions.append(("%nvperf", metrics_library[0]))
# A browser that programs can drive, and the library of charts of pages.
if all(map(shutil.which, ("chromium", "chromedriver"))):
    config.available_features.add("chromium")
if config.has_charts:
    config.available_features.add("charts")
if not subprocess.run(
    [config.python, "-c", "import pip, setuptools, wheel"], capture_output=True
).returncode:
    config.available_features.add("pip")
if not subprocess.run(
    [config.python, "-c", "import ensurepip, venv"], capture_output=True
).returncode:
    config.available_features.add("venv")
# A Python that can tell samplers of its functions, from 3.12 on.
for program in (config.python, *map(shutil.which, ("python3.13", "python3.12"))):
    if program and not subprocess.run(
        [program, "-c", "import sys; sys.activate_stack_trampoline('perf')"],
        capture_output=True,
    ).returncode:
        config.available_features.add("python-trampolines")
        config.substitutions.append(("%sampled-python", '"%s"' % program))
        break
# Needs a library of HTTP to be built.
if os.path.exists(os.path.join(tools_dir, "ptx-farm")):
    config.available_features.add("farm")
# Containers by the kernel's own means, which not every host lets a user make.
if not subprocess.run(
    "unshare --user --map-root-user --mount --pid --fork --net --ipc --uts"
    " sh -c 'mount -t tmpfs none /mnt && mkdir /mnt/proc && mount -t proc none /mnt/proc'",
    shell=True,
    capture_output=True,
).returncode:
    config.available_features.add("namespaces")
if shutil.which("prometheus"):
    config.available_features.add("prometheus")
# Its tests say where specifications of devices are looked for, as root may.
if shutil.which("podman") and os.geteuid() == 0:
    config.available_features.add("podman")
# Frameworks that make PTX, in this Python or in the one that HEDDLE_TEST_PYTHON
# names, such as a virtual environment's.
frameworks_python = os.environ.get("HEDDLE_TEST_PYTHON", config.python)
config.substitutions.append(("%frameworks-python", '"%s"' % frameworks_python))
find_modules = (
    "import importlib.util as u;"
    "print(*(m for m in ('triton', 'numba_cuda', 'cutlass', 'cuda.core', 'pynvml',"
    " 'jax_plugins', 'pandas', 'pytest', 'torch', 'cupy',"
    " 'warp', 'grpc', 'numpy', 'ray')"
    " if u.find_spec(m.split('.')[0]) and u.find_spec(m)))"
)
found = subprocess.run(
    [frameworks_python, "-c", find_modules], capture_output=True, text=True
)
config.available_features.update(found.stdout.split())
# NVIDIA's library for profilers, which such packages bring along.
find_packages = "import sysconfig; print(sysconfig.get_path('purelib'))"
packages = subprocess.run(
    [frameworks_python, "-c", find_packages], capture_output=True, text=True
).stdout.strip()
# What a debugger's protocol with editors is, as debugpy brings it along.
protocol = glob.glob(os.path.join(packages, "debugpy/**/debugProtocol.json"), recursive=True)
config.substitutions.append(("%debug-protocol", protocol[0] if protocol else ""))
if protocol:
    config.available_features.add("debug-protocol")
cupti = glob.glob(os.path.join(packages, "nvidia/*/lib/libcupti.so.1[23]"))
# And its headers, if they are those that the page on functions is about.
headers = os.path.join(packages, "nvidia/cu13/include")
release = "#define CUDA_VERSION 13050"
try:
    with open(os.path.join(headers, "cuda.h"), encoding="utf-8") as file:
        known = headers if release in file.read() else ""
except OSError:
    known = ""
config.substitutions.append(("%cuda-headers", known))
if cupti:
    config.available_features.add("cupti")
    config.substitutions.append(("%cupti", cupti[0]))
# NVIDIA's libnccl, which takes minutes to be compiled the first time: where it is
# asked for by its path.
nvidia_nccl = os.environ.get("HEDDLE_TEST_NCCL", "")
config.substitutions.append(("%nvidia-nccl", nvidia_nccl))
if os.path.exists(nvidia_nccl):
    config.available_features.add("nvidia-nccl")
if any(config.sanitize):
    config.available_features.add("sanitizer")
