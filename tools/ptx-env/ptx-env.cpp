//===- ptx-env.cpp - Runs a CUDA program on the emulator --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts our CUDA libraries in front of NVIDIA's for one program, says by
// environment variables what they shall do (docs/cuda.md), and becomes the
// program.
//
//===----------------------------------------------------------------------===//

#include "Dashboard.h"
#include "Explain.h"
#include "heddle/Support/InstalledTree.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace heddle;
using namespace llvm;

namespace {

/// What the options ask for: variables of the program's environment.
struct Settings {
  std::vector<std::pair<const char *, std::string>> Variables;
  bool Help = false;
  bool Explains = false, AsJson = false;
  bool KeepsStaticRuntimes = false;
  std::optional<uint16_t> DashboardPort;
};

/// A row's action: the variable gets the value, or "1" for a flag.
#define SETS(Variable)                                                         \
  [](Settings &S, StringRef Value) -> Error {                                  \
    S.Variables.emplace_back(Variable, Value.empty() ? "1" : Value.str());     \
    return Error::success();                                                   \
  }

constexpr OptionRow<Settings> Rows[] = {
    {"--chip", "NAME", "The chip to emulate (hd100)", SETS("HEDDLE_CHIP")},
    {"--devices", "LIST|FILE",
     "Several devices, such as 4xhd100,hd10, or a file of JSON that also says "
     "how they are linked (docs/devices.md)",
     SETS("HEDDLE_DEVICES")},
    {"--compute-capability", "MAJOR.MINOR",
     "The compute capability that the program sees (9.0)",
     SETS("HEDDLE_COMPUTE_CAPABILITY")},
    {"--library-compute-capability", "MAJOR.MINOR",
     "The one that cuBLAS, cuDNN, cuSPARSE and cuSOLVER see, which have PTX "
     "for GPUs "
     "that they do not know (13.0)",
     SETS("HEDDLE_LIBRARY_COMPUTE_CAPABILITY")},
    {"--opt-level", "0..3",
     "How far code is optimised; -O0 to -O3 are the same",
     SETS("HEDDLE_OPT_LEVEL")},
    {"--compile-threads", "N",
     "How many threads compile a program's kernels at most; 0: one for each "
     "core (0)",
     SETS("HEDDLE_COMPILE_THREADS")},
    {"--check", "LIST", "What to check, joined by commas (docs/emulator.md):"
#define HEDDLE_CHECK(Enumerator, Name, Meaning) " " Name
#include "heddle/Emulator/Checks.def"
     ,
     SETS("HEDDLE_CHECK")},
    {"--fresh-memory", "zero|poison",
     "What global memory holds that nobody has written; --check=init wants "
     "poison (zero)",
     SETS("HEDDLE_FRESH_MEMORY")},
    {"--bounds", "exact|page",
     "How far accesses to global memory may go: to the end of the allocation, "
     "or of the pages of 2 MiB that a driver gives it; --check=init wants "
     "exact (exact)",
     SETS("HEDDLE_BOUNDS")},
    {"--strict", "", "Check that code waits for its results",
     SETS("HEDDLE_STRICT")},
    {"--execution", "emulate|translate|auto|compare",
     "How kernels are executed: instruction by instruction, as code of the "
     "host, so after a while, or in both ways (auto)",
     SETS("HEDDLE_EXECUTION")},
    {"--threads", "N",
     "How many threads of the host run kernels; 0: one for each core (0)",
     SETS("HEDDLE_HOST_THREADS")},
    {"--seed", "N",
     "Run warps and CTAs in random time slices that this number decides, on "
     "one "
     "thread of the host",
     SETS("HEDDLE_SEED")},
    {"--relaxed-memory", "",
     "With --seed: loads may return older values, as docs/memory-model.md says",
     SETS("HEDDLE_RELAXED_MEMORY")},
    {"--timing", "sampled|exact",
     "Clocks and events tell the time of the chip (docs/timing.md): of "
     "launches "
     "that repeat only some are timed, or all are",
     SETS("HEDDLE_TIMING")},
    {"--timing-host", "measured|none",
     "With --timing: what the program computes itself takes what it takes, or "
     "no time (measured)",
     SETS("HEDDLE_TIMING_HOST")},
    {"--what-if", "NAME=VALUE|NAME=FACTORx,...",
     "With --timing: the time of a chip with other figures (docs/timing.md), "
     "such as dram=2x,launch=0",
     SETS("HEDDLE_WHAT_IF")},
    {"--timing-report", "FILE",
     "With --timing: write a timeline for Perfetto, and print at the end where "
     "the time went",
     SETS("HEDDLE_TIMING_REPORT")},
    {"--timeline", "FILE",
     "Write when what happened: calls, work, NVTX's ranges, compilations; the "
     "end of FILE says how: .pftrace, .json or .sqlite (docs/tracing.md)",
     SETS("HEDDLE_TIMELINE")},
    {"--cpu-samples", "HZ",
     "With --timeline: so many samples of the program's call stacks in each "
     "second that a thread is on a core (docs/tracing.md)",
     SETS("HEDDLE_CPU_SAMPLES")},
    {"--os-calls", "",
     "With --timeline: calls of the C library that wait, such as read and poll "
     "(docs/tracing.md)",
     SETS("HEDDLE_OS_CALLS")},
    {"--profile", "FILE",
     "Write a page of where the cycles of each launch went (docs/timing.md)",
     SETS("HEDDLE_PROFILE")},
    {"--no-trials", "",
     "With --profile: leave untried what advice would save, which runs "
     "launches "
     "again in copies of the process",
     SETS("HEDDLE_PROFILE_UNTRIED")},
    {"--dashboard", "PORT",
     "Serve a page of what the program does while it runs, at a port of this "
     "machine, and metrics at /metrics; 0: any port (docs/profiling.md)",
     [](Settings &S, StringRef Value) -> Error {
       return setNumber("--dashboard", Value, S.DashboardPort.emplace());
     }},
    {"--profile-out", "FILE",
     "Add to a profile for the compiler how often kernels went which way "
     "(docs/pgo.md)",
     SETS("HEDDLE_PROFILE_OUT")},
    {"--profile-use", "FILE", "Compile for what such a profile says",
     SETS("HEDDLE_PROFILE_USE")},
    {"--capture", "FOLDER",
     "Write the first launch of each kernel as a manifest for ptx-run, "
     "ptx-prof and ptx-tune (docs/launch-manifest.md)",
     SETS("HEDDLE_CAPTURE")},
    {"--capture-kernel", "NAME", "Only of kernels in whose name this stands",
     SETS("HEDDLE_CAPTURE_KERNEL")},
    {"--capture-launch", "N", "The N-th launch of each kernel instead",
     SETS("HEDDLE_CAPTURE_LAUNCH")},
    {"--core", "FILE",
     "At the first fault of a kernel, write a core file for ptx-debug --core "
     "(docs/debugging.md)",
     SETS("HEDDLE_CORE")},
    {"--debug-wait", "",
     "Wait for ptx-debug --attach in front of the first use of a device "
     "(docs/debugging.md)",
     SETS("HEDDLE_DEBUG_WAIT")},
    {"--debug-attach", "",
     "Let ptx-debug --attach debug the program, and those that it starts, "
     "while it runs (docs/debugging.md)",
     SETS("HEDDLE_DEBUG_ATTACH")},
    {"--trace", "", "Print a line on stderr for each launch",
     SETS("HEDDLE_TRACE_LAUNCHES")},
    {"--log", "", "Print a line on stderr for each compilation",
     SETS("HEDDLE_LOG")},
    {"--keep-static-runtime", "",
     "Leave NVIDIA's runtime as it is where a program has it linked in; its "
     "functions fail",
     [](Settings &S, StringRef) -> Error {
       S.KeepsStaticRuntimes = true;
       return Error::success();
     }},
    {"--skip-launches", "", "Launches do nothing: does the program notice?",
     SETS("HEDDLE_SKIP_LAUNCHES")},
    {"--explain", "",
     "Run nothing; print which files with a CUDA runtime or device code the "
     "program loads, and what of them will run. Further files may follow it",
     [](Settings &S, StringRef) -> Error {
       S.Explains = true;
       return Error::success();
     }},
    {"--json", "", "Print that as JSON",
     [](Settings &S, StringRef) -> Error {
       S.AsJson = true;
       return Error::success();
     }},
    {"--help", "", "Print this text",
     [](Settings &S, StringRef) -> Error {
       S.Help = true;
       return Error::success();
     }},
};

#undef SETS

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "ptx-env: error: %s\n", Message.c_str());
  std::exit(1);
}

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-env: runs a CUDA program on the Heddle emulator

usage: ptx-env [options] PROGRAM [ARGUMENTS...]
       ptx-env --explain [--json] PROGRAM [LIBRARY...]

PROGRAM has to have PTX in it. A file that nvcc takes is built so:

    nvcc -arch=sm_90 program.cu -o program
    ptx-env --check=race,mem ./program

Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

void set(const char *Variable, const std::string &Value) {
  if (setenv(Variable, Value.c_str(), /*replace=*/1) != 0)
    fail(std::string("cannot set ") + Variable + ": " + std::strerror(errno));
}

/// Takes the options before the program, and leaves Next at it.
Expected<Settings> parseOptions(ArrayRef<const char *> Args, size_t &Next) {
  Settings S;
  for (; Next < Args.size() && Args[Next][0] == '-'; ++Next) {
    StringRef Arg = Args[Next];
    if (Arg == "--") {
      ++Next;
      break;
    }
    if (Arg.size() == 3 && Arg.starts_with("-O") && Arg[2] >= '0' &&
        Arg[2] <= '3') {
      S.Variables.emplace_back("HEDDLE_OPT_LEVEL", Arg.substr(2).str());
      continue;
    }
    if (Arg == "-h") {
      S.Help = true;
      continue;
    }
    Expected<bool> Known = applyOption<Settings>(Rows, S, Args, Next);
    if (!Known)
      return Known.takeError();
    if (!*Known)
      return unknownOption(textsOf<Settings>(Rows), Arg);
    if (Arg.ends_with("="))
      return createStringError(Arg.drop_back() + " needs a value");
  }
  return S;
}

/// Makes the file of a report, so that the program is not run in vain, and its
/// name absolute, since the program may change its folder.
void prepareReport(const char *Variable) {
  const char *File = std::getenv(Variable);
  if (!File || !*File)
    return;
  int Descriptor = open(File, O_CREAT | O_TRUNC | O_WRONLY, 0666);
  char *Absolute = Descriptor < 0 ? nullptr : realpath(File, nullptr);
  if (!Absolute)
    fail(std::string("cannot write '") + File + "': " + std::strerror(errno));
  close(Descriptor);
  set(Variable, Absolute);
  std::free(Absolute);
}

/// Makes the name of a file absolute that stays as it is.
void makeAbsolute(const char *Variable) {
  const char *File = std::getenv(Variable);
  if (!File || !*File)
    return;
  SmallString<128> Path(File);
  if (std::error_code Failure = sys::fs::make_absolute(Path))
    fail(std::string("'") + File + "': " + Failure.message());
  set(Variable, Path.c_str());
}

void prepareProfiles() {
  if (std::getenv("HEDDLE_PROFILE_OUT") && std::getenv("HEDDLE_PROFILE_USE"))
    fail("--profile-out and --profile-use exclude each other: profiles are of "
         "code that was compiled without one");
  makeAbsolute("HEDDLE_PROFILE_OUT");
  makeAbsolute("HEDDLE_PROFILE_USE");
}

void prepareCapture() {
  const char *Number = std::getenv("HEDDLE_CAPTURE_LAUNCH");
  unsigned Launch = 0;
  if (Number && (StringRef(Number).getAsInteger(10, Launch) || !Launch))
    fail(std::string("--capture-launch takes a number from 1 on, not '") +
         Number + "'");
  if (!std::getenv("HEDDLE_CAPTURE") &&
      (Number || std::getenv("HEDDLE_CAPTURE_KERNEL")))
    fail("--capture-launch and --capture-kernel need --capture");
  makeAbsolute("HEDDLE_CAPTURE");
}

/// Of this program, or of its libraries.
std::string found(Expected<std::string> Folder) {
  if (!Folder)
    fail(toString(Folder.takeError()));
  return *Folder;
}

/// Puts Value before what a variable with a list has.
void prepend(const char *Variable, const std::string &Value) {
  const char *Old = std::getenv(Variable);
  set(Variable, Old && *Old ? Value + ":" + Old : Value);
}

/// Adds a flag with its value to a variable with a list, unless the list has
/// it.
void addFlag(const char *Variable, StringRef Flag, StringRef Value) {
  const char *Old = std::getenv(Variable);
  if (StringRef(Old ? Old : "").contains(Flag))
    return;
  std::string Flags = Old && *Old ? std::string(Old) + " " : "";
  set(Variable, Flags + Flag.str() + Value.str());
}

/// What ld.so loads first, the last before the others.
constexpr const char *Preloaded[] = {
    "/libheddle-preload.so", "/libnccl.so.2",       "/libcupti.so.12",
    "/libcupti.so.13",       "/libcufft.so.10",     "/libcufft.so.11",
    "/libcufft.so.12",       "/libnvJitLink.so.13", "/libcudart.so.11.0",
    "/libcudart.so.12",      "/libcudart.so.13"};

/// Programs find our libraries first. Python's packages know where they have
/// put NVIDIA's runtime and linker, by paths of their own or by an RPATH that
/// comes before LD_LIBRARY_PATH, and take others only if these are loaded
/// already. Triton brings an assembler and, for its profiler, CUPTI along
/// unless it is told of others, XLA starts the assembler of its package or uses
/// a compiler that is built in, unless it is told to use none, as does Mojo
/// unless it is told of an assembler; CuPy lets NVRTC make machine code unless
/// it is told to take PTX. JAX compares versions of
/// NVIDIA's libraries. PyTorch calls a package of ours, which it finds by its
/// entry point, when it is imported. The headers of NVTX load the library that
/// a variable names. Some, such as XGBoost, start nvidia-smi.
void replaceNVIDIAs(bool KeepsStaticRuntimes) {
  std::string ProgramFolder = found(programFolder());
  std::string Libraries = found(cudaLibraryFolder());
  prepend("LD_LIBRARY_PATH", Libraries);
  prepend("PYTHONPATH", Libraries + "/python");
  prepend("PATH", Libraries + "/programs");
  for (const char *Library : Preloaded)
    prepend("LD_PRELOAD", Libraries + Library);
  const char *Timing = std::getenv("HEDDLE_TIMING");
  if (Timing && *Timing && StringRef(Timing) != "0")
    prepend("LD_PRELOAD", Libraries + "/libheddle-clock.so");
  // In front of the clock, which such calls may ask.
  if (std::getenv("HEDDLE_OS_CALLS"))
    prepend("LD_PRELOAD", Libraries + "/libheddle-oscalls.so");
  if (!KeepsStaticRuntimes)
    prepend("LD_AUDIT", Libraries + "/libheddle-audit.so");
  for (const char *Assembler :
       {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH",
        "MODULAR_NVPTX_COMPILER_PATH", "HEDDLE_PTXAS"})
    if (!std::getenv(Assembler))
      set(Assembler, ProgramFolder + "/ptx-compile");
  for (const char *Choice :
       {"CUPY_COMPILE_WITH_PTX", "JAX_SKIP_CUDA_CONSTRAINTS_CHECK"})
    if (!std::getenv(Choice))
      set(Choice, "1");
  if (std::getenv("HEDDLE_TIMELINE") && !std::getenv("NVTX_INJECTION64_PATH"))
    set("NVTX_INJECTION64_PATH", Libraries + "/libnvToolsExt.so.1");
  for (const char *Folder :
       {"TRITON_CUPTI_LIB_PATH", "TRITON_CUPTI_LIB_BLACKWELL_PATH"})
    if (!std::getenv(Folder))
      set(Folder, Libraries);
  addFlag("XLA_FLAGS", "--xla_gpu_enable_libnvptxcompiler", "=false");
}

} // namespace

int main(int Count, char **Arguments) {
  size_t Next = 1;
  Expected<Settings> Parsed =
      parseOptions(ArrayRef<const char *>(Arguments, Count), Next);
  if (!Parsed)
    fail(toString(Parsed.takeError()));
  if (Parsed->Help) {
    printHelp(outs());
    return 0;
  }
  if (Next == size_t(Count))
    fail("no program; see ptx-env --help");
  if (Parsed->AsJson && !Parsed->Explains)
    fail("--json needs --explain");
  if (Parsed->Explains) {
    std::vector<std::string> Files(Arguments + Next, Arguments + Count);
    if (Error Failure = explain(Files, found(cudaLibraryFolder()), Preloaded,
                                Parsed->AsJson, outs()))
      fail(toString(std::move(Failure)));
    return 0;
  }
  for (const auto &[Variable, Value] : Parsed->Variables)
    set(Variable, Value);
  replaceNVIDIAs(Parsed->KeepsStaticRuntimes);
  prepareReport("HEDDLE_PROFILE");
  prepareReport("HEDDLE_TIMING_REPORT");
  prepareReport("HEDDLE_TIMELINE");
  if (std::getenv("HEDDLE_TIMING_REPORT") && !std::getenv("HEDDLE_TIMING"))
    fail("--timing-report needs --timing");
  if (std::getenv("HEDDLE_CPU_SAMPLES") && !std::getenv("HEDDLE_TIMELINE"))
    fail("--cpu-samples needs --timeline");
  if (std::getenv("HEDDLE_OS_CALLS") && !std::getenv("HEDDLE_TIMELINE"))
    fail("--os-calls needs --timeline");
  // Python then names its functions for samples.
  if (std::getenv("HEDDLE_CPU_SAMPLES"))
    setenv("PYTHONPERFSUPPORT", "1", /*replace=*/0);
  prepareProfiles();
  makeAbsolute("HEDDLE_CORE");
  prepareCapture();
  if (Parsed->DashboardPort)
    if (Error Failure = serveDashboard(
            *Parsed->DashboardPort,
            ArrayRef<const char *>(Arguments, Count).drop_front(Next)))
      fail(toString(std::move(Failure)));
  execvp(Arguments[Next], Arguments + Next);
  fail(std::string("cannot run '") + Arguments[Next] +
       "': " + std::strerror(errno));
}
