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

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace {

/// An option: what it sets in the program's environment.
struct OptionRow {
  std::string_view Name;  ///< Behind `--`; one that ends in `=` takes a value.
  const char *Variable;   ///< Which gets the value, or "1".
  std::string_view Value; ///< For the help.
  std::string_view Help;
};

constexpr OptionRow Options[] = {
    {"chip=", "HEDDLE_CHIP", "NAME", "the chip to emulate"},
    {"opt-level=", "HEDDLE_OPT_LEVEL", "0..3", "how far code is optimised"},
    {"check=", "HEDDLE_CHECK", "LIST",
     "what to check: mem, sync, init, race (docs/emulator.md)"},
    {"strict", "HEDDLE_STRICT", "", "checks that code waits for its results"},
    {"profile=", "HEDDLE_PROFILE", "FILE",
     "a page of where the cycles of each launch went (docs/timing.md)"},
    {"trace", "HEDDLE_TRACE_LAUNCHES", "", "a line on stderr for each launch"},
    {"log", "HEDDLE_LOG", "", "a line on stderr for each compilation"},
    {"skip-launches", "HEDDLE_SKIP_LAUNCHES", "",
     "launches do nothing: does the program notice?"},
};

[[noreturn]] void fail(const std::string &Message) {
  std::fprintf(stderr, "ptx-env: error: %s\n", Message.c_str());
  std::exit(1);
}

void printHelp() {
  std::printf(
      "ptx-env: runs a CUDA program on the Heddle emulator\n\n"
      "usage: ptx-env [options] PROGRAM [ARGUMENTS...]\n\n"
      "PROGRAM has to have been built with -cudart shared, or to use the"
      " driver API,\nand to have PTX in it.\n\n");
  for (const OptionRow &O : Options) {
    std::string Left = "--" + std::string(O.Name) + std::string(O.Value);
    std::printf("  %-18s %.*s\n", Left.c_str(), int(O.Help.size()),
                O.Help.data());
  }
  std::printf("  %-18s %s\n", "-O0 ... -O3", "the same as --opt-level=");
  std::printf("  %-18s %s\n", "--help, -h", "this text");
}

void set(const char *Variable, const std::string &Value) {
  if (setenv(Variable, Value.c_str(), /*replace=*/1) != 0)
    fail(std::string("cannot set ") + Variable + ": " + std::strerror(errno));
}

/// Whether Argument is this option; sets its variable if it is.
bool apply(const OptionRow &O, std::string_view Argument) {
  bool TakesValue = O.Name.back() == '=';
  if (TakesValue ? !Argument.starts_with(O.Name) : Argument != O.Name)
    return false;
  std::string Value(TakesValue ? Argument.substr(O.Name.size()) : "1");
  if (Value.empty())
    fail("--" + std::string(O.Name) + " needs a value");
  set(O.Variable, Value);
  return true;
}

void applyOption(std::string_view Argument) {
  if (Argument.size() == 3 && Argument.starts_with("-O") &&
      Argument[2] >= '0' && Argument[2] <= '3')
    return set("HEDDLE_OPT_LEVEL", std::string(Argument.substr(2)));
  if (Argument.starts_with("--"))
    for (const OptionRow &O : Options)
      if (apply(O, Argument.substr(2)))
        return;
  fail("unknown option '" + std::string(Argument) + "'; see ptx-env --help");
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

/// Where this program is, without its name.
std::string programFolder() {
  std::vector<char> Path(4096);
  ssize_t Size = readlink("/proc/self/exe", Path.data(), Path.size());
  if (Size <= 0 || size_t(Size) == Path.size())
    fail("cannot tell where this program is");
  std::string Program(Path.data(), Size);
  return Program.substr(0, Program.rfind('/'));
}

/// Where the libraries are: in an installed tree in a folder of their own, else
/// beside the folder of this program.
std::string libraryFolder(const std::string &ProgramFolder) {
  std::string Folder = ProgramFolder.substr(0, ProgramFolder.rfind('/'));
  for (const char *Place : {"/" HEDDLE_LIBRARY_FOLDER "/heddle-cuda", "/lib"})
    if (access((Folder + Place + "/libheddle-cuda.so.1").c_str(), R_OK) == 0)
      return Folder + Place;
  fail("there is no libheddle-cuda.so.1 in " + Folder + "/lib");
}

/// Puts Value before what a variable with a list has.
void prepend(const char *Variable, const std::string &Value) {
  const char *Old = std::getenv(Variable);
  set(Variable, Old && *Old ? Value + ":" + Old : Value);
}

/// Programs find our libraries first. Python's packages know where they have
/// put NVIDIA's linker, and take another one only if it is loaded already;
/// Triton brings an assembler along unless it is told of another one.
void replaceNVIDIAs(const std::string &ProgramFolder) {
  std::string Libraries = libraryFolder(ProgramFolder);
  prepend("LD_LIBRARY_PATH", Libraries);
  prepend("LD_PRELOAD", Libraries + "/libnvJitLink.so.13");
  for (const char *Assembler :
       {"TRITON_PTXAS_PATH", "TRITON_PTXAS_BLACKWELL_PATH"})
    if (!std::getenv(Assembler))
      set(Assembler, ProgramFolder + "/ptx-compile");
}

} // namespace

int main(int Count, char **Arguments) {
  int Next = 1;
  for (; Next < Count && Arguments[Next][0] == '-'; ++Next) {
    std::string_view Argument = Arguments[Next];
    if (Argument == "--help" || Argument == "-h") {
      printHelp();
      return 0;
    }
    if (Argument == "--") {
      ++Next;
      break;
    }
    applyOption(Argument);
  }
  if (Next == Count)
    fail("no program; see ptx-env --help");
  replaceNVIDIAs(programFolder());
  prepareReport("HEDDLE_PROFILE");
  execvp(Arguments[Next], Arguments + Next);
  fail(std::string("cannot run '") + Arguments[Next] +
       "': " + std::strerror(errno));
}
