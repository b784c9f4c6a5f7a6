//===- MachineCode.cpp - PTX where nvcc makes machine code ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that compiles at run time by `nvcc --cubin`, such as PyCUDA, loads
// what comes out, which no driver but NVIDIA's can run. The last step of that
// is a shell's start of ptxas, and in its place the PTX is copied, which our
// driver loads as NVIDIA's does. Builds are left alone: their nvcc was not
// started by a program that has our driver.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *nameIn(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  return Slash ? Slash + 1 : Path;
}

//===----------------------------------------------------------------------===//
// Which program asks
//===----------------------------------------------------------------------===//

static int openOf(pid_t Process, const char *File) {
  char Path[64];
  std::snprintf(Path, sizeof(Path), "/proc/%d/%s", Process, File);
  return open(Path, O_RDONLY | O_CLOEXEC);
}

/// The start of a file of a process, as text; its length.
static size_t readOf(pid_t Process, const char *File, char *Text, size_t Size) {
  int Opened = openOf(Process, File);
  if (Opened < 0)
    return 0;
  size_t Length = 0;
  ssize_t Read;
  while (Length < Size - 1 &&
         (Read = read(Opened, Text + Length, Size - 1 - Length)) > 0)
    Length += static_cast<size_t>(Read);
  close(Opened);
  Text[Length] = 0;
  return Length;
}

/// 0 if there is none, or it cannot be seen.
static pid_t parentOf(pid_t Process) {
  char Text[512];
  if (!readOf(Process, "stat", Text, sizeof(Text)))
    return 0;
  // "number (name) state parent ...", where the name may have parentheses.
  const char *Name = std::strrchr(Text, ')');
  return Name && std::strlen(Name) > 4
             ? static_cast<pid_t>(std::strtol(Name + 4, nullptr, 10))
             : 0;
}

/// Whether a process is nvcc, or a script of that name, and makes machine code.
static bool makesMachineCode(pid_t Process) {
  static char Words[1 << 16];
  size_t Length = readOf(Process, "cmdline", Words, sizeof(Words));
  bool IsCompiler = false, IsAsked = false;
  unsigned Index = 0;
  for (const char *W = Words; W < Words + Length; W += std::strlen(W) + 1) {
    IsCompiler |= Index++ < 2 && std::strcmp(nameIn(W), "nvcc") == 0;
    IsAsked |= std::strcmp(W, "--cubin") == 0 || std::strcmp(W, "-cubin") == 0;
  }
  return IsCompiler && IsAsked;
}

static bool hasDriver(pid_t Process) {
  constexpr char Driver[] = "/libheddle-cuda.so.";
  constexpr size_t Kept = sizeof(Driver);
  static char Text[Kept + (1 << 16)];
  int Maps = openOf(Process, "maps");
  if (Maps < 0)
    return false;
  bool Found = false;
  size_t Before = 0; // what is left of the part before
  ssize_t Read;
  while (!Found &&
         (Read = read(Maps, Text + Before, sizeof(Text) - Kept)) > 0) {
    size_t Length = Before + static_cast<size_t>(Read);
    Found = memmem(Text, Length, Driver, sizeof(Driver) - 1);
    Before = Length < Kept ? Length : Kept;
    std::memmove(Text, Text + Length - Before, Before);
  }
  close(Maps);
  return Found;
}

/// Whether an nvcc above this process, which a program with our driver has
/// started, makes machine code for that.
static bool isForDriver() {
  bool IsCompiling = false;
  for (pid_t P = parentOf(getpid()); P > 1; P = parentOf(P)) {
    if (IsCompiling && hasDriver(P))
      return true;
    IsCompiling |= makesMachineCode(P);
  }
  return false;
}

//===----------------------------------------------------------------------===//
// What it gets
//===----------------------------------------------------------------------===//

static bool copyFile(const char *From, const char *To) {
  FILE *In = std::fopen(From, "rbe"),
       *Out = In ? std::fopen(To, "wbe") : nullptr;
  bool IsDone = Out;
  char Text[4096];
  while (IsDone) {
    size_t Length = std::fread(Text, 1, sizeof(Text), In);
    if (Length == 0)
      break;
    IsDone = std::fwrite(Text, 1, Length, Out) == Length;
  }
  IsDone &= In && !std::ferror(In);
  if (Out)
    IsDone &= std::fclose(Out) == 0;
  if (In)
    std::fclose(In);
  return IsDone;
}

/// Copies the PTX that is to be assembled to where the machine code is to be;
/// false if the command line is not that of nvcc.
static bool givePTX(char *const *Arguments) {
  const char *From = nullptr, *To = nullptr;
  for (char *const *A = Arguments; *A; ++A) {
    const char *Dot = std::strrchr(*A, '.');
    if (std::strcmp(*A, "-o") == 0 && A[1])
      To = *++A;
    else if (**A != '-' && Dot && std::strcmp(Dot, ".ptx") == 0)
      From = *A;
  }
  if (!From || !To || !copyFile(From, To))
    return false;
  const char *Log = std::getenv("HEDDLE_LOG");
  if (Log && *Log && std::strcmp(Log, "0") != 0)
    std::fputs("heddle: nvcc gives PTX in place of machine code\n", stderr);
  return true;
}

// Not by its name, whose declaration says that no path is null: that is for the
// system to say.
extern "C" int startProgram(const char *Program, char *const *Arguments,
                            char *const *Environment) asm("execve");

/// Shells start programs by this function. A child of fork or vfork may be
/// here, so that only what nvcc starts does more than the system call.
int startProgram(const char *Program, char *const *Arguments,
                 char *const *Environment) {
  if (Program && Arguments && std::strcmp(nameIn(Program), "ptxas") == 0 &&
      access(Program, X_OK) == 0 && isForDriver() && givePTX(Arguments))
    _exit(0);
  return static_cast<int>(syscall(SYS_execve, Program, Arguments, Environment));
}
